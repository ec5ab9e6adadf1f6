// What the page shows: signals, all of which that a link must reproduce stand in the URL (url.ts).

import { batch, computed, signal } from "@preact/signals-core";

import { Curves, Messages, Over } from "./scene";
import { ownWindow, Side, sideOf } from "./second";

export interface Group { name: string; kind: string; parent: number; from: number; to: number }
export interface Location { id: string; name: string; label: string; rank: number; group: number; lane: number; place: number }
export interface Region { id: string; name: string; kind: string; colour: string; like?: number } // like is the place of that of the first trace with the same name
// Second is the trace below the first one: its groups, locations and regions come behind those of the first, of which there are so many.
// Counters are the same if they have the same name and unit; those of the second trace alone come behind those of the first.
export interface Second { name: string; first_tick: string; duration_ticks: number; rate: number; groups: number; locations: number; regions: number; counters: Counter[]; countersOfFirst: number }
export interface Counter { metric: string; member: number; name: string; unit: string; base: number; exponent: number }

export type Tree = "system" | "kind" | "communicator" | `communicator-${number}`; // what groups are
const firstTrees: Tree[] = ["system", "kind", "communicator"];

// trees are those that can be chosen: communicators that cut across others are in trees behind the first one.
export const trees = computed(() => [...new Set([...firstTrees, ...(rows.value?.communicator_trees ?? [])])]);

// Rows are what the server says of a trace: package tiles of internal/serve.
export interface Rows {
	first_tick: string;
	duration_ticks: number;
	ticks_per_second: number;
	events: number;
	unfinished: boolean;
	groups: Group[];
	locations: Location[];
	regions: Region[];
	counters: Counter[];
	tree: Tree;
	communicator_trees: Tree[]; // that the trace has, if this is one of them
	second?: Second;
}

export interface View { from: number; to: number }

// Area is a part of the picture: a time, and the locations from a to b-1 by place.
export interface Area extends View { a: number; b: number }

export interface Picked { location: number; t: number }

export const panels = ["regions", "details", "flame", "matrix", "collectives", "counters", "find", "export"] as const;
export type Panel = (typeof panels)[number];

export const traces = signal<string[]>([]);
export const trace = signal("");
export const rows = signal<Rows | undefined>(undefined);
export const shift = signal(0); // of the second trace: its first event on the axis, in ticks of the first trace
export const mark = signal<{ side: 0 | 1; t: number } | undefined>(undefined); // a moment by which traces are aligned, on the axis
export const state = signal(0); // grows when a file changes
export const view = signal<View>({ from: 0, to: 1 });
export const toggled = signal<ReadonlySet<string>>(new Set()); // rows that are not open or closed as they are at first
export const pins = signal<readonly string[]>([]);
export const hidden = signal<ReadonlySet<string>>(new Set());
export const filter = signal("");
export const top = signal(0); // the first row in sight
export const pale = signal<ReadonlySet<number>>(new Set()); // regions without their colour
export const recoloured = signal<ReadonlyMap<number, string>>(new Map());
export const area = signal<Area | undefined>(undefined);
export const about = signal<Side>(0); // the trace that panels are about, without an area
export const picked = signal<Picked | undefined>(undefined);
export const panel = signal<Panel>("regions");
export const sorting = signal(""); // of a panel's table: "flame:3" by its third column, "flame:-3" the other way round
export const byRow = signal(false); // regions are listed location by location
export const linesShown = signal(true);
export const counter = signal(-1);
export const following = signal(false);
export const order = signal(""); // of rows: "" as in the system, "name", "sent" for bytes, "r3.5" for the time in the regions of these places
export type OverKind = "" | "collectives" | "critical" | "waits" | "hotspots" | "unusual";
export const over = signal<OverKind>(""); // what is drawn over the rows
export const chosen = signal(""); // key of the row whose messages are lines in any case
export const pair = signal<readonly [number, number] | undefined>(undefined); // sender and receiver whose messages alone are shown

export const depths = signal<{ [location: number]: number }>({});
export const messages = signal<Messages[] | undefined>(undefined); // of each trace
export const traffic = signal<Messages[] | undefined>(undefined); // how many there are in all of each trace, for the overview
export const ofRow = signal<Messages | undefined>(undefined); // messages of the row that was chosen
export const ofCall = signal<Messages | undefined>(undefined); // messages of the call that the details are about
export const curves = signal<Curves[] | undefined>(undefined); // of each trace
export const found = signal<Over | undefined>(undefined);
export const ranking = signal<ReadonlyMap<number, number> | undefined>(undefined); // by place of a location: what rows are ordered by
const nameWidth = 190; // as in view.css
export const widthOf = (stage: number) => Math.max(100, Math.floor(stage) - nameWidth); // of the picture, in pixels of CSS
export const size = signal({ width: 800, height: 400, ratio: 1 });
export const scheme = signal(0); // grows when light and dark change
export const status = signal({ text: "", wrong: false });
export const cursor = signal(0); // the row of the keyboard
export const place = signal<number | undefined>(undefined); // time of the keyboard's cell, once it was moved
export const keysShown = signal(false);

