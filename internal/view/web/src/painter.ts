// A painter: a worker that fetches tiles, keeps them, and paints the rows that it is given. They are painted when all their tiles are there, so
// that a picture depends on the view alone, and on nothing that was seen before. Then it fetches what the next gesture may need.

import { address, ask } from "./net";
import { columns, Columns, Pile } from "./raster";
import { Frame, Line, Messages, Over, rangeOf, Scene, Side } from "./scene";
import { Grid, levelOf, parse, startsOf, Tile, tilePixels } from "./tile";

const room = 16 << 20; // bytes of tiles that are kept

const tiles = new Map<string, Tile>(); // the one used last is the last
let bytes = 0, state = -1, credential = "";
let ofTraces = "", wanted: Scene | undefined, overview: Scene | undefined, working = false, abort: AbortController | undefined, shown: Scene | undefined;

const key = (side: number, kind: number, level: number, of: number, index: number) => `${side} ${kind} ${level} ${of} ${index}`;

function keep(t: Tile) {
	tiles.set(key(t.side, t.kind, t.level, t.of, t.index), t);
	bytes += t.bytes;
}

function tidy() {
	for (const [k, t] of tiles) {
		if (bytes <= room) return;
		tiles.delete(k);
		bytes -= t.bytes;
	}
}

// Sight is what is to be seen of a trace: times are its own.
interface Sight {
	side: number;
	of: Side;
	from: number;
	to: number;
	level: number;
	phase: number;
	c: Columns;
}

// sights returns what a time of the axis shows of each trace that has rows here.
function sights(s: Scene, from: number, to: number, width: number): Sight[] {
	const list: Sight[] = [];
	s.sides.forEach((of, side) => {
		if (!s.lines.some((l) => l.side === side) && !s.open.some((o) => o.side === side)) return;
		const [a, b] = [(from - of.shift) * of.rate, (to - of.shift) * of.rate], level = levelOf((b - a) / width), phase = new Grid(of.first).phase(level);
		list[side] = { side, of, from: a, to: b, level, phase, c: columns(a, b, width, level, phase) };
	});
	return list;
}

// missing lists the lanes or groups of which tiles of a range are not there, and marks those that are as used.
function missing(v: Sight, kind: number, of: Set<number>): Source[] {
	const { c, level } = v;
	const list: Source[] = [];
	for (const n of of) {
		let whole = true;
		for (let i = 0; i < c.tiles; i++) {
			const k = key(v.side, kind, level, n, c.firstTile + i), t = tiles.get(k);
			if (t) {
				tiles.delete(k);
				tiles.set(k, t);
			} else whole = false;
		}
		if (!whole) list.push({ kind, of: n });
	}
	return list;
}

// Source is what tiles are of: a lane or a group.
interface Source {
	kind: number;
	of: number;
}

// fetchTiles fetches what is missing. Bands of lanes and groups come together, as the server reads the same parts of the file for both.
async function fetchTiles(v: Sight, path: string, sources: Source[], signal: AbortSignal, exact = false) {
	const { c, level, side } = v;
	const atOnce = Math.max(1, Math.floor(128 / c.tiles));
	for (let i = 0; i < sources.length; i += atOnce) {
		const some = sources.slice(i, i + atOnce), of = (group: boolean) => some.filter((n) => (n.kind === 1) === group).map((n) => n.of).join(",");
		let from = c.tiles, to = 0;
		for (const n of some) {
			for (let t = 0; t < c.tiles; t++) {
				const its = tiles.get(key(side, n.kind, level, n.of, c.firstTile + t));
				if (its && (!exact || !isRough(its))) continue;
				from = Math.min(from, t);
				to = Math.max(to, t + 1);
			}
		}
		const url = address(v.of.trace + path, { level, tree: path === "/tiles" ? v.of.tree : undefined, from: c.firstTile + from, to: c.firstTile + to, lane: of(false), group: of(true), exact: exact ? "true" : undefined });
		const answer = await (await ask(url, credential, signal)).arrayBuffer();
		for (const t of parse(answer)) {
			t.side = side;
			t.exact = exact;
			const old = tiles.get(key(side, t.kind, t.level, t.of, t.index));
			if (old?.exact && !exact) continue;
			if (old) bytes -= old.bytes;
			keep(t);
		}
	}
}

