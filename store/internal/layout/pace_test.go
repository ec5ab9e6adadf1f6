package layout

import (
	"testing"

	"github.com/pandotrace/pando/trace"
)

// The pace goes to as many events as have the bytes of a slice, by steps, and stays within its bounds.
func TestPace(t *testing.T) {
	us := &trace.Meta{Resolution: 1e9, Loss: &trace.Loss{Bounds: []trace.Bound{trace.TimeBound(1000)}}}
	if p := NewPace(&trace.Meta{Resolution: 1e9}, &Options{}); p != 0 || p.Budget(&Options{}, 1) != defaultSliceEvents {
		t.Errorf("%d events for a trace that lost nothing", p)
	}
	if p := NewPace(us, &Options{SliceEvents: 100}); p.Budget(&Options{SliceEvents: 100}, 5) != 100 {
		t.Errorf("%d events where the options say how many", p)
	}
	p := NewPace(us, &Options{})
	if p.Budget(&Options{}, 3) != 6*firstPace {
		t.Errorf("%d events at first", p)
	}
	wanted := PacedBytes(8)
	for _, c := range []struct{ events, bytes, want int }{
		{100_000, 10_000, 100_000 * wanted / 10_000},
		{100_000, 50_000, max(100_000*wanted/10_000/stepsOfPace, leastPace)},
		{100_000, 100_000, leastPace},
		{100_000, 5_000, leastPace * stepsOfPace},
		{100_000, 100, mostPace},
		{0, 0, mostPace},
	} {
		if p.Learn(c.events, c.bytes, wanted); int(p) != c.want {
			t.Errorf("%d events after %d with %d bytes, want %d", p, c.events, c.bytes, c.want)
		}
	}
}
