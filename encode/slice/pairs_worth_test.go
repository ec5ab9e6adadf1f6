package slice

import (
	"math/rand/v2"
	"testing"

	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/trace"
)

// readAround draws a metric that is read behind each of many events of two kinds; next draws a reading from the one before and the event.
func readAround(t *testing.T, next func(r *rand.Rand, before uint64, event int) uint64) (*cutter, *sliced) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 7))
	c := &cutter{dictionary: shape.NewDictionary(trace.Standard), kinds: trace.Standard}
	var b trace.Batch
	sum, before := uint64(0), uint64(0)
	for i := range 6000 {
		event := r.IntN(2)
		b.Append(trace.KindEnter, int64(20*i), uint64(event))
		before = next(r, before, event)
		sum += before
		b.Append(trace.KindMetric, int64(20*i+5), metricWords(1, []uint64{sum})...)
	}
	return c, c.cut(t, 0, []*trace.Batch{&b}, []int{0}, []int{b.Len()})
}

// Readings whose growth depends on the growth before stand in one context; those that depend on the event before, in those of pairs.
func TestReadingsAreAloneWhereThatPays(t *testing.T) {
	for name, test := range map[string]struct {
		next  func(r *rand.Rand, before uint64, event int) uint64
		alone bool
	}{
		"by the one before": {func(r *rand.Rand, before uint64, _ int) uint64 { return 1 + (before*7+r.Uint64N(2))%40 }, true},
		"by the event":      {func(r *rand.Rand, _ uint64, event int) uint64 { return uint64(1+90*event) + r.Uint64N(3) }, false},
	} {
		c, s := readAround(t, test.next)
		d := c.dictionary
		d.Prepare()
		s.draft.Count(d.Info())
		group := []*Draft{&s.draft}
		choosePredictions(group, d.Columns(), d.ColumnInfos())
		pairs := fitPairs(group, d.Columns())
		paired := func(pairs []Pair) (n int) {
			for _, p := range pairs {
				if i := d.ColumnInfos()[p.Column]; i.Kind == trace.KindMetric && i.Field >= 0 {
					n++
				}
			}
			return n
		}
		all := paired(pairs)
		kept := paired(worthPairs(group, d.Columns(), pairs, d.ColumnInfos()))
		if all != 2 || (kept == 0) != test.alone {
			t.Errorf("%s: %d of %d pairs are kept", name, kept, all)
		}
	}
}
