// The page: reads the URL, asks which traces there are, and keeps URL, picture and panels in step.

import { batch, effect } from "@preact/signals-core";
import { h, render } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

import { Axis, early, isOverviewPainted, isPainted, isRefined, Marks, onRest, Overview, Picture, start, watch as watchPicture } from "./canvas";
import { reading, watch as watchCell } from "./cell";
import { pressed, table } from "./keys";
import * as layers from "./layers";
import { live } from "./live";
import { askJSON } from "./net";
import { about, answer, Panels, watch as watchPanels } from "./panels";
import { Rows } from "./rows";
import { Frame, isDense, rangeOf } from "./scene";
import { together } from "./second";
import * as s from "./state";
import { count, moment, quantity, span } from "./time";
import * as url from "./url";

const Header = live(() => (
	<header>
		<h1>Pando</h1>
		<label>Trace <select id="trace" value={s.trace.value} onChange={(e) => void open(e.currentTarget.value, new URLSearchParams())}>{s.traces.value.map((t) => <option key={t} value={t}>{t.slice(0, 100)}</option>)}</select></label>
		<label>Below <select id="second" title="another trace, below this one" value={s.rows.value?.second?.name ?? ""} onChange={(e) => void below(e.currentTarget.value)}><option value="">nothing</option>{s.traces.value.map((t) => <option key={t} value={t}>{t.slice(0, 100)}</option>)}</select></label>
		{s.rows.value?.second && <label>moved by <input id="shift" size={10} value={String(s.shift.value / s.perSecond())} spellcheck={false} onChange={(e) => moved(e.currentTarget.value)} /> s</label>}
		<label>Rows <input id="filter" value={s.filter.value} placeholder="all" spellcheck={false} onInput={(e) => { s.filter.value = e.currentTarget.value; s.top.value = 0; }} /></label>
		{(s.rows.value?.counters.length ?? 0) > 0 && (
			<label>Counter <select id="counter" value={s.counter.value} onChange={(e) => (s.counter.value = Number(e.currentTarget.value))}>
				<option value={-1}>none</option>
				{s.rows.value!.counters.map((c, i) => <option key={i} value={i}>{c.name.slice(0, 60)}{c.unit ? ` [${c.unit.slice(0, 20)}]` : ""}</option>)}
			</select></label>
		)}
		<label>Order <select id="order" title="groups of rows, or all locations in an order" value={s.order.value || s.tree.value} onChange={(e) => ordered(e.currentTarget.value)}>
			{s.trees.value.map((t) => <option key={t} value={t}>{t.replace("-", " ")}</option>)}<option value="name">name</option><option value="sent">bytes sent</option>
			{s.order.value[0] === "r" && <option value={s.order.value}>time in {s.regionsOf(s.order.value).map((p) => s.rows.value?.regions[p]?.name ?? "?")[0]?.slice(0, 40)}</option>}
		</select></label>
		<label>Over <select id="over" title="drawn over the rows" value={s.over.value} onChange={(e) => (s.over.value = e.currentTarget.value as s.OverKind)}>
			<option value="">nothing</option><option value="collectives">collectives</option><option value="critical">critical path</option><option value="waits">waits</option><option value="hotspots">hot spots</option><option value="unusual">unusual calls</option>
		</select></label>
		<label><input type="checkbox" checked={s.linesShown.value} onChange={() => (s.linesShown.value = !s.linesShown.value)} /> messages</label>
		{s.rows.value?.unfinished && <label><input type="checkbox" checked={s.following.value} onChange={() => (s.following.value = !s.following.value)} /> follow</label>}
		{s.hidden.value.size > 0 && <button onClick={() => (s.hidden.value = new Set())}>{s.hidden.value.size} hidden rows</button>}
		<span class="space" />
		<button title="earlier (A)" aria-label="earlier" onClick={() => s.move(-0.2)}>◀</button>
		<button title="later (D)" aria-label="later" onClick={() => s.move(0.2)}>▶</button>
		<button id="in" title="zoom in (W)" aria-label="zoom in" onClick={() => s.zoom(0.5)}>+</button>
		<button id="out" title="zoom out (S)" aria-label="zoom out" onClick={() => s.zoom(2)}>−</button>
		<button id="whole" title="the whole trace (0)" onClick={() => s.show(s.begin(), s.end())}>whole</button>
		<button id="back" title="(Z)" onClick={url.back}>back</button>
		<button id="keys" title="all keys (?)" aria-label="all keys" onClick={() => (s.keysShown.value = true)}>?</button>
	</header>
));

const Keys = live(() => <KeysDialog open={s.keysShown.value} />);

