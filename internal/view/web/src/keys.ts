// The keyboard: all that the pointer can do, and more.

import * as cell from "./cell";
import * as find from "./find";
import { choose, current, step } from "./rows";
import { pick, pointer } from "./canvas";
import { answer } from "./panels";
import * as s from "./state";
import { sideOf } from "./second";
import { back } from "./url";

export const table: [string, string][] = [
	["W S, + −, Ctrl+wheel", "zoom in and out: at the pointer, at the cell"],
	["A D, Shift+wheel", "move"],
	["↑ ↓ ← →, Home, End", "the cell, by rows and in time: what it has is read"],
	["Page ↑ ↓, wheel", "rows"],
	["Space", "details of the cell"],
	["Enter", "open or close a row: calls by depth"],
	["0", "the whole trace"],
	["M", "mark the view of the row as an area"],
	["Shift+← →, Shift+A D", "the end and the begin of the area, earlier and later"],
	["Shift+↑ ↓", "the rows of the area: to the row above and below"],
	["F", "fit the area, or the innermost call of the details"],
	[". ,", "next and previous call of the row"],
	["/", "find a region or a row"],
	["N, Shift+N", "next and previous hit"],
	["P, H", "pin or hide the row"],
	["L", "messages on or off"],
	["R", "messages of the row as lines"],
	["Z, Back", "the view before"],
	["Esc", "forget the area, the place and the row"],
	["?", "these keys"],
];

const actions: { [key: string]: () => void } = {
	w: () => s.zoom(0.7, pointer), s: () => s.zoom(1 / 0.7, pointer), "+": () => s.zoom(0.7, cell.part()), "=": () => s.zoom(0.7, cell.part()), "-": () => s.zoom(1 / 0.7, cell.part()),
	a: () => s.move(-0.2), d: () => s.move(0.2), ArrowLeft: () => cell.along(-1), ArrowRight: () => cell.along(1),
	ArrowUp: () => cell.across(-1), ArrowDown: () => cell.across(1), PageUp: () => cell.across(-20), PageDown: () => cell.across(20),
	Home: () => cell.put(s.view.value.from), End: () => cell.put(s.view.value.to - 1),
	"0": () => s.show(s.begin(), s.end()), z: () => void back(),
	l: () => (s.linesShown.value = !s.linesShown.value),
	"?": () => (s.keysShown.value = true),
	"/": () => {
		s.panel.value = "find";
		setTimeout(() => document.getElementById("needle")?.focus(), 80); // behind the key's own character
	},
	n: () => void find.next(false), N: () => void find.next(true),
	f: fit, m: markRow,
	Enter: () => current() && (s.toggled.value = s.toggle(s.toggled.value, current()!.key)),
	" ": details,
	p: pinRow,
	r: () => current() && choose(current()!.key),
	h: () => current() && (s.hidden.value = s.toggle(s.hidden.value, current()!.key)),
	".": () => void stepCall(false), ",": () => void stepCall(true),
	Escape: () => {
		s.area.value = undefined;
		s.picked.value = undefined;
		s.pair.value = undefined;
		s.chosen.value = "";
		s.place.value = undefined;
	},
};

// details shows those of the cell.
function details() {
	cell.put(cell.time());
	if (current()?.kind === "location") pick(current(), cell.time());
}

// shifted are keys with Shift, which change the area.
const shifted: { [key: string]: () => void } = {
	ArrowLeft: () => moveEdge("to", -1), ArrowRight: () => moveEdge("to", 1), A: () => moveEdge("from", -1), D: () => moveEdge("from", 1),
	ArrowUp: () => extend(-1), ArrowDown: () => extend(1),
};

let marked: [number, number] = [0, 0]; // locations of the row at which the area began

function markRow() {
	const row = current();
	if (!row) return;
	const [a, b] = (marked = s.places(row));
	s.area.value = { ...s.view.value, a, b };
}

// moveEdge moves an edge of the area, that of the view if there is none, by a fortieth of the view.
function moveEdge(edge: "from" | "to", by: number) {
	if (!s.area.value) markRow();
	const a = s.area.value;
	if (!a) return;
	const t = a[edge] + by * Math.max(1, Math.round((s.view.value.to - s.view.value.from) / 40));
	s.area.value = edge === "to" ? { ...a, to: Math.min(s.end(), Math.max(a.from + 1, t)) } : { ...a, from: Math.max(s.begin(), Math.min(a.to - 1, t)) };
}

// extend takes the rows of the area to the next one, from the row at which it began. Without an area, the row of the cursor is marked.
function extend(by: number) {
	const a = s.area.value;
	if (!a) return markRow();
	if (marked[0] < a.a || marked[1] > a.b) marked = [a.a, a.b]; // the pointer made it
	step(by);
	const row = current();
	if (!row) return;
	const [i, j] = s.places(row);
	if (sideOf(i) === sideOf(a.a)) s.area.value = { ...a, a: Math.min(marked[0], i), b: Math.max(marked[1], j) };
}

// pinRow pins the row of the cursor, which goes along.
function pinRow() {
	const row = current();
	if (!row) return;
	s.pin(row.key);
	s.cursor.value = s.placed.value.list.find((p) => p.key === row.key)?.index ?? 0;
}

export function fit() {
	const a = s.area.value, shown = answer.value, call = s.picked.value && shown?.panel === "details" ? shown.data?.stack?.at(-1) : undefined;
	if (a) s.show(a.from, a.to);
	else if (call) s.show(call.start_ticks - call.duration_ticks * 0.05, call.end_ticks + call.duration_ticks * 0.05);
}

function stepCall(back: boolean) {
	const row = current(), location = s.picked.value?.location ?? (row?.kind === "location" ? row.number : undefined);
	if (location !== undefined) return find.next(back, location);
	s.say("Choose the row of a location first: arrows, then Space.");
}

// pressed carries out a key, unless somebody writes.
export function pressed(e: KeyboardEvent) {
	const at = e.target instanceof HTMLElement ? e.target : document.body;
	if (e.key === "Escape" && s.keysShown.value) return void (s.keysShown.value = false);
	if (at.closest("input, select, textarea, dialog") || e.ctrlKey || e.altKey || e.metaKey) {
		if (e.key === "Escape") at.blur();
		return;
	}
	if (at.closest("button, [role=tab]") && (e.key === "Enter" || e.key === " " || e.key.startsWith("Arrow"))) return;
	const action = (e.shiftKey && shifted[e.key.length === 1 ? e.key.toUpperCase() : e.key]) || actions[e.key] || actions[e.key.length === 1 && e.key !== "N" ? e.key.toLowerCase() : ""];
	if (!action) return;
	e.preventDefault();
	action();
}