// isRough reports whether a tile lacks calls of at least a pixel that the server would have to look for in many slices.
const isRough = (t: Tile) => t.kind === 2 && !t.exact && t.least > 2 ** t.level;

// rough lists the lanes whose tiles of a view are rough.
function rough(s: Scene, v: Sight): Source[] {
	const lanes = new Set(s.open.filter((o) => o.side === v.side).map((o) => o.lane)), list: Source[] = [];
	for (const of of lanes) {
		for (let i = 0; i < v.c.tiles; i++) {
			const t = tiles.get(key(v.side, 2, v.level, of, v.c.firstTile + i));
			if (!t || !isRough(t)) continue;
			list.push({ kind: 2, of });
			break;
		}
	}
	return list;
}

// refine fetches what rough tiles lack, when the view has been at rest for some time. Where the server does not look for that much, they stay as they are.
async function refine(s: Scene, list: Sight[], signal: AbortSignal) {
	await new Promise((done) => setTimeout(done, 100));
	signal.throwIfAborted();
	await Promise.all(list.map((v) => fetchTiles(v, "/calls", rough(s, v), signal, true).catch((e) => {
		if (e.name === "AbortError") throw e;
	})));
}

// gather fetches what a view lacks.
async function gather(s: Scene, list: Sight[], signal: AbortSignal) {
	await Promise.all(list.map(async (v) => {
		const lanes = new Set<number>(), groups = new Set<number>(), open = new Set(s.open.filter((o) => o.side === v.side).map((o) => o.lane));
		for (const l of s.lines) if (l.side === v.side) l.kind === "group" ? groups.add(l.number - v.of.groups) : lanes.add(l.lane);
		await Promise.all([
			fetchTiles(v, "/tiles", [...missing(v, 0, lanes), ...missing(v, 1, groups)], signal),
			fetchTiles(v, "/calls", missing(v, 2, open), signal),
		]);
	}));
}

// Call is a call of an open row, in pixels of the screen.
interface Call {
	from: number;
	to: number;
	depth: number;
	region: number;
}

// callsOf puts the calls of a location together: a call that meets several tiles is one.
function callsOf(v: Sight, lane: number, place: number, width: number): { calls: Call[]; least: number } {
	const { level, phase, c } = v, scale = width / (v.to - v.from), part = 2 ** level / 64, going = new Map<number, Call>(), calls: Call[] = [];
	let least = 0;
	for (let i = 0; i < c.tiles; i++) {
		const t = tiles.get(key(v.side, 2, level, lane, c.firstTile + i));
		if (!t) continue;
		least = Math.max(least, t.least);
		const begin = (c.firstTile + i) * tilePixels * 2 ** level - phase;
		for (let j = 0; j < t.row.length; j++) {
			if (t.row[j] !== place) continue;
			const from = (begin + t.begin[j] * part - v.from) * scale, to = (begin + t.end[j] * part - v.from) * scale;
			const before = going.get(t.depth[j]);
			let call = (t.flags[j] & 1) !== 0 && before ? before : undefined;
			if (call) call.to = to;
			else calls.push((call = { from, to, depth: t.depth[j], region: t.regions[t.region[j]] + v.of.regions }));
			if (t.flags[j] & 2) going.set(t.depth[j], call);
			else going.delete(t.depth[j]);
		}
	}
	return { calls, least };
}

let canvas: OffscreenCanvas | undefined;

