package store

import (
	"cmp"
	"errors"
	"math"
	"runtime"
	"slices"
	"sort"

	"golang.org/x/sync/errgroup"

	"github.com/pandotrace/pando/encode"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// What is put in order at once is bounded, whatever a slice has: of a large one, spans of its merged order are taken one after the
// other. Its lanes are decoded for each of them, unless the cache has room for them all.

// span is a slice, or what stands in it from one mark up to another.
type span struct {
	slice    uint64
	first    bool // of a window: what goes on when it begins belongs to it
	part     bool // of a slice that is divided
	from, to mark
	pairs    *slicePairs // of the slice, if it is divided for its messages
}

// mark is a place in the merged order of a slice: before what is of a time, a location, and an event of it, or behind that.
type mark struct {
	time     int64
	location uint32 // its index
	ordinal  uint64
}

var (
	beginMark = mark{time: math.MinInt64}
	endMark   = mark{time: math.MaxInt64}
)

// whole returns the span of all that a slice has.
func whole(slice uint64, first bool) span {
	return span{slice: slice, first: first, from: beginMark, to: endMark}
}

func (m mark) compare(o mark) int {
	return cmp.Or(cmp.Compare(m.time, o.time), cmp.Compare(m.location, o.location), cmp.Compare(m.ordinal, o.ordinal))
}

// has reports whether what stands at a place lies in the span.
func (s *span) has(m mark) bool { return s.from.compare(m) <= 0 && m.compare(s.to) < 0 }

// cut returns which of the events of a location, of which the first ordinal and the times are known, lie in the span.
func (s *span) cut(times []int64, location uint32, first uint64) (from, to int) {
	return s.from.in(times, location, first), s.to.in(times, location, first)
}

func (m mark) in(times []int64, location uint32, first uint64) int {
	return sort.Search(len(times), func(i int) bool { return m.compare(mark{times[i], location, first + uint64(i)}) <= 0 })
}

// begun returns those of the calls of a location, which are in order, that begin in the span.
func (s *span) begun(calls []trace.Call, location uint32) []trace.Call {
	at := func(m mark) int {
		return sort.Search(len(calls), func(i int) bool { return m.compare(mark{calls[i].Start, location, calls[i].Ordinal}) <= 0 })
	}
	return calls[at(s.from):at(s.to)]
}

// errTooMuch says that a slice has more than can be put in order at once.
var errTooMuch = errors.New("too much at once")

// atOnce is the most calls and messages, and words and times of events, that are put in order at once, the most channels whose ends
// are paired at once, and the most events of slices that are worked on beside others.
type atOnce struct{ calls, messages, words, channels, events int }

// atOnceOf returns it for a reader with some limits, of a file whose blocks may take so much memory: to decode lanes for each span again
// is for files that say too much for their size.
func atOnceOf(l format.Limits, room int64) atOnce {
	const callRoom, messageRoom, wordRoom, eventRoom = 400, 400, 32, 128 // bytes: calls are copied once, and two slices are worked on
	return atOnce{
		calls: max(l.LaneEvents/4, int(room/callRoom)), messages: max(l.LaneEvents/4, int(room/messageRoom)),
		words: max(l.LaneValues/2, int(room/wordRoom)), channels: l.LaneEvents / 4, events: max(l.LaneEvents/2, int(room/eventRoom)),
	}
}

// large reports whether a span is one of those that are worked on alone: of a divided slice, or of one of many events.
func (r *Reader) large(s *span) bool {
	slice, err := r.slice(s.slice)
	return s.part || err == nil && slice.Events > uint64(r.atOnce.events)
}

// workers returns how many lanes of a slice are worked on at once.
func (r *Reader) workers(slice uint64) int {
	if s := whole(slice, false); r.large(&s) {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// marker chooses marks such that not too much lies between those that follow each other.
type marker struct {
	every int // of the weights of a run's things, one is a mark
	marks []mark
}

// newMarker returns one for so many runs, of which at most `most` shall lie between two marks.
func newMarker(most, runs int) *marker { return &marker{every: max(1, most/(2*max(1, runs)))} }

// run notes marks of a location, of which there are n things. at returns the place of one, before the weight of the first i of them.
func (m *marker) run(n int, at func(i int) mark, before func(i int) int) {
	for next := m.every; n > 0 && next < before(n); {
		i := sort.Search(n, func(i int) bool { return before(i+1) > next })
		m.marks = append(m.marks, at(i))
		next = max(next+m.every, before(i+1))
	}
}

// chosen returns every so manieth mark.
func (m *marker) chosen(runs int) (marks []mark) {
	slices.SortFunc(m.marks, mark.compare)
	for i := runs; i < len(m.marks); i += max(1, runs) {
		marks = append(marks, m.marks[i])
	}
	return marks
}

// spans divides a slice.
func (r *Reader) spans(s span, lanes []uint32, n needs) ([]span, error) {
	lanes, err := r.busy(s.slice, lanes)
	if err != nil {
		return nil, err
	}
	var marks []mark
	for _, of := range []struct {
		is   bool
		most int
		note func(*marker, uint64, uint32) error
	}{{n.calls, r.atOnce.calls, r.markCalls}, {n.events, r.atOnce.words, r.markEvents}} {
		if of.is {
			chosen, err := r.chooseMarks(s.slice, lanes, of.most, of.note)
			if err != nil {
				return nil, err
			}
			marks = append(marks, chosen...)
		}
	}
	if n.messages != nil {
		if s.pairs, err = r.slicePairs(s.slice, n.messages); err != nil {
			return nil, err
		}
		marks = append(marks, s.pairs.marks(r.atOnce.messages)...)
	}
	slices.SortFunc(marks, mark.compare)
	return s.dividedAt(slices.Compact(marks)), nil
}

func (s span) dividedAt(marks []mark) (spans []span) {
	s.part = true
	for _, m := range marks {
		before := s
		before.to = m
		spans = append(spans, before)
		s.from, s.first = m, false
	}
	return append(spans, s)
}

// chooseMarks goes through the lanes of a slice, on all processors.
func (r *Reader) chooseMarks(slice uint64, lanes []uint32, most int, note func(*marker, uint64, uint32) error) ([]mark, error) {
	runs, err := r.runsIn(slice, lanes)
	if err != nil {
		return nil, err
	}
	var group errgroup.Group
	group.SetLimit(r.workers(slice))
	of := make([]*marker, len(lanes))
	for i, lane := range lanes {
		of[i] = newMarker(most, runs)
		group.Go(func() error { return note(of[i], slice, lane) })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	all := newMarker(most, runs)
	for _, m := range of {
		all.marks = append(all.marks, m.marks...)
	}
	return all.chosen(runs), nil
}

// runsIn returns how many locations have events in a slice.
func (r *Reader) runsIn(slice uint64, lanes []uint32) (runs int, err error) {
	for _, lane := range lanes {
		t, err := r.statistics(slice/r.root.Fanout, lane)
		if err != nil {
			return 0, err
		}
		if at := slice - t.Roster.First; at < uint64(len(t.Roster.Slices)) {
			runs += len(t.Roster.Slices[at])
		}
	}
	return runs, nil
}

// markCalls notes marks among the calls of a lane.
func (r *Reader) markCalls(m *marker, slice uint64, lane uint32) error {
	calls, err := r.keptCalls(slice, lane)
	if err != nil {
		return err
	}
	for of := range byLocation(calls.begin) {
		location := r.byID[of[0].Location]
		m.run(len(of), func(i int) mark { return mark{of[i].Start, location, of[i].Ordinal} }, func(i int) int { return i })
	}
	return nil
}

// markEvents notes marks among the events of a lane.
func (r *Reader) markEvents(m *marker, slice uint64, lane uint32) error {
	e, err := r.events(slice, lane)
	if err != nil || e == nil {
		return err
	}
	return m.events(e)
}

// events notes marks among events.
func (m *marker) events(e *encode.Events) error {
	for i := range e.Runs {
		b, err := e.Batch(i)
		if err != nil {
			return err
		}
		run := &e.Runs[i]
		m.run(b.Len(), func(i int) mark { return mark{b.Times[i], run.Location, run.First + uint64(i)} }, func(i int) int { return weightBefore(b, i) })
	}
	return nil
}

// weightBefore returns how many words, attributes and times the first i events of a batch have.
func weightBefore(b *trace.Batch, i int) int {
	n := i + int(b.Starts[i])
	if len(b.AttrStarts) > 0 {
		n += int(b.AttrStarts[i])
	}
	return n
}
