package browsertest

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/pandotrace/pando/internal/serve"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// busy is a ring with more messages than are drawn as lines. Its locations are numbered as its rows are.
type busy struct {
	*store.Reader
	messages []trace.Message
	length   int64
}

func ring(t *testing.T) *busy {
	r := &busy{Reader: stored.Source(t, tracegen.Ring(6, 900, 1), store.Options{SliceEvents: 2000})}
	for m, err := range r.All().Messages() {
		if err != nil {
			t.Fatal(err)
		}
		r.messages = append(r.messages, m)
	}
	r.length = r.Info().Last - r.Info().First + 1
	if len(r.messages) <= 2000 {
		t.Fatal(len(r.messages))
	}
	return r
}

// cell returns the length of a cell of the trace in some parts.
func (r *busy) cell(parts int) int64 { return (r.length + int64(parts) - 1) / int64(parts) }

// ends counts for each of some cells the ends of messages under way that some locations have: sends or receives.
func (r *busy) ends(parts int, of func(location uint64) bool, received bool) []int {
	list := make([]int, parts)
	for i := range list {
		from := r.Info().First + int64(i)*r.cell(parts)
		to := min(from+r.cell(parts), r.Info().Last+1)
		for j := range r.messages {
			m := &r.messages[j]
			if from < to && m.Overlaps(from, to) {
				if !received && of(m.SendLocation) || received && of(m.ReceiveLocation) {
					list[i]++
				}
			}
		}
	}
	return list
}

// below is an expression for what the overview o has below its bands, taken from a copy.
const below = `(() => { const c = new OffscreenCanvas(o.width, o.height).getContext("2d", {willReadFrequently: true}); c.drawImage(o, 0, 0); return c.getImageData(0, 36, o.width, 8) })()`

// TestOverviewDensity: the bars below the overview are as high as the messages under way in each cell are many.
func TestOverviewDensity(t *testing.T) {
	r := ring(t)
	url, _, _ := serving(t, r.Source(), serve.Options{})
	b := browse(t, url)
	b.open(t, url+"/#trace=run")
	all := func(uint64) bool { return true }
	const parts = 256
	want := r.ends(parts, all, false)
	most := float64(slices.Max(want))
	if slices.Min(want) == slices.Max(want) {
		t.Fatal("all cells are alike")
	}
	got := value[[]int](t, b, fmt.Sprintf(`(() => { const o = document.getElementById("overview"), d = `+below+`;
		return Array.from({length: 256}, (_, i) => { const x = Math.floor((i + 0.4) * %v * o.width); let n = 0; for (let y = 0; y < 8; y++) if (d.data[4 * (y * o.width + x) + 3] > 0) n++; return n }) })()`,
		float64(r.cell(parts))/float64(r.length)))
	for i, n := range want {
		high := 0
		if n > 0 {
			high = max(1, int(math.Round(float64(n)/most*7)))
		}
		if got[i] != high {
			t.Errorf("cell %d: a bar of %d pixels, want %d: %d of %v messages", i, got[i], high, n, most)
		}
	}
	b.press(t, "l")
	b.until(t, `(() => { const o = document.getElementById("overview"); return `+below+`.data.slice(0, 4 * 5 * o.width).filter((v, i) => i % 4 === 3 && v > 0).length < 30 })()`) // the frame of the view alone
	b.sound(t)
}

// strip is one of the two strips of a row.
type strip struct {
	row      int
	received bool
}

