// The cell of the keyboard: a row and a place in time. Arrows move it, and what it has is read.

import { batch, computed, effect, signal } from "@preact/signals-core";

import { askJSON, askLines } from "./net";
import { current, step } from "./rows";
import { axisLength, ownTime, ownWindow, path, placesById, sideOf } from "./second";
import * as s from "./state";
import { moment, percent, span } from "./time";

export const reading = signal(""); // what the cell has, for a screen reader and in the line below the picture

const cells = 40; // of the view

// length is that of a cell, in ticks.
export const length = () => Math.max(1, Math.round((s.view.value.to - s.view.value.from) / cells));

// inView is where the cell is, if that is in the view.
export const inView = () => (s.place.value !== undefined && s.place.value >= s.view.value.from && s.place.value < s.view.value.to ? s.place.value : undefined);

// time is where the cell is: in the middle of the view before it was moved, and after the view has left it.
export const time = () => inView() ?? Math.floor((s.view.value.from + s.view.value.to) / 2);

// part is the same as a part of the view, where keys zoom.
export const part = () => (time() - s.view.value.from) / (s.view.value.to - s.view.value.from);

// along moves the cell in time. Where it would leave the view, the view goes along.
export function along(by: number) {
	const t = Math.min(s.end() - 1, Math.max(s.begin(), time() + by * length()));
	batch(() => {
		if (t < s.view.value.from || t >= s.view.value.to) s.move(by / 10);
		put(t);
	});
}

// across moves it by some rows.
export function across(by: number) {
	step(by);
	put(time());
}

// put moves it to a time.
export const put = (t: number) => (s.place.value = Math.max(s.begin(), Math.min(s.end() - 1, t)));

// about is what is read: nothing where the cell is not in sight.
const about = computed(() => {
	const t = inView(), row = current();
	return t === undefined || !row ? "" : JSON.stringify([s.trace.value, s.state.value, s.shift.value, row.key, t, length()]);
});

// watch reads the cell when it stays where it is.
export function watch() {
	let timer = 0;
	effect(() => {
		const now = about.value;
		clearTimeout(timer);
		if (now === "") return void (reading.value = "");
		timer = setTimeout(async () => {
			const text = await content().catch((e) => (e as Error).message);
			if (now === about.peek()) reading.value = text;
		}, 120) as unknown as number;
	});
}

const name = (r: any): string => (r.region_name ?? "region " + r.region).slice(0, 100);

// content says which call a location has there, and of a group in which region it spends most of the cell.
async function content(): Promise<string> {
	const row = current(), t = time(), r = s.rows.value;
	if (!row || !r) return "";
	const [a, b] = s.places(row), side = sideOf(a), per = s.perSecond(), where = `${row.name.slice(0, 100)} at ${moment(t / per, length() / per)}: `;
	if (row.kind === "group") {
		const all = b - a === placesById(side).size, location = all ? undefined : r.locations.slice(a, b).map((l) => l.id);
		const window = ownWindow(side, { from: t, to: Math.min(s.end(), t + length()) });
		if (window.from >= window.to) return where + "nothing";
		const most = (await askJSON(path(side, "/summary"), { ...window, location, by: "region", limit: 1 })).rows[0];
		return where + (most ? `${name(most)} ${percent(most.exclusive_share)}` : "no call");
	}
	const own = ownTime(side, t), stack = own < 0 ? [] : (await askLines(path(side, "/at"), { location: r.locations[a].id, t: own })).filter((l) => l.type === "call"), call = stack[stack.length - 1];
	if (!call) return where + "no call";
	const outer = stack[stack.length - 2];
	return where + name(call) + (outer ? " in " + name(outer) : "") + ", " + span(axisLength(side, call.duration_ticks) / per);
}
