// Layers lie over the bands: messages, curves of a counter, and what analyses found. Rows in order of a number are asked for here, too.

import { batch, effect } from "@preact/signals-core";

import { painted } from "./canvas";
import { askJSON, Query } from "./net";
import { Curves, isDense as dense, Messages, Over } from "./scene";
import { axisLength, counterOf, curvesOnAxis, messagesOnAxis, onAxis, ownWindow, path, placesById, regionIds, Side, sideOf, sides } from "./second";
import * as s from "./state";

const most = 20_000; // rows of a table that are drawn

let shown = "", timer = 0, abort: AbortController | undefined;

const wanted = () => JSON.stringify([s.trace.value, s.state.value, s.view.value, s.linesShown.value, s.counter.value, s.over.value, s.pair.value, s.order.value, s.chosen.value, s.tree.value, s.rows.value?.second && s.shift.value, isDense() ? [inSight(), cells()] : ""]);

// isDense reports whether messages are too many for lines: then those of other rows have to be asked for when other rows are in sight.
const isDense = () => s.messages.value?.some(dense) ?? false;

// inSight are the rows in sight, as the server takes them: closed groups as one.
const inSight = () => JSON.stringify(sides().map(spans));
const spans = (side: Side) => [...new Set(s.placed.value.list.filter((p) => p.kind === "location" || !p.open).map(s.places).filter(([a, b]) => sideOf(a) === side && a < b).map(([a, b]) => locationOf(side, a) + "-" + (locationOf(side, b) - 1)))].join(",");

// overall is what the density of the overview depends on.
const overall = () => s.linesShown.value ? JSON.stringify([s.trace.value, s.state.value, s.tree.value, s.rows.value?.second?.name, s.rows.value?.second && s.shift.value]) : counted;
let counted = "";

// isComplete reports whether all layers are those of the view.
export const isComplete = () => shown === wanted() && counted === overall();

// watch asks for the layers when the view is at rest.
export function watch(done: () => void) {
	effect(() => {
		if (!s.rows.value || shown === wanted()) return;
		const now = wanted();
		delete document.body.dataset.rest;
		clearTimeout(timer);
		timer = setTimeout(async () => {
			await painted();
			if (now !== wanted()) return;
			abort?.abort();
			abort = new AbortController();
			try {
				const rows = inSight();
				const [m, row, k, o, r] = await Promise.all([lines(abort.signal), linesOfRow(abort.signal), curves(abort.signal), over(abort.signal), ranking(abort.signal)]);
				if (now !== wanted()) return;
				batch(() => {
					s.messages.value = m;
					s.ofRow.value = row;
					s.curves.value = k;
					s.found.value = o;
					s.ranking.value = r;
					shown = isDense() && rows !== inSight() ? "" : wanted();
				});
			} catch (e) {
				if ((e as Error).name !== "AbortError") s.say((e as Error).message, true);
			}
			done();
		}, 50) as unknown as number;
	});
	watchOverall(done);
}

// watchOverall asks how many messages there are in all of each trace, behind the layers.
function watchOverall(done: () => void) {
	let later = 0;
	effect(() => {
		if (!s.rows.value || counted === overall()) return;
		const now = overall();
		clearTimeout(later);
		later = setTimeout(async () => {
			for (let i = 0; i < 100 && shown !== wanted(); i++) await new Promise((done) => setTimeout(done, 50));
			if (now !== overall()) return;
			try {
				const found = await Promise.all(sides().map(async (side) => {
					const window = ownWindow(side, { from: s.begin(), to: s.end() });
					return messagesOnAxis(side, await askJSON(path(side, "/lines"), { ...window, limit: 1, pixels: 256, rows: `0-${locationsOf(side) - 1}`, tree: s.tree.value }));
				}));
				if (now !== overall()) return;
				batch(() => {
					s.traffic.value = found;
					counted = now;
				});
			} catch (e) {
				counted = now;
				s.say((e as Error).message, true);
			}
			requestAnimationFrame(done); // behind the overview's
		}, 200) as unknown as number;
	});
}

