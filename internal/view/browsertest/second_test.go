package browsertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/pandotrace/pando/edit"
	"github.com/pandotrace/pando/internal/serve"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
)

// TestTwoTraces: a second trace has its rows below the first one, right to the pixel; a call of each aligns both; panels of its rows have its numbers.
func TestTwoTraces(t *testing.T) {
	r := real(t)
	first, length := r.Info().First, r.Info().Last-r.Info().First
	src, err := edit.Cut(r, edit.Selection{From: first + length*93/100, To: first + length*99/100})
	if err != nil {
		t.Fatal(err)
	}
	other := stored.Source(t, src, store.Options{SliceEvents: 2000})
	url, dir, _ := serving(t, r.Source(), serve.Options{})
	put(t, dir, "other", other.Source())
	b := browse(t, url)
	b.run(t, chromedp.EmulateViewport(1400, 1000))
	from, to := int64(0), length/8
	b.open(t, part(url, from, to, "&lines=0"))
	b.run(t, chromedp.SetValue("#second", "other"), chromedp.Evaluate(`second.dispatchEvent(new Event("change", {bubbles: true}))`, nil))
	b.until(t, `location.hash.includes("with=other")`)
	b.rests(t)
	comparePixels(t, b, r, 0, float64(from), float64(to))
	comparePixels(t, b, other, 8, float64(from), float64(to))

	// Where one call of both begins is one place when they are aligned by it.
	shift := other.Info().First - first
	at := leaf(t, r, first+length*94/100) - first
	b.open(t, part(url, from, to, fmt.Sprintf("&with=other&lines=0&panel=details&at=%d,%d", row, at)))
	b.run(t, chromedp.Click(`(//td/button[text()="mark its begin"])[last()]`))
	b.rests(t)
	b.open(t, value[string](t, b, fmt.Sprintf(`location.href.replace(/at=[^&]*/, "at=%d,%d")`, row+8, at-shift)))
	b.run(t, chromedp.Click(`(//td/button[text()="align with the mark"])[last()]`))
	b.until(t, `location.hash.includes("shift=")`)
	b.rests(t)
	if by := value[int64](t, b, `Number(new URLSearchParams(location.hash.slice(1)).get("shift"))`); by != shift {
		t.Errorf("moved by %d, want %d", by, shift)
	}
	way, hash := value[string](t, b, content), value[string](t, b, "location.href")
	if b.open(t, hash); value[string](t, b, content) != way {
		t.Errorf("a fresh page at %s has another picture", hash)
	}
	from, to = length*92/100, length+1
	b.open(t, part(url, from, to, fmt.Sprintf("&with=other&lines=0&shift=%d", shift)))
	comparePixels(t, b, r, 0, float64(from), float64(to))
	comparePixels(t, b, other, 8, float64(from-shift), float64(to-shift))
	samePicture(t, b)

	// Numbers of an area of the second trace are those of a page that shows it alone.
	b.open(t, part(url, from, to, fmt.Sprintf("&with=other&shift=%d&area=%d,%d,8,16", shift, shift+1000, shift+length/20)))
	below := value[string](t, b, `document.querySelector("#panel table").textContent`)
	b.open(t, fmt.Sprintf("%s/#trace=other&from=1000&to=%d", url, length/20))
	if alone := value[string](t, b, `document.querySelector("#panel table").textContent`); alone != below || len(alone) < 200 {
		t.Errorf("below another trace: %s\nalone: %s", below, alone)
	}
	b.sound(t)
}

// row is that of the location of which a call aligns two traces.
const row = 2

// leaf returns a time in a call of the row's location that calls nothing, the first one behind a time that lasts some while.
func leaf(t *testing.T, r *store.Reader, from int64) int64 {
	t.Helper()
	ids, err := r.LocationIDs()
	if err != nil {
		t.Fatal(err)
	}
	for c, err := range r.Window(from, r.Info().Last).WithLocations(ids[row]).Calls() {
		if err != nil {
			t.Fatal(err)
		}
		if c.Children == 0 && c.Start > from && c.Duration() > 1000 {
			return c.Start + c.Duration()/2
		}
	}
	t.Fatal("no such call")
	return 0
}

