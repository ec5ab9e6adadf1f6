// Panels below the picture: numbers come from exact sums of the server, never from pixels.

import { batch, effect, signal } from "@preact/signals-core";
import { Fragment, h } from "preact";

import { colourOf, painted, png } from "./canvas";
import * as find from "./find";
import { live } from "./live";
import { address, ask, askJSON, askLines, Query, token } from "./net";
import { locationAt, mark, messagesOnAxis, nameOf, onAxis, ownTime, path, placesById, regionAt, Side, sideOf } from "./second";
import * as s from "./state";
import { Column, Table } from "./table";
import { bytes, count, moment, percent, quantity, span } from "./time";

export const answer = signal<{ panel: s.Panel; about: string; side: Side; data: any } | undefined>(undefined);

// most is the region with most of the part that the table of regions is about.
export const most = signal<{ name: string; share: number } | undefined>(undefined);

// placeOf is the place of a region of the trace that the panel is about.
const placeOf = (id: number | null | undefined) => regionAt(answer.value?.side ?? 0, id);
const seconds = (ticks: number) => span(ticks / s.perSecond());
const instant = (ticks: number) => (ticks / s.perSecond()).toFixed(Math.max(0, Math.min(15, Math.ceil(Math.log10(s.perSecond()))))) + " s"; // to the tick

const questions: { [panel: string]: () => Promise<any> } = {
	regions: sumsOfRegions,
	matrix: () => sums({ by: "matrix", limit: 5000 }),
	collectives: () => sums({ by: "collective", limit: 200 }),
	counters: () => sums({ by: "metric", limit: 500 }),
	flame: () => sums({ by: "callpath", min_share: 0.002, limit: 3000 }),
	details,
	find: async () => Object.keys((await askJSON(path(s.subjectSide(), ""), {})).kinds),
	export: async () => undefined,
};

// sums asks for sums of the part, with the ticks of the axis.
async function sums(query: Query) {
	const side = s.subjectSide(), data = await askJSON(path(side, "/summary"), { ...s.subject(), ...query });
	return { ...data, rows: data.rows.map((r: any) => onAxis(side, r)) };
}

// sumsOfRegions asks for sums by region, and if they are wanted by region and row. The first region is the one with most of the part, whichever are listed.
async function sumsOfRegions() {
	const [all, each] = await Promise.all([sums({ by: "region", limit: 200 }), s.byRow.value ? sums({ by: "region,location", limit: 2000 }) : undefined]);
	const places = placesById(s.subjectSide()), labelled = (r: any) => ({ ...r, row: s.rows.value!.locations[places.get(String(r.location)) ?? -1]?.label ?? r.location_name });
	return { ...(each ? { ...each, rows: each.rows.map(labelled) } : all), most: all.rows[0], byRow: each !== undefined };
}

// sideOfPanel is the trace that the panel is about.
const sideOfPanel = (): Side => (s.panel.value === "details" ? sideOf(s.picked.value?.location ?? 0) : s.subjectSide());

// about names what the panel is about: what was asked for it is asked again when that changes.
export const about = () => JSON.stringify([s.trace.value, s.state.value, s.panel.value, sideOfPanel(), s.panel.value === "details" ? [s.picked.value, s.shift.value] : s.subject(), s.panel.value === "regions" && s.byRow.value]);

let timer = 0;

// watch asks for the panel when the view is at rest.
export function watch(done: () => void) {
	effect(() => {
		if (!s.rows.value) return;
		const now = about(), panel = s.panel.value;
		if (answer.peek()?.about === now) return;
		clearTimeout(timer);
		timer = setTimeout(async () => {
			let data: any;
			await painted();
			if (about() !== now) return;
			try {
				data = await questions[panel]();
			} catch (e) {
				data = { error: (e as Error).message };
			}
			if (about() !== now) return;
			if (panel === "regions" && data?.most) most.value = { name: regionName(data.most), share: data.most.exclusive_share };
			batch(() => {
				answer.value = { panel, about: now, side: sideOfPanel(), data };
				s.ofCall.value = panel === "details" ? data?.lines : undefined;
			});
			done();
		}, 60) as unknown as number;
	});
}