function KeysDialog({ open }: { open: boolean }) {
	const dialog = useRef<HTMLDialogElement>(null);
	useEffect(() => {
		if (open && !dialog.current!.open) dialog.current!.showModal();
		if (!open && dialog.current!.open) dialog.current!.close();
	}, [open]);
	return (
		<dialog ref={dialog} aria-label="keys" onClose={() => (s.keysShown.value = false)}>
			<h2>Keys</h2>
			<dl>{table.map(([key, what]) => [<dt key={key}>{key}</dt>, <dd key={key + what}>{what}</dd>])}</dl>
			<button onClick={() => (s.keysShown.value = false)}>close</button>
		</dialog>
	);
}

const Status = live(() => (
	<div id="told">
		<p id="status" role="status" class={s.status.value.wrong ? "wrong" : ""}>{s.status.value.text}</p>
		<p id="cell" role="status" title={reading.value}>{reading.value}</p>
	</div>
));

function Stage() {
	const stage = useRef<HTMLDivElement>(null);
	useLayoutEffect(() => { // before there are rows: the first picture has the size of the window
		const measure = () => {
			const box = stage.current!.getBoundingClientRect();
			s.size.value = { width: s.widthOf(box.width), height: Math.max(60, Math.floor(box.height)), ratio: window.devicePixelRatio };
		};
		new ResizeObserver(measure).observe(stage.current!);
		measure();
	}, []);
	return (
		<main id="stage" ref={stage}>
			<Rows />
			<div id="picture"><Picture /><Marks /></div>
		</main>
	);
}

const App = () => (
	<div id="app">
		<Header />
		<Overview />
		<Axis />
		<Stage />
		<Status />
		<Panels />
		<Keys />
	</div>
);

// below shows another trace below this one, or none.
function below(name: string) {
	const text = new URLSearchParams(url.written().slice(1)), whole = s.view.value.from <= s.begin() && s.view.value.to >= s.end();
	for (const key of ["with", "shift", "mark", "area", "at", "pair", "side", "counter", ...(whole ? ["from", "to"] : [])]) text.delete(key);
	if (name !== "") text.set("with", name);
	void open(s.trace.value, text);
}

// ordered shows the rows below groups of a tree, or all locations in an order. Rows of another tree have other numbers.
function ordered(by: string) {
	const tree = s.trees.value.find((t) => t === by);
	s.top.value = 0;
	s.order.value = tree ? "" : by;
	if (!tree || tree === s.tree.value) return;
	const text = new URLSearchParams(url.written().slice(1));
	for (const key of ["rows", "pin", "hide", "area", "at", "pair", "row"]) text.delete(key);
	text.set("tree", tree);
	void open(s.trace.value, text);
}

// moved moves the second trace so that it begins some seconds behind the first one.
function moved(text: string) {
	const shift = Number(text) * s.perSecond();
	if (!Number.isFinite(shift)) return s.say("That is no number of seconds.", true);
	batch(() => {
		s.shift.value = Math.round(shift);
		s.mark.value = undefined;
		s.show(s.view.value.from, s.view.value.to);
	});
}

// rowsOf asks for the rows of a trace, and of another one below it, "" for none.
async function rowsOf(name: string, second: string, tree: s.Tree): Promise<s.Rows> {
	const ask = (of: string): Promise<s.Rows> => askJSON("/v1/traces/" + encodeURIComponent(of) + "/rows", { tree });
	if (second === "") return ask(name);
	const [a, b] = await Promise.all([ask(name), ask(second)]);
	return together(a, second, b, name);
}

// open shows a trace, with what a URL says of the view. Its rows may have been asked for before.
async function open(name: string, text: URLSearchParams, asked = rowsOf(name, text.get("with") ?? "", url.treeOf(text))) {
	s.trace.value = name;
	try {
		const rows = await asked;
		batch(() => {
			s.depths.value = {};
			s.messages.value = undefined;
			s.traffic.value = undefined;
			s.ofRow.value = undefined;
			s.found.value = undefined;
			s.ranking.value = undefined;
			s.place.value = undefined;
			s.adopt(rows);
			url.apply(text);
		});
		document.title = name.slice(0, 100) + " - Pando";
		history.replaceState(history.state, "", url.written());
	} catch (e) {
		s.say((e as Error).message, true);
	}
}

// rest marks the page when picture, layers and panel are those of the URL: tests wait for it.
function rest() {
	const done = isPainted() && isRefined() && isOverviewPainted() && layers.isComplete() && answer.value?.about === about() && location.hash === url.written();
	if (done) document.body.dataset.rest = location.hash;
	else delete document.body.dataset.rest;
}

