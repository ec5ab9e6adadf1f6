package contrast_test

import (
	"strings"
	"testing"

	"github.com/pandotrace/pando/analysis/align"
	"github.com/pandotrace/pando/analysis/contrast"
	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// naiveCounter adds up by region how much a counter grows while a call of it is the innermost one.
func (s *subject) naiveCounter(name string) map[string]int64 {
	sums := map[string]int64{}
	d := s.model.Definitions
	for _, l := range s.model.Locations {
		var stack []uint64
		var last, value int64
		known := false
		for _, e := range l.Events {
			switch e.Kind {
			case trace.KindMetric:
				for k, member := range d.MetricMembers(e.Words[0]) {
					if d.Name(trace.SpaceMetricMember, member) == name {
						if value = int64(e.Words[3+2*k]); !known {
							known, last = true, value
						}
					}
				}
			case trace.KindEnter, trace.KindLeave:
				if len(stack) > 0 {
					sums[s.model.RegionName(stack[len(stack)-1])] += value - last
				}
				if last = value; e.Kind == trace.KindEnter {
					stack = append(stack, e.Words[0])
				} else {
					stack = stack[:len(stack)-1]
				}
			}
		}
	}
	return sums
}

// Counters are added up as a naive pass does, and the law of ticks holds of them.
func TestCounters(t *testing.T) {
	src, err := otf2.Open(tracetest.Anchor(t, "otf2.ep.S.4.metric"), otf2.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	a := newSubject(t, "a", src, store.Options{SliceEvents: 500})
	c, err := contrast.Compare(t.Context(), a.Side, a.Side, contrast.Options{Level: align.Tree})
	if err != nil {
		t.Fatal(err)
	}
	names := c.CounterNames()
	if len(names) < 2 {
		t.Fatalf("counters %v", names)
	}
	half := a.Side
	half.Window = a.Reader.Window(a.Reader.Info().First, a.Reader.Info().Last/2)
	for i, b := range []contrast.Side{a.Side, half, a.Side, half} {
		c, err := contrast.Compare(t.Context(), a.Side, b, contrast.Options{Level: align.Tree, Counters: names, Messages: i > 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range c.Counters {
			want, got := a.naiveCounter(n.Name), map[string]int64{}
			for i := 1; i < len(n.Paths); i++ {
				p := &n.Paths[i]
				got[c.Forest.NameOf(p.Name)] += p.Ticks[0]
				if p.Ticks[1]-p.Ticks[0] != p.Plus-p.Minus+p.LoneTicks[1]-p.LoneTicks[0] || b.Window == a.Window && p.Net() != 0 {
					t.Errorf("%s: %+v", n.Name, p.Tally)
				}
			}
			for region := range want {
				if got[region] != want[region] {
					t.Errorf("%s in %s: %d, not %d", n.Name, region, got[region], want[region])
				}
			}
		}
	}
	if _, err := contrast.Compare(t.Context(), a.Side, a.Side, contrast.Options{Counters: []string{"none"}}); err == nil || !strings.Contains(err.Error(), names[0]) {
		t.Errorf("a counter that is not there: %v", err)
	}
}