async function details() {
	const p = s.picked.value, r = s.rows.value;
	if (!p || !r) return undefined;
	const id = r.locations[p.location].id, side = sideOf(p.location), time = ownTime(side, p.t);
	const stack = time < 0 ? [] : (await askLines(path(side, "/at"), { location: id, t: time })).filter((l) => l.type === "call").map((c) => onAxis(side, c));
	const inner = stack[stack.length - 1];
	let lines: any;
	if (inner && inner.end_ticks - inner.start_ticks < (s.view.value.to - s.view.value.from) * 2) {
		lines = messagesOnAxis(side, await askJSON(path(side, "/lines"), { from: ownTime(side, inner.start_ticks), to: ownTime(side, inner.end_ticks) + 1, location: [id], limit: 50, tree: s.tree.value }));
	}
	return { stack, lines, location: p.location, attributes: inner ? await attributesOf(side, id, inner) : [] };
}

// attributesOf asks for what was recorded with the begin and the end of a call.
async function attributesOf(side: Side, location: string, call: any): Promise<any[]> {
	const ends: [string, number, number][] = [["Enter", call.start_ticks, call.ordinal], ...(call.open ? [] : [["Leave", call.end_ticks, NaN] as [string, number, number]])];
	const found = await Promise.all(ends.map(async ([kind, t, ordinal]) => {
		const at = ownTime(side, t), events = await askLines(path(side, "/find"), { kind, location: [location], from: at, to: at + 1, limit: 100 });
		const its = events.filter((e) => e.type === "event" && e.fields?.region === call.region && (Number.isNaN(ordinal) || e.ordinal === ordinal));
		return (its[0]?.attributes ?? []).map((a: any) => ({ ...a, of: kind }));
	}));
	return found.flat();
}

export const Panels = live(() => {
	const a = answer.value, panel = s.panel.value, area = s.area.value, per = s.perSecond(), { from, to } = area ?? s.view.value;
	const fresh = a?.about === about() ? a.data : undefined;
	return (
		<section id="panels" aria-label="numbers">
			<div role="tablist" aria-label="panels" onKeyDown={tabs}>
				{s.panels.map((p) => (
					<button key={p} role="tab" id={"tab-" + p} aria-selected={p === panel} aria-controls="panel" tabIndex={p === panel ? 0 : -1} onClick={() => (s.panel.value = p)}>{p}</button>
				))}
				<span class="space" />
				<span id="about">{area ? "area " : "view "}{moment(from / per, (to - from) / per)} to {moment(to / per, (to - from) / per)}{area ? `, ${count(area.b - area.a)} locations` : ""}{s.rows.value?.second && (area || panel === "details") ? " of " + nameOf(sideOfPanel()).slice(0, 100) : ""}</span>
				{s.rows.value?.second && !area && panel !== "details" && <label>of <select id="side" title="the trace that the panels are about" value={s.about.value} onChange={(e) => (s.about.value = e.currentTarget.value === "1" ? 1 : 0)}>{([0, 1] as const).map((side) => <option key={side} value={side}>{nameOf(side).slice(0, 100)}</option>)}</select></label>}
				{s.pair.value && <button onClick={() => (s.pair.value = undefined)}>all messages, not only {s.pair.value.map((p) => s.rows.value?.locations[p]?.label.slice(0, 40)).join(" to ")}</button>}
				{area && <button onClick={() => s.show(area.from, area.to)}>zoom into it</button>}
				{area && <button onClick={() => (s.area.value = undefined)}>forget it</button>}
			</div>
			<div id="panel" role="tabpanel" aria-labelledby={"tab-" + panel} tabIndex={0}>
				{fresh?.error ? <p class="wrong">{fresh.error}</p> : draw(panel, fresh)}
			</div>
		</section>
	);
});

function tabs(e: KeyboardEvent) {
	const by = e.key === "ArrowRight" ? 1 : e.key === "ArrowLeft" ? -1 : 0;
	if (by === 0) return;
	e.preventDefault();
	s.panel.value = s.panels[(s.panels.indexOf(s.panel.value) + by + s.panels.length) % s.panels.length];
	requestAnimationFrame(() => document.getElementById("tab-" + s.panel.value)?.focus());
}

