#!/usr/bin/env node
// Usage: node sql.mjs FILE.sql FOLDER [--json]
//
// Runs SQL with DuckDB (npm install @duckdb/node-api) in a folder of exported tables, and prints what queries return: as tables, or
// as JSON, a list of {title, columns, rows}. FILE - is standard input. The title of a query is the comment before it.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [file, folder, as] = process.argv.slice(2);
if (!folder) {
  console.error("usage: node sql.mjs FILE.sql FOLDER [--json]");
  process.exit(2);
}
const { DuckDBInstance } = createRequire(import.meta.url)("@duckdb/node-api"); // it looks into NODE_PATH too
const text = readFileSync(file === "-" ? 0 : resolve(file), "utf8");
process.chdir(folder);
const connection = await (await DuckDBInstance.create(":memory:")).connect();

// number returns a value as a number of JavaScript. An integer that has none stays exact, as text.
const number = (v) => {
  if (typeof v?.toDouble === "function") return v.toDouble();
  if (typeof v !== "bigint") return v;
  return Number.isSafeInteger(Number(v)) ? Number(v) : String(v);
};

// shown rounds fractions to six digits, and leaves integers whole.
const shown = (v) => (typeof v === "number" && !Number.isInteger(v) ? +v.toPrecision(6) : v);

const results = [];
for (const statement of text.split(/;\s*(?:\n|$)/)) {
  const title = statement.split("\n").filter((line) => line.startsWith("-- ")).map((line) => line.slice(3)).join(" ");
  if (!statement.replace(/^--.*$/gm, "").trim()) continue;
  const reader = await connection.runAndReadAll(statement);
  if (!/^\s*(SELECT|WITH|FROM)\b/im.test(statement.replace(/^--.*$/gm, "").trim().slice(0, 7))) continue;
  results.push({ title, columns: reader.columnNames(), rows: reader.getRows().map((row) => row.map(number)) });
}

if (as === "--json") {
  console.log(JSON.stringify(results));
} else {
  for (const { title, columns, rows } of results) {
    console.log(`\n${title}`);
    console.table(rows.map((row) => Object.fromEntries(row.map((v, i) => [columns[i], shown(v)]))));
  }
}
