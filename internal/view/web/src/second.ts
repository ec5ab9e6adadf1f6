// A second trace below the first one: its rows, locations and regions come behind those of the first, and its times are moved and stretched to
// those of the axis.

import { Curves, Messages } from "./scene";
import * as s from "./state";

// together makes one list of rows of two traces. Regions of one name look alike.
export function together(a: s.Rows, name: string, b: s.Rows, aName: string): s.Rows {
	const groups = a.groups.length, locations = a.locations.length, alike = new Map(a.regions.map((r, i) => [r.name, i] as const).reverse());
	const own = b.counters.filter((c) => !a.counters.some((d) => likeCounter(c, d)));
	const titled = (g: s.Group, title: string) => ({ ...g, name: g.parent < 0 ? title + ": " + g.name : g.name });
	return {
		...a,
		groups: [...a.groups.map((g) => titled(g, aName)), ...b.groups.map((g) => ({ ...titled(g, name), parent: g.parent < 0 ? -1 : g.parent + groups, from: g.from + locations, to: g.to + locations }))],
		locations: [...a.locations, ...b.locations.map((l) => ({ ...l, group: l.group + groups }))],
		regions: [...a.regions, ...b.regions.map((r) => ({ ...r, like: alike.get(r.name) }))],
		counters: [...a.counters, ...own],
		communicator_trees: a.communicator_trees.length < b.communicator_trees.length ? b.communicator_trees : a.communicator_trees,
		second: { counters: b.counters, countersOfFirst: a.counters.length, name, first_tick: b.first_tick, duration_ticks: b.duration_ticks, rate: b.ticks_per_second / a.ticks_per_second, groups, locations, regions: a.regions.length },
	};
}

const likeCounter = (a: s.Counter, b: s.Counter) => a.name === b.name && a.unit === b.unit;

export type Side = 0 | 1;

export const sideOf = (location: number): Side => (s.rows.value?.second && location >= s.rows.value.second.locations ? 1 : 0);

export const nameOf = (side: Side) => (side === 1 ? s.rows.value!.second!.name : s.trace.value);

export const path = (side: Side, tail: string) => "/v1/traces/" + encodeURIComponent(nameOf(side)) + tail;

// ownTime returns the time of a trace, in ticks since its first event, at a time of the axis; axisTime is the way back.
export const ownTime = (side: Side, t: number) => (side === 1 ? Math.round((t - s.shift.value) * s.rows.value!.second!.rate) : t);
export const axisTime = (side: Side, t: number) => (side === 1 ? t / s.rows.value!.second!.rate + s.shift.value : t);
export const axisLength = (side: Side, ticks: number) => (side === 1 ? ticks / s.rows.value!.second!.rate : ticks);

// sides are the traces that are shown.
export const sides = (): Side[] => (s.rows.value?.second ? [0, 1] : [0]);

// counterOf returns the counter of a trace that is like the one at a place of the list.
export function counterOf(side: Side, place: number): s.Counter | undefined {
	const r = s.rows.value!, c = r.counters[place];
	if (!c || side === 0) return place < (r.second?.countersOfFirst ?? Infinity) ? c : undefined;
	return r.second!.counters.find((d) => likeCounter(c, d));
}

const times = new Set(["start_ticks", "end_ticks", "begin_ticks", "cause_ticks"]);

// onAxis moves all times of an answer's row to the axis.
export function onAxis<T extends Record<string, any>>(side: Side, row: T): T {
	if (side === 0) return row;
	return Object.fromEntries(Object.entries(row).map(([key, v]) => [key, typeof v !== "number" || !key.endsWith("_ticks") ? v : times.has(key) ? axisTime(1, v) : axisLength(1, v)])) as T;
}

type Answered = Omit<Messages, "cells"> & { cells: { row: number; to: number; sent: number[]; received: number[] }[] };

// messagesOnAxis does the same with the answer about messages, and with places of rows.
export function messagesOnAxis(side: Side, { cells, ...answered }: Answered): Messages {
	const m: Messages = { ...answered, cells: cells.map(({ row, to, sent, received }) => ({ row, to, sent: Uint32Array.from(sent), received: Uint32Array.from(received) })) };
	if (side === 0) return m;
	const behind = s.rows.value!.second!.locations, moved = (list: number[]) => list.map((t) => axisTime(1, t)), placed = (list: number[]) => list.map((p) => p + behind);
	return {
		...m, sender: placed(m.sender), receiver: placed(m.receiver), send_ticks: moved(m.send_ticks), receive_ticks: moved(m.receive_ticks),
		from_ticks: axisTime(1, m.from_ticks), cell_ticks: axisLength(1, m.cell_ticks), cells: m.cells.map((c) => ({ ...c, row: c.row + behind, to: c.to + behind })),
	};
}

// curvesOnAxis does the same with the curves of a counter.
export function curvesOnAxis(side: Side, c: Curves): Curves {
	if (side === 0) return c;
	const behind = s.rows.value!.second!.locations;
	return { from_ticks: axisTime(1, c.from_ticks), pixel_ticks: axisLength(1, c.pixel_ticks), rows: c.rows.map((r) => ({ ...r, row: r.row + behind })) };
}

// ownWindow is a part of the axis as a trace has it: empty if the trace begins later.
export const ownWindow = (side: Side, v: s.View): s.View => ({ from: Math.max(0, ownTime(side, v.from)), to: Math.max(0, ownTime(side, v.to)) });

// locationAt returns the place of a location of a trace among all, -1 for none.
export function locationAt(side: Side, id: unknown): number {
	const r = s.rows.value, before = r?.second?.locations ?? Infinity, text = String(id);
	return r?.locations.findIndex((l, i) => l.id === text && i >= before === (side === 1)) ?? -1;
}

// placesById are the places of a trace's locations, by id.
export function placesById(side: Side) {
	const r = s.rows.value!, before = r.second?.locations ?? r.locations.length;
	return new Map(r.locations.flatMap((l, i) => (i >= before === (side === 1) ? [[l.id, i] as const] : [])));
}

// regionAt returns the place of a region: that of the first trace, if both have one of the name.
export function regionAt(side: Side, id: unknown): number {
	const r = s.rows.value, before = r?.second?.regions ?? Infinity, text = String(id), at = r?.regions.findIndex((g, i) => g.id === text && i >= before === (side === 1)) ?? -1;
	return r?.regions[at]?.like ?? at;
}

// regionIds returns the ids of a trace's regions that are at some places, or look like those that are.
export function regionIds(side: Side, places: number[]): string[] {
	const r = s.rows.value!, before = r.second?.regions ?? Infinity;
	return r.regions.flatMap((g, i) => (i >= before === (side === 1) && places.includes(g.like ?? i) ? [g.id] : []));
}

// mark notes a moment of a trace; of the other trace, it moves the second one so that both moments are at one place.
export function mark(side: Side, t: number) {
	const m = s.mark.value;
	if (!s.rows.value?.second || !m || m.side === side) return void (s.mark.value = { side, t });
	const by = side === 1 ? m.t - t : t - m.t;
	s.shift.value = s.rows.value.second.rate === 1 ? Math.round(s.shift.value + by) : s.shift.value + by;
	s.mark.value = { side: 0, t: side === 1 ? m.t : t };
	s.show(s.view.value.from, s.view.value.to);
}
