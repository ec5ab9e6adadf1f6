package browsertest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/pandotrace/pando/internal/serve"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// cellWalk moves the keyboard's cell over a view, and knows where it is and what it has there.
type cellWalk struct {
	*testing.T
	b         *browser
	r         *store.Reader
	d         *trace.Definitions
	ids       []uint64
	from, to  int64 // of the view
	row       int
	at        int64
	perSecond float64
}

// TestCell: arrows move a cell over rows and in time, and what the page says of it is what the engine has there: the innermost call of a location, and of a group the region with the most
// time. Space shows its details, `+` zooms at it, and the view goes along where it leaves it.
func TestCell(t *testing.T) {
	r := real(t)
	url, _, _ := serving(t, r.Source(), serve.Options{})
	b := browse(t, url)
	info := r.Info()
	d, err := r.Definitions()
	if err != nil {
		t.Fatal(err)
	}
	ids := stored.LocationIDs(t, r)
	w := &cellWalk{T: t, b: b, r: r, d: d, ids: ids, from: (info.Last - info.First) * 93 / 100, to: info.Last - info.First + 1, perSecond: float64(r.Meta().Resolution)}
	w.at = (w.from + w.to) / 2
	b.open(t, part(url, w.from, w.to, ""))
	random, seen := rand.New(rand.NewPCG(29, 1)), map[string]bool{}
	for range 40 {
		switch key := []string{kb.ArrowLeft, kb.ArrowRight, kb.ArrowUp, kb.ArrowDown, kb.ArrowDown}[random.IntN(5)]; key {
		case kb.ArrowUp, kb.ArrowDown:
			w.row = max(0, min(len(ids), w.row+map[string]int{kb.ArrowUp: -1, kb.ArrowDown: 1}[key]))
			b.press(t, key)
		default:
			w.at += map[string]int64{kb.ArrowLeft: -1, kb.ArrowRight: 1}[key] * w.cell()
			b.press(t, key)
		}
		seen[w.reads()] = true
	}
	if len(seen) < 10 {
		t.Errorf("the cell had only %v", seen)
	}
	for w.row = 3; value[int](t, b, `document.querySelector(".row.cursor").getAttribute("aria-rowindex") - 1`) != w.row; {
		b.press(t, map[bool]string{true: kb.ArrowUp, false: kb.ArrowDown}[value[int](t, b, `document.querySelector(".row.cursor").getAttribute("aria-rowindex") - 1`) > w.row])
	}
	b.press(t, " ")
	b.until(t, fmt.Sprintf(`new URLSearchParams(location.hash.slice(1)).get("at") === "2,%d" && location.hash.includes("panel=details")`, w.at))
	b.rests(t)
	w.reads()
	share := float64(w.at-w.from) / float64(w.to-w.from)
	b.press(t, "+", "+")
	b.until(t, fmt.Sprintf("%s < %d", window, (w.to-w.from)*55/100))
	b.rests(t)
	w.view()
	if now := float64(w.at-w.from) / float64(w.to-w.from); math.Abs(now-share) > 1e-3 {
		t.Errorf("the cell is at %.4f of the view, before the zoom at %.4f", now, share)
	}
	before := w.from
	for w.at < w.to {
		b.press(t, kb.ArrowRight)
		w.at += w.cell()
	}
	b.until(t, fmt.Sprintf(`Number(new URLSearchParams(location.hash.slice(1)).get("from")) > %d`, before))
	b.rests(t)
	if w.view(); w.at >= w.to {
		t.Errorf("the cell at %d is not in the view from %d to %d", w.at, w.from, w.to)
	}
	w.reads()
	b.sound(t)
}

// cell returns the length of a cell.
func (w *cellWalk) cell() int64 { return int64(math.Floor(float64(w.to-w.from)/40 + 0.5)) }

// view takes the view from the address.
func (w *cellWalk) view() {
	v := value[[]int64](w.T, w.b, `((q) => [Number(q.get("from")), Number(q.get("to"))])(new URLSearchParams(location.hash.slice(1)))`)
	w.from, w.to = v[0], v[1]
}

// reads compares what the page says of the cell with the engine, and returns it.
func (w *cellWalk) reads() string {
	w.Helper()
	name := "rank " + fmt.Sprint(w.row-1)
	if w.row == 0 {
		name = value[string](w.T, w.b, `document.querySelector(".row .name").textContent`)
	}
	digits := 3 - int(math.Floor(math.Log10(float64(w.cell())/w.perSecond)))
	where := fmt.Sprintf("%s at %.*f s: ", name, digits, float64(w.at)/w.perSecond)
	w.b.until(w.T, fmt.Sprintf(`document.getElementById("cell").textContent.startsWith(%q)`, where))
	said := strings.TrimPrefix(value[string](w.T, w.b, `document.getElementById("cell").textContent`), where)
	if w.row == 0 {
		w.group(said)
	} else {
		w.call(said)
	}
	return said
}

// call compares with the stack of the row's location.
func (w *cellWalk) call(said string) {
	w.Helper()
	stack, err := w.r.CallStack(w.ids[w.row-1], w.r.Info().First+w.at)
	if err != nil {
		w.Fatal(err)
	}
	if len(stack) == 0 {
		if said != "no call" {
			w.Errorf("row %d at %d: %q, but no call is open", w.row, w.at, said)
		}
		return
	}
	call, in := stack[len(stack)-1], ""
	if len(stack) > 1 {
		in = " in " + w.d.RegionName(stack[len(stack)-2].Region)
	}
	m := regexp.MustCompile("^" + regexp.QuoteMeta(w.d.RegionName(call.Region)+in) + ", (.*)$").FindStringSubmatch(said)
	if m == nil || !written('t', m[1], float64(call.Duration()), w.perSecond) {
		w.Errorf("row %d at %d: %q, want %s%s, %d ticks", w.row, w.at, said, w.d.RegionName(call.Region), in, call.Duration())
	}
}

// group compares with the sums of all locations over the cell.
func (w *cellWalk) group(said string) {
	w.Helper()
	first := w.r.Info().First
	sums, err := w.r.Window(first+w.at, first+min(w.to, w.at+w.cell())).CallSums()
	if err != nil {
		w.Fatal(err)
	}
	all := 0.0
	for _, s := range sums {
		all += s.Exclusive.Float()
	}
	if len(sums) == 0 {
		w.Fatalf("the cell at %d has no call", w.at)
	}
	most := slices.MaxFunc(sums, func(a, b trace.CallTotals) int { return a.Exclusive.Cmp(b.Exclusive) })
	share, ok := strings.CutPrefix(said, w.d.RegionName(most.Region)+" ")
	if !ok || !written('%', share, most.Exclusive.Float()/all, 1) {
		w.Errorf("the group at %d: %q, want %s with %v of %v", w.at, said, w.d.RegionName(most.Region), most.Exclusive, all)
	}
}
