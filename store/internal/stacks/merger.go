package stacks

import (
	"cmp"
	"math"
	"slices"

	"github.com/pandotrace/pando/store/internal/pairing"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/trace"
)

// Filter says which calls a window has: those that overlap [From, To), in ticks, last Shortest ticks or longer, and are of some locations, by index, and
// regions; nil for all.
type Filter struct {
	From, To, Shortest int64
	Locations          map[uint32]bool
	Regions            map[uint64]bool
}

// HasLocation reports whether a location is one of the filter.
func (f *Filter) HasLocation(location uint32) bool {
	return f.Locations == nil || f.Locations[location]
}

// Has reports whether a call passes the filter, if its location does.
func (f *Filter) Has(c *trace.Call) bool {
	return c.Overlaps(f.From, f.To) && c.Duration() >= f.Shortest && (f.Regions == nil || f.Regions[c.Region])
}

// Merger chooses calls, and puts them in order. Those of one location are in order already. It is ready for use, and keeps its memory.
type Merger struct {
	Calls  Calls // of all locations and times
	merge  read.Merge
	chosen []uint32 // by number
	times  []int64  // of those
	order  []uint32
}

// Merge makes a batch the calls that pass a filter, some columns of them, in order of start, or location by location. The calls are gone then. Where all pass,
// and stand in order, they are handed over as they are.
func (m *Merger) Merge(to *trace.CallBatch, f *Filter, byLocation bool, columns trace.CallColumns) {
	// What was open already stands before what begins on the same location: the sort is stable.
	location := func(a, b Run) int { return cmp.Compare(a.Location, b.Location) }
	inOrder := slices.IsSortedFunc(m.Calls.Runs, location)
	if !inOrder {
		slices.SortStableFunc(m.Calls.Runs, location)
	}
	all := inOrder && m.hasAll(f)
	if all && byLocation {
		*to, m.Calls.CallBatch = m.Calls.CallBatch, *to
		to.Keep(columns)
		return
	}
	var order []uint32 // all
	if !all {
		order = m.choose(f)
	}
	if !byLocation {
		order = m.sorted(order)
	}
	to.Take(&m.Calls.CallBatch, order, columns)
}

// hasAll reports whether all calls pass the filter.
func (m *Merger) hasAll(f *Filter) bool {
	for _, run := range m.Calls.Runs {
		asked, to := m.asked(f, run)
		if !f.HasLocation(run.Location) || to < run.To {
			return false
		}
		for i := run.From; i < asked; i++ {
			if !m.has(f, i) {
				return false
			}
		}
	}
	return true
}

func (m *Merger) has(f *Filter, i int) bool {
	b := &m.Calls.CallBatch
	call := trace.Call{Start: b.Starts[i], End: b.Ends[i], Flags: b.Flags[i], Region: b.Regions[i]}
	return f.Has(&call)
}

// asked returns up to where calls of a run must be asked whether they pass, and up to where the others do.
func (m *Merger) asked(f *Filter, run Run) (asked, to int) {
	starts := m.Calls.Starts[run.From:run.To]
	before := func(t int64) int {
		if n := len(starts); starts[0] >= t || starts[n-1] < t { // mostly: a search touches many for nothing
			return run.From + n*pairing.B2i(starts[0] < t)
		}
		n, _ := slices.BinarySearch(starts, t)
		return run.From + n
	}
	to = before(f.To)
	if f.Regions == nil && f.Shortest == math.MinInt64 {
		return min(to, before(f.From)), to
	}
	return to, to
}

// choose returns the calls that pass the filter, run by run.
func (m *Merger) choose(f *Filter) []uint32 {
	m.chosen = slices.Grow(m.chosen[:0], m.Calls.Len()+1)
	for _, run := range m.Calls.Runs {
		if !f.HasLocation(run.Location) {
			continue
		}
		asked, to := m.asked(f, run)
		for i := run.From; i < to; i++ {
			if i >= asked || m.has(f, i) {
				m.chosen = append(m.chosen, uint32(i))
			}
		}
	}
	return m.chosen
}

// sorted returns the numbers of some calls in order of start, and those that start together as they are given; of all calls if some is nil. They are good
// until the next time.
func (m *Merger) sorted(some []uint32) []uint32 {
	starts := m.Calls.Starts
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	for _, run := range m.Calls.Runs { // the calls of a location are in order of start
		first, last = min(first, starts[run.From]), max(last, starts[run.To-1])
	}
	times := starts
	if some != nil {
		m.times = m.times[:0]
		for _, row := range some {
			m.times = append(m.times, starts[row])
		}
		times = m.times
	}
	m.order = slices.Grow(m.order[:0], len(times))[:len(times)]
	for i, key := range m.merge.Sorted(times, first, last) {
		m.order[i] = uint32(m.merge.Number(key))
	}
	for i := range some {
		m.order[i] = some[m.order[i]]
	}
	return m.order
}
