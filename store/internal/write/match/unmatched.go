package match

import (
	"fmt"
	"iter"
	"slices"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/store/internal/blockio"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/pairing"
)

// unmatchedEnds sorts the ends without a partner by location and ordinal. Of many, sorted runs go into a file, to be merged.
type unmatchedEnds struct {
	most  int // that are held
	held  []layout.UnmatchedEnd
	runs  [][]blockio.Piece
	spool blockio.Spool
	err   error
}

const (
	unmatchedBytes = 48  // of an end in memory
	runPiece       = 256 // ends of a run that are read at once
)

func (u *unmatchedEnds) add(e layout.UnmatchedEnd) {
	u.held = append(u.held, e)
	if len(u.held) >= u.most {
		u.spill()
	}
}

func (u *unmatchedEnds) sort() {
	slices.SortFunc(u.held, func(a, b layout.UnmatchedEnd) int { return a.Compare(&b) })
}

// spill makes a run of the ends that are held.
func (u *unmatchedEnds) spill() {
	u.sort()
	var run []blockio.Piece
	for ends := range slices.Chunk(u.held, runPiece) {
		p, err := u.spool.Put(AppendUnmatched(nil, ends))
		if u.err == nil && err != nil {
			u.err = fmt.Errorf("store: ends of messages without a partner: %w", err)
		}
		run = append(run, p)
	}
	u.runs, u.held = append(u.runs, run), u.held[:0]
}

// blocks yields all ends in order, as many at a time as stand in a block. Locations and slices are those of the trace.
func (u *unmatchedEnds) blocks(locations int, slices uint64) iter.Seq2[[]layout.UnmatchedEnd, error] {
	return func(yield func([]layout.UnmatchedEnd, error) bool) {
		u.sort()
		m := endMerge{u: u, locations: locations, slices: slices}
		m.begin()
		for len(m.heads) > 0 && m.err == nil {
			if block := m.take(layout.UnmatchedInBlock); !yield(block, nil) {
				return
			}
		}
		if m.err != nil {
			yield(nil, fmt.Errorf("store: ends of messages without a partner: %w", m.err))
		}
	}
}

// Unmatched yields all ends without a partner in order, as many at a time as stand in a block. Locations and slices are those of the trace.
func (m *Matcher) Unmatched(locations int, slices uint64) iter.Seq2[[]layout.UnmatchedEnd, error] {
	return m.unmatched.blocks(locations, slices)
}

// endMerge merges the runs, and what is held. It keeps the runs in the order of their next ends.
type endMerge struct {
	u         *unmatchedEnds
	locations int
	slices    uint64
	heads     []endRun
	err       error
}

// endRun is what is left of a run.
type endRun struct {
	ends   []layout.UnmatchedEnd
	pieces []blockio.Piece
}

func (m *endMerge) begin() {
	if m.err = m.u.err; m.err != nil {
		return
	}
	for _, run := range m.u.runs {
		r := endRun{pieces: run}
		if m.fill(&r) {
			m.heads = append(m.heads, r)
		}
	}
	if len(m.u.held) > 0 {
		m.heads = append(m.heads, endRun{ends: m.u.held})
	}
	slices.SortFunc(m.heads, func(a, b endRun) int { return a.ends[0].Compare(&b.ends[0]) })
}

// fill reads the next piece of a run whose ends are used up. It reports false at the end.
func (m *endMerge) fill(r *endRun) bool {
	if len(r.pieces) == 0 || m.err != nil {
		return false
	}
	var b []byte
	if b, m.err = m.u.spool.Get(nil, r.pieces[0]); m.err == nil {
		r.ends, m.err = layout.ParseUnmatched(b, m.locations, m.slices)
	}
	r.pieces = r.pieces[1:]
	return m.err == nil
}

// take takes the next ends, at most n.
func (m *endMerge) take(n int) (ends []layout.UnmatchedEnd) {
	for len(ends) < n && len(m.heads) > 0 {
		r := &m.heads[0]
		limit := len(r.ends)
		if len(m.heads) > 1 {
			limit, _ = slices.BinarySearchFunc(r.ends, m.heads[1].ends[0], func(a, b layout.UnmatchedEnd) int { return a.Compare(&b) })
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
	at, _ := slices.BinarySearchFunc(m.heads[1:], r, func(a, b endRun) int { return a.ends[0].Compare(&b.ends[0]) })
	copy(m.heads, m.heads[1:1+at])
	m.heads[at] = r
}

// AppendUnmatched appends ends without a partner. All of them are ordered by location and ordinal, over all blocks:
//
//	uvarint  number of ends, at most 16384
//	each     varint location - location before, uvarint 2*ordinal + (1 for a send), varint time - time before, uvarint slice
func AppendUnmatched(dst []byte, ends []layout.UnmatchedEnd) []byte {
	dst = format.AppendUvarint(dst, uint64(len(ends)))
	var before layout.UnmatchedEnd
	for _, e := range ends {
		dst = format.AppendVarint(dst, int64(e.Location)-int64(before.Location))
		dst = format.AppendUvarint(dst, e.Ordinal<<1|uint64(pairing.B2i(e.Send)))
		dst = format.AppendVarint(dst, e.Time-before.Time)
		dst = format.AppendUvarint(dst, e.Slice)
		before = e
	}
	return dst
}
