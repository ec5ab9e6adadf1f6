// The page: what it shows stands in the fragment of its URL, so that a link shows the same.

import { ask, setToken } from "/view/net.js";
import { at, band, rgb, ticksOf, together } from "/view/raster.js";
import { marks, moment, span } from "/view/time.js";

const $ = (id) => document.getElementById(id);
const main = $("main"), bands = $("bands"), overview = $("overview"), axis = $("axis").firstElementChild;
const nameWidth = 160, gap = 1;

let trace;        // what the server says of the trace
let view;         // {trace, location, region, from, to}
let shown;        // {answer, picture, from, to, height}: what was drawn last
let whole;        // the timeline of all of the trace, for the overview
let pending;      // of the questions under way
const hidden = new Set(); // ids of regions that are pale

const perSecond = () => trace.ticks_per_second;
const end = () => trace.duration_ticks + 1;
const element = (name, text) => Object.assign(document.createElement(name), { textContent: text ?? "" });
const path = (tail) => "/v1/traces/" + encodeURIComponent(view.trace) + tail;

function say(text, wrong) {
  $("status").textContent = text;
  $("status").classList.toggle("wrong", !!wrong);
}

function failed(error) {
  if (error.name !== "AbortError") say(error.message, true);
}

// readURL takes what is to be shown from the URL, and the token out of it.
function readURL() {
  const text = new URLSearchParams(location.hash.slice(1));
  if (text.has("token")) {
    setToken(text.get("token"));
    text.delete("token");
    history.replaceState(null, "", "#" + text);
  }
  return Object.fromEntries(text);
}

// writeURL makes the URL one of what is shown. Small steps replace the entry of the history, others add one.
function writeURL(replace) {
  const text = new URLSearchParams();
  for (const name of ["trace", "from", "to", "location", "region"]) if (view[name] !== undefined && view[name] !== "") text.set(name, view[name]);
  history[replace ? "replaceState" : "pushState"](null, "", "#" + text);
}

// show changes the view and asks for its picture.
function show(change, replace) {
  const next = { ...view, ...change };
  const least = Math.min(end(), 20), length = Math.max(least, Math.min(end(), Math.round(next.to - next.from)));
  next.from = Math.round(Math.max(0, Math.min(end() - length, next.from)));
  next.to = next.from + length;
  if (["from", "to", "location", "region"].every((name) => next[name] === view[name])) return;
  view = next;
  writeURL(replace);
  draw();
  load();
}

const rest = (() => {
  let timer;
  return (ms, work) => { clearTimeout(timer); timer = setTimeout(work, ms); };
})();

// load asks for the picture and the numbers of the view. Earlier questions are given up.
function load() {
  pending?.abort();
  const mine = (pending = new AbortController());
  rest(30, () => fetchView(mine).catch(failed));
}

async function fetchView(mine) {
  if (mine.signal.aborted) return;
  const asked = { from: view.from, to: view.to, location: view.location, region: view.region };
  const pixels = Math.max(1, Math.min(4096, Math.round(bands.clientWidth * devicePixelRatio), view.to - view.from));
  const answer = await ask(path("/timeline.json"), { ...asked, pixels }, mine.signal);
  shown = picture(answer);
  draw();
  describe(answer);
  numbers(await ask(path("/summary"), { ...asked, by: "region", limit: 200 }, mine.signal), answer);
  document.body.dataset.rest = location.hash;
}

// picture makes a bitmap of an answer.
function picture(answer) {
  const rows = Math.max(1, answer.rows.length), ratio = devicePixelRatio;
  const height = Math.max(3, Math.min(30, Math.floor(main.clientHeight / rows) - gap)); // CSS pixels
  const step = Math.max(1, Math.round((height + gap) * ratio)), high = Math.max(1, step - Math.round(gap * ratio));
  const canvas = new OffscreenCanvas(answer.pixels, Math.min(32000, step * rows));
  const context = canvas.getContext("2d"), image = context.createImageData(canvas.width, canvas.height);
  const colours = answer.regions.map((r) => rgb(r.colour)), dim = new Set();
  answer.regions.forEach((r, i) => { if (hidden.has(r.region)) dim.add(i); });
  const ticks = ticksOf(answer);
  answer.rows.forEach((row, i) => { if ((i + 1) * step <= canvas.height) band(image, i * step, high, row, ticks, colours, dim); });
  context.putImageData(image, 0, 0);
  names(answer, step / ratio);
  return { answer, canvas, from: answer.from_ticks, to: answer.to_ticks, step };
}

