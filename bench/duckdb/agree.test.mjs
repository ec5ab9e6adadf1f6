// The check of readers, checked: on small tables written by DuckDB it agrees with true summaries, and notices every number of theirs
// that is changed.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const { DuckDBInstance } = createRequire(import.meta.url)("@duckdb/node-api");
const arrow = createRequire(import.meta.url)("apache-arrow");

const big = 2n ** 62n; // not a number of JavaScript
const queries = {
  calls: `SELECT * FROM (VALUES (7::BIGINT, ${big}::BIGINT, 1::BIGINT), (7, 5, 2), (NULL, 9, 3)) AS t(region, duration_ticks, exclusive_ticks)`,
  messages: "SELECT * FROM (VALUES (0::BIGINT, 1::BIGINT, 100::BIGINT, 'é', 0.5::DOUBLE), (0, 1, 23, NULL, NULL)) AS t(send_location, receive_location, send_bytes, name, value)",
  collective_ranks:
    "SELECT * FROM (VALUES ('BCAST', 0::BIGINT, 8::BIGINT, -1::BIGINT), (NULL, 0, 1, 2)) AS t(operation, communicator, sent_bytes, received_bytes)",
};

const truth = () => ({
  rows: { calls: 3, messages: 2, collective_ranks: 2, stream: 2 },
  region: [
    { count: 2, region: 7, inclusive_ticks: big + 5n, exclusive_ticks: 3 },
    { count: 1, region: null, inclusive_ticks: 9, exclusive_ticks: 3 },
  ],
  pair: [{ count: 2, send_location: 0, receive_location: 1, send_bytes: 123 }],
  collective: [
    { count: 1, operation: "BCAST", communicator: 0, sent_bytes: 8, received_bytes: 2n ** 64n - 1n },
    { count: 1, operation: "57", communicator: 0, sent_bytes: 1, received_bytes: 2 },
  ],
});

let work;
before(async () => {
  work = mkdtempSync(join(tmpdir(), "it's "));
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  for (const [name, query] of Object.entries(queries)) {
    await connection.run(`COPY (${query}) TO '${join(work, `${name}.parquet`).replaceAll("'", "''")}' (FORMAT parquet)`);
  }
  connection.closeSync();
  writeStream({});
});
after(() => rmSync(work, { recursive: true }));

// The stream of messages, with other columns in place of some.
function writeStream(other) {
  const int64 = (list) => arrow.vectorFromArray(list, new arrow.Int64());
  const columns = {
    send_location: int64([0n, 0n]),
    receive_location: int64([1n, 1n]),
    send_bytes: int64([100n, 23n]),
    name: arrow.vectorFromArray(["é", null], new arrow.Utf8()),
    value: arrow.vectorFromArray([0.5, null], new arrow.Float64()),
    ...other,
  };
  writeFileSync(join(work, "messages.arrows"), arrow.tableToIPC(new arrow.Table(columns), "stream"));
}

const render = (v) => JSON.stringify(v, (_, x) => (typeof x === "bigint" ? `@${x}@` : x)).replace(/"@(-?\d+)@"/g, "$1");
const program = fileURLToPath(new URL("agree.mjs", import.meta.url));

function run(said) {
  const tables = Object.keys(queries).map((table) => ({ table, path: join(work, `${table}.parquet`), rows: said.rows[table] }));
  writeFileSync(join(work, "tables.json"), render(tables));
  writeFileSync(join(work, "streams.json"), render([{ table: "messages", path: join(work, "messages.arrows"), rows: said.rows.stream }]));
  for (const by of ["region", "pair", "collective"]) {
    writeFileSync(join(work, `${by}.json`), render({ rows: said[by] }));
  }
  return spawnSync(process.execPath, [program, work], { encoding: "utf8" });
}

test("true summaries", () => {
  const { status, stdout, stderr } = run(truth());
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, /27 of 27 numbers and lists agree/);
});

test("every number counts", () => {
  for (const name of Object.keys(truth().rows)) {
    const said = truth();
    said.rows[name]++;
    assert.equal(run(said).status, 1, `rows of ${name}`);
  }
  for (const by of ["region", "pair", "collective"]) {
    for (const key of Object.keys(truth()[by][0]).filter((k) => k !== "operation")) {
      const said = truth();
      said[by][0][key] = BigInt(said[by][0][key]) + 1n;
      assert.equal(run(said).status, 1, `${key} of ${by}`);
    }
    assert.equal(run({ ...truth(), [by]: [] }).status, 1, `no ${by}`);
  }
});

test("every column counts", () => {
  for (const other of [
    { name: arrow.vectorFromArray(["e", null], new arrow.Utf8()) },
    { name: arrow.vectorFromArray(["é", ""], new arrow.Utf8()) },
    { value: arrow.vectorFromArray([0.25, null], new arrow.Float64()) },
    { more: arrow.vectorFromArray([1n, 2n], new arrow.Int64()) },
  ]) {
    writeStream(other);
    assert.equal(run(truth()).status, 1, Object.keys(other)[0]);
  }
  writeStream({});
});

test("a missing file", () => {
  run(truth());
  rmSync(join(work, "tables.json"));
  assert.equal(spawnSync(process.execPath, [program, work]).status, 2);
});
