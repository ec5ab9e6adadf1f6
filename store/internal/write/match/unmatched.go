package match

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/pandotrace/pando/store/internal/blockio"
	"github.com/pandotrace/pando/store/internal/pairing"
)

// unmatchedEnds sorts the ends without a partner by channel; those of one stay in the order in which they come. Of many, sorted runs go
// into a file, to be merged.
type unmatchedEnds struct {
	most  int // that are held
	held  []pairing.Unmatched
	runs  [][]blockio.Piece
	spool blockio.Spool
	err   error
}

const (
	unmatchedBytes = 112 // of an end in memory
	runPiece       = 256 // ends of a run that are read at once
)

func (u *unmatchedEnds) add(e pairing.Unmatched) {
	u.held = append(u.held, e)
	if len(u.held) >= u.most {
		u.spill()
	}
}

func (u *unmatchedEnds) sort() {
	slices.SortStableFunc(u.held, func(a, b pairing.Unmatched) int { return a.Side.Compare(&b.Side) })
}

// spill makes a run of the ends that are held.
func (u *unmatchedEnds) spill() {
	u.sort()
	var run []blockio.Piece
	for ends := range slices.Chunk(u.held, runPiece) {
		p, err := u.spool.Put(pairing.AppendUnmatched(nil, ends))
		if u.err == nil && err != nil {
			u.err = fmt.Errorf("store: ends of messages without a partner: %w", err)
		}
		run = append(run, p)
	}
	u.runs, u.held = append(u.runs, run), u.held[:0]
}

// blocks yields all ends in the order of their channels, as many at a time as stand in a block. Locations and slices are those of the trace.
func (u *unmatchedEnds) blocks(locations int, slices uint64) iter.Seq2[[]pairing.Unmatched, error] {
	return func(yield func([]pairing.Unmatched, error) bool) {
		u.sort()
		m := endMerge{u: u, locations: locations, slices: slices}
		m.begin()
		for len(m.heads) > 0 && m.err == nil {
			if block := m.take(pairing.UnmatchedInBlock); !yield(block, nil) {
				return
			}
		}
		if m.err != nil {
			yield(nil, fmt.Errorf("store: ends of messages without a partner: %w", m.err))
		}
	}
}

// Unmatched yields all ends without a partner in the order of their channels, as many at a time as stand in a block. Locations and slices are those of the trace.
func (m *Matcher) Unmatched(locations int, slices uint64) iter.Seq2[[]pairing.Unmatched, error] {
	return m.unmatched.blocks(locations, slices)
}

// endMerge merges the runs, and what is held. It keeps the runs in the order of their next ends; of equal channels, those of the earlier run
// come first.
type endMerge struct {
	u         *unmatchedEnds
	locations int
	slices    uint64
	heads     []endRun
	err       error
}

// endRun is what is left of a run.
type endRun struct {
	number int
	ends   []pairing.Unmatched
	pieces []blockio.Piece
}

func (m *endMerge) begin() {
	if m.err = m.u.err; m.err != nil {
		return
	}
	for i, run := range m.u.runs {
		r := endRun{number: i, pieces: run}
		if m.fill(&r) {
			m.heads = append(m.heads, r)
		}
	}
	if len(m.u.held) > 0 {
		m.heads = append(m.heads, endRun{number: len(m.u.runs), ends: m.u.held})
	}
	slices.SortFunc(m.heads, endRun.compare)
}

func (r endRun) compare(o endRun) int {
	return cmp.Or(r.ends[0].Side.Compare(&o.ends[0].Side), cmp.Compare(r.number, o.number))
}

// fill reads the next piece of a run whose ends are used up. It reports false at the end.
func (m *endMerge) fill(r *endRun) bool {
	if len(r.pieces) == 0 || m.err != nil {
		return false
	}
	var b []byte
	if b, m.err = m.u.spool.Get(nil, r.pieces[0]); m.err == nil {
		r.ends, m.err = pairing.ParseUnmatched(b, m.locations, m.slices)
	}
	r.pieces = r.pieces[1:]
	return m.err == nil
}

// take takes the next ends, at most n.
func (m *endMerge) take(n int) (ends []pairing.Unmatched) {
	for len(ends) < n && len(m.heads) > 0 {
		r := &m.heads[0]
		limit := len(r.ends)
		if len(m.heads) > 1 {
			next := m.heads[1]
			limit, _ = slices.BinarySearchFunc(r.ends, next, func(e pairing.Unmatched, next endRun) int {
				return cmp.Or(e.Side.Compare(&next.ends[0].Side), cmp.Compare(r.number, next.number))
			})
		}
		limit = min(limit, n-len(ends))
		ends, r.ends = append(ends, r.ends[:limit]...), r.ends[limit:]
		if len(r.ends) == 0 && !m.fill(r) {
			m.heads = m.heads[1:]
		} else {
			m.sink()
		}
	}
	return ends
}

// sink puts the first run to its place.
func (m *endMerge) sink() {
	r := m.heads[0]
	at, _ := slices.BinarySearchFunc(m.heads[1:], r, endRun.compare)
	copy(m.heads, m.heads[1:1+at])
	m.heads[at] = r
}