// names writes the locations beside their rows; rows that are too low for text have a name where it fits.
function names(answer, height) {
  const every = Math.max(1, Math.ceil(15 / height));
  const list = [];
  for (let i = 0; i < answer.rows.length; i += every) {
    const row = answer.rows[i], high = height * Math.min(every, answer.rows.length - i);
    const name = element("div", high < 14 ? "" : label(row));
    name.setAttribute("role", "listitem");
    name.title = name.textContent.slice(0, 300);
    name.style.height = name.style.lineHeight = high + "px";
    list.push(name);
  }
  $("names").replaceChildren(...list);
}

const label = (row) => (row.rank !== null ? "rank " + row.rank + (row.thread ? ", " : "") : "") +
  (row.rank === null || row.thread ? row.location_name ?? "location " + row.location : "").slice(0, 200);

// fit gives a canvas the size that it has on the screen, in the pixels of the device.
function fit(canvas, width, height) {
  canvas.width = Math.round(width * devicePixelRatio);
  canvas.height = Math.round(height * devicePixelRatio);
  return canvas.getContext("2d");
}

// draw draws all from what is known. While an answer is under way, the picture before it is stretched.
function draw() {
  drawAxis();
  drawOverview();
  if (!shown) return;
  const ratio = devicePixelRatio;
  bands.style.height = shown.canvas.height / ratio + "px";
  const context = fit(bands, main.clientWidth - nameWidth, shown.canvas.height / ratio);
  const scale = bands.width / (view.to - view.from);
  context.imageSmoothingEnabled = false;
  context.drawImage(shown.canvas, (shown.from - view.from) * scale, 0, (shown.to - shown.from) * scale, shown.canvas.height);
  if (shown.answer.from_ticks === view.from && shown.answer.to_ticks === view.to) hatch(context);
}

// hatch marks pixels whose content is known only to within more than a pixel.
function hatch(context) {
  const a = shown.answer, ticks = (a.to_ticks - a.from_ticks) / a.pixels, wide = bands.width / a.pixels;
  context.fillStyle = ink("--soft");
  a.error_ticks.forEach((error, i) => {
    if (error > ticks && i % 6 === 0) for (let y = i % 12; y < bands.height; y += 12) context.fillRect(i * wide, y, 2, 2);
  });
}

const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);

function drawAxis() {
  if (!trace) return;
  const width = main.clientWidth - nameWidth, c = fit(axis, width, 24), ratio = devicePixelRatio;
  axis.style.width = width + "px";
  c.scale(ratio, ratio);
  c.font = "11px system-ui, sans-serif";
  c.fillStyle = ink("--soft");
  const from = view.from / perSecond(), to = view.to / perSecond(), { list, digits } = marks(from, to, width / 130);
  for (const t of list) {
    const x = (t - from) / (to - from) * width;
    c.fillRect(x, 16, 1, 8);
    c.fillText(t.toFixed(digits) + " s", x + 4, 15);
  }
}

function drawOverview() {
  if (!whole) return;
  const width = overview.clientWidth, c = fit(overview, width, 40), w = overview.width, h = overview.height;
  c.imageSmoothingEnabled = true;
  c.drawImage(whole, 0, 0, w, h);
  const x = view.from / end() * w, wide = Math.max(2, (view.to - view.from) / end() * w);
  c.fillStyle = ink("--back");
  c.globalAlpha = 0.6;
  c.fillRect(0, 0, x, h);
  c.fillRect(x + wide, 0, w, h);
  c.globalAlpha = 1;
  c.strokeStyle = ink("--accent");
  c.lineWidth = 2 * devicePixelRatio;
  c.strokeRect(x, 1, wide, h - 2);
}

async function loadOverview() {
  whole = undefined;
  const pixels = Math.min(800, end());
  const answer = await ask(path("/timeline.json"), { pixels, location: view.location, region: view.region });
  const canvas = new OffscreenCanvas(pixels, 40), context = canvas.getContext("2d"), image = context.createImageData(pixels, 40);
  band(image, 0, 40, together(answer.rows), ticksOf(answer).map((t) => t * Math.max(1, answer.rows.length)), answer.regions.map((r) => rgb(r.colour)));
  context.putImageData(image, 0, 0);
  whole = canvas;
  drawOverview();
}