// TestRowDensity: where messages are too many for lines, the strips of a row are as dark as the messages are many that it sends, above, and receives, below it; those of a closed group as
// those of its locations are on average.
func TestRowDensity(t *testing.T) {
	r := ring(t)
	url, _, _ := serving(t, r.Source(), serve.Options{})
	b := browse(t, url)
	b.open(t, url+"/#trace=run")
	parts := value[int](t, b, "bands.width") // the cells are pixels, but for a part of one
	for _, closed := range []bool{false, true} {
		lists := map[strip][]int{}
		more, first, locations := "", 1, 1
		if closed {
			more, first, locations = "&rows=g0", 0, 6
		}
		for _, received := range []bool{false, true} {
			for row := range 6 / locations {
				lists[strip{row, received}] = r.ends(parts, func(l uint64) bool { return closed || l == uint64(row) }, received)
			}
		}
		if !closed && slices.Equal(lists[strip{0, false}], lists[strip{0, true}]) {
			t.Fatal("a row sends as it receives: they cannot be told apart")
		}
		most, compared := 0, 0
		for _, list := range lists {
			most = max(most, slices.Max(list))
		}
		b.open(t, url+"/#trace=run"+more)
		for of, list := range lists {
			line := 1 // of pixels of the row: the strip of what is sent has two
			if of.received {
				line = 3
			}
			got := value[[]float64](t, b, fmt.Sprintf(`(() => { const e = document.getElementById("row%d"), y = Math.round(e.getBoundingClientRect().top - document.getElementById("rows").getBoundingClientRect().top) + %d, i = %s;
				const hex = (name) => parseInt(getComputedStyle(document.documentElement).getPropertyValue(name).trim().slice(1, 3), 16), back = hex("--back"), ink = hex("--text");
				return Array.from({length: i.width}, (_, x) => (i.data[4 * (y * i.width + x)] - back) / (ink - back)) })()`, of.row+first, line, imageOf))
			for i, n := range list {
				x := float64(i) * float64(r.cell(parts)) * float64(len(got)) / float64(r.length) // the first pixel of the cell, unless both begin together but for rounding
				if _, part := math.Modf(x); n == 0 || part < 1e-6 || part > 1-1e-6 || int(x) >= len(got) {
					continue
				}
				compared++
				if want := 0.15 + 0.85*float64(n)/float64(most); math.Abs(got[int(x)]-want) > 0.02 {
					t.Errorf("closed %v, %+v, cell %d: %.2f, want %.2f: %d of %d messages of %d locations", closed, of, i, got[int(x)], want, n, most, locations)
				}
			}
		}
		if compared < 500*len(lists) {
			t.Errorf("%d cells of %d rows", compared, len(lists))
		}
	}
	b.sound(t)
}

// TestMessagesOfRow: a click on the name of a row shows its messages as lines, which lie between it and its partners' rows, and a second one hides them.
func TestMessagesOfRow(t *testing.T) {
	r := ring(t)
	url, _, _ := serving(t, r.Source(), serve.Options{})
	b := browse(t, url)
	b.open(t, url+"/#trace=run")
	b.run(t, chromedp.Evaluate(`sessionStorage.setItem("before", JSON.stringify([...`+imageOf+`.data]))`, nil))
	changed := func() []int {
		return value[[]int](t, b, `(() => { const now = `+imageOf+`, before = JSON.parse(sessionStorage.getItem("before")), rows = new Set();
			for (let i = 0; i < before.length; i++) if (before[i] !== now.data[i]) rows.add(Math.floor((i >> 2) / now.width));
			return [...rows].sort((a, b) => a - b) })()`)
	}
	middle := func(row int) int {
		return value[int](t, b, fmt.Sprintf(`(() => { const e = document.getElementById("row%d"); return Math.round(e.getBoundingClientRect().top - document.getElementById("rows").getBoundingClientRect().top + parseInt(e.style.lineHeight) / 2) })()`, row+1))
	}
	click := func() { b.run(t, chromedp.Click("#row4 .name", chromedp.ByQuery)) } // rank 3
	click()
	b.until(t, `location.hash.includes("row=l3")`)
	b.rests(t)
	if rows := changed(); len(rows) == 0 || rows[0] < middle(2)-2 || rows[0] > middle(2)+2 || rows[len(rows)-1] < middle(4)-2 || rows[len(rows)-1] > middle(4)+2 {
		t.Errorf("rows %v of the picture change, want those from %d to %d", rows, middle(2), middle(4))
	}
	click()
	b.until(t, `!location.hash.includes("row=")`)
	b.rests(t)
	if rows := changed(); len(rows) > 0 {
		t.Errorf("rows %v stay changed", rows)
	}
	b.press(t, "r") // of the row of the cursor, which the click has moved
	b.until(t, `location.hash.includes("row=l3")`)
	b.sound(t)
}

