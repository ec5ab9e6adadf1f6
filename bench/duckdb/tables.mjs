#!/usr/bin/env node
// Usage: node tables.mjs PANDO FILE EXPORTED [SEED]
//
// Asks random conditions of each exported table, of `pando query` on the file and of DuckDB on the table: for the number of rows, of values that are not null,
// the least and the largest of them, of all rows and of groups. pando is asked a second time in a way that lets it decide nothing before rows are read. Exit
// code 1: an answer differs; 2: nothing was asked.

import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { asking, comparisons, quoted } from "./asking.mjs";

const [pando, file, exported, seed = "1"] = process.argv.slice(2);
const { sql, draw, oneOf } = await asking(seed);

// constant returns a value of a row as pando has it and as SQL; nothing if one of them cannot write it.
function constant(column, value) {
  switch (column.type) {
    case "BIGINT":
      if (value === -(2n ** 63n)) return undefined; // whose digits are no integer of 64 bits without the sign
      return [`${value}`, `(${value})::BIGINT`];
    case "DOUBLE":
      return Number.isFinite(value) ? [`${value}`, `${quoted(String(value))}::DOUBLE`] : undefined;
    case "BOOLEAN":
      return [`${value}`, `${value}`];
  }
  return value.includes("\0") ? undefined : [JSON.stringify(value), quoted(value)];
}

// atom is a comparison of a column with what a row has there: as pando has it, and as SQL.
function atom(columns, rows) {
  const column = oneOf(columns);
  const { name, type } = column, theirName = `"${name}"`;
  const value = oneOf(rows)[name];
  const [ours, theirs] = type === "BOOLEAN" ? oneOf(Object.entries(comparisons).slice(0, 2)) : oneOf(Object.entries(comparisons));
  const written = value === null ? undefined : constant(column, value);
  if (written === undefined || draw(8) === 0) return draw(2) === 0 ? [`${name} == nil`, `${theirName} IS NULL`] : [`${name} != nil`, `${theirName} IS NOT NULL`];
  const [a, b] = written;
  if (type === "VARCHAR" && draw(3) === 0) {
    const part = value.slice(0, 1 + draw(3));
    if (part.isWellFormed()) return [`${name} startsWith ${JSON.stringify(part)}`, `starts_with(${theirName}, ${quoted(part)})`];
  }
  if (type === "BIGINT") {
    switch (draw(5)) {
      case 0:
        return [`${name} in [${a}, 1]`, `${theirName} IN (${b}, 1)`];
      case 1:
        return [`${name} not in [${a}, 1]`, `${theirName} NOT IN (${b}, 1)`];
      case 2:
        if (name.endsWith("_ns")) return [`${name.slice(0, -3)} ${ours} ${a}ns`, `${theirName} ${theirs} ${b}`];
    }
  }
  return draw(4) === 0 ? [`${a} ${ours} ${name}`, `${b} ${theirs} ${theirName}`] : [`${name} ${ours} ${a}`, `${theirName} ${theirs} ${b}`];
}

function condition(columns, rows, depth) {
  const kind = depth === 0 ? 0 : draw(4);
  if (kind === 0) return atom(columns, rows);
  const [a, x] = condition(columns, rows, depth - 1);
  if (kind === 1) return [`!(${a})`, `NOT (${x})`];
  const [b, y] = condition(columns, rows, depth - 1);
  return kind === 2 ? [`(${a}) && (${b})`, `(${x}) AND (${y})`] : [`(${a}) || (${b})`, `(${x}) OR (${y})`];
}

// ask returns the answer of pando. Numbers that JavaScript cannot hold stay texts.
function ask(table, ...flags) {
  const { status, stdout, stderr } = spawnSync(pando, ["query", file, table, ...flags, "--format", "json"], { encoding: "utf8", maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`pando query ${table} ${flags.join(" ")}: ${stderr}`);
  return JSON.parse(stdout.replace(/"(?:[^"\\]|\\.)*"|(?<=[:[,])-?\d{15,}(?=[,}\]])/g, (x) => (x[0] === '"' ? x : `"${x}"`)));
}
const text = (rows) => JSON.stringify(rows.map((r) => Object.values(r).map((v) => (v === null ? null : String(v)))).sort());

let asked = 0;
const failures = [], tables = [];
for (const name of readdirSync(exported).filter((n) => n.endsWith(".parquet")).map((n) => n.slice(0, -8)).sort()) {
  const relation = `read_parquet(${quoted(join(exported, `${name}.parquet`))})`;
  const columns = (await sql(`DESCRIBE SELECT * FROM ${relation}`)).map((c) => ({ name: c.column_name, type: c.column_type }))
    .filter((c) => /^[a-z][a-z0-9_]*$/.test(c.name) && ["BIGINT", "DOUBLE", "BOOLEAN", "VARCHAR"].includes(c.type));
  const rows = await sql(`SELECT * FROM ${relation} USING SAMPLE reservoir(100 ROWS) REPEATABLE (${Number(seed)})`);
  const [{ odd }] = await sql(`SELECT ${["count(*) FILTER (false)", ...columns.filter((c) => c.type === "DOUBLE").map((c) => `count(*) FILTER (isnan("${c.name}"))`)].join("+")} AS odd FROM ${relation}`);
  if (rows.length === 0 || Number(odd) > 0) continue; // comparisons with what is no number are a matter of taste
  tables.push(name);
  for (let i = 0; i < 3; i++) {
    const [ours, theirs] = condition(columns, rows, 2);
    const of = oneOf(columns.filter((c) => c.type === "BIGINT"));
    const keys = columns.filter((c) => c.type !== "DOUBLE" && new Set(rows.map((r) => r[c.name])).size <= 20);
    const by = [...new Set([...Array(Math.min(draw(3), keys.length))].map(() => oneOf(keys).name))].filter((k) => k !== of?.name);
    const values = (name) => (of === undefined ? "" : `, count(${name}), min(${name}), max(${name})`);
    const theirKeys = by.map((k) => `"${k}"`), group = by.length > 0 ? `GROUP BY ${theirKeys.join(", ")}` : "";
    const theirAnswer = text(await sql(`SELECT ${[...theirKeys, "count(*)"].join(", ")}${values(`"${of?.name}"`)} FROM ${relation} WHERE ${theirs} ${group}`));
    for (const where of [ours, `(${ours}) || 1 > 2`]) {
      asked++;
      let ourAnswer;
      try {
        ourAnswer = text(ask(name, "--where", where, "--show", `count()${values(of?.name)}`, ...(by.length > 0 ? ["--by", by.join(",")] : [])));
      } catch (e) {
        ourAnswer = e.message;
      }
      if (ourAnswer !== theirAnswer) failures.push(`${name}: ${where} by ${by}: pando ${ourAnswer.slice(0, 400)}, DuckDB ${theirAnswer.slice(0, 400)}`);
    }
  }
}
for (const f of failures) console.error(`DIFFERENT: ${f}`);
console.log(`tables: ${asked - failures.length} of ${asked} answers about ${tables.length} tables agree with DuckDB: ${tables.join(", ")}`);
process.exit(asked === 0 ? 2 : failures.length > 0 ? 1 : 0);
