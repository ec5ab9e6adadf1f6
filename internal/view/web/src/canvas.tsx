// The picture: what the painter made of the view, stretched while a gesture lasts; axis and overview; the pointer.

import { batch, computed, effect } from "@preact/signals-core";
import { h } from "preact";
import { useEffect, useRef } from "preact/hooks";

import * as cell from "./cell";
import { live } from "./live";
import { address, ask, token } from "./net";
import { Frame, Messages, Scene, Side } from "./scene";
import { path, sideOf } from "./second";
import * as s from "./state";
import { marks, moment, percent, span } from "./time";

const painters = [0, 1].map(() => new Worker("/view/painter.js", { type: "module" }));

// frames are the pictures of the parts of the view, asked the number of those that are wanted.
let frames: Frame[] = [], arrived: (Frame | undefined)[] = [], overviewFrame: Frame | undefined, id = 0, asked = 0, parts = 0, overviews = 0, repaint = () => {}, repaintOverview = () => {};

// isPainted reports whether the picture is that of the view, isOverviewPainted whether the overview is that of the trace.
export const isPainted = () => frames.length > 0 && frames[0].id === asked && waiting === 0;

// isRefined reports whether no part of the picture is followed by one with shorter calls.
export const isRefined = () => !frames.some((f) => f.rough);

export const isOverviewPainted = () => overviewFrame?.id === overviews;

// painted waits for the picture, but not for long: what is around it is asked for behind it.
export async function painted() {
	for (let i = 0; i < 40 && !isPainted(); i++) await new Promise((done) => setTimeout(done, 25));
}

// rested is called when what is shown is what was asked for last.
let rested: (f: Frame) => void = () => {};
export const onRest = (f: (f: Frame) => void) => (rested = f);

export function start() {
	for (const p of painters) p.postMessage({ token: token() });
}

// early asks for the tiles of all of a trace before it is known what rows it has: those of its first locations, if there are few, and of all together, which most first pictures have. It
// is as good if they do not come.
export async function early(trace: string, tree: s.Tree) {
	painters[0].postMessage({ early: trace + " " + tree });
	const url = address(trace + "/tiles", { tree, pixels: Math.round(s.widthOf(innerWidth) * devicePixelRatio), few: s.fewRows, lane: 0, group: 0 });
	const tiles = await ask(url, token()).then((answer) => answer.arrayBuffer()).catch(() => undefined);
	painters[0].postMessage({ tiles }, tiles ? [tiles] : []);
}

const overviewPart = 9, overviewHigh = 44, overviewBands = 36; // pixels of CSS: below the bands is the density of messages

for (const p of painters) p.onmessage = (e: MessageEvent<{ frame?: Frame; failed?: { id: number; text: string } }>) => {
	if (e.data.failed) return void s.say(e.data.failed.text, true);
	const f = e.data.frame!;
	if (f.part === overviewPart) {
		overviewFrame?.bitmap.close();
		overviewFrame = f;
		return repaintOverview();
	}
	if (f.id !== asked) return void f.bitmap.close();
	const rough = frames.findIndex((g) => g.id === f.id && g.part === f.part);
	if (rough >= 0) {
		frames[rough].bitmap.close();
		frames[rough] = f;
		return finish();
	}
	arrived[f.part]?.bitmap.close();
	arrived[f.part] = f;
	if (arrived.filter((a) => a?.id === asked).length === parts) complete();
};

// complete shows the pictures of all parts at once.
function complete() {
	for (const f of frames) f.bitmap.close();
	frames = arrived.filter((f): f is Frame => f?.id === asked);
	arrived = [];
	finish();
}

// finish takes what frames say of the rows, and shows them.
function finish() {
	const depths = Object.assign({}, ...frames.map((f) => f.depths));
	if (JSON.stringify(depths) !== JSON.stringify(s.depths.value)) s.depths.value = depths; // rows get other heights, and are painted again
	else if (waiting === 0) rested({ ...frames[0], blur: Math.max(...frames.map((f) => f.blur)), least: Math.max(...frames.map((f) => f.least)), rough: !isRefined() });
	repaint();
}