const locationsOf = (side: Side) => {
	const r = s.rows.value!, first = r.second?.locations ?? r.locations.length;
	return side === 1 ? r.locations.length - first : first;
};

// locationOf is the place of a location in its own trace.
const locationOf = (side: Side, place: number) => (side === 1 ? place - s.rows.value!.second!.locations : place);
const idOf = (place: number) => s.rows.value!.locations[place].id;

async function lines(signal: AbortSignal): Promise<Messages[] | undefined> {
	if (!s.linesShown.value) return undefined;
	const pair = s.pair.value;
	return Promise.all((pair ? [sideOf(pair[0])] : sides()).map(async (side) => {
		const window = ownWindow(side, s.view.value);
		if (window.from >= window.to) return none;
		return messagesOnAxis(side, await (pair ? linesOf(side, window, pair, signal) : askJSON(path(side, "/lines"), { ...window, limit: 2000, pixels: cells(), rows: spans(side), tree: s.tree.value }, signal)));
	}));
}

// cells is the number of parts of the picture in which messages are counted: pixels, as many as the server takes.
const cells = () => Math.min(1024, Math.max(1, Math.round(s.size.value.width)));

const none: Messages = { sender: [], receiver: [], send_ticks: [], receive_ticks: [], from_ticks: 0, cell_ticks: 1, count: 0, cells: [] };

// linesOfRow asks for the messages of the row that was chosen.
async function linesOfRow(signal: AbortSignal): Promise<Messages | undefined> {
	const its = s.linesShown.value ? s.keyed(s.chosen.value) : undefined;
	if (!its || its[0] >= its[1]) return undefined;
	const side = sideOf(its[0]), window = ownWindow(side, s.view.value), all = its[1] - its[0] === locationsOf(side);
	if (window.from >= window.to) return none;
	const location = all ? undefined : s.rows.value!.locations.slice(its[0], its[1]).map((l) => l.id);
	return messagesOnAxis(side, await askJSON(path(side, "/lines"), { ...window, limit: 2000, location, rows: "0", tree: s.tree.value }, signal));
}

// linesOf asks for the messages from one location to another.
async function linesOf(side: Side, window: s.View, pair: readonly [number, number], signal: AbortSignal): Promise<Messages> {
	const rows = [...new Set(pair.map((p) => locationOf(side, p)))].join(","), m = await askJSON(path(side, "/lines"), { ...window, limit: most, location: [...new Set(pair.map(idOf))], rows, tree: s.tree.value }, signal);
	pair = [locationOf(side, pair[0]), locationOf(side, pair[1])];
	const its = m.sender.map((from: number, i: number) => (from === pair[0] && m.receiver[i] === pair[1] ? i : -1)).filter((i: number) => i >= 0);
	if (!dense(m)) m.count = its.length;
	for (const column of ["sender", "receiver", "send_ticks", "receive_ticks", "bytes"]) m[column] = its.map((i: number) => m[column][i]);
	return m;
}

async function curves(signal: AbortSignal): Promise<Curves[] | undefined> {
	if (s.counter.value < 0) return undefined;
	return Promise.all(sides().map(async (side) => {
		const c = counterOf(side, s.counter.value), window = ownWindow(side, s.view.value);
		if (!c || window.from >= window.to) return { from_ticks: 0, pixel_ticks: 1, rows: [] };
		return curvesOnAxis(side, await askJSON(path(side, "/counters"), { ...window, metric: c.metric, member: c.member, pixels: 256, tree: s.tree.value }, signal));
	}));
}

async function ranking(signal: AbortSignal): Promise<ReadonlyMap<number, number> | undefined> {
	const order = s.order.value, sums = new Map<number, number>();
	if (order !== "sent" && order[0] !== "r") return undefined;
	const query: Query = order === "sent" ? { by: "location", columns: "location,sent_bytes" } : { by: "region,location", columns: "location,exclusive_ticks" };
	await Promise.all(sides().map(async (side) => {
		const window = ownWindow(side, s.view.value), region = order === "sent" ? undefined : regionIds(side, s.regionsOf(order));
		if (window.from >= window.to || region?.length === 0) return;
		const answer = await askJSON(path(side, "/summary"), { ...window, ...query, region }, signal), place = placesById(side);
		for (const row of answer.rows) {
			const at = place.get(String(row.location)) ?? -1;
			sums.set(at, (sums.get(at) ?? 0) + (row.sent_bytes ?? axisLength(side, row.exclusive_ticks)));
		}
	}));
	return sums;
}

