#!/usr/bin/env node
// Usage: node check.mjs EXPORTED INFO
//
// EXPORTED is a folder written by `pando export FILE --format parquet -o EXPORTED`, INFO the output of
// `pando info --json --regions FILE`. Exit code 0: DuckDB agrees; 1: it does not; 2: there was nothing to compare.

import { compare } from "./compare.mjs";

const [exported, info] = process.argv.slice(2);
if (!info) {
  console.error("usage: node check.mjs EXPORTED INFO");
  process.exit(2);
}

let results;
try {
  results = await compare(exported, info);
} catch (err) {
  console.error(`duckdb check: ${err.message}`);
  process.exit(2);
}
const wrong = results.filter((r) => !r.ok);
for (const r of results.filter((r) => !r.what.includes("region "))) {
  console.log(`${r.what}: pando ${r.pando}, DuckDB ${r.duckdb}`);
}
for (const r of wrong) {
  console.error(`DIFFERENT: ${r.what}: pando ${r.pando}, DuckDB ${r.duckdb}`);
}
console.log(`duckdb check: ${results.length - wrong.length} of ${results.length} numbers agree`);
process.exit(wrong.length > 0 ? 1 : 0);
