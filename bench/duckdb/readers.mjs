// Programs that others wrote read files of tables, a piece at a time, so that no table is too large for them.
//
// Each reader is an async generator of {rows, columns}: columns maps names to arrays of the values of so many rows. All columns are
// decoded, so that an error anywhere is seen.

import { createReadStream, openAsBlob } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(import.meta.url); // it looks into NODE_PATH too
const load = (name) => import(pathToFileURL(require.resolve(name)));
const wasm = require("parquet-wasm/node");
const arrow = require("apache-arrow");
const hyparquet = await load("hyparquet");
const { compressors } = await load("hyparquet-compressors");

async function* readByWasm(path) {
  const file = await wasm.ParquetFile.fromFile(await openAsBlob(path));
  const groups = file.metadata().numRowGroups();
  for (let group = 0; group < groups; group++) {
    for (const batch of arrow.tableFromIPC((await file.read({ rowGroups: [group] })).intoIPCStream()).batches) yield ofArrow(batch);
  }
  file.free();
}

async function* readByHyparquet(path) {
  const file = await hyparquet.asyncBufferFromFile(path);
  const metadata = await hyparquet.parquetMetadataAsync(file);
  let rowStart = 0;
  for (const { num_rows } of metadata.row_groups) {
    const rowEnd = rowStart + Number(num_rows);
    yield { rows: Number(num_rows), columns: await columnsOf({ file, metadata, compressors, rowStart, rowEnd }) };
    rowStart = rowEnd;
  }
}

// columnsOf reads the columns of a row group; pages come one by one.
async function columnsOf(options) {
  const pieces = {};
  await hyparquet.parquetRead({
    ...options,
    onChunk: ({ columnName, columnData, rowStart }) => (pieces[columnName] ??= []).push({ columnData, rowStart }),
  });
  return Object.fromEntries(Object.entries(pieces).map(([name, list]) => [name, joined(list)]));
}

function joined(list) {
  list.sort((a, b) => a.rowStart - b.rowStart);
  return list.length === 1 ? list[0].columnData : list.flatMap(({ columnData }) => Array.from(columnData));
}

async function* readByArrow(path) {
  for await (const batch of await arrow.RecordBatchReader.from(createReadStream(path))) yield ofArrow(batch);
}

// ofArrow takes a column without nulls as it stands, others value by value.
const ofArrow = (batch) => ({
  rows: batch.numRows,
  columns: Object.fromEntries(batch.schema.fields.map(({ name, type }) => [name, valuesOf(batch.getChild(name), type)])),
});

function valuesOf(vector, type) {
  if (arrow.DataType.isInt(type) && vector.nullCount === 0) return vector.toArray();
  return Array.from({ length: vector.length }, (_, i) => vector.get(i));
}

export const readers = {
  parquet: { "parquet-wasm": readByWasm, hyparquet: readByHyparquet },
  arrows: { "apache-arrow": readByArrow },
};
