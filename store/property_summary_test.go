package store_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// A thousand locations in many lanes: windows that begin and end at the borders of slices and beside them, empty ones, ones
// before and behind the trace; of all locations and of a few.
func TestSummaryOfManyLocations(t *testing.T) {
	t.Parallel()
	k := tracegen.Knobs{
		Processes: 1000, Threads: 1, Length: 12, Regions: 8, Messages: 4000, Talk: 0.6, Step: 1000, Lattice: 1, SameTime: 0.05,
		Recursion: 4, Repeat: 3, Any: 0.2, Mismatch: 0.02,
	}
	s := newSubject(t, func() trace.Source { return tracegen.Random(1, k) })
	if len(s.model.Locations) < 1000 || len(s.calls) < 2000 || len(s.matching.Messages) < 400 {
		t.Fatalf("%d locations, %d calls, %d messages", len(s.model.Locations), len(s.calls), len(s.matching.Messages))
	}
	for _, opt := range []store.Options{{SliceEvents: 500, Fanout: 3}, {SliceEvents: 2000, Fanout: 16, LaneLocations: 1000}} {
		c := newChecker(t, s, write(t, s.open(), opt), opt)
		for _, w := range c.borderWindows() {
			if c.rand.IntN(3) > 0 {
				w.Locations = c.someLocations()
			}
			c.windowSummary(w)
		}
		for _, w := range c.innerWindows() {
			if c.rand.IntN(3) == 0 {
				w.Locations = c.someLocations()
			}
			c.windowSummary(w)
		}
	}
}

// innerWindows returns windows that begin and end in the same slice, at times of events or between them.
func (c *checker) innerWindows() (all []model.Window) {
	c.Helper()
	borders, err := c.reader.Borders()
	if err != nil || len(borders) < 10 {
		c.Fatal(len(borders), err)
	}
	for len(all) < 24 {
		i := c.rand.IntN(len(borders) - 1)
		length := borders[i+1] - borders[i]
		if length == 0 {
			continue
		}
		from, to := borders[i]+c.rand.Int64N(length), borders[i]+c.rand.Int64N(length+1)
		if n := c.rand.IntN(4); n < len(c.calls) && n > 0 { // a call begins or ends with the window
			call := c.calls[c.rand.IntN(len(c.calls))]
			from, to = call.Start, call.End
		}
		all = append(all, model.Window{From: min(from, to), To: max(from, to)})
	}
	return all
}

// borderWindows returns windows that begin and end at borders of slices, or a tick beside them.
func (c *checker) borderWindows() (all []model.Window) {
	c.Helper()
	borders, err := c.reader.Borders()
	if err != nil || len(borders) < 10 {
		c.Fatal(len(borders), err)
	}
	first, last, _ := c.model.Span()
	for _, w := range [][2]int64{
		{first, last + 1}, {first, first}, {last, last}, {last, last + 1}, {first - 10, first}, {first - 10, first + 1}, {last + 1, last + 10},
		{math.MinInt64, math.MaxInt64}, {math.MinInt64, first}, {last + 1, math.MaxInt64},
	} {
		all = append(all, model.Window{From: w[0], To: w[1]})
	}
	for range 16 {
		w := model.Window{From: borders[c.rand.IntN(len(borders))] + c.rand.Int64N(3) - 1, To: borders[c.rand.IntN(len(borders))] + c.rand.Int64N(3) - 1}
		if c.rand.IntN(5) == 0 {
			w.To = w.From
		}
		all = append(all, model.Window{From: min(w.From, w.To), To: max(w.From, w.To)})
	}
	return all
}

// someLocations returns one location or up to half of them.
func (c *checker) someLocations() []uint64 {
	all := c.everyLocation()
	c.rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:1+c.rand.IntN(1+c.rand.IntN(len(all)/2))]
}