const css = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// colours are those of regions as words of an image, by place.
export const colours = computed(() => {
	void s.scheme.value;
	const r = s.rows.value, list = new Uint32Array(r?.regions.length ?? 0), dim = word(css("--pale"));
	r?.regions.forEach((g, i) => {
		const own = g.like ?? i;
		list[i] = s.pale.value.has(own) ? dim : word(s.recoloured.value.get(own) ?? r.regions[own].colour);
	});
	return list;
});

export const colourOf = (place: number) => (s.pale.value.has(place) ? css("--pale") : s.recoloured.value.get(place) ?? s.rows.value?.regions[place]?.colour ?? "#808080");

const word = (hex: string) => (0xff000000 | (parseInt(hex.slice(5, 7), 16) << 16) | (parseInt(hex.slice(3, 5), 16) << 8) | parseInt(hex.slice(1, 3), 16)) >>> 0;

const names = computed(() => s.rows.value?.regions.map((r) => r.name) ?? []);

function sides(): Side[] {
	const r = s.rows.value!, first = { tree: r.tree, trace: s.path(""), first: r.first_tick, shift: 0, rate: 1, groups: 0, regions: 0 };
	return r.second ? [first, { tree: r.tree, trace: path(1, ""), first: r.second.first_tick, shift: s.shift.value, rate: r.second.rate, groups: r.second.groups, regions: r.second.regions }] : [first];
}

function common(): Pick<Scene, "begin" | "end" | "sides" | "state" | "ratio" | "colours" | "names" | "ink" | "soft" | "accent" | "back" | "depthHeight"> {
	return {
		sides: sides(), state: s.state.value, ratio: s.size.value.ratio, colours: colours.value,
		names: names.value, begin: s.begin(), end: s.end(), ink: css("--text"), soft: css("--soft"), accent: css("--accent"), back: css("--back"), depthHeight: s.depthHeight.value,
	};
}

// still is what is shown but for the time: a gesture changes that alone, frame by frame. key tells it from others.
const still = computed(() => {
	const { list, height } = s.placed.value, { width, ratio } = s.size.value, r = s.rows.value!, shown: { a: number; b: number; y: number }[] = [];
	const lines = list.map((p) => {
		const [a, b] = p.kind === "location" || !p.open ? s.places(p) : [0, 0], l = p.kind === "location" ? r.locations[p.number] : undefined;
		if (a < b) shown.push({ a, b, y: p.y + p.band / 2 });
		return {
			side: sideOf(s.places(p)[0]), kind: p.kind, number: p.number, y: p.y, band: p.band, height: p.height, curve: p.curve, calls: p.kind === "location" && p.open,
			lane: l?.lane ?? 0, place: l?.place ?? 0, a, b,
		};
	});
	const open = [...s.pinned.value, ...s.listed.value].filter((e) => e.kind === "location" && e.open).slice(0, 64);
	const scene: Omit<Scene, "from" | "to"> = {
		...common(), id: 0, part: 0, y: 0, ahead: true, pointer: 0, width: Math.max(1, Math.round(width * ratio)), height, rows: shown, lines,
		open: open.map((e) => ({ side: sideOf(e.number), number: e.number, lane: r.locations[e.number].lane, place: r.locations[e.number].place })),
		messages: messages(), curves: s.counter.value >= 0 ? s.curves.value : undefined, over: s.over.value !== "" ? s.found.value : undefined,
	};
	return { scene, key: JSON.stringify(scene, (_, v) => (v instanceof Uint32Array ? numberOf(v) : v)) };
});

// numberOf tells lists apart that are too long to be compared: none is changed after it was made.
const numbers = new WeakMap<object, number>();
let lists = 0;
function numberOf(list: Uint32Array): number {
	if (!numbers.has(list)) numbers.set(list, ++lists);
	return numbers.get(list)!;
}

