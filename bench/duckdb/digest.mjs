// What a table comes to: by column how many values are null, and a number that all others make; and for some tables, sums by key.
// Readers that decode the same values come to the same, and DuckDB says in SQL what it should be.

// Tables have unsigned numbers as signed ones of the same bits.
const wrap = (n) => BigInt.asUintN(64, n);

// Digest adds up the pieces of a table; sums, which may be missing, is {by, add}: names of columns.
export class Digest {
  rows = 0;
  columns = new Map();
  lines = new Map();

  constructor(sums) {
    this.sums = sums;
  }

  add({ rows, columns }) {
    this.rows += rows;
    for (const [name, values] of Object.entries(columns)) {
      if (values.length !== rows) throw new Error(`column ${name} has ${values.length} values in ${rows} rows`);
      const c = this.columns.get(name) ?? new Column();
      c.add(values);
      this.columns.set(name, c);
    }
    if (this.sums) this.addLines(this.sums.by.map((n) => columns[n]), this.sums.add.map((n) => columns[n]), rows);
  }

  addLines(by, add, rows) {
    for (let i = 0; i < rows; i++) {
      const key = by.map((c) => c[i] ?? "none").join(" ");
      let line = this.lines.get(key);
      if (!line) this.lines.set(key, (line = [0n, ...add.map(() => 0n)]));
      line[0]++;
      add.forEach((c, j) => (line[j + 1] += BigInt(c[i])));
    }
  }

  // said is all of it but the rows, as text.
  said() {
    return [...this.columns].map(([name, c]) => `${name} ${c.said()}`).sort().join("; ");
  }
}

// Column is what the values of a column come to: integers modulo 2^64, true ones, bytes of text; of doubles the least and greatest.
class Column {
  nulls = 0;
  total = 0n;
  least = Infinity;
  greatest = -Infinity;

  add(values) {
    if (values instanceof BigInt64Array) {
      this.total += sumOfWords(values);
      return;
    }
    for (const v of values) this.addOne(v);
    this.total = wrap(this.total);
  }

  addOne(v) {
    if (v === null || v === undefined) this.nulls++;
    else if (typeof v === "bigint") this.total += v;
    else if (typeof v === "string") this.total += BigInt(lengthOf(v));
    else if (typeof v === "boolean") this.total += v ? 1n : 0n;
    else if (!Number.isNaN(v)) {
      this.least = Math.min(this.least, v);
      this.greatest = Math.max(this.greatest, v);
    }
  }

  said() {
    const doubles = this.least <= this.greatest ? ` ${this.least} to ${this.greatest}` : "";
    return `${this.nulls} null, ${wrap(this.total)}${doubles}`;
  }
}

const lengthOf = (text) => Buffer.byteLength(text);

// sumOfWords adds 64-bit numbers by their halves: numbers of JavaScript hold sums of 2^21 of those.
function sumOfWords(values) {
  let total = 0n;
  for (let from = 0; from < values.length; from += 1 << 20) {
    const some = values.subarray(from, from + (1 << 20));
    const halves = new Uint32Array(some.buffer, some.byteOffset, 2 * some.length);
    let [low, high] = [0, 0];
    for (let i = 0; i < halves.length; i += 2) {
      low += halves[i];
      high += halves[i + 1];
    }
    total += BigInt(low) + (BigInt(high) << 32n);
  }
  return wrap(total);
}

// shown writes lines as text, with sums modulo 2^64.
export const shown = (lines) =>
  [...lines].map(([key, line]) => `${key}: ${line.map(wrap).join(" ")}`).sort().join("; ");

// byDuckDB makes a digest inside DuckDB: connection reads the relation (SQL).
export async function byDuckDB(connection, relation, sums) {
  const d = new Digest(sums);
  const rows = async (query) => (await connection.runAndReadAll(query)).getRows();
  const described = await rows(`DESCRIBE FROM ${relation}`);
  const parts = described.flatMap(([name, type]) => [`count("${name}")`, ...numbersOf(`"${name}"`, type)]);
  const [[count, ...numbers]] = await rows(`SELECT count(*), ${parts} FROM ${relation}`);
  d.rows = Number(count);
  described.forEach(([name], i) => {
    const [some, total, least, greatest] = numbers.slice(4 * i, 4 * i + 4);
    d.columns.set(name, Object.assign(new Column(), { nulls: d.rows - Number(some), total, least: least ?? Infinity, greatest: greatest ?? -Infinity }));
  });
  if (sums) {
    const added = sums.add.map((c) => `sum(${c})::HUGEINT`);
    for (const line of await rows(`SELECT ${[...sums.by, "count(*)::HUGEINT", ...added]} FROM ${relation} GROUP BY ALL`)) {
      const key = line.slice(0, sums.by.length).map((k) => k ?? "none").join(" ");
      d.lines.set(key, line.slice(sums.by.length));
    }
  }
  return d;
}

// numbersOf is the total, least and greatest of a column in SQL.
function numbersOf(column, type) {
  switch (type) {
    case "BIGINT":
      return [`coalesce(sum(${column}::HUGEINT), 0)::HUGEINT`, "NULL", "NULL"];
    case "BOOLEAN":
      return [`count_if(${column})::HUGEINT`, "NULL", "NULL"];
    case "DOUBLE":
      return ["0::HUGEINT", ...["min", "max"].map((f) => `${f}(${column}) FILTER (NOT isnan(${column}))`)];
    case "VARCHAR":
      return [`coalesce(sum(strlen(${column})), 0)::HUGEINT`, "NULL", "NULL"];
    default:
      throw new Error(`column ${column} has the type ${type}`);
  }
}