function draw(panel: s.Panel, data: any) {
	switch (panel) {
		case "find":
			return <Find kinds={data ?? []} />;
		case "export":
			return <Export />;
		case "details":
			return s.picked.value ? data && <Details data={data} /> : <p>Click a row of a location, or go there with the arrows and press Space: here is the stack of its calls at that time.</p>;
	}
	if (!data) return <p class="waiting">…</p>;
	switch (panel) {
		case "regions":
			return <Regions data={data} />;
		case "matrix":
			return <Matrix data={data} />;
		case "flame":
			return <Flame data={data} />;
		case "collectives":
			return data.rows.length === 0 ? <p>No collective operation ends in this part.</p> : <Table columns={collectives} rows={data.rows} />;
	}
	return data.rows.length === 0 ? <p>No counter has a value in this part.</p> : <Table columns={counters} rows={data.rows} />;
}

// text, number and ticks are columns of a field.
const text = (title: string, of: (r: any) => unknown): Column => ({ title, by: (r) => String(of(r) ?? ""), cell: (r) => String(of(r) ?? "").slice(0, 300) });
const number = (title: string, field: string, write: (n: number, row: any) => string): Column => ({ title, by: (r) => r[field], cell: (r) => (r[field] === null ? "" : write(r[field], r)) });
const ticks = (title: string, field: string) => number(title, field, seconds);

const collectives = [
	text("operation", (r) => r.operation), text("communicator", (r) => r.communicator_name ?? r.communicator), number("count", "count", count),
	number("bytes sent", "sent_bytes", bytes), number("bytes received", "received_bytes", bytes),
];

const scaled = (title: string, field: string) => number(title, field, (n, r) => quantity(n, scaleOf(r)));
const counters = [
	text("counter", (r) => r.member_name ?? r.member), text("location", (r) => r.rank ?? r.location_name), number("values", "count", count), scaled("least", "min"), scaled("greatest", "max"), scaled("last", "last"),
];

// scaleOf is how values of a row's counter are scaled.
const scaleOf = (r: any) => ({ base: Number(r.base ?? 10), exponent: r.exponent ?? 0, unit: r.unit ?? "" });

// placesOf are the places of the definitions that a row of regions stands for.
const placesOf = (r: any): number[] => (r.definitions ?? [r.region]).map(placeOf).filter((p: number) => p >= 0);
const regionName = (r: any): string => (r.region_name ?? "region " + r.region).slice(0, 200);

// Regions is the legend, too: a click on a name takes or gives its colour, the box chooses another one.
const regions: Column[] = [
	{ title: "colour", cell: (r) => placesOf(r).slice(0, 1).map((p) => <input key={p} type="color" aria-label={"colour of " + regionName(r)} value={s.recoloured.value.get(p) ?? s.rows.value!.regions[p].colour} onChange={(e) => recolour(placesOf(r), e.currentTarget.value)} />) },
	{ title: "region", by: regionName, cell: (r) => <button class="name" aria-pressed={!s.pale.value.has(placesOf(r)[0])} title="show or hide its colour" onClick={() => fade(placesOf(r))}>{regionName(r)}</button> },
	number("calls", "count", count), ticks("exclusive", "exclusive_ticks"), number("share", "exclusive_share", percent), ticks("inclusive", "inclusive_ticks"),
	{ title: "rows", cell: (r) => placesOf(r).length > 0 && <button aria-label={"order rows by the time in " + regionName(r)} onClick={() => order(placesOf(r))}>order rows</button> },
];

// regionsByRow have the row that the numbers are of.
const regionsByRow: Column[] = [regions[0], regions[1], text("row", (r) => r.row), ...regions.slice(2)];

const Regions = live(({ data }: { data: any }) => (<>
	<label><input id="byrow" type="checkbox" checked={s.byRow.value} onChange={() => listByRow(!s.byRow.value)} /> row by row</label>
	{data.omitted_rows > 0 && <span class="left-out"> the first {count(data.rows.length)} lines by exclusive time; {count(data.omitted_rows)} more are left out</span>}
	<Table columns={data.byRow ? regionsByRow : regions} rows={data.rows} />
</>));

// listByRow lists regions row by row, or over all rows. Columns are others then.
function listByRow(is: boolean) {
	batch(() => {
		s.byRow.value = is;
		if (s.sorting.value.startsWith("regions:")) s.sorting.value = "";
	});
}