// messages are those of each trace, and those of the row and of the call that were chosen, which are lines in any case.
function messages(): Messages[] | undefined {
	if (!s.linesShown.value || !s.messages.value) return undefined;
	return [...s.messages.value, ...[s.ofRow.value, s.ofCall.value].filter((m) => m !== undefined).map((m) => ({ ...m, cells: [], marked: true }))];
}

// send asks for the picture of what is shown.
function send() {
	waiting = 0;
	sent = performance.now();
	divide({ ...still.value.scene, from: s.view.value.from, to: s.view.value.to, id: (asked = ++id), pointer });
}

const manyRows = 16; // of one lane, from which on two painters are faster, although both need its tiles

// divide gives each painter rows of about the same height. Locations of one lane come with the same tiles: the border lies between lanes where it can.
function divide(scene: Scene) {
	const { lines, height } = scene;
	for (const f of arrived) f?.bitmap.close();
	arrived = [];
	let border = lines.findIndex((l) => l.y >= height / 2);
	const turn = lines.findIndex((l, i) => i > 0 && l.y >= height / 4 && l.y <= (height * 3) / 4 && (l.kind !== lines[i - 1].kind || l.lane !== lines[i - 1].lane));
	if (turn > 0) border = turn;
	const cuts = border > 0 && (turn > 0 || lines.length > manyRows) ? [lines.slice(0, border), lines.slice(border)] : [lines];
	parts = cuts.length;
	cuts.forEach((some, part) => {
		const y = some[0]?.y ?? 0, next = cuts[part + 1]?.[0]?.y ?? height, numbers = new Set(some.filter((l) => l.kind === "location").map((l) => l.number));
		const open = scene.open.filter((o) => numbers.has(o.number) || (part === 0 && !lines.some((l) => l.kind === "location" && l.number === o.number)));
		painters[part].postMessage({ scene: { ...scene, part, y, height: next - y, open, lines: some.map((l) => ({ ...l, y: l.y - y })) } });
	});
}

// A gesture changes the view frame by frame, and painters would take the processor from the frames. Its first picture is asked for at once, others
// now and then, and the last one when the view has not changed for two frames. Meanwhile the picture is stretched.
const gesture = { pause: 34, between: 200 }; // ms
let waiting = 0, changed = -Infinity, sent = -Infinity;

// watch asks for a picture whenever what is shown changes.
export function watch() {
	let last = "", place = "";
	effect(() => {
		if (!s.rows.value) return;
		const { from, to } = s.view.value, now = performance.now();
		repaint();
		const next = still.value.key, only = next === last, moved = place !== from + " " + to;
		if (only && !moved) return;
		[last, place] = [next, from + " " + to];
		const going = only && (waiting !== 0 || now - changed < gesture.pause * 2);
		if (only) changed = now;
		clearTimeout(waiting);
		waiting = 0;
		if (!going) return send();
		waiting = setTimeout(send, Math.max(0, Math.min(gesture.pause, sent + gesture.between - now))) as unknown as number;
	});
	effect(() => {
		if (!s.rows.value) return;
		const { width, ratio } = overviewSize.value;
		const roots = s.rows.value.second ? [0, s.rows.value.second.groups] : [0], high = Math.round((overviewBands * ratio) / roots.length);
		const lines = roots.map((number, side) => ({ side, kind: "group" as const, number, lane: 0, place: 0, y: side * high, band: high, height: high, calls: false, curve: 0, a: 0, b: 0 }));
		const message = { overview: { ...common(), id: ++overviews, part: overviewPart, y: 0, ahead: false, pointer: 0, from: s.begin(), to: s.end(), width: Math.max(1, Math.round(width * ratio)), height: high * roots.length, lines, open: [], rows: [] } };
		void painted().then(() => message.overview.id === overviews && painters[1].postMessage(message)); // its tiles are among those of the first picture
	});
	effect(() => {
		void s.view.value;
		void s.traffic.value;
		void s.linesShown.value;
		repaintOverview();
	});
}

