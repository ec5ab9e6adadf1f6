// Pictures of timelines: each pixel of a row is divided among regions by their time, from below in the order of the list of regions.

// rgb returns the parts of a colour #rrggbb.
export const rgb = (colour) => [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));

// ticksOf returns the lengths of the pixels of a timeline: their borders are whole ticks.
export function ticksOf(a) {
  const all = BigInt(a.to_ticks - a.from_ticks), pixels = BigInt(a.pixels);
  const border = (i) => Number((all * BigInt(i)) / pixels);
  return Float64Array.from({ length: a.pixels }, (_, i) => border(i + 1) - border(i));
}

// band draws the cells of a row into an image, from a line on; ticks has the lengths of pixels. Regions that dim names by their place are pale.
export function band(image, top, height, line, ticks, colours, dim) {
  const { data, width } = image;
  const used = new Float64Array(width);
  for (const [pixel, region, time] of line.cells) {
    if (pixel >= width) continue;
    const length = ticks[pixel], begin = Math.round(used[pixel] / length * height);
    used[pixel] += time;
    const end = Math.min(height, Math.round(used[pixel] / length * height));
    const [r, g, b] = colours[region], alpha = dim?.has(region) ? 40 : 255;
    for (let y = top + height - end; y < top + height - begin; y++) {
      const at = 4 * (y * width + pixel);
      data[at] = r; data[at + 1] = g; data[at + 2] = b; data[at + 3] = alpha;
    }
  }
}

// together returns the cells of all rows as one row, whose pixels have the time of all.
export function together(rows) {
  const sums = new Map();
  for (const row of rows) {
    for (const [pixel, region, ticks] of row.cells) {
      const key = pixel * 65536 + region;
      sums.set(key, (sums.get(key) ?? 0) + ticks);
    }
  }
  const cells = [...sums].sort((a, b) => a[0] - b[0]).map(([key, ticks]) => [Math.floor(key / 65536), key % 65536, ticks]);
  return { cells };
}

// at returns the cells of a pixel of a row, the longest first.
export function at(row, pixel) {
  return row.cells.filter((c) => c[0] === pixel).sort((a, b) => b[2] - a[2]);
}
