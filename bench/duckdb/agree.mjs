#!/usr/bin/env node
// Usage: node agree.mjs WORK
//
// WORK has what `run` makes of a trace: tables/*.parquet with tables.json, streams/*.arrows with streams.json (what pando export
// says of them), and region.json, pair.json and collective.json (what pando summary says). DuckDB, parquet-wasm and hyparquet must
// read as many rows of every table as pando says it wrote, apache-arrow of every stream; and calls, durations, messages and bytes
// must add up to the summaries in each of them. Exit code 1: they do not; 2: a file is missing.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(import.meta.url); // it looks into NODE_PATH too
const load = (name) => import(pathToFileURL(require.resolve(name)));
const duckdb = require("@duckdb/node-api");
const wasm = require("parquet-wasm/node");
const arrow = require("apache-arrow");
const hyparquet = await load("hyparquet");
const { compressors } = await load("hyparquet-compressors");

const connection = await (await duckdb.DuckDBInstance.create(":memory:")).connect();
const quoted = (text) => `'${text.replaceAll("'", "''")}'`;

const ofArrow = (table, names) => ({
  rows: table.numRows,
  columns: names.map((name) => Array.from({ length: table.numRows }, (_, i) => table.getChild(name).get(i))),
});

// readers read some columns of a file: {rows, columns}. All of it is decoded, so that an error anywhere is seen.
const readers = {
  parquet: {
    DuckDB: async (file, names) => {
      const reader = await connection.runAndReadAll(`FROM read_parquet(${quoted(file)})`);
      const all = reader.getColumnsObject();
      return { rows: reader.currentRowCount, columns: names.map((name) => all[name]) };
    },
    "parquet-wasm": async (file, names) =>
      ofArrow(arrow.tableFromIPC(wasm.readParquet(readFileSync(file)).intoIPCStream()), names),
    hyparquet: async (file, names) => {
      const buffer = await hyparquet.asyncBufferFromFile(file);
      const rows = await hyparquet.parquetReadObjects({ file: buffer, compressors });
      return { rows: rows.length, columns: names.map((name) => rows.map((row) => row[name])) };
    },
  },
  arrows: {
    "apache-arrow": async (file, names) => ofArrow(arrow.tableFromIPC(readFileSync(file)), names),
  },
};

// sums says which columns add up to what a summary has, by the columns that name a line. The first number of a line is the rows.
// Durations of calls that contain each other may add up to more than 64 bits, too.
const sums = {
  calls: { by: ["region"], add: ["duration_ticks", "exclusive_ticks"], file: "region.json", key: ["region_id"], said: ["inclusive_ticks", "exclusive_ticks"] },
  messages: { by: ["send_location", "receive_location"], add: ["send_bytes"], file: "pair.json", key: ["from_id", "to_id"], said: ["bytes"] },
  collective_ranks: {
    by: ["operation", "communicator"], add: ["sent_bytes", "received_bytes"], file: "collective.json", key: ["operation", "communicator_id"],
    said: ["bytes_sent", "bytes_received"],
  },
};

// parse reads JSON whose integers may be too large for the numbers of JavaScript: they become text.
const parse = (text) => JSON.parse(text.replace(/([:[,]\s*)(-?\d+)(?=\s*[,}\]])/g, '$1"$2"'));

const [work] = process.argv.slice(2);
const read = (name) => readFileSync(join(work, name), "utf8");
const failures = [];
let checked = 0;

function check(what, got, want) {
  checked++;
  if (String(got) !== String(want)) failures.push(`${what}: ${got}, pando says ${want}`);
}

// lines adds up columns; the result is text, in order.
function lines(columns, keys) {
  const found = new Map();
  for (let i = 0; i < (columns[0]?.length ?? 0); i++) {
    const key = columns.slice(0, keys).map((c) => c[i] ?? "none").join(" ");
    const line = found.get(key) ?? [0n, ...columns.slice(keys).map(() => 0n)];
    line[0]++;
    columns.slice(keys).forEach((c, j) => (line[j + 1] += BigInt(c[i])));
    found.set(key, line);
  }
  return shown(found);
}

// shown writes lines as text, with sums modulo 2^64: tables have unsigned numbers as signed ones of the same bits.
const shown = (found) =>
  [...found].map(([key, line]) => `${key}: ${line.map((n) => BigInt.asUintN(64, n)).join(" ")}`).sort().join("; ");

// saidOf returns the lines of a summary. Operations without a name are numbers there, and null in the table.
function saidOf(s) {
  const found = new Map();
  const text = read(s.file).trim();
  for (const l of (text ? text.split("\n") : []).map(parse)) {
    const key = s.key.map((k) => (k === "operation" && /^\d+$/.test(l[k]) ? "none" : (l[k] ?? "none"))).join(" ");
    const numbers = [l.count, ...s.said.map((k) => l[k])].map(BigInt);
    found.set(key, (found.get(key) ?? numbers.map(() => 0n)).map((n, i) => n + numbers[i]));
  }
  return shown(found);
}

try {
  for (const [extension, list] of [["parquet", "tables.json"], ["arrows", "streams.json"]]) {
    for (const { table, path, rows } of parse(read(list))) {
      const s = sums[table];
      for (const [reader, open] of Object.entries(readers[extension])) {
        const what = `${table}.${extension} by ${reader}`;
        try {
          const got = await open(path, s ? [...s.by, ...s.add] : []);
          check(`rows of ${what}`, got.rows, rows);
          if (s) check(`sums of ${what}`, lines(got.columns, s.by.length), saidOf(s));
        } catch (err) {
          failures.push(`${what}: ${err.message}`);
        }
      }
    }
  }
} catch (err) {
  console.error(`agree: ${err.message}`);
  process.exit(2);
}
for (const f of failures) console.error(`DIFFERENT: ${f.slice(0, 2000)}`);
console.log(`readers: ${checked - failures.length} of ${checked} numbers and lists agree`);
process.exit(failures.length > 0 || checked === 0 ? 1 : 0);
