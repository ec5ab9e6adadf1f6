#!/usr/bin/env node
// Usage: node window.mjs URL FROM TO
//
// Tells where the time goes in a window of a trace: reads its calls as an Arrow stream from `pando serve`, and adds them up with
// apache-arrow (npm install apache-arrow). URL is that of a trace: http://127.0.0.1:7788/v1/traces/run

import { createRequire } from "node:module";

const { tableFromIPC } = createRequire(import.meta.url)("apache-arrow"); // it looks into NODE_PATH too
const [url, from, to] = process.argv.slice(2);

const query = new URLSearchParams({ from, to, format: "arrow" });
const answer = await fetch(`${url}/tables/calls?${query}`);
if (!answer.ok) throw new Error((await answer.json()).error);
const calls = await tableFromIPC(answer);

const regions = new Map();
const [names, exclusive] = [calls.getChild("name"), calls.getChild("exclusive_ns")];
for (let i = 0; i < calls.numRows; i++) {
  const name = names.get(i) ?? "(no name)";
  const sum = regions.get(name) ?? { name, calls: 0, ns: 0n };
  sum.calls++;
  sum.ns += exclusive.get(i);
  regions.set(name, sum);
}

const byTime = [...regions.values()].sort((a, b) => (a.ns < b.ns ? 1 : a.ns > b.ns ? -1 : a.name < b.name ? -1 : 1));
for (const { name, calls, ns } of byTime.slice(0, 10)) console.log(`${ns} ns ${calls} calls ${name}`);
