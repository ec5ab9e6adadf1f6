#!/usr/bin/env node
// Usage: node pruning.mjs FILE COLUMN
//
// Lets DuckDB ask for rows of a Parquet file by conditions on a column of times, and tells from its own log of what it reads which row
// groups those lie in. Windows begin and end exactly where row groups do (of many, some), and one beside it; then come some in the
// middle, shown as a table. Exit code 1: a row group was read that cannot have such rows, or a row is missing; 2: the file cannot be read.

import { createRequire } from "node:module";

const { DuckDBInstance } = createRequire(import.meta.url)("@duckdb/node-api");
const [file, column] = process.argv.slice(2);
const relation = `read_parquet('${file.replaceAll("'", "''")}')`;
const connection = await (await DuckDBInstance.create(":memory:")).connect();
const ask = async (query) => (await connection.runAndReadAll(query)).getRowObjects();

// groupsOf returns the row groups: the bounds of the column in each, and where it lies in the file.
const groupsOf = () =>
  ask(`SELECT row_group_id::INT AS id, any_value(row_group_num_rows) AS rows,
      min(coalesce(dictionary_page_offset, data_page_offset)) AS begin,
      max(coalesce(dictionary_page_offset, data_page_offset) + total_compressed_size) AS "end",
      max(TRY_CAST(stats_min_value AS BIGINT)) FILTER (path_in_schema = '${column}') AS least,
      max(TRY_CAST(stats_max_value AS BIGINT)) FILTER (path_in_schema = '${column}') AS greatest
    FROM parquet_metadata('${file.replaceAll("'", "''")}') GROUP BY ALL ORDER BY id`);

// reading asks for a window [from, to), and returns the row groups and bytes that were read for it.
async function reading(groups, from, to) {
  await ask("CALL truncate_duckdb_logs()");
  const [{ n, sum }] = await ask(`SELECT count(*) AS n, sum(${column}) AS sum FROM ${relation} WHERE ${column} >= ${from} AND ${column} < ${to}`);
  const reads = await ask("SELECT pos, bytes FROM duckdb_logs_parsed('FileSystem') WHERE op = 'READ'");
  const read = groups.filter((g) => reads.some(({ pos }) => pos >= g.begin && pos < g.end)).map((g) => g.id);
  return { from, to, n, sum, read, bytes: reads.reduce((total, r) => total + r.bytes, 0n) };
}

const may = (groups, from, to) => groups.filter((g) => g.greatest >= from && g.least < to).map((g) => g.id);

// around lists windows whose ends are the bounds of row groups, or one beside them. Neighbours are among the groups.
function around(groups) {
  const windows = [];
  const every = Math.ceil(groups.length / 16);
  for (const { least, greatest } of groups.filter((g) => g.id % every < 2)) {
    for (const d of [-1n, 0n, 1n]) windows.push([least + d, greatest + d], [least, least + d + 2n], [greatest + d, greatest + d + 1n]);
  }
  return windows.filter(([from, to]) => from < to);
}

async function inTheMiddle(groups) {
  const [{ first, last }] = await ask(`SELECT min(${column}) AS first, max(${column}) AS last FROM ${relation}`);
  const middle = (first + last) / 2n;
  const windows = [1_000_000n, 20_000_000n, 100_000_000n, 1_000_000_000n].map((width) => [middle, middle + width]);
  console.log(`\n| \`${column}\` within | rows | row groups that may have them | row groups read | bytes read |\n|---|---|---|---|---|`);
  for (const [from, to] of [...windows, [first, last + 1n]]) {
    const r = await reading(groups, from, to);
    const all = `of ${groups.length}`;
    console.log(`| ${Number(to - from) / 1e6} ms | ${r.n} | ${may(groups, from, to).length} ${all} | ${r.read.length} ${all} | ${r.bytes} |`);
  }
}

const failures = [];
try {
  await ask("SET enable_external_file_cache = false");
  const groups = await groupsOf();
  await ask("CALL enable_logging('FileSystem')");
  const windows = around(groups);
  const counts = await ask(`SELECT ${windows.map(([from, to], i) => `count_if(${column} >= ${from} AND ${column} < ${to}) AS n${i}`)} FROM ${relation}`);
  for (const [i, [from, to]] of windows.entries()) {
    const r = await reading(groups, from, to);
    const n = counts[0][`n${i}`];
    if (n !== r.n) failures.push(`[${from}, ${to}): ${r.n} rows, ${n} without statistics`);
    if (`${r.read}` !== `${may(groups, from, to)}`) failures.push(`[${from}, ${to}): read row groups ${r.read}, ${may(groups, from, to)} may have rows`);
  }
  if (groups.length > 0) await inTheMiddle(groups);
  console.log(`\npruning: ${windows.length} windows at the borders of ${groups.length} row groups, ${failures.length} wrong`);
} catch (err) {
  console.error(`pruning: ${err.message}`);
  process.exit(2);
}
for (const f of failures) console.error(`WRONG: ${f}`);
process.exit(failures.length > 0 ? 1 : 0);
