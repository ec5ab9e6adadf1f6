#!/usr/bin/env node
// Usage: node serve.mjs THREADS
//
// Answers queries from standard input, one a line, {"sql": text, "values": [integers as text]}, each with a line
// {"rows": [[values as text]], "ms": how long DuckDB took} or {"error": text}. The first line out, before any query, says
// which DuckDB it is: {"rows": [[version]], "ms": 0}, or why there is none. A query that was asked before is prepared
// already; what it costs to turn its result into JSON is not part of the time.

import { createRequire } from "node:module";
import { createInterface } from "node:readline";

// require, unlike import, looks into NODE_PATH too: the packages need not lie in the source tree.
const require = createRequire(import.meta.url);
const [threads = "1"] = process.argv.slice(2);
const prepared = new Map();

async function connect() {
  const { DuckDBInstance, version } = require("@duckdb/node-api");
  const instance = await DuckDBInstance.create(":memory:", { threads });
  const connection = await instance.connect();
  await connection.run("SET parquet_metadata_cache = true");
  return [connection, version()];
}

async function answer(connection, { sql, values = [] }) {
  if (!prepared.has(sql)) prepared.set(sql, await connection.prepare(sql));
  const statement = prepared.get(sql);
  const begin = performance.now();
  values.forEach((v, i) => statement.bindBigInt(i + 1, BigInt(v)));
  const result = await statement.runAndReadAll();
  const ms = performance.now() - begin;
  return { rows: result.getRows().map((row) => row.map((v) => (v === null ? "" : String(v)))), ms };
}

const reply = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

try {
  const [connection, version] = await connect();
  reply({ rows: [[version]], ms: 0 });
  for await (const line of createInterface({ input: process.stdin })) {
    reply(await answer(connection, JSON.parse(line)).catch((err) => ({ error: err.message })));
  }
} catch (err) {
  reply({ error: err.message });
}