// order puts rows with the most time in some regions first.
function order(places: number[]) {
	s.order.value = "r" + places.join(".");
	s.top.value = 0;
}

// fade takes their colour from regions that have one, or gives it back.
function fade(places: number[]) {
	const next = new Set(s.pale.value), all = places.every((p) => next.has(p));
	for (const p of places) all ? next.delete(p) : next.add(p);
	s.pale.value = next;
}

function recolour(places: number[], colour: string) {
	const next = new Map(s.recoloured.value);
	for (const p of places) colour === s.rows.value!.regions[p].colour ? next.delete(p) : next.set(p, colour);
	s.recoloured.value = next;
}

const Details = live(({ data }: { data: any }) => {
	const r = s.rows.value!, p = s.picked.value;
	if (!p) return null;
	const partner = (i: number) => (data.lines.sender[i] === data.location ? data.lines.receiver[i] : data.lines.sender[i]);
	return (
		<div>
			<p>{r.locations[p.location].label} at {instant(p.t)}{data.stack.length === 0 ? ": no call is open" : ""}
				<button onClick={() => void find.next(true, p.location)}>call before (,)</button>
				<button onClick={() => void find.next(false, p.location)}>next call (.)</button>
			</p>
			{data.stack.length > 0 && (
				<table>
					<thead><tr>{["depth", "call", "begin", "end", "duration", "exclusive", "view", ...(r.second ? ["align"] : [])].map((t) => <th key={t} scope="col">{t}</th>)}</tr></thead>
					<tbody>
						{data.stack.map((c: any) => (
							<tr key={c.ordinal}>
								<td>{c.depth}</td>
								<td><span class="swatch" style={{ background: colourOf(placeOf(c.region)) }} />{(c.region_name ?? "region " + c.region).slice(0, 200)}{c.open ? " (never left)" : ""}</td>
								<td>{instant(c.start_ticks)}</td>
								<td>{instant(c.end_ticks)}</td>
								<td>{seconds(c.duration_ticks)}</td>
								<td>{seconds(c.exclusive_ticks)}</td>
								<td><button onClick={() => s.show(c.start_ticks - c.duration_ticks * 0.05, c.end_ticks + c.duration_ticks * 0.05)}>fit</button></td>
								{r.second && <td><button onClick={() => mark(sideOf(p.location), c.start_ticks)}>{aligns(p.location) ? "align with the mark" : "mark its begin"}</button></td>}
							</tr>
						))}
					</tbody>
				</table>
			)}
			{data.attributes.length > 0 && (
				<table id="attributes">
					<thead><tr>{["at", "attribute", "value"].map((t) => <th key={t} scope="col">{t}</th>)}</tr></thead>
					<tbody>{data.attributes.map((a: any, i: number) => <tr key={i}><td>{a.of.toLowerCase()}</td><td>{(a.name ?? "attribute " + a.id).slice(0, 200)}</td><td>{valueText(a.value)}</td></tr>)}</tbody>
				</table>
			)}
			{data.lines?.sender.length > 0 && (
				<table>
					<thead><tr>{["message", "sent", "received", "bytes", "partner"].map((t) => <th key={t} scope="col">{t}</th>)}</tr></thead>
					<tbody>
						{data.lines.sender.map((from: number, i: number) => (
							<tr key={i}>
								<td>{from === data.location ? "to " : "from "}{r.locations[partner(i)]?.label}</td>
								<td>{instant(data.lines.send_ticks[i])}</td>
								<td>{instant(data.lines.receive_ticks[i])}</td>
								<td>{bytes(data.lines.bytes[i])}</td>
								<td><button onClick={() => goThere(partner(i), from === data.location ? data.lines.receive_ticks[i] : data.lines.send_ticks[i])}>go there</button></td>
							</tr>
						))}
					</tbody>
				</table>
			)}
		</div>
	);
});

// valueText writes the value of an attribute: texts as they are, definitions by their names.
const valueText = (v: any): string => (typeof v === "string" ? v : typeof v === "object" && v !== null ? v.name ?? JSON.stringify(v) : String(v)).slice(0, 300);

