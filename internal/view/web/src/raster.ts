// Bands: pixels of the screen from the aligned pixels of tiles.

import { Tile, tilePixels } from "./tile";

// Columns say of which data pixels each pixel of the screen is made: those from first[x] to first[x + 1] in at, with the time in ticks that both have
// in common.
export interface Columns {
	first: Uint32Array;
	tile: Int32Array; // place of the tile, from the first one
	pixel: Uint16Array; // of the tile
	weight: Float64Array;
	firstTile: number;
	tiles: number;
	whole: number; // ticks of a pixel of the screen
}

export function columns(from: number, to: number, width: number, level: number, phase: number): Columns {
	const ticks = 2 ** level, edge = (x: number) => from + (x * (to - from)) / width;
	const firstTile = Math.floor((from + phase) / ticks / tilePixels), lastTile = Math.floor(((to + phase) / ticks - 1e-9) / tilePixels);
	const first = new Uint32Array(width + 1), tile: number[] = [], pixel: number[] = [], weight: number[] = [];
	for (let x = 0; x < width; x++) {
		const a = edge(x), b = edge(x + 1);
		first[x] = tile.length;
		for (let g = Math.floor((a + phase) / ticks); g * ticks - phase < b; g++) {
			const common = Math.min(b, (g + 1) * ticks - phase) - Math.max(a, g * ticks - phase);
			if (common <= 0) continue;
			const t = Math.floor(g / tilePixels);
			tile.push(t - firstTile);
			pixel.push(g - t * tilePixels);
			weight.push(common);
		}
	}
	first[width] = tile.length;
	return {
		first, tile: Int32Array.from(tile), pixel: Uint16Array.from(pixel), weight: Float64Array.from(weight), firstTile,
		tiles: lastTile - firstTile + 1, whole: (to - from) / width,
	};
}

// Pile adds up what regions have of a pixel, and paints it from below.
export class Pile {
	private readonly sums: Float64Array;
	private readonly touched: number[] = [];
	constructor(private readonly colours: Uint32Array) {
		this.sums = new Float64Array(colours.length + 1); // the last one for regions that are not defined
	}
	// add adds a pixel of a row of a tile, whose cells begin at starts, and whose regions come behind those of another trace.
	add(t: Tile, starts: Uint32Array, pixel: number, weight: number, behind: number) {
		for (let i = starts[pixel]; i < starts[pixel + 1]; i++) {
			const place = Math.min(t.regions[t.region[i]] + behind, this.colours.length);
			if (this.sums[place] === 0) this.touched.push(place);
			this.sums[place] += t.share[i] * weight;
		}
	}
	// paint fills a column of a height whose bottom is row y+height-1 of the image, and forgets the sums. A share is rounded at its borders.
	paint(image: Uint32Array, stride: number, x: number, y: number, height: number, whole: number) {
		if (this.touched.length > 1) this.touched.sort((a, b) => a - b);
		let sum = 0, up = 0;
		for (const place of this.touched) {
			sum += this.sums[place];
			this.sums[place] = 0;
			const next = Math.min(height, Math.floor((sum / (255 * whole)) * height + 0.5));
			const colour = place < this.colours.length ? this.colours[place] : 0xff808080;
			for (; up < next; up++) image[(y + height - 1 - up) * stride + x] = colour;
		}
		this.touched.length = 0;
	}
}
