// Usage: node readers.mjs [DIR]
//
// Reads all Parquet and Arrow files of a folder with programs that others wrote, and prints a line for each file and
// reader: FILE READER ROWS SHA256, the checksum being that of all cells as text. Exit code 3: a package is missing
// (without a folder, that is all there is to know).

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(import.meta.url); // it looks into NODE_PATH too
const load = (name) => import(pathToFileURL(require.resolve(name)));

let duckdb, wasm, arrow, hyparquet, hyparquetCompressors;
try {
  duckdb = require("@duckdb/node-api");
  wasm = require("parquet-wasm/node");
  arrow = require("apache-arrow");
  hyparquet = await load("hyparquet");
  hyparquetCompressors = await load("hyparquet-compressors");
} catch (err) {
  console.error(err.message.split("\n")[0]);
  process.exit(3);
}

const bits = new DataView(new ArrayBuffer(8));

// cell is the text of a value: integers in decimal, other numbers by their bits.
function cell(v) {
  if (v === null || v === undefined) return "\0";
  if (typeof v !== "number") return String(v);
  if (Number.isNaN(v)) return "nan";
  bits.setFloat64(0, v);
  return bits.getBigUint64(0).toString(16).padStart(16, "0");
}

// checksum of rows, each of them an array of values.
function checksum(rows) {
  const hash = createHash("sha256");
  let n = 0;
  for (const row of rows) {
    hash.update(Array.from(row, cell).join("\x1f") + "\x1e");
    n++;
  }
  return `${n} ${hash.digest("hex")}`;
}

function* arrowRows(table) {
  const columns = table.schema.fields.map((_, i) => table.getChildAt(i));
  for (let i = 0; i < table.numRows; i++) yield columns.map((c) => c.get(i));
}

const connection = await (await duckdb.DuckDBInstance.create(":memory:")).connect();

const readers = {
  parquet: {
    DuckDB: async (file) =>
      (await connection.runAndReadAll(`FROM read_parquet('${file.replaceAll("'", "''")}')`)).getRows(),
    "parquet-wasm": (file) => arrowRows(arrow.tableFromIPC(wasm.readParquet(readFileSync(file)).intoIPCStream())),
    hyparquet: async (file) => {
      const { compressors } = hyparquetCompressors;
      const buffer = await hyparquet.asyncBufferFromFile(file);
      const columns = hyparquet.parquetSchema(await hyparquet.parquetMetadataAsync(buffer)).children.map((c) => c.element.name);
      const rows = await hyparquet.parquetReadObjects({ file: buffer, compressors });
      return rows.map((r) => columns.map((c) => r[c]));
    },
  },
  arrow: {
    "apache-arrow": (file) => arrowRows(arrow.tableFromIPC(readFileSync(file))),
  },
};

const dir = process.argv[2];
if (!dir) process.exit(0);
for (const name of readdirSync(dir).sort()) {
  for (const [reader, read] of Object.entries(readers[name.split(".").pop()] ?? {})) {
    console.log(`${name} ${reader} ${checksum(await read(join(dir, name)))}`);
  }
}
