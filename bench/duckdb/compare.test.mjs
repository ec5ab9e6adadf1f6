// The check itself, checked: on small tables written by DuckDB it agrees with a true account of them, and notices every
// number of the account that is changed.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { compare } from "./compare.mjs";

const { DuckDBInstance } = createRequire(import.meta.url)("@duckdb/node-api");

const big = 2n ** 62n; // sums of two exceed 64 bits, and one the numbers of JavaScript
const tables = {
  calls: `SELECT * FROM (VALUES (7::UBIGINT, ${big}::BIGINT, ${big}::BIGINT), (7, ${big}, 1), (8, 5, 5))
    AS t(region, duration_ticks, exclusive_ticks)`,
  messages: "SELECT * FROM (VALUES (100::UBIGINT), (23)) AS t(send_bytes)",
  events: "SELECT * FROM range(11) AS t(time_ns)",
};

// account is what pando would say of these tables; big integers stand as text until render.
const account = () => ({
  events: 11n,
  calls: 3n,
  messages: 2n,
  message_bytes: 123n,
  regions: [
    { region: 7n, region_name: 'a "b": 1, c', count: 2n, inclusive_ticks: 2n * big, exclusive_ticks: big + 1n },
    { region: 8n, region_name: "d", count: 1n, inclusive_ticks: 5n, exclusive_ticks: 5n },
    { region: 9n, region_name: "never called", count: 0n, inclusive_ticks: 0n, exclusive_ticks: 0n },
  ],
});

const render = (value) =>
  JSON.stringify(value, (_, v) => (typeof v === "bigint" ? `@${v}@` : v), 2).replace(/"@(-?\d+)@"/g, "$1");

const program = fileURLToPath(new URL("check.mjs", import.meta.url));

let dir;
before(async () => {
  dir = mkdtempSync(join(tmpdir(), "it's "));
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  for (const [name, query] of Object.entries(tables)) {
    const file = join(dir, `${name}.parquet`).replaceAll("'", "''");
    await connection.run(`COPY (${query}) TO '${file}' (FORMAT parquet)`);
  }
  connection.closeSync();
});
after(() => rmSync(dir, { recursive: true }));

function write(info) {
  const file = join(dir, "info.json");
  writeFileSync(file, render(info));
  return file;
}

async function differing(info) {
  return (await compare(dir, write(info))).filter((r) => !r.ok).map((r) => r.what);
}

test("a true account agrees", async () => {
  const results = await compare(dir, write(account()));
  assert.equal(results.length, 5 + 3 * 3);
  assert.deepEqual(results.filter((r) => !r.ok), []);
});

for (const [key, what] of Object.entries({
  events: "events",
  calls: "calls",
  messages: "messages",
  message_bytes: "message bytes",
})) {
  test(`one more of ${what} differs`, async () => {
    const info = account();
    info[key] += 1n;
    assert.deepEqual(await differing(info), [what]);
  });
}

for (const [key, what] of Object.entries({
  count: "calls of region 7",
  inclusive_ticks: "inclusive ticks of region 7",
  exclusive_ticks: "exclusive ticks of region 7",
})) {
  test(`one more of ${what} differs`, async () => {
    const info = account();
    info.regions[0][key] += 1n;
    assert.deepEqual(await differing(info), [what]);
  });
}

test("a region left out differs", async () => {
  const info = account();
  info.regions.splice(1, 1);
  assert.deepEqual(await differing(info), [
    "regions",
    "calls of region 8",
    "inclusive ticks of region 8",
    "exclusive ticks of region 8",
  ]);
});

test("a number left out is an error", async () => {
  for (const key of Object.keys(account())) {
    const info = account();
    delete info[key];
    await assert.rejects(compare(dir, write(info)), new RegExp(`"${key}" is missing`));
  }
});

test("the command's exit code says how it went", () => {
  const check = (...args) => spawnSync(process.execPath, [program, ...args]).status;
  assert.equal(check(dir, write(account())), 0);
  assert.equal(check(dir, write({ ...account(), calls: 4n })), 1);
  assert.equal(check(join(dir, "nowhere"), write(account())), 2);
  assert.equal(check(), 2);
});