// tell says what the picture shows, and how true it is.
function tell(f: Frame) {
	const per = s.perSecond(), length = (f.to - f.from) / per, pixel = (f.to - f.from) / (s.size.value.width * s.size.value.ratio);
	const shown = s.linesShown.value, m = shown && s.messages.value?.some(isDense), row = s.ofRow.value, many = shown && row && isDense(row);
	const curves = s.counter.value >= 0 && s.curves.value ? curveRange() : "";
	const exact = f.blur === 0 ? "exact" : `each pixel to within ${span(f.blur / per)}` + (f.blur > pixel ? " (dotted)" : "");
	const calls = f.least > pixel * 1.001 ? `, calls of ${span(f.least / per)} and more${f.rough ? " so far" : ""}` : "";
	s.say(`${moment(f.from / per, length)} to ${moment(f.to / per, length)} (${span(length)}), ${count(s.placed.value.all)} ${s.placed.value.all === 1 ? "row" : "rows"}, ${exact}${calls}` + (m ? ", messages as density, sent above received" : "") + (many ? `, ${count(row.count)} messages of the row are too many for lines` : "") + curves);
}

// curveRange says between which values the curves of the counter are drawn.
function curveRange(): string {
	const c = s.rows.value!.counters[s.counter.value], { low, high } = rangeOf(s.curves.value!);
	return c && low <= high ? `, ${c.name.slice(0, 60)} ${quantity(low, c)} to ${quantity(high, c)}` : "";
}

// look asks now and then whether the file has changed: one that grows is followed.
let tag = "";
async function look() {
	const r = s.rows.value;
	if (!r || document.hidden) return;
	try {
		const names = r.second ? [s.trace.value, r.second.name] : [s.trace.value], states: unknown[] = [];
		for (const name of names) {
			const { events, unfinished, file_id, bytes } = await askJSON("/v1/traces/" + encodeURIComponent(name), {});
			states.push(events, unfinished, file_id, bytes);
		}
		const which = JSON.stringify(names), now = which + JSON.stringify(states);
		if (tag !== now && tag.startsWith(which)) {
			const next = await rowsOf(s.trace.value, r.second?.name ?? "", r.tree);
			s.adopt(next);
			if (!next.unfinished && !r.unfinished) s.say("The file has changed: this is the new one.");
		}
		tag = now;
	} catch (e) {
		s.say((e as Error).message, true);
	}
}

// frames are the times of exact pictures, for who measures: the first one, and the latest ones.
const frames: number[] = [];
Object.assign(window, { pandoFrames: frames });

// firstOf is the trace that a URL names, or else the first one of the server. Its rows are asked for at once, and tiles if all of it is shown.
async function firstOf(text: URLSearchParams, names: Promise<string[]>) {
	const name = text.get("trace") ?? (await names)[0];
	if (name === undefined) return undefined;
	const rows = rowsOf(name, text.get("with") ?? "", url.treeOf(text));
	rows.catch(() => {}); // who waits for them tells it
	if (!["from", "to", "with"].some((key) => text.has(key))) void early("/v1/traces/" + encodeURIComponent(name), url.treeOf(text));
	return { name, rows };
}

async function begin() {
	const text = url.read(), names: Promise<string[]> = askJSON("/v1/traces", {}).then((list) => list.traces.map((t: { name: string }) => t.name));
	start();
	const wanted = firstOf(text, names);
	await Promise.race([wanted, new Promise((done) => setTimeout(done, 50))]).catch(() => {}); // the server has something to do while the page is made
	render(<App />, document.body);
	addEventListener("keydown", pressed);
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => s.scheme.value++);
	addEventListener("popstate", () => {
		const next = url.read(), name = next.get("trace") ?? s.trace.value;
		if (name !== s.trace.value || (next.get("with") ?? "") !== (s.rows.value?.second?.name ?? "") || url.treeOf(next) !== s.tree.value) void open(name, next);
		else url.apply(next);
	});
	onRest((f) => {
		frames.push(performance.now());
		if (frames.length > 1000) frames.splice(1, 500);
		tell(f);
		rest();
	});
	try {
		s.traces.value = await names;
	} catch (e) {
		return s.say((e as Error).message, true);
	}
	const first = await wanted;
	if (!first) return s.say("There is no trace: the folder that is served is empty.", true);
	watchPicture();
	watchPanels(rest);
	watchCell();
	layers.watch(rest);
	await open(first.name, text, first.rows);
	watchURL();
	effect(() => {
		void answer.value;
		rest();
	});
	setInterval(() => void look(), 2000);
	setInterval(rest, 150); // a view that is left and entered again asks nothing
}

// watchURL writes what is shown into the URL. Steps of one gesture are one step of Back, and are written when it pauses: a browser takes a
// millisecond for each.
let last = -Infinity, later = 0;
function watchURL() {
	effect(() => {
		const next = url.written(), now = performance.now(), fresh = now - last > 700;
		clearTimeout(later);
		if (next === location.hash) return;
		last = now;
		if (fresh) write(true);
		else {
			delete document.body.dataset.rest;
			later = setTimeout(write, 100, false) as unknown as number;
		}
	});
}

function write(fresh: boolean) {
	history[fresh ? "pushState" : "replaceState"]({ step: url.step() + (fresh ? 1 : 0) }, "", url.written());
	rest();
}

void begin();