// callSums compares the sums over all locations of a window with what the model has of each.
func (c *checker) callSums(w model.Window, each []model.CallTotals) {
	c.Helper()
	want := map[uint64]model.CallTotals{}
	for _, t := range each {
		s, ok := want[t.Region]
		if !ok {
			s = model.CallTotals{Location: trace.Undefined, Region: t.Region, Inclusive: new(big.Int), Exclusive: new(big.Int), Busy: new(big.Int)}
		}
		s.Count += t.Count
		s.Inclusive.Add(s.Inclusive, t.Inclusive)
		s.Exclusive.Add(s.Exclusive, t.Exclusive)
		s.Busy.Add(s.Busy, t.Busy)
		want[t.Region] = s
	}
	got, err := c.ask(w).CallSums()
	if err != nil {
		c.Fatal(err)
	}
	for i, s := range got {
		t, ok := want[s.Region]
		if !ok || i > 0 && got[i-1].Region >= s.Region || s.Location != trace.Undefined || s.Count != t.Count ||
			s.Inclusive != wordsOf(t.Inclusive) || s.Exclusive != wordsOf(t.Exclusive) || s.Busy != wordsOf(t.Busy) {
			c.Errorf("sums of calls of all locations: %+v, want %+v", s, t)
		}
	}
	if len(got) != len(want) {
		c.Errorf("%d regions have calls, want %d", len(got), len(want))
	}
}

// windowSummary compares the sums of a window, all at once or part by part.
func (c *checker) windowSummary(w model.Window) {
	c.Helper()
	w.Kinds, w.MinDuration = nil, 0 // which summaries know nothing of
	want := c.model.Summary(&w, c.calls, c.matching.Messages)
	c.callSums(w, want.Calls)
	parts := []store.SummaryPart{store.SummaryCalls, store.SummaryMessages, store.SummaryCollectives, store.SummaryMetrics}
	if c.rand.IntN(2) == 0 {
		c.sameSummary(want, c.summary(w))
		return
	}
	for _, p := range parts {
		some := model.Summary{}
		switch p {
		case store.SummaryCalls:
			some.Calls = want.Calls
		case store.SummaryMessages:
			some.Messages = want.Messages
		case store.SummaryCollectives:
			some.Collectives = want.Collectives
		case store.SummaryMetrics:
			some.Metrics = want.Metrics
		}
		c.sameSummary(&some, c.summary(w, p))
	}
}

// windowMetricPixels compares a counter of a window, pixel by pixel, with sums of the model over each pixel.
func (c *checker) windowMetricPixels(w model.Window) {
	c.Helper()
	w.Kinds, w.MinDuration = nil, 0
	counters := c.model.Summary(&w, nil, nil).Metrics
	if len(counters) == 0 {
		return
	}
	of, pixels := counters[c.rand.IntN(len(counters))], 1+c.rand.IntN(24)
	got, err := c.ask(w).MetricPixels(pixels, of.Metric, of.Member)
	if err != nil {
		c.Fatal(err)
	}
	found := map[string]trace.MetricPixel{}
	for _, line := range got {
		for p, is := range line.Pixels {
			if is.Known {
				found[fmt.Sprint(line.Location, line.Type, p)] = is
			}
		}
	}
	raster := trace.Raster{From: w.From, Length: uint64(w.To - w.From), Pixels: pixels}
	for p := range pixels {
		pixel := w
		if pixel.From, pixel.To = raster.Border(p), raster.Border(p+1); pixel.From == pixel.To {
			continue
		}
		for _, m := range c.model.Summary(&pixel, nil, nil).Metrics {
			if m.Metric != of.Metric || m.Member != of.Member {
				continue
			}
			key, want := fmt.Sprint(m.Location, m.Type, p), trace.MetricPixel{Known: true, Count: m.Count, Min: m.Last, Max: m.Last, Last: m.Last}
			if m.Count > 0 {
				want.Min, want.Max = m.Min, m.Max
			}
			if found[key] != want {
				c.Errorf("location, type and pixel %s of %d: %+v, want %+v", key, pixels, found[key], want)
			}
			delete(found, key)
		}
	}
	for key := range found {
		c.Errorf("location, type and pixel %s of %d: %+v, where nothing is known", key, pixels, found[key])
	}
}

