// What programs share that ask random questions of DuckDB: asking(seed) opens a database in memory and draws from a seed.

import { createRequire } from "node:module";

const { DuckDBInstance } = createRequire(import.meta.url)("@duckdb/node-api");

// quoted is a text as SQL writes it.
export const quoted = (text) => `'${text.replaceAll("'", "''")}'`;

// comparisons are those of pando, and the same in SQL.
export const comparisons = { "==": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">=" };

export async function asking(seed) {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  let state = BigInt(seed) + 88172645463325252n;
  const draw = (n) => {
    state ^= (state << 13n) & 0xffffffffffffffffn;
    state ^= state >> 7n;
    state ^= (state << 17n) & 0xffffffffffffffffn;
    return Number(state % BigInt(n));
  };
  return {
    sql: async (query) => (await connection.runAndReadAll(query)).getRowObjects(),
    draw,
    oneOf: (list) => list[draw(list.length)],
  };
}