// aligns reports whether there is a mark of the other trace.
const aligns = (location: number) => s.rows.value?.second !== undefined && s.mark.value !== undefined && s.mark.value.side !== sideOf(location);

function goThere(location: number, t: number) {
	find.reveal(location);
	s.picked.value = { location, t };
	if (t < s.view.value.from || t >= s.view.value.to) {
		const half = (s.view.value.to - s.view.value.from) / 2;
		s.show(t - half, t + half);
	}
}

// choosePair shows only the messages from one location to another, or all again.
function choosePair(from: unknown, to: unknown) {
	const side = s.subjectSide(), a = locationAt(side, from), b = locationAt(side, to);
	if (a < 0 || b < 0) return;
	batch(() => {
		s.pair.value = s.pair.value?.[0] === a && s.pair.value[1] === b ? undefined : [a, b];
		s.linesShown.value = true;
		find.reveal(a);
		find.reveal(b);
	});
}

const labelOf = (id: number) => s.rows.value!.locations[locationAt(s.subjectSide(), id)]?.label ?? String(id);

const pairs: Column[] = [
	text("from", (m) => labelOf(m.send_location)), text("to", (m) => labelOf(m.receive_location)), number("messages", "count", count), number("bytes", "send_bytes", bytes), number("mean", "mean_bytes", bytes),
	{ title: "show", cell: (m) => <button aria-label={`only these: messages from ${labelOf(m.send_location)} to ${labelOf(m.receive_location)}`} onClick={() => choosePair(m.send_location, m.receive_location)}>only these</button> },
];

// Matrix shows who sends how much to whom. A click on a cell shows only those messages.
function Matrix({ data }: { data: any }) {
	const rows: any[] = data.rows;
	if (rows.length === 0) return <p>No message is under way in this part.</p>;
	const ids = [...new Set(rows.flatMap((m) => [m.send_location, m.receive_location]))].sort((a, b) => a - b).slice(0, 128), at = new Map(ids.map((id, i) => [id, i]));
	const most = Math.max(...rows.map((m) => m.send_bytes), 1), side = Math.max(2, Math.min(16, Math.floor(260 / ids.length)));
	const sorted = [...rows].sort((a, b) => b.send_bytes - a.send_bytes);
	const paint = (canvas: HTMLCanvasElement | null) => {
		if (!canvas) return;
		canvas.width = canvas.height = ids.length * side;
		const c = canvas.getContext("2d")!, style = getComputedStyle(document.documentElement);
		c.fillStyle = style.getPropertyValue("--line");
		c.fillRect(0, 0, canvas.width, canvas.height);
		c.fillStyle = style.getPropertyValue("--accent");
		for (const m of rows) {
			const x = at.get(m.receive_location), y = at.get(m.send_location);
			if (x === undefined || y === undefined) continue;
			c.globalAlpha = 0.15 + 0.85 * (m.send_bytes / most);
			c.fillRect(x * side, y * side, side - 1, side - 1);
		}
	};
	return (
		<div class="matrix">
			<figure><canvas ref={paint} onClick={(e) => choosePair(ids[Math.floor(e.offsetY / side)], ids[Math.floor(e.offsetX / side)])} role="img" aria-label="bytes from each sender (down) to each receiver (across); the table has the numbers" /><figcaption>senders down, receivers across</figcaption></figure>
			<Table columns={pairs} rows={sorted} most={300} />
		</div>
	);
}

// above writes the calls around a call path, from the outermost one on.
function above(r: any, byPath: Map<number, any>): string {
	const names: string[] = [];
	for (let p = byPath.get(r.parent); p && names.length < 100; p = byPath.get(p.parent)) names.unshift(regionName(p));
	return names.join(" / ");
}