const overviewSize = computed(() => ({ width: s.size.value.width, ratio: s.size.value.ratio }));

// paintFrame draws the last frame at the place that the view gives it.
function paintFrame(canvas: HTMLCanvasElement) {
	const { width, ratio } = s.size.value, wide = Math.max(1, Math.round(width * ratio)), high = s.placed.value.height;
	if (canvas.width !== wide) canvas.width = wide;
	if (canvas.height !== high) canvas.height = high;
	canvas.style.width = width + "px";
	canvas.style.height = high / ratio + "px";
	const context = canvas.getContext("2d")!;
	context.clearRect(0, 0, wide, high);
	const { from, to } = s.view.value, scale = wide / (to - from);
	context.imageSmoothingEnabled = false;
	for (const f of frames) {
		if (f.from === from && f.to === to && f.bitmap.width === wide) context.drawImage(f.bitmap, 0, f.y);
		else context.drawImage(f.bitmap, (f.from - from) * scale, f.y, (f.to - f.from) * scale, f.bitmap.height);
	}
	if (isPainted() && frames.some((f) => f.blur > ((to - from) / wide) * 1.001)) hatch(context, wide, high);
}

// hatch says that pixels are known only to within more than themselves.
function hatch(context: CanvasRenderingContext2D, width: number, height: number) {
	context.fillStyle = css("--soft");
	for (let x = 0; x < width; x += 8) for (let y = x % 16; y < height; y += 16) context.fillRect(x, y, 1, 1);
}

export const xOf = (t: number) => ((t - s.view.value.from) / (s.view.value.to - s.view.value.from)) * s.size.value.width;

// placeAt returns the row and the time at a point of the picture, in pixels of CSS.
export function placeAt(x: number, y: number) {
	const { from, to } = s.view.value, { width, ratio } = s.size.value, t = Math.floor(from + (Math.min(width, Math.max(0, x)) / width) * (to - from));
	const row = s.placed.value.list.find((p) => y * ratio >= p.y && y * ratio < p.y + p.height);
	return { t: Math.min(to - 1, Math.max(from, t)), row };
}

// pick shows what a place of the picture has.
export function pick(row: s.Entry | undefined, t: number) {
	batch(() => {
		s.area.value = undefined;
		if (row?.kind === "location") {
			s.picked.value = { location: row.number, t };
			s.panel.value = "details";
		} else if (row) s.toggled.value = s.toggle(s.toggled.value, row.key);
	});
}

let drag: { x: number; y: number; moved: boolean; pan: boolean; from: number; to: number } | undefined;

function down(e: PointerEvent) {
	if (e.button !== 0) return;
	(e.currentTarget as HTMLElement).setPointerCapture(e.pointerId);
	drag = { x: e.offsetX, y: e.offsetY, moved: false, pan: e.shiftKey, ...s.view.value };
}

function over(e: PointerEvent) {
	pointer = e.offsetX / s.size.value.width;
	if (!drag) return;
	if (Math.abs(e.offsetX - drag.x) > 3 || Math.abs(e.offsetY - drag.y) > 6) drag.moved = true;
	if (!drag.moved) return;
	if (drag.pan) {
		const by = ((drag.x - e.offsetX) / s.size.value.width) * (drag.to - drag.from);
		return s.show(drag.from + by, drag.to + by);
	}
	mark(drag.x, drag.y, e.offsetX, e.offsetY);
}

// mark makes an area of the rows and times between two points.
function mark(x0: number, y0: number, x1: number, y1: number) {
	const a = placeAt(Math.min(x0, x1), Math.min(y0, y1)), b = placeAt(Math.max(x0, x1), Math.max(y0, y1));
	if (b.t <= a.t) return;
	const list = s.placed.value.list, first = a.row ?? list[0], last = b.row ?? list[list.length - 1];
	let [low, high] = [Infinity, 0];
	for (const p of list) {
		if (p.index < first.index || p.index > last.index) continue;
		const [i, j] = s.places(p);
		if (sideOf(i) !== sideOf(s.places(first)[0]) || (p.kind === "group" && p.open && first !== last)) continue; // an area is of one trace
		low = Math.min(low, i);
		high = Math.max(high, j);
	}
	if (low < high) s.area.value = { from: a.t, to: b.t + 1, a: low, b: high };
}

