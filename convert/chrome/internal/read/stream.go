package read

import (
	"container/heap"
	"io"
	"os"

	"github.com/pandotrace/pando/convert/chrome/internal/scan"
	"github.com/pandotrace/pando/trace"
)

// aheadRecords is how many records are made at a time, about.
const aheadRecords = 1024

// stream gives the events of a thread.
type stream struct {
	archive  *Archive
	location uint32
	numbered uint64 // slices that became spans
	begun    bool   // it was told when the events begin
	err      error  // final
	*Work           // nil before the first event and behind the last one
}

func (a *Archive) Stream(i uint32) *stream { return &stream{archive: a, location: i} }

// Close ends the stream.
func (s *stream) Close() error {
	s.err = os.ErrClosed
	s.rest()
	return nil
}

// Next gives the next records.
func (s *stream) Next(b *trace.Batch, max int) error {
	b.Reset(s.archive.Locations.List[s.location].id)
	if s.Work == nil {
		if s.err != nil {
			return s.err
		}
		s.Work = s.archive.Working.Begin(b.Location)
		s.archive.Sorted.Seek(&s.Cursor, uint64(s.location))
	}
	if s.taken == s.ahead.Len() && s.err == nil {
		s.ahead.Reset(s.ahead.Location)
		s.taken = 0
		for s.err == nil && s.ahead.Len() < aheadRecords {
			s.err = s.step()
		}
	}
	return s.give(b, max)
}

// give gives records that were made. A few are copied: each batch keeps the room that it is meant to have.
func (s *stream) give(b *trace.Batch, max int) error {
	have := s.ahead.Len() - s.taken
	switch n := min(have, max); {
	case have == 0:
		s.rest()
		return s.err
	case s.taken == 0 && n == have && n >= max/2:
		*b, s.ahead = s.ahead, *b
		s.ahead.Reset(b.Location)
	default:
		b.AppendRange(&s.ahead, s.taken, s.taken+n, trace.Standard)
		s.taken += n
	}
	if s.err != nil && s.taken == s.ahead.Len() {
		s.rest()
	}
	return nil
}

// step makes the records of the next event, and of what ends before it.
func (s *stream) step() error {
	if !s.Cursor.Next() {
		if err := s.Cursor.Failure(); err != nil {
			return err
		}
		return s.finish()
	}
	k := s.Cursor.Key()
	t := s.archive.scale.Ticks(k.Time)
	s.endUntil(t-1, all)
	u := unpacker{b: s.Cursor.Data()}
	switch u.op() {
	case opBegin:
		region := uint32(u.uvarint() - 1)
		s.endUntil(t, either(k.Rank < SliceRank, innermost, all))
		if !s.Stack.Push(Frame{Region: region}) {
			return s.tooDeep()
		}
		s.put(trace.KindEnter, t, &u, uint64(region))
	case opEnd:
		s.put(trace.KindLeave, t, &u, uint64(s.ended(uint32(u.uvarint()-1), t)))
	case OpSlice:
		s.endUntil(t, all)
		return s.slice(t, &u)
	case opEvent:
		s.endUntil(t, innermost)
		kind := trace.Kind(u.uvarint())
		s.words = s.words[:0]
		for range u.count() {
			s.words = append(s.words, u.uvarint())
		}
		s.put(kind, t, &u, s.words...)
	default:
		u.bad = true
	}
	if u.bad {
		return errUnpack
	}
	return nil
}

// slice begins a whole call. One that ends behind the slice it lies in is no call.
func (s *stream) slice(t int64, u *unpacker) error {
	region := uint32(u.uvarint())
	d := scan.Instant{Micros: int64(u.uvarint())}
	d.Frac = uint32(u.uvarint())
	end := s.archive.scale.Ticks(s.Cursor.Key().Time.Plus(d))
	if limit, ok := s.Stack.Limit(); ok && limit < end {
		s.archive.warnings.Add("slices that cross", "%s, at %d ticks", s.archive.names.regionName(region), t)
		s.numbered++
		number := uint64(s.location)<<40 | s.numbered
		s.put(trace.KindSpanBegin, t, u, uint64(region), number)
		if heap.Push(&s.spans, spanEnd{end, region, number}); len(s.spans) > maxFrames {
			return s.tooDeep()
		}
	} else {
		if !s.Stack.Push(Frame{Region: region, Slice: true, End: end}) {
			return s.tooDeep()
		}
		s.put(trace.KindEnter, t, u, uint64(region))
	}
	if u.bad {
		return errUnpack
	}
	return nil
}

