// The names of the rows: a tree that the keyboard walks.

import { h } from "preact";

import { live } from "./live";
import * as s from "./state";

export const Rows = live(() => {
	const { list, all } = s.placed.value, ratio = s.size.value.ratio;
	return (
		<div id="rows" role="treegrid" aria-label="rows" aria-rowcount={all} aria-readonly="true" tabIndex={0}
			aria-activedescendant={list.some((p) => p.index === s.cursor.value) ? "row" + s.cursor.value : undefined}>
			{list.map((p) => (
				<div key={p.key} id={"row" + p.index} role="row" class={"row" + (p.index === s.cursor.value ? " cursor" : "") + (p.key === s.chosen.value ? " chosen" : "")} aria-level={p.level} aria-rowindex={p.index + 1}
					aria-expanded={p.open} aria-selected={p.key === s.chosen.value} style={{ height: p.height / ratio + "px", paddingLeft: p.level * 10 - 6 + "px", lineHeight: p.band / ratio + "px" }}
					onClick={() => (s.cursor.value = p.index)} onDblClick={() => (s.toggled.value = s.toggle(s.toggled.value, p.key))}>
					<span role="gridcell" class="twist" onClick={() => (s.toggled.value = s.toggle(s.toggled.value, p.key))}>{p.open ? "▾" : "▸"}</span>
					<span role="gridcell" class="name" title={p.name.slice(0, 300) + ": a click shows its messages"} onClick={() => choose(p.key)}>{p.pinned ? "📌 " : ""}{p.name.slice(0, 200)}</span>
				</div>
			))}
		</div>
	);
});

// choose shows the messages of a row as lines, or no longer.
export const choose = (key: string) => (s.chosen.value = s.chosen.value === key ? "" : key);

// Current is the row of the keyboard.
export const current = () => s.placed.value.list.find((p) => p.index === s.cursor.value);

// step moves the cursor by some rows, and scrolls so that it is in sight.
export function step(by: number) {
	const all = s.placed.value.all, next = Math.max(0, Math.min(all - 1, s.cursor.value + by)), fixed = s.pinned.value.length;
	s.cursor.value = next;
	if (next < fixed) return;
	if (next - fixed < s.top.value) s.top.value = next - fixed;
	const { height, ratio } = s.size.value;
	for (let i = 0; i < 100; i++) {
		const p = s.placed.value.list.find((e) => e.index === next);
		if (p && (p.y + p.band) / ratio <= height) return;
		if (s.top.value >= next - fixed) return;
		s.top.value++;
	}
}