// Flame shows the call paths of the part, the widest first, the outermost on top; the table below has the numbers.
function Flame({ data }: { data: any }) {
	const rows: any[] = data.rows, at = new Map<number | null, number>(), boxes: { path: number; x: number; w: number; row: any }[] = [], next = new Map<number | null, number>();
	if (rows.length === 0) return <p>No call is open in this part.</p>;
	const total = rows.filter((r) => r.parent === null).reduce((n, r) => n + r.inclusive_ticks, 0) || 1;
	at.set(null, 0);
	for (const r of [...rows].sort((a, b) => a.depth - b.depth || b.inclusive_ticks - a.inclusive_ticks)) {
		const parent = at.get(r.parent);
		if (parent === undefined) continue;
		const x = next.get(r.parent) ?? parent, w = r.inclusive_ticks / total;
		next.set(r.parent, x + w);
		at.set(r.path, x);
		if (w > 0.001) boxes.push({ path: r.path, x, w, row: r });
	}
	const deepest = Math.max(0, ...boxes.map((b) => b.row.depth)), byPath = new Map(rows.map((r) => [r.path, r] as const));
	const columns = [
		text("region", regionName), text("called from", (r) => above(r, byPath)), number("calls", "count", count), ticks("exclusive", "exclusive_ticks"), number("share", "exclusive_share", percent),
		ticks("inclusive", "inclusive_ticks"), number("share of all", "inclusive_share", percent),
	];
	return (<>
		<div class="flame" role="img" aria-label="call paths, the widest first; the table has the numbers" style={{ height: (deepest + 1) * 19 + "px" }}>
			{boxes.map((b) => {
				const name = regionName(b.row);
				return (
					<div key={b.path} title={`${name}: ${seconds(b.row.inclusive_ticks)} inclusive, ${seconds(b.row.exclusive_ticks)} exclusive, ${count(b.row.count)} calls`}
						style={{ left: b.x * 100 + "%", width: b.w * 100 + "%", top: b.row.depth * 19 + "px", background: colourOf(placeOf(b.row.region)) }}>{b.w > 0.02 && <span>{name} {percent(b.w)}</span>}</div>
				);
			})}
		</div>
		<Table columns={columns} rows={rows} />
	</>);
}

const Find = live(({ kinds }: { kinds: string[] }) => (
	<div class="find">
		<label>Next <select id="kind" value={find.kind.value} onChange={(e) => (find.kind.value = e.currentTarget.value)}><option value="">call</option>{kinds.map((k) => <option key={k} value={k}>{k.slice(0, 60)}</option>)}</select></label>
		<label>Region <input id="needle" value={find.text.value} placeholder="part of a name" spellcheck={false} onInput={(e) => (find.text.value = e.currentTarget.value)} onKeyDown={needle} /></label>
		<label>at least <input size={8} value={find.least.value} placeholder="1ms" spellcheck={false} onInput={(e) => (find.least.value = e.currentTarget.value)} /></label>
		<button onClick={() => void find.next(true)}>previous (Shift+N)</button>
		<button onClick={() => void find.next(false)}>next (N)</button>
		<button onClick={() => void find.list("longest")}>longest</button>
		<button onClick={() => void find.list("unmatched")}>messages without a partner</button>
		{find.chosen.value !== undefined && <button onClick={() => (find.chosen.value = undefined)}>any region, not only {s.rows.value!.regions[find.chosen.value].name.slice(0, 60)}</button>}
		<ul class="names">{find.locations().map((l) => <li key={"l" + l.number}><button onClick={() => find.goToRow(l.number)}>{l.name.slice(0, 200)}</button></li>)}{find.matching().map((m) => <li key={m.place}><button aria-pressed={find.chosen.value === m.place} onClick={() => choose(m.place)}>{m.name.slice(0, 200)}</button></li>)}</ul>
		{find.hits.value.length > 0 && (
			<table>
				<thead><tr>{["what", "where", "begin", "duration", "view"].map((t) => <th key={t} scope="col">{t}</th>)}</tr></thead>
				<tbody>
					{find.hits.value.map((c, i) => (
						<tr key={i}><td>{(c.region_name ?? c.kind ?? "").slice(0, 200)}</td><td>{c.rank !== undefined && c.rank !== null ? "rank " + c.rank : c.location_name}</td><td>{instant(c.start_ticks ?? 0)}</td><td>{c.duration_ticks === undefined ? "" : seconds(c.duration_ticks)}</td><td><button onClick={() => find.go(c)}>go there</button></td></tr>
					))}
				</tbody>
			</table>
		)}
	</div>
));

function choose(place: number) {
	find.chosen.value = place;
	void find.next(false);
}