// describe says what the picture shows, on the screen and to those who do not see it.
function describe(a) {
  const from = a.from_ticks / perSecond(), to = a.to_ticks / perSecond(), length = to - from;
  const least = Math.max(0, ...a.error_ticks), most = a.regions.reduce((x, r) => (!x || r.share > x.share ? r : x), undefined);
  const rows = a.rows.length === 1 ? "1 location" : a.rows.length + " locations";
  const text = `${moment(from, length)} to ${moment(to, length)} (${span(length)}), ${rows}, ` +
    (least === 0 ? "exact" : `each pixel to within ${span(least / perSecond())}`);
  say(text);
  bands.setAttribute("aria-label", text + (most ? `; most time in ${(most.region_name ?? most.region).toString().slice(0, 100)}, ${percent(most.share)}` : ""));
}

const percent = (share) => (share * 100).toFixed(1) + " %";

// numbers fills the table of regions from exact sums. A click on a region makes it pale.
function numbers(summary, answer) {
  const colours = new Map(answer.regions.map((r) => [r.region, r.colour]));
  $("rows").replaceChildren(...summary.rows.map((row) => {
    const line = document.createElement("tr"), mark = document.createElement("canvas"), first = document.createElement("td");
    mark.width = mark.height = 14;
    const c = mark.getContext("2d");
    c.fillStyle = colours.get(row.region) ?? ink("--line");
    c.fillRect(0, 0, 14, 14);
    first.append(mark);
    const name = element("td"), button = element("button", (row.region_name ?? "region " + row.region).slice(0, 200));
    button.setAttribute("aria-pressed", String(!hidden.has(row.region)));
    button.title = "show or hide its colour";
    button.onclick = () => toggle(row.region, button);
    name.append(button);
    line.append(first, name, element("td", row.count.toLocaleString("en")), element("td", span(row.exclusive_ticks / perSecond())),
      element("td", percent(row.exclusive_share)), element("td", span(row.inclusive_ticks / perSecond())));
    return line;
  }));
}

function toggle(region, button) {
  if (!hidden.delete(region)) hidden.add(region);
  button.setAttribute("aria-pressed", String(!hidden.has(region)));
  shown = picture(shown.answer);
  draw();
}

// zoom changes the length of the window by a factor, and keeps a place of it (0 to 1).
function zoom(factor, place = pointer ?? 0.5) {
  const length = view.to - view.from, t = view.from + place * length;
  show({ from: t - place * length * factor, to: t + (1 - place) * length * factor }, true);
}

function move(part) {
  const by = part * (view.to - view.from);
  show({ from: view.from + by, to: view.to + by }, true);
}

let pointer; // its place in the window, 0 to 1
let drag;

const placeOf = (event) => {
  const box = bands.getBoundingClientRect();
  return Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
};

const wholeTrace = () => show({ from: 0, to: end() });

const actions = {
  w: () => zoom(0.7), "+": () => zoom(0.7), "=": () => zoom(0.7), s: () => zoom(1 / 0.7), "-": () => zoom(1 / 0.7),
  a: () => move(-0.2), arrowleft: () => move(-0.2), d: () => move(0.2), arrowright: () => move(0.2),
  0: wholeTrace, z: () => history.back(), "?": () => $("help").showModal(), escape: endDrag,
};

function endDrag() {
  drag = undefined;
  $("area").hidden = true;
}

