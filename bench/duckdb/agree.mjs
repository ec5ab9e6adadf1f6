#!/usr/bin/env node
// Usage: node agree.mjs WORK
//
// WORK has what `run` makes of a trace: tables/*.parquet with tables.json, streams/*.arrows with streams.json (what pando export
// says of them), and region.json, pair.json and collective.json (what pando summary says). DuckDB, parquet-wasm and hyparquet must
// read as many rows of every table as pando says it wrote, apache-arrow of every stream, and all of them the same columns; and
// calls, durations, messages and bytes must add up to the summaries in each of them. Exit code 1: they do not; 2: a file is missing.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

import { Digest, byDuckDB, shown } from "./digest.mjs";
import { readers } from "./readers.mjs";

const duckdb = createRequire(import.meta.url)("@duckdb/node-api");
const connection = await (await duckdb.DuckDBInstance.create(":memory:")).connect();

// sums says which columns add up to what a summary has, by the columns that name a line. The first number of a line is the rows.
// Durations of calls that contain each other may add up to more than 64 bits, too.
const sums = {
  calls: { by: ["region"], add: ["duration_ticks", "exclusive_ticks"], file: "region.json", key: ["region"], said: ["inclusive_ticks", "exclusive_ticks"] },
  messages: { by: ["send_location", "receive_location"], add: ["send_bytes"], file: "pair.json", key: ["send_location", "receive_location"], said: ["send_bytes"] },
  collective_ranks: {
    by: ["operation", "communicator"], add: ["sent_bytes", "received_bytes"], file: "collective.json", key: ["operation", "communicator"],
    said: ["sent_bytes", "received_bytes"],
  },
};

// parse reads JSON whose integers may be too large for the numbers of JavaScript: they become text.
const parse = (text) => JSON.parse(text.replace(/([:[,]\s*)(-?\d+)(?=\s*[,}\]])/g, '$1"$2"'));

const [work] = process.argv.slice(2);
const read = (name) => readFileSync(join(work, name), "utf8");
const failures = [];
let checked = 0;
let values = 0;

function check(what, got, want, whose) {
  checked++;
  if (String(got) !== String(want)) failures.push(`${what}: ${got}, ${whose}: ${want}`);
}

// saidOf returns the rows of a summary. Operations without a name are numbers there, and null in the table.
function saidOf(s) {
  const found = new Map();
  for (const l of parse(read(s.file)).rows) {
    const key = s.key.map((k) => (k === "operation" && /^\d+$/.test(l[k]) ? "none" : (l[k] ?? "none"))).join(" ");
    const numbers = [l.count, ...s.said.map((k) => l[k])].map(BigInt);
    found.set(key, (found.get(key) ?? numbers.map(() => 0n)).map((n, i) => n + numbers[i]));
  }
  return shown(found);
}

const digests = new Map(); // of DuckDB, by table

// whole lets a reader read a file.
async function whole(pieces, s) {
  const d = new Digest(s);
  for await (const piece of pieces) d.add(piece);
  return d;
}

// checkFile holds what one reader makes of a file against pando, and against what DuckDB makes of the table.
async function checkFile(reader, { table, path, rows }, extension, open) {
  const what = `${table}.${extension} by ${reader}`;
  try {
    const d = await open(path, sums[table]);
    check(`rows of ${what}`, d.rows, rows, "pando says");
    if (sums[table]) check(`sums of ${what}`, shown(d.lines), saidOf(sums[table]), "pando says");
    if (!digests.has(table)) digests.set(table, d);
    // A stream without batches has no columns to add up.
    else if (d.rows > 0) check(`columns of ${what}`, d.said(), digests.get(table).said(), "DuckDB reads");
    values += d.rows * d.columns.size;
  } catch (err) {
    failures.push(`${what}: ${err.message}`);
  }
}

let files = 0;
try {
  for (const [extension, list] of [["parquet", "tables.json"], ["arrows", "streams.json"]]) {
    for (const file of parse(read(list))) {
      files++;
      if (extension === "parquet") {
        await checkFile("DuckDB", file, extension, (path, s) => byDuckDB(connection, `read_parquet('${path.replaceAll("'", "''")}')`, s));
      }
      for (const [reader, open] of Object.entries(readers[extension])) {
        await checkFile(reader, file, extension, (path, s) => whole(open(path), s));
      }
    }
  }
} catch (err) {
  console.error(`agree: ${err.message}`);
  process.exit(2);
}
for (const f of failures) console.error(`DIFFERENT: ${f.slice(0, 2000)}`);
console.log(`readers: ${files} files, ${values} values, ${checked - failures.length} of ${checked} numbers and lists agree`);
process.exit(failures.length > 0 || checked === 0 ? 1 : 0);
