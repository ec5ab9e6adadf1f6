// A table that the titles of its columns sort: a click puts the largest numbers or the first names on top, another one turns that round, a third one gives back the order of the server.

import { h } from "preact";

import { live } from "./live";
import * as s from "./state";

export interface Column {
	title: string;
	by?: (row: any) => number | string | null; // what it is sorted by; columns of buttons are not
	cell: (row: any) => any;
}

// Table shows some rows at most, after sorting all of them.
export const Table = live(({ columns, rows, most = 5000 }: { columns: Column[]; rows: any[]; most?: number }) => {
	const { at, falling } = sorting(), by = columns[at]?.by, shown = by ? sorted(rows, by, falling) : rows;
	return (
		<table>
			<thead><tr>{columns.map((c, i) => <th key={c.title} scope="col" aria-sort={!c.by ? undefined : i !== at ? "none" : falling ? "descending" : "ascending"}>
				{c.by ? <button onClick={() => turn(i, typeof c.by!(rows[0]) === "string")}>{c.title}{i !== at ? "" : falling ? " ▾" : " ▴"}</button> : c.title}
			</th>)}</tr></thead>
			<tbody>{shown.slice(0, most).map((r, i) => <tr key={i}>{columns.map((c) => <td key={c.title}>{c.cell(r)}</td>)}</tr>)}</tbody>
		</table>
	);
});

// sorting is the column by which the panel is sorted, -1 for none.
function sorting(): { at: number; falling: boolean } {
	const [panel, column] = s.sorting.value.split(":"), n = panel === s.panel.value ? Number(column) : 0;
	return { at: Math.abs(n) - 1, falling: n < 0 };
}

function turn(column: number, isText: boolean) {
	const { at, falling } = sorting(), first = !isText, next = at !== column ? first : falling === first ? !first : undefined;
	s.sorting.value = next === undefined ? "" : `${s.panel.value}:${next ? "-" : ""}${column + 1}`;
}

// sorted puts rows without a value behind all others.
function sorted(rows: any[], by: NonNullable<Column["by"]>, falling: boolean): any[] {
	const lacking = falling ? -Infinity : Infinity;
	return [...rows].sort((a, b) => {
		const [x, y] = [by(a), by(b)];
		if (typeof x === "string" || typeof y === "string") return String(x).localeCompare(String(y), "en", { numeric: true }) * (falling ? -1 : 1);
		const [p, q] = [x ?? lacking, y ?? lacking];
		return p === q ? 0 : p < q === falling ? 1 : -1;
	});
}
