// Times are ticks since the trace's first event.

// marks returns round times of [from, to), in seconds, and the digits that tell them apart.
export function marks(from: number, to: number, most: number): { list: number[]; digits: number } {
	const raw = (to - from) / Math.max(1, most), power = 10 ** Math.floor(Math.log10(raw));
	const step = [1, 2, 5, 10].map((n) => n * power).find((s) => s >= raw) ?? raw;
	const list: number[] = [];
	for (let i = Math.ceil(from / step); i * step < to && list.length < 1000; i++) list.push(i * step);
	return { list, digits: Math.max(0, Math.min(15, -Math.floor(Math.log10(step) + 1e-9))) };
}

// span writes a length of time in the unit that suits it.
export function span(seconds: number): string {
	if (seconds === 0) return "0 s";
	const size = Math.abs(seconds);
	const [unit, name] = size >= 1 ? [1, "s"] : size >= 1e-3 ? [1e-3, "ms"] : size >= 1e-6 ? [1e-6, "µs"] : [1e-9, "ns"];
	return Number((seconds / (unit as number)).toPrecision(4)).toString() + " " + name;
}

// moment writes a time with the digits that a window of a length needs.
export function moment(seconds: number, length: number): string {
	return seconds.toFixed(Math.max(0, Math.min(15, 3 - Math.floor(Math.log10(Math.max(length, 1e-12)))))) + " s";
}

export const percent = (share: number) => (share * 100).toFixed(1) + " %";

export const count = (n: number) => n.toLocaleString("en");

// bytes writes a number of bytes.
export function bytes(n: number): string {
	const units = ["B", "kB", "MB", "GB", "TB", "PB"];
	let i = 0;
	while (n >= 1000 && i < units.length - 1) {
		n /= 1000;
		i++;
	}
	return Number(n.toPrecision(4)).toString() + " " + units[i];
}

const prefixes: [number, string][] = [[1e18, "E"], [1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];
const binary: [number, string][] = [[2 ** 60, "Ei"], [2 ** 50, "Pi"], [2 ** 40, "Ti"], [2 ** 30, "Gi"], [2 ** 20, "Mi"], [2 ** 10, "Ki"]];

// quantity writes a recorded value of a counter in its unit: it is multiplied by base to the power of exponent. Units of one or two letters get a prefix,
// bytes those of the base.
export function quantity(value: number, { base, exponent, unit }: { base: number; exponent: number; unit: string }): string {
	const scaled = exponent < 0 && base === 10 ? value / 10 ** -exponent : value * base ** exponent, size = Math.abs(scaled);
	if (unit === "s") return span(scaled);
	if (/^b(ytes?)?$/i.test(unit) && unit !== "b") {
		if (exponent === 0 || base === 10) return size >= 1000 ? bytes(scaled) : digits(scaled) + " B";
		const [by, name] = binary.find(([by]) => size >= by) ?? [1, ""];
		return digits(scaled / by) + " " + name + "B";
	}
	if (exponent === 0 && Number.isInteger(value)) return (count(value) + " " + plain(unit)).trim();
	if (unit === "" || unit.length > 2 || /[#%]/.test(unit)) return (digits(scaled) + " " + plain(unit)).trim();
	const [by, name] = (size > 0 && prefixes.find(([by]) => size >= by)) || [1, ""];
	return digits(scaled / by) + " " + name + unit;
}

const digits = (n: number) => Number(n.toPrecision(4)).toString();

const plain = (unit: string) => (unit === "#" ? "" : unit.slice(0, 40)); // # is that of counters that have none