func (s *stream) tooDeep() error {
	return &trace.SourceError{Format: "chrome", File: s.archive.Path, Problem: "too many calls or spans at once", Class: trace.ErrUnsupported}
}

// ended returns the region of the call that an end ends, which may say one. Slices within it that are over by then end before.
func (s *stream) ended(region uint32, t int64) uint32 {
	names := &s.archive.names
	i := s.Stack.Find(func(f uint32) bool { return region == none || names.sameName(f, region) })
	if i < 0 {
		s.endUntil(t, innermost)
		s.archive.warnings.Add("end without a begin", "%s, location %d", names.regionName(region), s.ahead.Location)
		return region
	}
	s.endUntil(t, i+1)
	ended := s.Stack.Frames[i].Region
	if s.Stack.Remove(i) {
		s.archive.warnings.Add("slices that cross", "%s, location %d", names.regionName(ended), s.ahead.Location)
	}
	return ended
}

// Of the slices that are over, endUntil ends those from a place on the stack on, or the innermost calls as long as they are slices.
// Begins and ends of the same time that are still to come may be those of calls within a slice, which therefore stays open.
const (
	all       = 0
	innermost = -1
)

// endUntil ends slices and spans that end up to a time.
func (s *stream) endUntil(t int64, from int) {
	for {
		end, ok := s.Stack.Limit()
		if i := s.Stack.inner(); i < from || from == innermost && i < len(s.Stack.Frames)-1 {
			ok = false
		}
		switch {
		case len(s.spans) > 0 && s.spans[0].end <= t && (!ok || s.spans[0].end < end):
			x := heap.Pop(&s.spans).(spanEnd)
			s.ahead.Append(trace.KindSpanEnd, x.end, uint64(x.region), x.number)
		case ok && end <= t:
			region, crossed := s.Stack.EndSlice()
			if crossed {
				s.archive.warnings.Add("slices that cross", "%s, location %d", s.archive.names.regionName(region), s.ahead.Location)
			}
			s.ahead.Append(trace.KindLeave, end, uint64(region))
		default:
			return
		}
	}
}

func either(first bool, a, b int) int {
	if first {
		return a
	}
	return b
}

// finish ends all slices and spans. Calls without an end stay open.
func (s *stream) finish() error {
	s.endUntil(1<<63-1, all)
	return io.EOF
}

// put appends a record with its attributes.
func (s *stream) put(kind trace.Kind, t int64, u *unpacker, words ...uint64) {
	b := &s.ahead
	s.list = u.attributes(s.list[:0])
	s.attrs = s.attrs[:0]
	for i := range s.list {
		a := &s.list[i]
		if a.typ == bytesType {
			b.Append(trace.KindAttributeBytes, t, a.id, uint64(len(s.attrs)), b.PutText(string(a.bytes)))
			continue
		}
		s.attrs = append(s.attrs, trace.Attr{ID: a.id, Type: a.typ, Value: a.value})
	}
	b.Append(kind, t, words...)
	b.SetAttrs(s.attrs)
}

// spanEnd is the end of a span to come.
type spanEnd struct {
	end    int64
	region uint32
	number uint64
}

// spanHeap orders the ends of spans by time.
type spanHeap []spanEnd

// Len, Less, Swap, Push and Pop make it a heap.
func (h spanHeap) Len() int { return len(h) }
func (h spanHeap) Less(i, j int) bool {
	return h[i].end < h[j].end || h[i].end == h[j].end && h[i].number < h[j].number
}
func (h spanHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *spanHeap) Push(x any)   { *h = append(*h, x.(spanEnd)) }
func (h *spanHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

var _ trace.Stream = (*stream)(nil)