function needle(e: KeyboardEvent) {
	if (e.key !== "Enter") return;
	find.text.value = (e.currentTarget as HTMLInputElement).value;
	if (find.matching().length > 0) {
		find.chosen.value = undefined;
		void find.next(false);
		(e.currentTarget as HTMLElement).blur();
	}
}

// commands are those of the program that answer what the page shows.
export function commands(): string[] {
	const { from, to, location } = s.subject(), quote = (t: string) => (/^[\w./-]+$/.test(t) ? t : "'" + t.replaceAll("'", "'\\''") + "'");
	const part = `${quote(nameOf(s.subjectSide()) + ".pando")} --from ${from} --to ${to}` + (location && location.length <= 20 ? location.map((l) => " --location " + l).join("") : "");
	return [`pando view ${part.split(" --location")[0]}`, `pando summary ${part}${s.byRow.value ? " --by region,location" : ""}`, `pando window ${part}`, `pando timeline ${part} -o picture.svg`, `pando convert ${part.replace(" --from", " part.pando --from")}`];
}

async function save(name: string, made: () => Promise<Blob>) {
	try {
		const link = document.createElement("a"), url = URL.createObjectURL(await made());
		link.href = url;
		link.download = name;
		link.click();
		setTimeout(() => URL.revokeObjectURL(url), 10_000);
		s.say(name + " is saved.");
	} catch (e) {
		s.say((e as Error).message, true);
	}
}

const fetched = (tail: string, query: object) => async () => (await ask(address(path(s.subjectSide(), tail), { ...s.subject(), ...query }), token())).blob();

const Export = live(() => (
	<div class="export">
		<p>
			<button onClick={() => void save(s.trace.value + ".png", png)}>picture as it is (PNG)</button>
			<button onClick={() => void save(nameOf(s.subjectSide()) + ".svg", fetched("/timeline.svg", {}))}>picture (SVG)</button>
			<button onClick={() => void save(nameOf(s.subjectSide()) + ".pando", fetched("/export", { format: "pando" }))}>this part (.pando)</button>
			<button onClick={() => void save(nameOf(s.subjectSide()) + ".json", fetched("/export", { format: "chrome" }))}>trace events (JSON)</button>
			<button onClick={() => void perfetto()}>open in Perfetto …</button>
		</p>
		<p>
			Calls:{" "}
			{[["parquet", "parquet"], ["arrow-file", "arrow"], ["csv", "csv"]].map(([format, ending]) => (
				<button key={format} onClick={() => void save("calls." + ending, fetched("/tables/calls", { format }))}>{ending}</button>
			))}
			Messages:{" "}
			{[["parquet", "parquet"], ["csv", "csv"]].map(([format, ending]) => (
				<button key={format} onClick={() => void save("messages." + ending, fetched("/tables/messages", { format }))}>{ending}</button>
			))}
		</p>
		<p>The same as a command:</p>
		<ul class="commands">{commands().map((c) => <li key={c}><button onClick={() => void copy(c)}>copy</button><code>{c}</code></li>)}</ul>
		<p><button onClick={() => void copy(location.href)}>copy the link to this view</button></p>
	</div>
));

async function copy(text: string) {
	try {
		await navigator.clipboard.writeText(text);
		s.say("copied");
	} catch {
		s.say("The browser does not let the page copy: mark the text and copy it.", true);
	}
}

// perfetto gives the part to ui.perfetto.dev in another window, which asks for it; it stays in that browser, but is out of our hands.
async function perfetto() {
	if (!confirm("The part of the trace that is shown goes to the page https://ui.perfetto.dev in this browser. Open it?")) return;
	const origin = "https://ui.perfetto.dev", other = window.open(origin);
	if (!other) return s.say("The browser does not let the page open a window.", true);
	try {
		const buffer = await (await fetched("/export", { format: "chrome" })()).arrayBuffer();
		const ping = setInterval(() => other.postMessage("PING", origin), 100);
		window.addEventListener("message", function answered(e) {
			if (e.origin !== origin || e.data !== "PONG") return;
			clearInterval(ping);
			window.removeEventListener("message", answered);
			other.postMessage({ perfetto: { buffer, title: nameOf(s.subjectSide()) } }, origin);
		});
	} catch (e) {
		s.say((e as Error).message, true);
	}
}