func (c *checker) summary(w model.Window, parts ...store.SummaryPart) *trace.Summary {
	c.Helper()
	s, err := c.ask(w).Summary(parts...)
	if err != nil {
		c.Fatal(err)
	}
	return s
}

// sameSummary compares sums of any size: by their digits.
func (c *checker) sameSummary(want *model.Summary, got *trace.Summary) {
	c.Helper()
	same(c.T, "sums of calls",
		texts(want.Calls, func(t *model.CallTotals) string {
			return fmt.Sprint(t.Location, " ", t.Region, ": ", t.Count, " ", t.Inclusive, " ", t.Exclusive, " ", t.Busy)
		}),
		texts(got.Calls, func(t *trace.CallTotals) string {
			return fmt.Sprint(t.Location, " ", t.Region, ": ", t.Count, " ", t.Inclusive, " ", t.Exclusive, " ", t.Busy)
		}), equals)
	if !c.unorderedInstants || !c.anyContinued() {
		same(c.T, "sums of messages",
			texts(want.Messages, func(t *model.MessageTotals) string {
				return fmt.Sprint(t.SendLocation, " ", t.ReceiveLocation, ": ", t.Count, " ", t.Bytes)
			}),
			texts(got.Messages, func(t *trace.MessageTotals) string {
				return fmt.Sprint(t.SendLocation, " ", t.ReceiveLocation, ": ", t.Count, " ", t.Bytes)
			}), equals)
	}
	same(c.T, "sums of collective operations",
		texts(want.Collectives, func(t *model.CollectiveTotals) string {
			return fmt.Sprint(t.Location, " ", t.Operation, " ", t.Communicator, ": ", t.Count, " ", t.Sent, " ", t.Received)
		}),
		texts(got.Collectives, func(t *trace.CollectiveTotals) string {
			return fmt.Sprint(t.Location, " ", t.Operation, " ", t.Communicator, ": ", t.Count, " ", t.Sent, " ", t.Received)
		}), equals)
	wanted, integrals := make([]trace.MetricTotals, len(want.Metrics)), make([]string, len(want.Metrics))
	for i, m := range want.Metrics {
		wanted[i] = trace.MetricTotals{Location: m.Location, Metric: m.Metric, Member: m.Member, Type: m.Type,
			Count: m.Count, Min: m.Min, Max: m.Max, Last: m.Last, Integral: wordsOf(m.Integral), FloatIntegral: m.FloatIntegral}
		integrals[i] = m.Integral.String()
		if i < len(got.Metrics) && got.Metrics[i].Integral.String() != integrals[i] {
			c.Errorf("%+v: integral %s, want %s", m, got.Metrics[i].Integral, integrals[i])
		}
	}
	same(c.T, "sums of metrics", wanted, got.Metrics, equalMetrics(want.Metrics))
}

func texts[T any](list []T, text func(*T) string) (all []string) {
	for i := range list {
		all = append(all, text(&list[i]))
	}
	return all
}

// wordsOf makes a sum of an integer that fits.
func wordsOf(v *big.Int) trace.Sum {
	hi, lo := new(big.Int).DivMod(v, new(big.Int).Lsh(big.NewInt(1), 64), new(big.Int))
	return trace.Sum{Hi: hi.Int64(), Lo: lo.Uint64()}
}

// equalMetrics compares two lines; integrals of floats may differ by what rounding the parts in another order does.
func equalMetrics(want []model.MetricTotals) func(a, b *trace.MetricTotals) bool {
	line := -1
	return func(a, b *trace.MetricTotals) bool {
		line++
		size := want[line].FloatSize
		x, y := *a, *b
		x.FloatIntegral, y.FloatIntegral = 0, 0
		if x != y {
			return false
		}
		if size > math.MaxFloat64/4 || math.IsNaN(size) { // or sums overflow in one order only
			return true
		}
		return math.Abs(a.FloatIntegral-b.FloatIntegral) <= 1e-9*size
	}
}