function paint(s: Scene, seen: Sight[], last: boolean): Omit<Frame, "took"> {
	if (!canvas || canvas.width !== s.width || canvas.height !== s.height) canvas = new OffscreenCanvas(s.width, s.height);
	const context = canvas.getContext("2d", { willReadFrequently: true })!;
	const image = context.createImageData(s.width, s.height), words = new Uint32Array(image.data.buffer);
	const pile = new Pile(s.colours);
	let blur = 0, least = 0;
	for (const l of s.lines) blur = Math.max(blur, band(words, s, seen[l.side], l, pile) / seen[l.side].of.rate);
	for (const m of s.messages ?? []) density(words, s, m);
	context.putImageData(image, 0, 0);
	const depths: { [location: number]: number } = {};
	const lineOf = new Map(s.lines.filter((l) => l.calls).map((l) => [l.number, l]));
	for (const o of s.open) {
		const found = callsOf(seen[o.side], o.lane, o.place, s.width);
		least = Math.max(least, found.least / seen[o.side].of.rate);
		depths[o.number] = found.calls.reduce((n, call) => Math.max(n, call.depth + 1), 0);
		const l = lineOf.get(o.number);
		if (l) calls(context, s, l, found.calls);
	}
	for (const l of s.lines) if (l.curve > 0) curve(context, s, l);
	for (const m of s.messages ?? []) messages(context, s, m);
	if (s.over) over(context, s, s.over);
	return { id: s.id, part: s.part, y: s.y, bitmap: canvas.transferToImageBitmap(), from: s.from, to: s.to, depths, blur, least, rough: !last && seen.some((v) => rough(s, v).length > 0) };
}

// band paints the band of a line, and returns how many ticks of its trace its pixels may be off.
function band(words: Uint32Array, s: Scene, v: Sight, l: Line, pile: Pile): number {
	const { c, level } = v, kind = l.kind === "group" ? 1 : 0, of = kind === 1 ? l.number - v.of.groups : l.lane, row = kind === 1 ? 0 : l.place;
	const list = Array.from({ length: c.tiles }, (_, i) => tiles.get(key(v.side, kind, level, of, c.firstTile + i))), starts = list.map((t) => t && startsOf(t, row));
	const top = Math.max(0, -l.y), height = Math.min(l.band, s.height - l.y);
	let blur = 0;
	if (top > 0 || height < l.band) return 0; // a row that is cut is not drawn: rows are scrolled whole
	for (let x = 0; x < s.width; x++) {
		for (let i = c.first[x]; i < c.first[x + 1]; i++) {
			const t = list[c.tile[i]], its = starts[c.tile[i]];
			if (!t || !its) continue;
			pile.add(t, its, c.pixel[i], c.weight[i], v.of.regions);
			if (t.blur) blur = Math.max(blur, (t.blur[c.pixel[i]] / 255) * 2 ** level);
		}
		pile.paint(words, s.width, x, l.y, l.band, c.whole);
	}
	return blur;
}

const css = (abgr: number) => `rgb(${abgr & 255} ${(abgr >> 8) & 255} ${(abgr >> 16) & 255})`;

// dark reports whether text on a colour has to be white.
const dark = (abgr: number) => 0.299 * (abgr & 255) + 0.587 * ((abgr >> 8) & 255) + 0.114 * ((abgr >> 16) & 255) < 140;

function calls(context: OffscreenCanvasRenderingContext2D, s: Scene, l: Line, list: Call[]) {
	const top = l.y + l.band + s.ratio, high = s.depthHeight;
	context.font = `${Math.round(10.5 * s.ratio)}px system-ui, sans-serif`;
	context.textBaseline = "middle";
	for (const call of list) {
		const colour = call.region < s.colours.length ? s.colours[call.region] : 0xff808080;
		const from = Math.max(0, Math.floor(call.from)), to = Math.min(s.width, Math.max(from + 1, Math.floor(call.to))), y = top + call.depth * high;
		context.fillStyle = css(colour);
		context.fillRect(from, y, Math.max(1, to - from - (to - from > 3 ? 1 : 0)), high - 1);
		if (to - from < 40 * s.ratio) continue;
		context.fillStyle = dark(colour) ? "#fff" : "#000";
		context.fillText(fit(context, s.names[call.region] ?? "?", to - from - 8 * s.ratio), from + 4 * s.ratio, y + high / 2);
	}
}

