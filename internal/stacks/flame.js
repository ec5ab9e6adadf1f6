// The script of a flame graph: zoom by clicks, search, and a line that says what the pointer is on. Frames are groups of class f with the
// attributes a and b, the place of their begin and end in millionths of the whole, and l, their level.
(function () {
  "use strict";
  const svg = document.documentElement;
  const width = Number(svg.getAttribute("data-width"));
  const left = Number(svg.getAttribute("data-left"));
  const letter = Number(svg.getAttribute("data-letter"));
  const frames = Array.from(svg.querySelectorAll("g.f")).map(function (g) {
    return {
      g: g, rect: g.querySelector("rect"), text: g.querySelector("text"), name: g.getAttribute("data-name"),
      a: Number(g.getAttribute("data-a")), b: Number(g.getAttribute("data-b")), level: Number(g.getAttribute("data-l")),
    };
  });
  const detail = document.getElementById("detail");
  const found = document.getElementById("found");
  const reset = document.getElementById("reset");
  const search = document.getElementById("search");
  let pattern = null;

  function label(f, pixels) {
    const letters = Math.floor((pixels - 6) / letter);
    if (letters < 3) return "";
    return f.name.length <= letters ? f.name : f.name.slice(0, letters - 1) + "…";
  }

  // Frames around the zoomed one take the whole width, those beside it go away.
  function zoom(to) {
    for (const f of frames) {
      const around = f.a <= to.a && f.b >= to.b && f.level <= to.level;
      const inside = f.a >= to.a && f.b <= to.b && f.level > to.level;
      f.g.style.display = around || inside ? "" : "none";
      if (!around && !inside) continue;
      const scale = width / (to.b - to.a);
      const x = around ? 0 : (f.a - to.a) * scale;
      const w = around ? width : (f.b - f.a) * scale;
      f.rect.setAttribute("x", left + x);
      f.rect.setAttribute("width", w);
      f.text.setAttribute("x", left + x + 3);
      f.text.textContent = label(f, w);
      f.rect.style.opacity = around && f !== to ? 0.55 : "";
    }
    reset.style.display = to === frames[0] ? "none" : "";
  }

  // The share of what was found counts each part of the graph once: frames inside of found ones add nothing.
  function mark(text) {
    try {
      pattern = text ? new RegExp(text, "i") : null;
    } catch (error) {
      found.textContent = "not a pattern: " + text;
      return;
    }
    let share = 0, end = -1, calls = 0;
    const hits = [];
    for (const f of frames) {
      const hit = pattern !== null && f.level > 0 && pattern.test(f.name);
      f.rect.classList.toggle("hit", hit);
      if (hit) hits.push(f);
    }
    hits.sort(function (p, q) { return p.a - q.a || q.b - p.b; });
    for (const f of hits) {
      calls++;
      if (f.b > end) {
        share += f.b - Math.max(f.a, end, 0);
        end = f.b;
      }
    }
    found.textContent = pattern === null ? "" : calls + " found, " + (share / 1e4).toFixed(1) + " %";
    search.textContent = pattern === null ? "Search" : "Clear search";
  }

  for (const f of frames) {
    f.g.addEventListener("click", function () { zoom(f); });
    f.g.addEventListener("mouseover", function () { detail.textContent = f.g.querySelector("title").textContent.replace(/\n/g, " · "); });
    f.g.addEventListener("mouseout", function () { detail.textContent = ""; });
  }
  function ask() {
    if (pattern !== null) return mark("");
    const text = window.prompt("Names to search for (a regular expression):", "");
    if (text !== null) mark(text);
  }
  search.addEventListener("click", ask);
  reset.addEventListener("click", function () { zoom(frames[0]); });
  window.addEventListener("keydown", function (e) {
    if (e.key === "Escape") { mark(""); zoom(frames[0]); }
    if (e.key === "/" || (e.key === "f" && (e.ctrlKey || e.metaKey))) { e.preventDefault(); mark(""); ask(); }
  });
  search.style.display = "";
})();