function listen() {
  addEventListener("keydown", (event) => {
    if (event.target.matches("input, select") || event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
    const act = actions[event.key.toLowerCase()];
    if (!act || !trace) return;
    event.preventDefault();
    act();
  });
  for (const [id, act] of Object.entries({ left: () => move(-0.2), right: () => move(0.2), in: () => zoom(0.5, 0.5), out: () => zoom(2, 0.5),
    whole: wholeTrace, back: () => history.back(), keys: actions["?"] })) $(id).onclick = () => (trace || id === "keys") && act();
  bands.addEventListener("wheel", (event) => {
    if (!trace || !(event.ctrlKey || event.shiftKey)) return;
    event.preventDefault();
    if (event.ctrlKey) zoom(Math.exp(event.deltaY / 300), placeOf(event));
    else move((event.deltaY || event.deltaX) / 1000);
  }, { passive: false });
  bands.addEventListener("dblclick", (event) => zoom(0.4, placeOf(event)));
  bands.addEventListener("pointerdown", (event) => {
    if (!trace || event.button !== 0) return;
    bands.setPointerCapture(event.pointerId);
    drag = { place: placeOf(event), from: view.from, to: view.to, moves: event.shiftKey };
  });
  bands.addEventListener("pointermove", (event) => { pointer = placeOf(event); drag ? dragging() : tip(event); });
  bands.addEventListener("pointerleave", () => { pointer = undefined; $("tip").hidden = true; });
  bands.addEventListener("pointercancel", endDrag);
  bands.addEventListener("pointerup", (event) => {
    if (!drag) return;
    const [a, b] = [drag.place, placeOf(event)].sort((x, y) => x - y), length = drag.to - drag.from, moves = drag.moves, from = drag.from;
    endDrag();
    if (!moves && (b - a) * bands.clientWidth > 4) show({ from: from + a * length, to: from + b * length });
  });
  overview.addEventListener("pointerdown", (event) => { overview.setPointerCapture(event.pointerId); jump(event); });
  overview.addEventListener("pointermove", (event) => event.buttons && jump(event));
  for (const id of ["location", "region"]) $(id).addEventListener("change", () => { show({ [id]: $(id).value.trim() }); loadOverview().catch(failed); });
  $("trace").addEventListener("change", () => { view = { trace: $("trace").value }; writeURL(); start().catch(failed); });
  addEventListener("popstate", () => start().catch(failed));
  addEventListener("resize", () => trace && (draw(), load()));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => trace && draw());
}

function jump(event) {
  if (!trace) return;
  const t = event.offsetX / overview.clientWidth * end(), half = (view.to - view.from) / 2;
  show({ from: t - half, to: t + half }, true);
}

function dragging() {
  if (drag.moves) {
    const by = (drag.place - pointer) * (drag.to - drag.from);
    show({ from: drag.from + by, to: drag.to + by }, true);
    return;
  }
  const [a, b] = [drag.place, pointer].sort((x, y) => x - y), width = bands.clientWidth, area = $("area");
  Object.assign(area.style, { left: nameWidth + a * width + "px", width: (b - a) * width + "px", height: main.scrollHeight + "px" });
  area.hidden = false;
  $("tip").hidden = true;
}

// tip says what is below the pointer.
function tip(event) {
  const box = $("tip");
  if (!shown || shown.from !== view.from || shown.to !== view.to) { box.hidden = true; return; }
  const a = shown.answer, row = a.rows[Math.floor(event.offsetY * devicePixelRatio / shown.step)];
  if (!row) { box.hidden = true; return; }
  const pixel = Math.min(a.pixels - 1, Math.floor(pointer * a.pixels)), ticks = ticksOf(a)[pixel];
  const length = (view.to - view.from) / perSecond();
  const lines = [element("div", label(row) + " at " + moment((view.from + pointer * (view.to - view.from)) / perSecond(), length))];
  for (const [, region, time] of at(row, pixel).slice(0, 6)) {
    const r = a.regions[region];
    lines.push(element("div", percent(time / ticks) + "  " + (r.region_name ?? "region " + r.region).slice(0, 200)));
  }
  if (lines.length === 1) lines.push(element("div", "no call"));
  box.replaceChildren(...lines);
  box.hidden = false;
  box.style.left = Math.min(event.clientX + 14, innerWidth - box.offsetWidth - 8) + "px";
  box.style.top = Math.min(event.clientY + 14, innerHeight - box.offsetHeight - 8) + "px";
}

// start shows what the URL says.
async function start() {
  const wanted = readURL(), { traces } = await ask("/v1/traces");
  $("trace").replaceChildren(...traces.map((t) => element("option", t.name)));
  if (!traces.length) return say("the server has no trace yet");
  const name = wanted.trace ?? traces[0].name;
  const other = name !== trace?.name || (wanted.location ?? "") !== view.location || (wanted.region ?? "") !== view.region;
  view = { trace: name, location: wanted.location ?? "", region: wanted.region ?? "" };
  if (name !== trace?.name) shown = whole = undefined;
  trace = { ...(await ask(path(""))), name };
  $("trace").value = name;
  for (const id of ["location", "region"]) $(id).value = view[id];
  document.title = name.slice(0, 80) + " – Pando";
  view.from = 0;
  view.to = end();
  const from = Number(wanted.from ?? 0), to = Number(wanted.to ?? end());
  if (from >= 0 && to > from) { view.from = Math.min(from, end() - 1); view.to = Math.min(to, end()); }
  draw();
  load();
  if (other) await loadOverview();
}

listen();
start().catch(failed);
