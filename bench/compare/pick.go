package main

import (
	"math"
	"math/rand/v2"

	"github.com/pandotrace/pando/store"
)

// window is the interval [from, to), in ticks relative to the epoch.
type window struct{ from, to int64 }

// picker picks windows at random, the same ones in each run.
type picker struct {
	*rand.Rand
	reader     *store.Reader
	first, end int64   // of the trace
	starts     []int64 // when every stride-th call begins
}

// stride is after how many calls windows may begin and end; minCalls are needed to pick windows from.
const (
	stride   = 100
	minCalls = 2*stride + 1
)

// newPicker goes through all calls.
func newPicker(r *store.Reader) (*picker, error) {
	info := r.Info()
	p := &picker{Rand: rand.New(rand.NewPCG(1, 2)), reader: r, first: info.First, end: info.Last + 1}
	n := 0
	for c, err := range r.All().Calls() {
		if err != nil {
			return nil, err
		}
		if n%stride == 0 {
			p.starts = append(p.starts, c.Start)
		}
		n++
	}
	return p, nil
}

// ofCalls returns windows in which about n calls begin, and that lie between two shares of the calls. Positions among
// the calls are drawn, not times: programs wait for long, and most windows of equal length would be nearly empty.
func (p *picker) ofCalls(n int, calls, from, to float64) ([]window, error) {
	last := float64(len(p.starts) - 1)
	low := int(from * last)
	part := max(1, int(to*last)-low)
	steps := min(max(1, int(calls)/stride), part)
	return p.pick(n, func() window {
		at := low + p.IntN(part-steps+1)
		return window{p.starts[at], p.starts[at+steps]}
	})
}

// ofTime returns windows of that share of the trace's time.
func (p *picker) ofTime(n int, share float64) ([]window, error) {
	span := p.end - p.first
	length := min(max(1, int64(math.Round(share*float64(span)))), span)
	return p.pick(n, func() window {
		from := p.first + p.Int64N(span-length+1)
		return window{from, from + length}
	})
}

func (p *picker) pick(n int, draw func() window) (all []window, err error) {
	for len(all) < n {
		w := draw()
		if w.from, err = p.clear(w.from); err != nil {
			return nil, err
		}
		w.to = max(w.to, w.from+1)
		all = append(all, w)
	}
	return all, nil
}

// clear returns the next time at which no call without length begins. At the begin of a window such a call belongs to it,
// but not for the condition that DuckDB is given.
func (p *picker) clear(t int64) (int64, error) {
	for {
		found := false
		for c, err := range p.reader.Window(t, t+1).Calls() {
			if err != nil {
				return t, err
			}
			found = found || c.End == t
		}
		if !found {
			return t, nil
		}
		t++
	}
}
