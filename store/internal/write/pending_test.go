package write

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/trace"
)

// queued is what a queue should hold.
type queued struct {
	pending pending
	times   []int64
	time    int64
}

// events returns a batch of some events, later than those before. Each has a word, and maybe a residual, that tell its time.
func (q *queued) events(r *rand.Rand) *trace.Batch {
	b := &trace.Batch{}
	for range 1 + r.IntN(20) {
		q.time += r.Int64N(3)
		b.Append(trace.KindEnter, q.time, uint64(q.time))
		if r.IntN(8) == 0 {
			b.SetResidual(q.time)
		}
		q.times = append(q.times, q.time)
	}
	return b
}

// check compares stretches with the times that they should have.
func (q *queued) check(t *testing.T, list []stretch, times []int64) {
	t.Helper()
	for _, s := range list {
		if s.len() < 1 || s.first != times[0] || s.last != times[s.len()-1] || !slices.Equal(s.times(), times[:s.len()]) {
			t.Fatalf("a stretch %v, want %v", s, times[:min(s.len(), len(times))])
		}
		for i := int(s.from); i < int(s.to); i++ {
			if w := s.batch.Fields(i); len(w) != 1 || w[0] != uint64(s.batch.Times[i]) {
				t.Fatalf("words %v of an event at %d", w, s.batch.Times[i])
			}
			if r := s.batch.Residual(i); r != 0 && r != s.batch.Times[i] {
				t.Fatalf("a residual of %d of an event at %d", r, s.batch.Times[i])
			}
		}
		times = times[s.len():]
	}
	if len(times) > 0 {
		t.Fatalf("events at %v are missing", times)
	}
}

// Events are given away in the order in which they came, whatever the batches; the search finds the times at which they are.
func TestPending(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		free := &batches{size: 1 + r.IntN(30)}
		free.free.Limit(1 + r.IntN(4))
		all := make([]*queued, 1+r.IntN(4))
		for i := range all {
			all[i] = &queued{}
		}
		for range 40 {
			q := all[r.IntN(len(all))]
			switch b := q.events(r); r.IntN(2) {
			case 0:
				q.pending.copy(b, free, trace.Standard)
			default:
				q.pending.adopt(b)
			}
			q.check(t, q.pending.stretches, q.times)
			if at := q.times[0] + r.Int64N(q.time-q.times[0]+2); q.pending.before(at) != layout.LowerBound(q.times, at) {
				t.Fatalf("%d events before %d, want %d", q.pending.before(at), at, layout.LowerBound(q.times, at))
			}
			checkSearch(t, r, all)
			if r.IntN(3) == 0 {
				n := r.IntN(len(q.times) + 1)
				l, g := &Location{Pending: q.pending}, given{}
				g.add(l, n)
				q.pending = l.Pending
				q.check(t, g.stretches, q.times[:n])
				q.times = q.times[n:]
				q.check(t, q.pending.stretches, q.times)
				if g.events != n || q.pending.Events != len(q.times) {
					t.Fatalf("%d events given, %d left, want %d and %d", g.events, q.pending.Events, n, len(q.times))
				}
				g.drop(free)
			}
			if len(q.times) == 0 {
				q.pending.copy(q.events(r), free, trace.Standard)
			}
		}
	}
}

// checkSearch looks for an event of all pending ones up to a time, which some have.
func checkSearch(t *testing.T, r *rand.Rand, all []*queued) {
	t.Helper()
	var locations []*Location
	var times []int64
	for _, q := range all {
		locations = append(locations, &Location{Pending: q.pending})
		times = append(times, q.times...)
	}
	slices.Sort(times)
	last := times[r.IntN(len(times))]
	n, found := 1+r.IntN(layout.LowerBound(times, last+1)), cutSearch{}
	found.begin(locations)
	at := found.timeOf(n, last)
	before, in := found.sums()
	if found.first != times[0] || at != times[n-1] || before != layout.LowerBound(times, at) || before+in != layout.LowerBound(times, at+1) {
		t.Fatalf("event %d of %v up to %d: at %d, %d before it and %d with it", n, times, last, at, before, in)
	}
	for i, q := range all {
		if found.before[i] != layout.LowerBound(q.times, at) {
			t.Fatalf("%d events of a location before %d, want %d", found.before[i], at, layout.LowerBound(q.times, at))
		}
	}
}
