// The URL: its fragment, which is never sent, says what the page shows.

import { batch } from "@preact/signals-core";

import { setToken } from "./net";
import * as s from "./state";

const list = (text: string | null) => (text ? text.split(",") : []);
const numbers = (text: string | null) => list(text).map(Number).filter((n) => Number.isFinite(n));

// read takes what is to be shown from the URL, and the token out of it.
export function read(): URLSearchParams {
	const text = new URLSearchParams(location.hash.slice(1)), token = text.get("token");
	if (token !== null) {
		setToken(token);
		text.delete("token");
		history.replaceState(history.state, "", "#" + text);
	}
	return text;
}

// step counts the entries of the history that are ours, so that "back" never leaves the page.
export const step = (): number => history.state?.step ?? 0;

export const back = () => step() > 0 && history.back();

// apply shows what a URL says, of a trace whose rows are known.
export function apply(text: URLSearchParams) {
	batch(() => {
		s.shift.value = Number(text.get("shift")) || 0;
		const marked = numbers(text.get("mark"));
		s.mark.value = marked.length === 2 && (marked[0] === 0 || marked[0] === 1) ? { side: marked[0], t: marked[1] } : undefined;
		const from = Number(text.get("from") ?? s.begin()), to = Number(text.get("to") ?? s.end());
		s.view.value = { from: NaN, to: NaN };
		s.show(Number.isFinite(from) ? from : s.begin(), Number.isFinite(to) ? to : s.end());
		s.toggled.value = new Set(list(text.get("rows")));
		s.pins.value = list(text.get("pin"));
		s.hidden.value = new Set(list(text.get("hide")));
		s.filter.value = text.get("filter") ?? "";
		s.top.value = Math.max(0, Math.floor(Number(text.get("top")) || 0));
		s.pale.value = new Set(numbers(text.get("pale")));
		s.recoloured.value = new Map(list(text.get("colour")).map((c) => c.split(":")).filter((c) => /^[0-9a-f]{6}$/.test(c[1] ?? "")).map((c) => [Number(c[0]), "#" + c[1]]));
		const a = numbers(text.get("area"));
		s.area.value = a.length === 4 && a[2] < a[3] && a[3] <= (s.rows.value?.locations.length ?? 0) ? { from: a[0], to: a[1], a: a[2], b: a[3] } : undefined;
		s.about.value = text.get("side") === "1" ? 1 : 0;
		const at = numbers(text.get("at"));
		s.picked.value = at.length === 2 && s.rows.value?.locations[at[0]] ? { location: at[0], t: at[1] } : undefined;
		const panel = text.get("panel") as s.Panel;
		s.panel.value = s.panels.includes(panel) ? panel : "regions";
		const sort = text.get("sort") ?? "";
		s.sorting.value = /^[a-z]+:-?[1-9]$/.test(sort) ? sort : "";
		const order = text.get("order") ?? "", over = text.get("over") as s.OverKind, pair = numbers(text.get("pair"));
		s.order.value = order === "name" || order === "sent" || (order[0] === "r" && s.regionsOf(order).length > 0) ? order : "";
		s.over.value = ["collectives", "critical", "waits", "hotspots", "unusual"].includes(over) ? over : "";
		s.pair.value = pair.length === 2 && pair.every((p) => s.rows.value?.locations[p]) ? [pair[0], pair[1]] : undefined;
		s.chosen.value = s.keyed(text.get("row") ?? "") ? text.get("row")! : "";
		s.byRow.value = text.get("by") === "row";
		s.linesShown.value = text.get("lines") !== "0";
		const counter = text.get("counter");
		s.counter.value = counter !== null && s.rows.value?.counters[Number(counter)] ? Number(counter) : -1;
	});
}

// written returns the fragment of what is shown.
export function written(): string {
	const text = new URLSearchParams(), put = (name: string, value: string) => value !== "" && text.set(name, value);
	put("trace", s.trace.value);
	put("with", s.rows.value?.second?.name ?? "");
	put("tree", s.tree.value === "system" ? "" : s.tree.value);
	put("shift", s.rows.value?.second && s.shift.value !== 0 ? String(s.shift.value) : "");
	put("mark", s.mark.value ? s.mark.value.side + "," + s.mark.value.t : "");
	put("from", String(s.view.value.from));
	put("to", String(s.view.value.to));
	put("rows", [...s.toggled.value].sort().join(","));
	put("pin", s.pins.value.join(","));
	put("hide", [...s.hidden.value].sort().join(","));
	put("filter", s.filter.value);
	put("top", s.top.value > 0 ? String(s.top.value) : "");
	put("pale", [...s.pale.value].sort((a, b) => a - b).join(","));
	put("colour", [...s.recoloured.value].map(([place, c]) => place + ":" + c.slice(1)).join(","));
	const a = s.area.value, p = s.picked.value;
	put("area", a ? [a.from, a.to, a.a, a.b].join(",") : "");
	put("at", p ? [p.location, p.t].join(",") : "");
	put("side", s.rows.value?.second && s.about.value === 1 ? "1" : "");
	put("panel", s.panel.value === "regions" ? "" : s.panel.value);
	put("sort", s.sorting.value);
	put("by", s.byRow.value ? "row" : "");
	put("lines", s.linesShown.value ? "" : "0");
	put("order", s.order.value);
	put("over", s.over.value);
	put("row", s.chosen.value);
	put("pair", s.pair.value?.join(",") ?? "");
	put("counter", s.counter.value >= 0 ? String(s.counter.value) : "");
	return "#" + text;
}

// treeOf is what groups are, as a URL says.
export const treeOf = (text: URLSearchParams): s.Tree => (/^(kind|communicator(-[2-8])?)$/.test(text.get("tree") ?? "") ? (text.get("tree") as s.Tree) : "system");
