// What pando says of a file, held against what DuckDB reads from the tables exported from it.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

// require, unlike import, looks into NODE_PATH too: the packages need not lie in the source tree.
const { DuckDBInstance } = createRequire(import.meta.url)("@duckdb/node-api");

const tables = ["calls", "messages", "events"];

// The parts of `pando info --json --regions` that are compared. DuckDB reads the JSON as well, because sums of ticks
// do not fit the numbers of JavaScript.
const infoColumns = {
  events: "UBIGINT",
  calls: "UBIGINT",
  messages: "UBIGINT",
  message_bytes: "HUGEINT",
  regions: "STRUCT(region UBIGINT, count UBIGINT, inclusive_ticks HUGEINT, exclusive_ticks HUGEINT)[]",
};

// One query for each number of the whole trace: what pando says, and what the tables say.
const totals = {
  events: ["events", "SELECT count(*) FROM events"],
  calls: ["calls", "SELECT count(*) FROM calls"],
  messages: ["messages", "SELECT count(*) FROM messages"],
  "message bytes": ["message_bytes", "SELECT coalesce(sum(send_bytes), 0) FROM messages"],
  regions: [
    "(SELECT count(*) FROM unnest(regions) AS u(r) WHERE r.count > 0)",
    "SELECT count(*) FROM (SELECT DISTINCT region FROM calls)",
  ],
};

// For each number of a region: what pando says, and what the calls of the region say.
const perRegion = {
  calls: ["said.count", "count(*)"],
  "inclusive ticks": ["said.inclusive_ticks", "sum(duration_ticks)"],
  "exclusive ticks": ["said.exclusive_ticks", "sum(exclusive_ticks)"],
};

// compare returns a list of {what, pando, duckdb, ok}, the numbers as text.
export async function compare(exported, infoFile) {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  try {
    await load(connection, exported, infoFile);
    const results = [];
    for (const [what, [said, counted]] of Object.entries(totals)) {
      results.push(...(await rows(connection, totalQuery(what, said, counted))));
    }
    for (const [what, [said, counted]] of Object.entries(perRegion)) {
      results.push(...(await rows(connection, regionQuery(what, said, counted))));
    }
    return results;
  } finally {
    connection.closeSync();
  }
}

async function load(connection, exported, infoFile) {
  for (const table of tables) {
    const file = join(exported, `${table}.parquet`);
    if (!existsSync(file)) throw new Error(`${file} does not exist`);
    await connection.run(`CREATE VIEW ${table} AS FROM read_parquet(${quoted(file)})`);
  }
  const columns = Object.entries(infoColumns).map(([name, type]) => `${name}: ${quoted(type)}`);
  await connection.run(
    `CREATE TABLE info AS FROM read_json(${quoted(infoFile)}, maximum_object_size = 1000000000, columns = {${columns}})`,
  );
  for (const name of Object.keys(infoColumns)) {
    const [{ n }] = await rows(connection, `SELECT count(${name})::INT AS n FROM info`);
    if (n !== 1) throw new Error(`${infoFile}: "${name}" is missing`);
  }
}

const totalQuery = (what, said, counted) => `
  SELECT ${quoted(what)} AS what, said::VARCHAR AS pando, counted::VARCHAR AS duckdb, said = counted AS ok
  FROM (SELECT (SELECT (${said})::HUGEINT FROM info) AS said, (${counted})::HUGEINT AS counted)`;

// One row for each region that pando or the calls name; a region that has no calls has no rows there.
const regionQuery = (what, said, counted) => `
  SELECT ${quoted(what)} || ' of region ' || coalesce(id::VARCHAR, 'none') AS what,
    said::VARCHAR AS pando, counted::VARCHAR AS duckdb, said = counted AS ok
  FROM (
    SELECT coalesce(said.id, counted.region) AS id,
      coalesce(${said}, 0)::HUGEINT AS said, coalesce(counted.n, 0)::HUGEINT AS counted
    FROM (SELECT r.region AS id, r.count, r.inclusive_ticks, r.exclusive_ticks FROM info, unnest(regions) AS u(r)) AS said
    FULL JOIN (SELECT region, ${counted} AS n FROM calls GROUP BY region) AS counted
      ON said.id IS NOT DISTINCT FROM counted.region
  ) ORDER BY id`;

async function rows(connection, query) {
  return (await connection.runAndReadAll(query)).getRowObjects();
}

const quoted = (text) => `'${text.replaceAll("'", "''")}'`;