function up(e: PointerEvent) {
	if (drag && !drag.moved && e.detail < 2) {
		const at = placeAt(e.offsetX, e.offsetY);
		if (at.row) s.cursor.value = at.row.index; // arrows go on from there
		s.place.value = at.t;
		pick(at.row, at.t);
	}
	drag = undefined;
}

export let pointer = 0.5; // where the pointer is, from left to right

function wheel(e: WheelEvent) {
	e.preventDefault();
	if (e.ctrlKey) return s.zoom(Math.exp(Math.max(-1, Math.min(1, e.deltaY / 240))), e.offsetX / s.size.value.width);
	if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) return s.move(((e.deltaX || e.deltaY) / s.size.value.width) * 0.7);
	s.top.value = Math.max(0, Math.min(s.listed.value.length - 1, s.top.value + Math.sign(e.deltaY) * Math.max(1, Math.round(Math.abs(e.deltaY) / 40))));
}

export const Picture = live(() => {
	return <PictureCanvas label={describe()} />;
});

// describe says in words what the picture shows.
function describe(): string {
	const r = s.rows.value;
	if (!r) return "no trace";
	const { from, to } = s.view.value, length = (to - from) / s.perSecond();
	return `${moment(from / s.perSecond(), length)} to ${moment(to / s.perSecond(), length)} (${span(length)}), ${s.placed.value.all} rows${mostOf.value}`;
}

// mostOf says which region has most of the window, when that is known.
export const mostOf = computed(() => {
	const m = s.status.value && most.value;
	return m ? `, ${m.name.slice(0, 80)} ${percent(m.share)}` : "";
});
import { most } from "./panels";

function PictureCanvas({ label }: { label: string }) {
	const canvas = useRef<HTMLCanvasElement>(null);
	useEffect(() => {
		const c = canvas.current!;
		repaint = () => requestAnimationFrame(() => paintFrame(c));
		c.addEventListener("wheel", wheel, { passive: false });
		repaint();
		return () => c.removeEventListener("wheel", wheel);
	}, []);
	return (
		<canvas id="bands" ref={canvas} role="img" aria-label={label} onPointerDown={down} onPointerMove={over} onPointerUp={up}
			onDblClick={(e) => s.zoom(0.5, e.offsetX / s.size.value.width)} />
	);
}

export const Axis = live(() => {
	const { from, to } = s.view.value, { width } = s.size.value, per = s.perSecond(), { list, digits } = marks(from / per, to / per, width / 120);
	return (
		<div id="axis" aria-hidden="true">
			{list.map((t) => <span key={t} style={{ transform: `translateX(${xOf(t * per)}px)` }}>{t.toFixed(digits)} s</span>)}
		</div>
	);
});