export const say = (text: string, wrong = false) => (status.value = { text, wrong });

export const path = (tail: string) => "/v1/traces/" + encodeURIComponent(trace.value) + tail;

// begin and end are those of the axis, in ticks since the first trace's first event.
export const begin = () => (rows.value?.second ? Math.min(0, Math.floor(shift.value)) : 0);
export function end(): number {
	const r = rows.value, second = r?.second;
	return Math.max((r?.duration_ticks ?? 0) + 1, second ? Math.ceil((second.duration_ticks + 1) / second.rate + shift.value) : 0);
}

export const perSecond = () => rows.value?.ticks_per_second ?? 1;

export const tree = computed<Tree>(() => rows.value?.tree ?? "system");

// Entry is a row of the list: a group or a location at a level of the tree.
export interface Entry {
	key: string;
	kind: "group" | "location";
	number: number;
	level: number;
	open: boolean;
	pinned: boolean;
	name: string;
}

export const fewRows = 80;

// openAtFirst are the groups that are open before anybody opened or closed some: from the root on, as long as rows are few.
const openAtFirst = computed(() => {
	const r = rows.value, open = new Set<number>();
	if (!r) return open;
	const below = r.groups.map(() => 0);
	for (const g of r.groups) if (g.parent >= 0) below[g.parent]++;
	for (const l of r.locations) below[l.group]++;
	let shown = 1;
	r.groups.forEach((g, i) => {
		if ((g.parent < 0 || open.has(g.parent)) && (shown + below[i] <= fewRows || g.parent < 0 && below[i] <= 2000)) {
			open.add(i);
			shown += below[i];
		}
	});
	return open;
});

const keyOf = (kind: "group" | "location", n: number) => (kind === "group" ? "g" : "l") + n;

function entry(kind: "group" | "location", number: number, level: number): Entry {
	const r = rows.value!, key = keyOf(kind, number), atFirst = kind === "group" && openAtFirst.value.has(number);
	return {
		key, kind, number, level, open: atFirst !== toggled.value.has(key), pinned: pins.value.includes(key),
		name: kind === "group" ? r.groups[number].name + ` (${r.groups[number].to - r.groups[number].from})` : r.locations[number].label || r.locations[number].name,
	};
}

// unfolded are all rows that are not folded away, in order.
const unfolded = computed(() => {
	const r = rows.value, list: Entry[] = [];
	if (!r) return list;
	const groups: number[][] = r.groups.map(() => []), locations: number[][] = r.groups.map(() => []);
	r.groups.forEach((g, i) => g.parent >= 0 && groups[g.parent].push(i));
	r.locations.forEach((l, i) => locations[l.group].push(i));
	const visit = (g: number, level: number) => {
		const e = entry("group", g, level);
		if (hidden.value.has(e.key)) return;
		list.push(e);
		if (!e.open) return;
		for (const l of locations[g]) if (!hidden.value.has(keyOf("location", l))) list.push(entry("location", l, level + 1));
		for (const c of groups[g]) visit(c, level + 1);
	};
	r.groups.forEach((g, i) => g.parent < 0 && visit(i, 1));
	return list;
});

// regionsOf returns the places of the regions that an order is about.
export const regionsOf = (order: string) => order.slice(1).split(".").map(Number).filter((n) => rows.value?.regions[n]);

// ordered are all locations by name or by the ranking, the largest first; equal ones stay as they are in the system.
function ordered(r: Rows): Entry[] {
	const all = r.locations.map((_, i) => entry("location", i, 1)), rank = ranking.value;
	if (order.value === "name") return all.sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
	if (!rank) return all;
	return all.sort((a, b) => (rank.get(b.number) ?? 0) - (rank.get(a.number) ?? 0));
}

// listed are the rows below the pinned ones.
export const listed = computed(() => {
	const text = filter.value.trim().toLowerCase(), r = rows.value;
	if (r && order.value !== "") return ordered(r).filter((e) => !e.pinned && !hidden.value.has(e.key) && e.name.toLowerCase().includes(text));
	if (!r || text === "") return unfolded.value.filter((e) => !e.pinned);
	const fits = (l: Location) => l.label.toLowerCase().includes(text) || l.name.toLowerCase().includes(text);
	const found: Entry[] = [];
	r.locations.forEach((l, i) => fits(l) && found.push(entry("location", i, 1)));
	return found.filter((e) => !e.pinned && !hidden.value.has(e.key));
});