// samePicture compares rows of ranks with those eight rows below, wherever the lower one has a colour in all of its height: a trace that was cut shows what it
// was cut from.
func samePicture(t *testing.T, b *browser) {
	t.Helper()
	found := value[struct{ Same, Other int }](t, b, fmt.Sprintf(`(() => {
		const rows = [...document.querySelectorAll(".row")].filter((e) => e.querySelector(".name").textContent.startsWith("rank ")).map((e) => e.getBoundingClientRect().top - document.getElementById("rows").getBoundingClientRect().top + 6);
		const d = %s, at = (x, y) => d.data.slice(4 * (y * d.width + x), 4 * (y * d.width + x) + 4).join();
		const found = {Same: 0, Other: 0};
		for (let i = 0; i < 8; i++) for (let x = 0; x < d.width; x++) {
			const low = at(x, rows[i + 8]);
			if (low.endsWith(",255")) low === at(x, rows[i]) ? found.Same++ : found.Other++;
		}
		return found;
	})()`, imageOf))
	if found.Same < 2000 || found.Other > found.Same/100 {
		t.Errorf("%d pixels are the same in both traces, %d are not", found.Same, found.Other)
	}
}

// TestSecondHasAll: what lies over and below rows, the overview and the panels of the second trace are those of the first one, if it is the same trace again, and
// those of a page that shows it alone.
func TestSecondHasAll(t *testing.T) {
	r := stored.Source(t, tracegen.Ring(6, 300, 1), store.Options{SliceEvents: 2000})
	url, dir, _ := serving(t, r.Source(), serve.Options{})
	put(t, dir, "other", r.Source())
	b := browse(t, url)
	b.run(t, chromedp.EmulateViewport(1400, 1700))
	length := r.Info().Last - r.Info().First
	for _, more := range []string{"", "&counter=0", "&over=collectives", "&over=critical", "&over=waits", "&order=sent"} {
		b.open(t, part(url, length/5, length/2, "&with=other&lines=0"+more))
		found := value[struct{ Same, Other, Filled int }](t, b, fmt.Sprintf(`(() => {
			const top = document.getElementById("rows").getBoundingClientRect().top, places = {}, d = %s, found = {Same: 0, Other: 0, Filled: 0};
			for (const e of document.querySelectorAll(".row")) (places[e.querySelector(".name").textContent] ??= []).push([Math.round(e.getBoundingClientRect().top - top), Math.round(e.getBoundingClientRect().height)]);
			for (const [name, two] of Object.entries(places)) if (name.startsWith("rank ")) {
				if (two.length !== 2 || two[0][1] !== two[1][1]) throw new Error(name + " " + two);
				for (let y = 0; y < two[0][1]; y++) for (let x = 0; x < d.width; x++) {
					const [i, j] = two.map(([at]) => 4 * ((at + y) * d.width + x)), same = [0, 1, 2, 3].every((c) => d.data[i + c] === d.data[j + c]);
					same ? found.Same++ : found.Other++;
					if (d.data[i + 3] > 0) found.Filled++;
				}
			}
			return found;
		})()`, imageOf))
		frames := more == "&over=collectives" || more == "&over=waits" || more == "&over=critical" // lines of one trace may end in rows of it that others cross
		if found.Filled < 20_000 || found.Other > 0 && !frames || found.Other > found.Same/50 {
			t.Errorf("%q: %+v", more, found)
		}
	}
	halves := value[[]string](t, b, `(() => { const c = new OffscreenCanvas(1200, 36).getContext("2d", {willReadFrequently: true});
		c.drawImage(document.getElementById("overview"), 0, 0);
		return [4, 22].map((y) => c.getImageData(450, y, 200, 9).data.join()) })()`)
	if halves[0] != halves[1] || len(halves[0]) < 5000 {
		t.Error("the overview shows two traces, although both are the same")
	}
	for panel := range map[string]bool{"regions": true, "matrix": true, "flame": true, "collectives": true, "counters": true} {
		text := func(more string) string {
			b.open(t, part(url, length/5, length/2, more+"&panel="+panel))
			return value[string](t, b, `document.getElementById("panel").innerHTML`)
		}
		second, first := text("&with=other&side=1&shift=-1000"), text("&with=other&shift=-1000")
		alone := text("")
		b.open(t, fmt.Sprintf("%s/#trace=other&from=%d&to=%d&panel=%s", url, length/5+1000, length/2+1000, panel))
		if want := value[string](t, b, `document.getElementById("panel").innerHTML`); second != want || first != alone || len(want) < 200 {
			t.Errorf("%s of the second trace: %s\nalone: %s", panel, second, want)
		}
	}
	b.open(t, part(url, 0, length/4, "&with=other&side=1&shift="+fmt.Sprint(length/2))) // nothing of the second one is in sight
	if text := value[string](t, b, `document.getElementById("panel").textContent`); strings.Contains(text, "window") {
		t.Errorf("before it begins, the panel says %s", text)
	}
	b.sound(t)
}
