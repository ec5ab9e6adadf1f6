package write

import (
	"testing"

	"github.com/pandotrace/pando/store/internal/blockio"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/trace"
)

// encodedGroup is a group of one lane with slices of some events and bytes each.
func encodedGroup(slices, events, bytes int) *job {
	l := &laneJob{}
	logs := blockio.Logs{Most: 1 << 30}
	for range slices {
		l.slices = append(l.slices, &laneSlice{events: events})
		l.blocks = append(l.blocks, logs.Keep(make([]byte, bytes)))
	}
	return &job{lanes: []*laneJob{l}}
}

// The pace goes to as many events as have the bytes of a slice, by steps, and stays within its bounds.
func TestPace(t *testing.T) {
	us := &trace.Meta{Resolution: 1e9, Loss: &trace.Loss{Bounds: []trace.Bound{trace.TimeBound(1000)}}}
	if p := newPace(&trace.Meta{Resolution: 1e9}, &layout.Options{}); p.events != 0 {
		t.Errorf("%d events for a trace that lost nothing", p.events)
	}
	if p := newPace(us, &layout.Options{SliceEvents: 100}); p.events != 0 {
		t.Errorf("%d events where the options say how many", p.events)
	}
	p := newPace(us, &layout.Options{})
	if p.events != 2*firstPace {
		t.Errorf("%d events at first", p.events)
	}
	for _, c := range []struct{ events, bytes, want int }{
		{100_000, 10_000, 100_000 * pacedBytes / 10_000},
		{100_000, 100_000, 100_000 * pacedBytes / 10_000 / stepsOfPace},
		{100_000, 100_000, leastPace},
		{100_000, 5_000, leastPace * stepsOfPace},
		{100_000, 100, mostPace},
		{0, 0, mostPace},
	} {
		p.learn(encodedGroup(3, c.events, c.bytes))
		if p.events != c.want {
			t.Errorf("%d events after slices of %d with %d bytes, want %d", p.events, c.events, c.bytes, c.want)
		}
	}
}
