// Usage: node law.mjs [DIR]
//
// Asks the tables of a comparison, which lie in a folder as Parquet and as Arrow, whether they keep the law of ticks: DuckDB by SQL, and the Arrow
// library of JavaScript by the sums of columns. Prints a line for each answer: NAME NUMBER. Exit code 3: a package is missing (without a folder,
// that is all there is to know).

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(import.meta.url); // it looks into NODE_PATH too

let duckdb, arrow;
try {
  duckdb = require("@duckdb/node-api");
  arrow = require("apache-arrow");
} catch (err) {
  console.error(err.message.split("\n")[0]);
  process.exit(3);
}

const dir = process.argv[2];
if (!dir) process.exit(0);

const tables = ["aligned_calls", "alignment", "call_path_differences", "dissimilarity", "function_differences", "similarity", "skew"];
const connection = await (await duckdb.DuckDBInstance.create(":memory:")).connect();
for (const name of tables) {
  const file = join(dir, `${name}.parquet`).replaceAll("'", "''");
  await connection.run(`CREATE VIEW ${name} AS FROM read_parquet('${file}')`);
}

const questions = {
  // Rows that break the law.
  "regions-that-break-the-law": `SELECT count(*) FROM function_differences
    WHERE difference_ticks <> plus_ticks - minus_ticks + only_b_ticks - only_a_ticks OR difference_ticks <> exclusive_b_ticks - exclusive_a_ticks`,
  "paths-that-break-the-law": `SELECT count(*) FROM call_path_differences
    WHERE difference_ticks <> plus_ticks - minus_ticks + only_b_ticks - only_a_ticks OR difference_ticks <> exclusive_b_ticks - exclusive_a_ticks`,
  // Regions whose calls, one by one, add up to something else.
  "regions-that-calls-do-not-explain": `WITH c AS (
      SELECT region, sum(difference_ticks) AS difference, count(*) FILTER (state = 'equal') AS pairs,
        coalesce(sum(difference_ticks) FILTER (state = 'equal' AND difference_ticks > 0), 0) AS plus,
        coalesce(sum(exclusive_b_ticks) FILTER (state <> 'equal'), 0) AS only_b
      FROM aligned_calls GROUP BY region)
    SELECT count(*) FROM function_differences f FULL JOIN c USING (region)
    WHERE f.difference_ticks IS DISTINCT FROM c.difference OR f.pairs IS DISTINCT FROM c.pairs OR f.plus_ticks IS DISTINCT FROM c.plus OR f.only_b_ticks IS DISTINCT FROM c.only_b`,
  // Calls of a path are of its region.
  "calls-of-another-region": `SELECT count(*) FROM aligned_calls c JOIN call_path_differences p ON p.path = coalesce(c.path_b, c.path_a) WHERE p.region <> c.region`,
  // Segments follow each other: the next one begins where the one before ends.
  "gaps-between-segments": `SELECT count(*) FROM (
      SELECT event_a, event_b, events, state,
        lead(event_a) OVER w - CASE WHEN state = 'only b' THEN 0 ELSE events END AS a, lead(event_b) OVER w - CASE WHEN state = 'only a' THEN 0 ELSE events END AS b
      FROM alignment WINDOW w AS (PARTITION BY location_a, location_b ORDER BY event_a, event_b)) WHERE a <> event_a OR b <> event_b`,
  "difference": "SELECT sum(difference_ticks) FROM function_differences",
  "pairs": "SELECT count(*) FROM aligned_calls WHERE state = 'equal'",
  "segments": "SELECT count(*) FROM alignment",
  "alone": "SELECT sum(alone) FROM dissimilarity",
  "similar": "SELECT count(*) FROM similarity WHERE lowest_similarity BETWEEN 0 AND highest_similarity",
  "skew": "SELECT count(*) FROM skew WHERE least_ticks <= most_ticks",
};
for (const [name, sql] of Object.entries(questions)) {
  console.log(name, String((await connection.runAndReadAll(sql)).getRows()[0][0]));
}

for (const name of ["aligned_calls", "call_path_differences", "function_differences"]) {
  const column = arrow.tableFromIPC(readFileSync(join(dir, `${name}.arrow`))).getChild("difference_ticks");
  let sum = 0n;
  for (const v of column) sum += v ?? 0n;
  console.log(`arrow-${name}`, String(sum));
}
