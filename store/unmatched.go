package store

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
)

// unmatchedEnd is an end of a message without a partner.
type unmatchedEnd struct {
	index.End
	send bool
}

func (e *unmatchedEnd) compare(o *unmatchedEnd) int {
	return cmp.Or(cmp.Compare(e.Location, o.Location), cmp.Compare(e.Ordinal, o.Ordinal))
}

// unmatchedEnds sorts the ends without a partner by location and ordinal. Of many, sorted runs go into a file, to be merged.
type unmatchedEnds struct {
	most  int // that are held
	held  []unmatchedEnd
	runs  [][]piece
	spool spool
	err   error
}

const (
	unmatchedBytes = 48  // of an end in memory
	runPiece       = 256 // ends of a run that are read at once
)

func (u *unmatchedEnds) add(e unmatchedEnd) {
	u.held = append(u.held, e)
	if len(u.held) >= u.most {
		u.spill()
	}
}

func (u *unmatchedEnds) sort() {
	slices.SortFunc(u.held, func(a, b unmatchedEnd) int { return a.compare(&b) })
}

// spill makes a run of the ends that are held.
func (u *unmatchedEnds) spill() {
	u.sort()
	var run []piece
	for ends := range slices.Chunk(u.held, runPiece) {
		p, err := u.spool.put(appendUnmatched(nil, ends))
		if u.err == nil && err != nil {
			u.err = fmt.Errorf("store: ends of messages without a partner: %w", err)
		}
		run = append(run, p)
	}
	u.runs, u.held = append(u.runs, run), u.held[:0]
}

// blocks yields all ends in order, as many at a time as stand in a block. Locations and slices are those of the trace.
func (u *unmatchedEnds) blocks(locations int, slices uint64) iter.Seq2[[]unmatchedEnd, error] {
	return func(yield func([]unmatchedEnd, error) bool) {
		u.sort()
		m := endMerge{u: u, locations: locations, slices: slices}
		m.begin()
		for len(m.heads) > 0 && m.err == nil {
			if block := m.take(unmatchedInBlock); !yield(block, nil) {
				return
			}
		}
		if m.err != nil {
			yield(nil, fmt.Errorf("store: ends of messages without a partner: %w", m.err))
		}
	}
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
	ends   []unmatchedEnd
	pieces []piece
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
	slices.SortFunc(m.heads, func(a, b endRun) int { return a.ends[0].compare(&b.ends[0]) })
}

// fill reads the next piece of a run whose ends are used up. It reports false at the end.
func (m *endMerge) fill(r *endRun) bool {
	if len(r.pieces) == 0 || m.err != nil {
		return false
	}
	var b []byte
	if b, m.err = m.u.spool.get(nil, r.pieces[0]); m.err == nil {
		r.ends, m.err = parseUnmatched(b, m.locations, m.slices)
	}
	r.pieces = r.pieces[1:]
	return m.err == nil
}

// take takes the next ends, at most n.
func (m *endMerge) take(n int) (ends []unmatchedEnd) {
	for len(ends) < n && len(m.heads) > 0 {
		r := &m.heads[0]
		limit := len(r.ends)
		if len(m.heads) > 1 {
			limit, _ = slices.BinarySearchFunc(r.ends, m.heads[1].ends[0], func(a, b unmatchedEnd) int { return a.compare(&b) })
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
	at, _ := slices.BinarySearchFunc(m.heads[1:], r, func(a, b endRun) int { return a.ends[0].compare(&b.ends[0]) })
	copy(m.heads, m.heads[1:1+at])
	m.heads[at] = r
}

// unmatchedInBlock is the number of ends in a block, at most.
const unmatchedInBlock = 1 << 14

// appendUnmatched appends ends without a partner. All of them are ordered by location and ordinal, over all blocks:
//
//	uvarint  number of ends, at most 16384
//	each     varint location - location before, uvarint 2*ordinal + (1 for a send), varint time - time before, uvarint slice
func appendUnmatched(dst []byte, ends []unmatchedEnd) []byte {
	dst = format.AppendUvarint(dst, uint64(len(ends)))
	var before unmatchedEnd
	for _, e := range ends {
		dst = format.AppendVarint(dst, int64(e.Location)-int64(before.Location))
		dst = format.AppendUvarint(dst, e.Ordinal<<1|uint64(b2i(e.send)))
		dst = format.AppendVarint(dst, e.Time-before.Time)
		dst = format.AppendUvarint(dst, e.Slice)
		before = e
	}
	return dst
}

// parseUnmatched reads what appendUnmatched wrote, of a trace with some locations and slices.
func parseUnmatched(b []byte, locations int, slices uint64) ([]unmatchedEnd, error) {
	r := format.NewDecoder("unmatched block", b)
	ends := make([]unmatchedEnd, r.Count(4, unmatchedInBlock))
	var before unmatchedEnd
	for i := range ends {
		e := &ends[i]
		location := int64(before.Location) + r.Varint()
		ordinal := r.Uvarint()
		e.Ordinal, e.send = ordinal>>1, ordinal&1 != 0
		e.Time, e.Slice = before.Time+r.Varint(), r.Uvarint()
		if location < 0 || location >= int64(locations) || e.Slice >= slices {
			r.Fail("end %d is of location %d, slice %d", i, location, e.Slice)
			break
		}
		e.Location = uint32(location)
		if i > 0 && before.compare(e) >= 0 {
			r.Fail("end %d is out of order", i)
		}
		before = *e
	}
	return ends, r.Finish()
}