// tables are those that have what is drawn over the rows, with their columns.
const tables: { [over: string]: [string, string] } = {
	collectives: ["collective_ranks", "communicator,number,operation,blocking,location,begin_ticks,end_ticks"],
	critical: ["critical_path", "location,start_ticks,end_ticks"],
	waits: ["waits", "location,start_ticks,end_ticks,cause_location,cause_ticks"],
	hotspots: ["segments", "location,start_ticks,duration_ticks,z"],
	unusual: ["unusual", "location,start_ticks,duration_ticks"],
};

async function over(signal: AbortSignal): Promise<Over | undefined> {
	const kind = s.over.value, table = tables[kind];
	if (!table) return undefined;
	const all = await Promise.all(sides().map(async (side) => {
		const window = ownWindow(side, s.view.value), found: Over = { kind, boxes: [], links: [], frames: [] };
		if (window.from >= window.to) return found;
		const rows: any[] = await askJSON(path(side, "/tables/" + table[0]), { ...window, format: "json", columns: table[1], limit: most }, signal);
		if (rows.length === most) s.say(`Only the first ${most} of what was found are drawn: zoom in.`);
		const place = placesById(side), at = (id: unknown) => place.get(String(id)) ?? -1, moved = rows.map((r) => onAxis(side, r));
		if (kind === "collectives") frames(moved, at, found);
		else for (const r of moved) box(r, at, found);
		return found;
	}));
	return { kind, boxes: all.flatMap((o) => o.boxes), links: all.flatMap((o) => o.links), frames: all.flatMap((o) => o.frames) };
}

// deviant is the number of standard deviations from which on a segment stands out.
const deviant = 3;

// box adds a row of the critical path, of waits, of segments or of unusual calls. Pieces of the path on one location are one box, and a link leads to the next location.
function box(r: any, at: (id: unknown) => number, found: Over) {
	const row = at(r.location), last = found.boxes[found.boxes.length - 1];
	if (found.kind === "hotspots" || found.kind === "unusual") {
		if (found.kind === "unusual" || r.z >= deviant) found.boxes.push({ row, from: r.start_ticks, to: r.start_ticks + r.duration_ticks });
	} else if (found.kind === "waits") {
		found.boxes.push({ row, from: r.start_ticks, to: r.end_ticks });
		found.links.push({ from: at(r.cause_location), sent: r.cause_ticks, to: row, came: r.end_ticks });
	} else if (last?.row === row && last.to === r.start_ticks) last.to = r.end_ticks;
	else {
		if (last) found.links.push({ from: last.row, sent: last.to, to: row, came: r.start_ticks });
		found.boxes.push({ row, from: r.start_ticks, to: r.end_ticks });
	}
}

// frames puts the parts of each operation together.
function frames(rows: any[], at: (id: unknown) => number, found: Over) {
	const operations = new Map<string, any[]>();
	for (const r of rows) {
		const key = [r.communicator, r.number, r.blocking, r.blocking ? "" : r.operation].join(" ");
		operations.set(key, [...(operations.get(key) ?? []), r]);
	}
	for (const parts of operations.values()) {
		const begun = parts.filter((p) => p.begin_ticks !== null), last = begun.reduce((a, b) => (b.begin_ticks > a.begin_ticks ? b : a), begun[0]);
		if (!last) continue;
		found.frames.push({
			rows: parts.map((p) => at(p.location)), from: Math.min(...begun.map((p) => p.begin_ticks)), to: Math.max(...parts.map((p) => p.end_ticks)),
			late: at(last.location), came: last.begin_ticks,
		});
	}
}
