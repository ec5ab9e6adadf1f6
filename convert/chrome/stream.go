package chrome

import (
	"container/heap"
	"io"
	"os"

	"github.com/pandotrace/pando/trace"
)

// aheadRecords is how many records are made at a time, about.
const aheadRecords = 1024

// stream gives the events of a thread.
type stream struct {
	archive  *Archive
	location uint32
	cursor   cursor
	stack    stack
	spans    spanHeap
	numbered uint64 // slices that became spans
	list     []attribute
	attrs    []trace.Attr
	words    []uint64
	ahead    trace.Batch // records that were not given yet, from taken on
	taken    int
	err      error // final
}

func (a *Archive) stream(i uint32) (*stream, error) {
	c, err := a.sorted.cursor(uint64(i))
	if err != nil {
		return nil, err
	}
	s := &stream{archive: a, location: i, cursor: c}
	s.ahead.Reset(a.locations.list[i].id)
	return s, nil
}

// Close ends the stream.
func (s *stream) Close() error {
	s.err = os.ErrClosed
	s.cursor, s.stack, s.spans = nil, stack{}, nil
	s.ahead.Reset(s.ahead.Location)
	s.taken = 0
	return nil
}

// Next gives the next records.
func (s *stream) Next(b *trace.Batch, max int) error {
	b.Reset(s.ahead.Location)
	if s.taken == s.ahead.Len() && s.err == nil {
		s.ahead.Reset(s.ahead.Location)
		s.taken = 0
		for s.err == nil && s.ahead.Len() < aheadRecords {
			s.err = s.step()
		}
	}
	have := s.ahead.Len() - s.taken
	switch {
	case have == 0:
		return s.err
	case s.taken == 0 && have <= max:
		*b, s.ahead = s.ahead, *b
		return nil
	}
	n := min(have, max)
	b.AppendRange(&s.ahead, s.taken, s.taken+n, trace.Standard)
	s.taken += n
	return nil
}

// step makes the records of the next event, and of what ends before it.
func (s *stream) step() error {
	if !s.cursor.next() || s.cursor.key().group != uint64(s.location) {
		if err := s.cursor.failure(); err != nil {
			return err
		}
		return s.finish()
	}
	t := s.archive.scale.ticks(s.cursor.key().time)
	s.endUntil(t)
	u := unpacker{b: s.cursor.data()}
	switch op(u.byte()) {
	case opBegin:
		region := uint32(u.uvarint() - 1)
		if !s.stack.push(frame{region: region}) {
			return s.tooDeep()
		}
		s.put(trace.KindEnter, t, &u, uint64(region))
	case opEnd:
		s.put(trace.KindLeave, t, &u, uint64(s.ended(uint32(u.uvarint()-1))))
	case opSlice:
		return s.slice(t, &u)
	case opEvent:
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
	d := instant{us: int64(u.uvarint())}
	d.frac = uint32(u.uvarint())
	end := s.archive.scale.ticks(s.cursor.key().time.plus(d))
	if limit, ok := s.stack.limit(); ok && limit < end {
		s.archive.warnings.Add("slices that cross", "%s, at %d ticks", s.archive.names.regionName(region), t)
		s.numbered++
		number := uint64(s.location)<<40 | s.numbered
		s.put(trace.KindSpanBegin, t, u, uint64(region), number)
		if heap.Push(&s.spans, spanEnd{end, region, number}); len(s.spans) > maxFrames {
			return s.tooDeep()
		}
	} else {
		if !s.stack.push(frame{region: region, slice: true, end: end}) {
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
	return &trace.SourceError{Format: "chrome", File: s.archive.path, Problem: "too many calls or spans at once", Class: trace.ErrUnsupported}
}

// ended returns the region of the call that an end ends, which may say one.
func (s *stream) ended(region uint32) uint32 {
	names := &s.archive.names
	i := s.stack.find(func(f uint32) bool { return region == none || names.sameName(f, region) })
	if i < 0 {
		s.archive.warnings.Add("end without a begin", "%s, location %d", names.regionName(region), s.ahead.Location)
		return region
	}
	ended := s.stack.frames[i].region
	if s.stack.remove(i) {
		s.archive.warnings.Add("slices that cross", "%s, location %d", names.regionName(ended), s.ahead.Location)
	}
	return ended
}

// endUntil ends slices and spans that end up to a time.
func (s *stream) endUntil(t int64) {
	for {
		end, ok := s.stack.limit()
		switch {
		case len(s.spans) > 0 && s.spans[0].end <= t && (!ok || s.spans[0].end < end):
			x := heap.Pop(&s.spans).(spanEnd)
			s.ahead.Append(trace.KindSpanEnd, x.end, uint64(x.region), x.number)
		case ok && end <= t:
			region, crossed := s.stack.endSlice()
			if crossed {
				s.archive.warnings.Add("slices that cross", "%s, location %d", s.archive.names.regionName(region), s.ahead.Location)
			}
			s.ahead.Append(trace.KindLeave, end, uint64(region))
		default:
			return
		}
	}
}

// finish ends all slices and spans. Calls without an end stay open.
func (s *stream) finish() error {
	s.endUntil(1<<63 - 1)
	s.stack = stack{}
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
