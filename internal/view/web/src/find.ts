// Going to calls and events: the next, the previous, the longest ones.

import { batch, signal } from "@preact/signals-core";

import { askLines, Query } from "./net";
import { locationAt, onAxis, ownTime, path, regionIds, Side, sideOf } from "./second";
import * as s from "./state";
import { span } from "./time";

export const text = signal(""); // what is looked for: part of the name of regions
export const least = signal(""); // duration
export const kind = signal(""); // of events that are gone through, "" for calls
export const hits = signal<any[]>([]);
export const chosen = signal<number | undefined>(undefined); // place of the region that is gone through

// matching are the regions whose names have the text.
export function matching(): { place: number; name: string }[] {
	const wanted = text.value.trim().toLowerCase(), list: { place: number; name: string }[] = [];
	s.rows.value?.regions.forEach((r, place) => r.like === undefined && wanted !== "" && r.name.toLowerCase().includes(wanted) && list.push({ place, name: r.name }));
	return list.slice(0, 200);
}

// locations are those whose names have the text.
export function locations(): { number: number; name: string }[] {
	const wanted = text.value.trim().toLowerCase(), list: { number: number; name: string }[] = [];
	s.rows.value?.locations.forEach((l, number) => wanted !== "" && (l.label + " " + l.name).toLowerCase().includes(wanted) && list.push({ number, name: l.label || l.name }));
	return list.slice(0, 50);
}

// goToRow brings the row of a location in sight, and puts the cursor on it.
export function goToRow(location: number) {
	reveal(location);
	s.cursor.value = s.placed.value.list.find((p) => p.key === "l" + location)?.index ?? s.cursor.value;
}

const calls = (lines: any[]) => lines.filter((l) => l.type === "call" || l.type === "event" || l.kind !== undefined);

async function ask(side: Side, query: Query) {
	try {
		return calls(await askLines(path(side, "/find"), query)).map((c) => ({ ...onAxis(side, c.type === "event" ? { ...c, start_ticks: c.ticks } : c), side }));
	} catch (e) {
		s.say((e as Error).message, true);
		return [];
	}
}

// region returns the ids of a trace's regions that are gone through: the chosen one, or those whose names have the text; undefined for all.
function region(side: Side): string[] | undefined {
	const places = chosen.value !== undefined ? [chosen.value] : matching().map((m) => m.place);
	if (places.length === 0) return undefined;
	const ids = regionIds(side, places);
	return ids.length > 0 ? ids : [none];
}

const none = String(2n ** 64n - 1n); // no region has this id

// go shows a call: in the middle of the view, and its stack.
export function go(call: any) {
	const location = locationAt(call.side, call.location), at = call.start_ticks ?? 0;
	const length = s.view.value.to - s.view.value.from, duration = (call.end_ticks ?? at) - at;
	batch(() => {
		if (at < s.view.value.from || (call.end_ticks ?? at) > s.view.value.to) {
			const wide = Math.max(length, duration * 1.5), middle = at + duration / 2;
			s.show(middle - wide / 2, middle + wide / 2);
		}
		if (location >= 0) {
			s.picked.value = { location, t: at };
			goToRow(location);
			s.place.value = at;
		}
		s.panel.value = "details";
	});
	s.say(`${call.region_name ?? call.kind ?? "call"}, ${span(duration / s.perSecond())}`);
}

// reveal brings a location in sight: its groups are opened.
export function reveal(location: number) {
	const r = s.rows.value!, key = "l" + location;
	for (let g = r.locations[location].group; g >= 0; g = r.groups[g].parent) {
		const e = s.listed.value.find((e) => e.key === "g" + g);
		if (e && !e.open) s.toggled.value = s.toggle(s.toggled.value, e.key);
	}
	const at = s.listed.value.findIndex((e) => e.key === key);
	if (at >= 0 && !s.placed.value.list.some((p) => p.key === key)) s.top.value = Math.max(0, at - 3);
}

// next goes to the next call of the region that is looked for, or of any, from the place that was picked on; or to the one before.
export async function next(back: boolean, ofRow?: number) {
	const p = s.picked.value, r = s.rows.value!, at = ofRow ?? p?.location, side = at === undefined ? s.subjectSide() : sideOf(at), from = Math.max(0, ownTime(side, p?.t ?? s.view.value.from));
	const location = ofRow === undefined ? undefined : [r.locations[ofRow].id];
	const query: Query = ofRow === undefined && kind.value !== "" ? { kind: kind.value, limit: 1 } : { region: ofRow === undefined ? region(side) : undefined, location, min_duration: least.value, limit: 1 };
	let found = back ? await ask(side, { ...query, order: "before", to: from }) : await ask(side, { ...query, from: from + 1 });
	if (found.length === 0) found = back ? await ask(side, { ...query, order: "before", from }) : await ask(side, { ...query, to: from + 1 }); // around the end
	if (found.length === 0) return s.say("There is none.");
	go(found[0]);
}

// longest lists the longest calls of the window.
export async function list(order: string) {
	const side = s.subjectSide(), found = await ask(side, { ...s.subject(), region: region(side), order, limit: 50, min_duration: order === "longest" ? least.value : undefined });
	hits.value = found;
	if (found.length === 0) s.say("There are none in this part.");
}
