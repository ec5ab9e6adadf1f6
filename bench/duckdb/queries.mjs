#!/usr/bin/env node
// Usage: node queries.mjs PANDO FILE EXPORTED [SEED]
//
// Asks random conditions of the calls of a trace, of `pando query` on the file and of DuckDB on the exported table, for numbers, sums and quantiles of all rows
// and of groups; then for sums that pando takes from the nodes of the file's tree in place of rows. Then DuckDB reads an answer that was written as Parquet, as
// docs/query.md has it. Exit code 1: an answer differs; 2: nothing was asked.

import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { asking, comparisons, quoted } from "./asking.mjs";

const [pando, file, exported, seed = "1"] = process.argv.slice(2);
const { sql, draw, oneOf } = await asking(seed);
const relation = `read_parquet(${quoted(join(exported, "calls.parquet"))})`;

// Conditions are pairs: as pando has them, and as SQL.
const numbers = ["rank", "location", "depth", "children"];
const times = { start: "start_ns", end: "end_ns", duration: "duration_ns", exclusive: "exclusive_ns" };

function atom(row) {
  const [ours, theirs] = oneOf(Object.entries(comparisons));
  switch (draw(6)) {
    case 0:
    case 1: {
      const [name, column] = oneOf(Object.entries(times));
      return row[column] === null ? [`${name} == nil`, `${column} IS NULL`] : [`${name} ${ours} ${row[column]}ns`, `${column} ${theirs} ${row[column]}`];
    }
    case 2: {
      const column = oneOf(numbers);
      return row[column] === null ? [`${column} != nil`, `${column} IS NOT NULL`] : [`${column} ${ours} ${row[column]}`, `${column} ${theirs} ${row[column]}`];
    }
    case 3:
      return row.name === null ? ["name == nil", "name IS NULL"] : [`name ${ours} ${JSON.stringify(row.name)}`, `name ${theirs} ${quoted(row.name)}`];
    case 4: {
      const begin = (row.name ?? "x").slice(0, 1 + draw(4));
      return [`name startsWith ${JSON.stringify(begin)}`, `starts_with(name, ${quoted(begin)})`];
    }
  }
  return [`rank in [${row.rank ?? 0}, 2, 5]`, `rank IN (${row.rank ?? 0}, 2, 5)`];
}

function condition(rows, depth) {
  const kind = depth === 0 ? 0 : draw(4);
  if (kind === 0) return atom(oneOf(rows));
  const [a, x] = condition(rows, depth - 1);
  if (kind === 1) return [`!(${a})`, `NOT (${x})`];
  const [b, y] = condition(rows, depth - 1);
  return kind === 2 ? [`(${a}) && (${b})`, `(${x}) AND (${y})`] : [`(${a}) || (${b})`, `(${x}) OR (${y})`];
}

// ask returns the answer of pando. Numbers that JavaScript cannot hold stay texts.
function ask(...flags) {
  const json = execFileSync(pando, ["query", file, "calls", ...flags, "--format", "json"], { encoding: "utf8", maxBuffer: 1 << 28 });
  return JSON.parse(json.replace(/([:[,])(-?\d{15,})(?=[,}\]])/g, '$1"$2"'));
}
const text = (rows) => JSON.stringify(rows.map((r) => Object.values(r).map((v) => (v === null ? null : String(v)))).sort());

const failures = [];
function same(what, ours, theirs) {
  if (text(ours) !== text(theirs)) failures.push(`${what}: pando ${text(ours).slice(0, 300)}, DuckDB ${text(theirs).slice(0, 300)}`);
}

const sums = ["count(), sum(duration), min(start), max(exclusive), p90(duration)",
  "count(*), sum(duration_ns)::VARCHAR, min(start_ns), max(exclusive_ns), quantile_disc(duration_ns, 0.9)"];
const some = await sql(`SELECT * FROM ${relation} USING SAMPLE reservoir(200 ROWS) REPEATABLE (${Number(seed)})`);
if (some.length === 0) {
  console.log("queries: there are no calls");
  process.exit(0);
}
let asked = 0;
for (; asked < 20; asked++) {
  const [ours, theirs] = condition(some, 3);
  const by = oneOf([[], ["rank"], ["name"], ["rank", "name"]]);
  const flags = by.length > 0 ? ["--by", by.join(",")] : [];
  const keys = by.map((k) => `${k}, `).join("");
  const group = by.length > 0 ? `GROUP BY ${by.join(", ")}` : "";
  same(`${ours} by ${by}`, ask("--where", ours, "--show", sums[0], ...flags), await sql(`SELECT ${keys}${sums[1]} FROM ${relation} WHERE ${theirs} ${group}`));
}

// What the nodes of the file's tree tell is asked of rows by DuckDB: no condition is left for rows here. That no row is read says --explain.
const explained = (...flags) => execFileSync(pando, ["query", file, "calls", ...flags, "--explain"], { encoding: "utf8" });
const totals = ["count(), sum(duration_ticks), sum(exclusive_ticks)", "count(*), sum(duration_ticks)::VARCHAR, sum(exclusive_ticks)::VARCHAR"];
let summed = 0;
for (; summed < 6; summed++) {
  const by = oneOf([["rank"], ["name"], ["name", "location"], ["process_name", "name"]]);
  const row = oneOf(some);
  const [ours, theirs] = oneOf([
    [null, "true"],
    [`location != ${row.location}`, `location <> ${row.location}`],
    row.name === null ? [null, "true"] : [`name == ${JSON.stringify(row.name)}`, `name = ${quoted(row.name)}`],
  ]);
  const flags = ["--show", totals[0], "--by", by.join(","), ...(ours === null ? [] : ["--where", ours])];
  if (!/^totals/m.test(explained(...flags))) failures.push(`${flags.join(" ")}: rows are read, and not sums of nodes`);
  same(`${flags.join(" ")}`, ask(...flags), await sql(`SELECT ${by.join(", ")}, ${totals[1]} FROM ${relation} WHERE ${theirs} GROUP BY ${by.join(", ")}`));
}

// Joins are SQL's, on what was selected.
const region = some.find((r) => r.name !== null)?.name;
if (region !== undefined) {
  const answer = join(exported, "answer.parquet");
  execFileSync(pando, ["query", file, "calls", "--where", `name == ${JSON.stringify(region)}`, "-o", answer, "--force"]);
  const counted = (of, where) => sql(`SELECT rank, count(*), quantile_cont(duration_ns, 0.9) FROM ${of} ${where} GROUP BY rank`);
  same(`the Parquet file of ${region}`, await counted(quoted(answer), ""), await counted(relation, `WHERE name = ${quoted(region)}`));
  rmSync(answer);
}
for (const f of failures) console.error(`DIFFERENT: ${f}`);
console.log(`queries: ${asked + summed + 1 - failures.length} of ${asked + summed + 1} answers agree with DuckDB`);
process.exit(failures.length > 0 ? 1 : 0);