// Marks are what lies over the picture: the area, and the place that was picked.
export const Marks = live(() => {
	const a = s.area.value, p = s.picked.value, list = s.placed.value.list, ratio = s.size.value.ratio;
	const inArea = a ? list.filter((e) => s.places(e)[0] < a.b && s.places(e)[1] > a.a && (e.kind === "location" || !e.open)) : [];
	const first = inArea[0], last = inArea[inArea.length - 1], left = a ? Math.max(-2, xOf(a.from)) : 0, right = a ? Math.min(s.size.value.width + 2, xOf(a.to)) : 0;
	const m = s.mark.value, marked = m ? xOf(m.t) : -1;
	const row = p && list.find((e) => e.kind === "location" && e.number === p.location), at = p ? xOf(p.t + 0.5) : -1;
	const t = cell.inView(), own = t === undefined ? undefined : list.find((e) => e.index === s.cursor.value), wide = t !== undefined && own?.kind === "group" ? xOf(t + cell.length()) - xOf(t) : 0;
	return (
		<div id="marks" aria-hidden="true">
			{own && <div class="cell" style={{ left: xOf(t! + (wide > 0 ? 0 : 0.5)) - 2 + "px", width: wide + 4 + "px", top: own.y / ratio + "px", height: own.band / ratio + "px" }} />}
			{a && first && right > left && (
				<div class="area" style={{ left: left + "px", width: right - left + "px", top: first.y / ratio + "px", height: (last.y + last.height - first.y) / ratio + "px" }} />
			)}
			{marked >= 0 && marked <= s.size.value.width && <div class="mark" style={{ left: marked + "px" }} />}
			{row && at >= 0 && at <= s.size.value.width && <div class="picked" style={{ left: at + "px", top: row.y / ratio + "px", height: row.height / ratio + "px" }} />}
		</div>
	);
});

export function Overview() {
	const canvas = useRef<HTMLCanvasElement>(null);
	useEffect(() => {
		repaintOverview = () => requestAnimationFrame(() => canvas.current && paintOverview(canvas.current));
	}, []);
	const go = (e: PointerEvent) => {
		if (!(e.buttons & 1) && e.type !== "click") return;
		const t = s.begin() + (e.offsetX / s.size.value.width) * (s.end() - s.begin()), half = (s.view.value.to - s.view.value.from) / 2;
		s.show(t - half, t + half);
	};
	return <canvas id="overview" ref={canvas} aria-hidden="true" title="all of the trace: click to go there" onPointerDown={go} onPointerMove={go} />;
}

function paintOverview(canvas: HTMLCanvasElement) {
	const { width, ratio } = s.size.value, wide = Math.max(1, Math.round(width * ratio)), high = Math.round(overviewHigh * ratio), bands = Math.round(overviewBands * ratio);
	canvas.width = wide;
	canvas.height = high;
	canvas.style.width = width + "px";
	const context = canvas.getContext("2d")!;
	if (overviewFrame) context.drawImage(overviewFrame.bitmap, 0, 0, wide, bands);
	density(context, wide, bands, high);
	const at = (t: number) => ((t - s.begin()) / (s.end() - s.begin())) * wide, left = at(s.view.value.from), right = Math.max(left + 2, at(s.view.value.to));
	context.fillStyle = css("--back");
	context.globalAlpha = 0.6;
	context.fillRect(0, 0, left, high);
	context.fillRect(right, 0, wide - right, high);
	context.globalAlpha = 1;
	context.strokeStyle = css("--accent");
	context.lineWidth = 2 * ratio;
	context.strokeRect(left, 1, right - left, high - 2);
}

// density draws how many messages are under way, cell by cell, as bars below the bands.
function density(context: CanvasRenderingContext2D, wide: number, top: number, bottom: number) {
	const all = s.linesShown.value ? s.traffic.value ?? [] : [], scale = wide / (s.end() - s.begin()), most = Math.max(0, ...all.flatMap((m) => m.cells.map((c) => c.sent.reduce((a, n, i) => Math.max(a, n + c.received[i]), 0))));
	context.fillStyle = css("--soft");
	for (const m of all) {
		for (const c of m.cells) {
			c.sent.forEach((sent, i) => {
				const n = sent + c.received[i], high = n > 0 ? Math.max(1, Math.round((n / most) * (bottom - top - 1))) : 0, x = (m.from_ticks + i * m.cell_ticks - s.begin()) * scale;
				context.fillRect(x, bottom - high, Math.max(1, m.cell_ticks * scale), high);
			});
		}
	}
}

// png returns the picture as it is.
export const png = () => new Promise<Blob>((done, failed) => (document.getElementById("bands") as HTMLCanvasElement).toBlob((b) => (b ? done(b) : failed(new Error("no picture")))));