// fit shortens a text to a width.
function fit(context: OffscreenCanvasRenderingContext2D, text: string, width: number): string {
	text = text.slice(0, 200);
	if (context.measureText(text).width <= width) return text;
	let low = 0, high = text.length;
	while (low < high) {
		const middle = (low + high + 1) >> 1;
		if (context.measureText(text.slice(0, middle) + "…").width <= width) low = middle;
		else high = middle - 1;
	}
	return low > 0 ? text.slice(0, low) + "…" : "";
}

function curve(context: OffscreenCanvasRenderingContext2D, s: Scene, l: Line) {
	const its = s.curves?.[l.side], found = its?.rows.find((r) => r.row === l.number);
	if (!found || !its) return;
	const { low, high } = rangeOf(s.curves!), bottom = l.y + l.height - 2, at = (v: number) => bottom - (high > low ? (v - low) / (high - low) : 0.5) * (l.curve - 4);
	const scale = s.width / (s.to - s.from), { from_ticks, pixel_ticks } = its;
	context.fillStyle = s.soft;
	context.globalAlpha = 0.35;
	found.least.forEach((v, i) => {
		const most = found.greatest[i];
		if (v === null || most === null) return;
		const x = (from_ticks + i * pixel_ticks - s.from) * scale, y = at(most);
		context.fillRect(x, y, pixel_ticks * scale + 0.5, Math.max(1, at(v) - y));
	});
	context.globalAlpha = 1;
	context.strokeStyle = s.ink;
	context.lineWidth = s.ratio;
	context.beginPath();
	found.last.forEach((v, i) => {
		if (v !== null) context.lineTo((from_ticks + (i + 1) * pixel_ticks - s.from) * scale, at(v));
	});
	context.stroke();
}

// rowAt returns the middle of the row that a location is in: the last one, as pinned rows come first.
function rowAt(s: Scene, location: number): number | undefined {
	for (let i = s.rows.length - 1; i >= 0; i--) if (location >= s.rows[i].a && location < s.rows[i].b) return s.rows[i].y - s.y;
	return undefined;
}

// over draws what an analysis found: in the colour of marks, with an outline that stands out from any band.
function over(context: OffscreenCanvasRenderingContext2D, s: Scene, o: Over) {
	const scale = s.width / (s.to - s.from), x = (t: number) => (t - s.from) * scale, high = (o.kind === "critical" ? 5 : 10) * s.ratio;
	const outlined = (width: number) => {
		context.strokeStyle = s.back;
		context.lineWidth = (width + 2) * s.ratio;
		context.stroke();
		context.strokeStyle = s.accent;
		context.lineWidth = width * s.ratio;
		context.stroke();
	};
	context.beginPath();
	for (const l of o.links.length > 2000 ? [] : o.links) {
		const [a, b] = [rowAt(s, l.from), rowAt(s, l.to)];
		if (a === undefined || b === undefined) continue;
		context.moveTo(x(l.sent), a);
		context.lineTo(x(l.came), b);
	}
	for (const f of o.frames) {
		const ys = f.rows.map((r) => rowAt(s, r)).filter((y) => y !== undefined);
		if (ys.length === 0) continue;
		const top = Math.min(...ys) - 8 * s.ratio;
		context.rect(x(f.from), top, Math.max(2, x(f.to) - x(f.from)), Math.max(...ys) + 8 * s.ratio - top);
	}
	outlined(1.5);
	for (const [colour, edge] of [[s.back, 1], [s.accent, 0]] as const) { // edges of all boxes first: where many are close, they are not to hide each other
		context.fillStyle = colour;
		for (const b of o.boxes) {
			const y = rowAt(s, b.row), from = Math.max(-2, x(b.from)), to = Math.min(s.width + 2, x(b.to));
			if (y !== undefined && to >= from) context.fillRect(from - edge, y - high / 2 - edge, Math.max(1, to - from) + 2 * edge, high + 2 * edge);
		}
	}
	context.beginPath();
	for (const f of o.frames) {
		const y = rowAt(s, f.late);
		if (y === undefined) continue;
		context.moveTo(x(f.came), y - 7 * s.ratio);
		context.lineTo(x(f.came), y + 7 * s.ratio);
	}
	outlined(4);
}

