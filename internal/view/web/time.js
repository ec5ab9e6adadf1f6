// Times are ticks since the trace's first event.

const units = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];

// span returns a duration of seconds as text, with about three digits.
export function span(seconds) {
  for (const [size, name] of units) if (Math.abs(seconds) >= size) return trim((seconds / size).toPrecision(4)) + " " + name;
  return seconds === 0 ? "0 s" : trim((seconds / 1e-9).toPrecision(2)) + " ns";
}

// moment returns a point in time as text, exact to a part of a window that is so many seconds long.
export function moment(seconds, length) {
  const digits = Math.max(0, Math.min(12, Math.ceil(3 - Math.log10(length))));
  return trim(seconds.toFixed(digits)) + " s";
}

function trim(text) {
  return text.includes("e") ? String(Number(text)) : text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

// marks returns about n round values of [from, to), and the number of decimals that tell them apart.
export function marks(from, to, n) {
  const rough = (to - from) / n, power = 10 ** Math.floor(Math.log10(rough)), times = rough / power;
  const step = (times > 5 ? 10 : times > 2 ? 5 : times > 1 ? 2 : 1) * power;
  const list = [];
  for (let i = Math.ceil(from / step); i * step < to; i++) list.push(i * step);
  return { list, digits: Math.max(0, Math.min(12, -Math.floor(Math.log10(step) + 1e-9))) };
}