export const pinned = computed(() => {
	const r = rows.value, list: Entry[] = [];
	if (!r) return list;
	for (const key of pins.value) {
		const n = Number(key.slice(1)), kind = key[0] === "g" ? "group" : "location";
		if (n < (kind === "group" ? r.groups : r.locations).length) list.push(entry(kind, n, 1));
	}
	return list;
});

// Placed is a row in sight, with its place in pixels of the device.
export interface Placed extends Entry { y: number; band: number; height: number; curve: number; index: number }

const gap = 1, depthLine = 14, curveLine = 26;
export const depthHeight = computed(() => Math.round(depthLine * size.value.ratio));

export const placed = computed(() => {
	const { height, ratio } = size.value, all = pinned.value.length + listed.value.length;
	const band = Math.round(Math.max(14, Math.min(44, Math.floor(height / Math.max(1, all)) - gap)) * ratio);
	const list: Placed[] = [];
	let y = 0;
	const put = (e: Entry, index: number) => {
		const calls = e.kind === "location" && e.open ? (depths.value[e.number] ?? 0) * depthHeight.value + 2 * Math.round(ratio) : 0;
		const curve = e.kind === "location" && counter.value >= 0 ? Math.round(curveLine * ratio) : 0;
		const high = band + calls + curve + Math.round(gap * ratio);
		list.push({ ...e, y, band, height: high, curve, index });
		y += high;
	};
	pinned.value.forEach((e, i) => put(e, i));
	for (let i = Math.min(top.value, Math.max(0, listed.value.length - 1)); i < listed.value.length && y < height * ratio; i++) put(listed.value[i], pinned.value.length + i);
	return { list, height: Math.max(1, y), all };
});

// show changes the window, within the trace.
export function show(from: number, to: number) {
	const all = end() - begin(), length = Math.max(Math.min(all, 16), Math.min(all, Math.round(to - from)));
	from = Math.round(Math.max(begin(), Math.min(end() - length, from)));
	if (from !== view.value.from || from + length !== view.value.to) view.value = { from, to: from + length };
}

export function zoom(factor: number, place = 0.5) {
	const { from, to } = view.value, t = from + place * (to - from);
	show(t - place * (to - from) * factor, t + (1 - place) * (to - from) * factor);
}

export const move = (part: number) => show(view.value.from + part * (view.value.to - view.value.from), view.value.to + part * (view.value.to - view.value.from));

export function toggle<T>(set: ReadonlySet<T>, value: T): ReadonlySet<T> {
	const next = new Set(set);
	if (!next.delete(value)) next.add(value);
	return next;
}

export const pin = (key: string) => (pins.value = pins.value.includes(key) ? pins.value.filter((k) => k !== key) : [...pins.value, key]);

// places returns the locations [a, b) of a row.
export function places(e: Entry): [number, number] {
	const r = rows.value!;
	return e.kind === "location" ? [e.number, e.number + 1] : [r.groups[e.number].from, r.groups[e.number].to];
}

// keyed returns the locations [a, b) of the row that a key names, if there is one.
export function keyed(key: string): [number, number] | undefined {
	const r = rows.value, n = key.length > 1 ? Number(key.slice(1)) : NaN;
	if (key[0] === "l" && r?.locations[n]) return [n, n + 1];
	const g = key[0] === "g" ? r?.groups[n] : undefined;
	return g && [g.from, g.to];
}

// adopt takes what the server says of a trace. The same file, grown, keeps what was chosen.
export function adopt(r: Rows) {
	batch(() => {
		const atEnd = following.value && view.value.to >= end() - 1, length = view.value.to - view.value.from;
		rows.value = r;
		state.value++;
		if (atEnd) view.value = { from: Math.max(0, end() - length), to: end() };
	});
}

// subject is what panels are about: the area if there is one, or else the window. It is of one trace, that of the area's first row, and has its times.
export function subject(): { from: number; to: number; location?: string[] } {
	const a = area.value, r = rows.value;
	const side = subjectSide();
	if (!a || !r) return ownWindow(side, view.value);
	const first = side === 1 ? r.second!.locations : 0, last = side === 0 && r.second ? r.second.locations : r.locations.length, time = ownWindow(side, a);
	if (a.a <= first && a.b >= last) return time;
	return { ...time, location: r.locations.slice(a.a, Math.min(a.b, last)).map((l) => l.id) };
}

export const subjectSide = (): Side => (area.value ? sideOf(area.value.a) : rows.value?.second ? about.value : 0);