function messages(context: OffscreenCanvasRenderingContext2D, s: Scene, m: Messages) {
	const scale = s.width / (s.to - s.from);
	const many = m.sender.length > 300, strength = (m.marked ? 1.4 : 1) * (many ? 0.35 : 0.7);
	context.beginPath();
	m.sender.forEach((from, i) => {
		const a = rowAt(s, from), b = rowAt(s, m.receiver[i]);
		if (a === undefined || b === undefined) return;
		context.moveTo((m.send_ticks[i] - s.from) * scale, a);
		context.lineTo((m.receive_ticks[i] - s.from) * scale, b);
	});
	const stroke = (colour: string, width: number) => {
		context.globalAlpha = strength;
		context.strokeStyle = colour;
		context.lineWidth = width * s.ratio;
		context.stroke();
		context.globalAlpha = 1;
	};
	if (!many) stroke(s.back, m.marked ? 3.5 : 2.5); // an edge, by which they are seen on bands of any colour
	stroke(m.marked ? s.accent : s.ink, m.marked ? 1.5 : 1);
}

// density paints how many messages there are, of the most: two thin strips at the top of a row, what it sends above what it receives, the darker the more, on the colour of the page.
function density(words: Uint32Array, s: Scene, m: Messages) {
	const scale = s.width / (s.to - s.from), high = Math.max(2, Math.round(2 * s.ratio)), shades = between(s.back, s.ink);
	let most = 0;
	for (const r of m.cells) for (const list of [r.sent, r.received]) for (const n of list) most = Math.max(most, n / (r.to - r.row));
	for (const l of s.lines) {
		const r = m.cells.find((c) => c.row === l.a && c.to === l.b), x = (i: number) => Math.max(0, Math.min(s.width, Math.floor((m.from_ticks + i * m.cell_ticks - s.from) * scale)));
		for (const [list, top] of r ? [[r.sent, l.y], [r.received, l.y + high]] as const : []) {
			for (let i = 0; i < list.length; i++) {
				if (list[i] === 0) continue;
				const share = 0.15 + (0.85 * list[i]) / most / (l.b - l.a), from = x(i), to = Math.min(s.width, Math.max(from + 1, x(i + 1)));
				for (let y = Math.max(0, top); y < Math.min(s.height, top + high); y++) words.fill(shades[Math.round(share * 255)], y * s.width + from, y * s.width + to);
			}
		}
	}
}

// between returns 256 colours from one to another, as words of an image.
function between(first: string, last: string): Uint32Array {
	const [a, b] = [first, last].map((hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)));
	return Uint32Array.from({ length: 256 }, (_, n) => a.reduce((word, c, i) => word | (Math.round(c + ((b[i] - c) * n) / 255) << (8 * i)), 0xff000000) >>> 0);
}

