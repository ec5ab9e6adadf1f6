package store_test

import (
	"fmt"
	"math"
	"math/big"

	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// windowSummary compares the sums of a window, all at once or part by part.
func (c *checker) windowSummary(w model.Window) {
	c.Helper()
	w.Kinds, w.MinDuration = nil, 0 // which summaries know nothing of
	want := c.model.Summary(&w, c.calls, c.matching.Messages)
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

func (c *checker) summary(w model.Window, parts ...store.SummaryPart) *store.Summary {
	c.Helper()
	s, err := c.ask(w).Summary(parts...)
	if err != nil {
		c.Fatal(err)
	}
	return s
}

// sameSummary compares sums of any size: by their digits.
func (c *checker) sameSummary(want *model.Summary, got *store.Summary) {
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