// TestGroupedRows: rows below groups of another tree are painted as before, and a group with all locations has the band of the trace.
func TestGroupedRows(t *testing.T) {
	r := real(t)
	url, _, _ := serving(t, r.Source(), serve.Options{})
	b := browse(t, url)
	length := r.Info().Last - r.Info().First
	for tree, name := range map[string]string{"kind": "CPU threads (8)", "communicator": "MPI_COMM_WORLD (8)"} {
		b.open(t, part(url, 0, length+1, "&lines=0&at=1,50&pin=l3"))
		b.run(t, chromedp.Evaluate(fmt.Sprintf(`(() => { const o = document.getElementById("order"); o.value = %q; o.dispatchEvent(new Event("change", {bubbles: true})) })()`, tree), nil))
		b.until(t, fmt.Sprintf(`location.hash.includes("tree=%s") && !location.hash.includes("pin=")`, tree))
		b.rests(t)
		names := value[[]string](t, b, `[...document.querySelectorAll(".row .name")].map((e) => e.textContent)`)
		if !slices.Contains(names, name) || len(names) < 9 {
			t.Errorf("%s: rows %q, want %q among them", tree, names, name)
		}
		comparePixels(t, b, r, 0, 0, float64(length+1))
		differ := value[int](t, b, fmt.Sprintf(`(() => { const i = %s, rows = [...document.querySelectorAll(".row")], at = rows.findIndex((e) => e.textContent.includes(%q)), top = (e) => Math.round(e.getBoundingClientRect().top - rows[0].getBoundingClientRect().top);
			let n = 0; for (let y = 0; y < 14; y++) for (let x = 0; x < 4 * i.width; x++) if (i.data[4 * y * i.width + x] !== i.data[4 * (y + top(rows[at])) * i.width + x]) n++; return n })()`, imageOf, name))
		if differ > 0 {
			t.Errorf("%s: %d bytes of the bands differ", tree, differ)
		}
		b.run(t, chromedp.NavigateBack())
		b.until(t, `!location.hash.includes("tree=")`)
		b.rests(t)
	}
	b.sound(t)
}

// TestCrossingCommunicators: communicators that cut across each other, as rows and columns of a grid, are groups of trees that the menu has when one of them is chosen.
func TestCrossingCommunicators(t *testing.T) {
	src := tracegen.New(trace.Meta{Resolution: 1e9})
	region := src.Region("work")
	var ranks []uint64
	for rank := range uint64(4) {
		b := src.Location(rank, src.Process(fmt.Sprint("process ", rank)))
		b.Append(trace.KindEnter, 0, region)
		b.Append(trace.KindLeave, 1000, region)
		ranks = append(ranks, rank)
	}
	src.Comm(src.CommLocations(ranks...))
	for _, members := range [][]uint64{{0, 1}, {2, 3}, {0, 2}, {1, 3}} {
		src.Comm(src.CommGroup(members...))
	}
	url, _, _ := serving(t, src, serve.Options{})
	b := browse(t, url)
	b.open(t, url+"/#trace=run")
	names := func() []string {
		return value[[]string](t, b, `[...document.querySelectorAll(".row .name")].map((e) => e.textContent)`)
	}
	for _, c := range []struct{ tree, rows string }{
		{"communicator", "communicator (4),communicator (2),rank 0,rank 1,communicator (2),rank 2,rank 3"},
		{"communicator-2", "all (4),communicator (2),rank 0,rank 2,communicator (2),rank 1,rank 3"},
	} {
		b.run(t, chromedp.Evaluate(fmt.Sprintf(`(() => { const o = document.getElementById("order"); o.value = %q; o.dispatchEvent(new Event("change", {bubbles: true})) })()`, c.tree), nil))
		b.until(t, fmt.Sprintf(`new URLSearchParams(location.hash.slice(1)).get("tree") === %q`, c.tree))
		b.rests(t)
		if got := strings.Join(names(), ","); got != c.rows {
			t.Errorf("%s: rows %s, want %s", c.tree, got, c.rows)
		}
		at, way := value[string](t, b, "location.href"), names()
		b.open(t, at)
		if fresh := names(); !slices.Equal(fresh, way) {
			t.Errorf("at %s: rows %q, not %q", at, fresh, way)
		}
	}
	b.sound(t)
}