// ahead fetches what the next step of a key shows, when nothing else has been asked for some time: first where the last step went. A step of zoom mostly
// has the pixels of this view or of its neighbour, so that only one of both directions needs tiles of another level.
async function ahead(s: Scene, before: Scene | undefined, signal: AbortSignal) {
	await new Promise((done) => setTimeout(done, 100));
	const length = s.to - s.from, was = before ? before.to - before.from : length, part = 0.7;
	const wider = (factor: number, place: number) => ({ factor, from: s.from - place * length * (factor - 1), to: s.to + (1 - place) * length * (factor - 1) });
	const sides = { factor: 1, from: s.from - length * 0.2, to: s.to + length * 0.2 }, closer = wider(part, s.pointer), farther = wider(1 / part, s.pointer);
	for (const n of length < was ? [closer, sides, farther] : length > was ? [farther, sides, closer] : [sides, closer, farther]) {
		const a = Math.max(s.begin, n.from), b = Math.min(s.end, n.to);
		if (b <= a) continue;
		signal.throwIfAborted();
		await gather(s, sights(s, a, b, Math.max(1, Math.round((s.width * (b - a)) / (length * n.factor)))), signal);
	}
}

// Early are tiles of a trace that the page asks for before it knows the rows of the first picture. They come, or nothing does.
interface Early {
	of: string; // the trace and its tree
	answer: Promise<ArrayBuffer | undefined>;
	comes: (answer?: ArrayBuffer) => void;
}

let early: Early | undefined, coming: Early | undefined;

function expect(of: string): Early {
	let comes: Early["comes"] = () => {};
	const answer = new Promise<ArrayBuffer | undefined>((done) => (comes = done));
	return { of, answer, comes };
}

// takeEarly keeps the early tiles. A view that is given up before they come leaves them to the next one.
async function takeEarly(e: Early, signal: AbortSignal) {
	const answer = await Promise.race([e.answer, new Promise<undefined>((done) => signal.addEventListener("abort", () => done(undefined)))]);
	if (signal.aborted) return;
	early = undefined;
	for (const t of answer ? parse(answer) : []) keep(t);
}

// view paints a scene, and posts the picture. It returns whether it was given up for another one.
async function view(s: Scene): Promise<boolean> {
	const traces = s.sides.map((of) => of.trace + " " + of.tree).join(" ");
	if (s.state !== state || traces !== ofTraces) {
		tiles.clear();
		bytes = 0;
		state = s.state;
		ofTraces = traces;
	}
	const begin = performance.now(), seen = sights(s, s.from, s.to, s.width), signal = (abort = new AbortController()).signal;
	try {
		if (early?.of !== traces) early = undefined;
		else if (s.from <= s.begin && s.to >= s.end) await takeEarly(early, signal); // a part does not wait for all of the trace
		await gather(s, seen, signal);
		if (signal.aborted) return true;
		const send = (last: boolean) => {
			const frame = { ...paint(s, seen, last), took: performance.now() - begin };
			postMessage({ frame }, { transfer: [frame.bitmap] });
			return frame.rough;
		};
		if (send(false)) {
			await refine(s, seen, signal);
			if (signal.aborted) return true;
			send(true);
		}
	} catch (e) {
		if ((e as Error).name === "AbortError") return true;
		postMessage({ failed: { id: s.id, text: (e as Error).message } });
		return false;
	}
	tidy();
	if (!s.ahead || overview) return false;
	const before = shown;
	shown = s;
	await ahead(s, before, signal).catch(() => {}); // nobody waits for it
	tidy();
	return false;
}

async function work() {
	if (working) return;
	working = true;
	for (let s = next(); s; s = next()) {
		if ((await view(s)) && !s.ahead) overview ??= s; // of views, only the last one counts
	}
	working = false;
}

// next returns the scene to be painted next: the view before the overview.
function next(): Scene | undefined {
	const s = wanted ?? overview;
	if (s === wanted) wanted = undefined;
	else overview = undefined;
	return s;
}

onmessage = (e: MessageEvent<{ scene?: Scene; overview?: Scene; token?: string; early?: string; tiles?: ArrayBuffer }>) => {
	if (e.data.token !== undefined) credential = e.data.token;
	if (e.data.early !== undefined) early = coming = expect(e.data.early);
	if ("tiles" in e.data) coming?.comes(e.data.tiles);
	overview = e.data.overview ?? overview;
	wanted = e.data.scene ?? wanted;
	if (e.data.scene) abort?.abort();
	void work();
};
