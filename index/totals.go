package index

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// The totals of a trace are
//
//	uvarints  calls, messages, unmatched sends, unmatched receives, cancelled sends, suspicious messages, message bytes, open calls,
//	          cut calls, orphan leaves, definitions, epochs, nodes
//	uvarint   number of kinds; each uvarint kind, uvarint count
//	uvarint   number of locations; each uvarint id, uvarint lane, uvarint events, uvarint calls, uvarint depth,
//	          varint first - first of the location before, uvarint last - first
//	uvarint   number of auxiliary streams; each byte class, uvarint location, uvarint records
//	32 bytes  fingerprint of the events
//	rest      extensions

// Numbers returns the places of the numbers that the totals begin with, in their order.
func (i *Info) Numbers() []*uint64 {
	return []*uint64{
		&i.Calls, &i.Messages, &i.UnmatchedSends, &i.UnmatchedReceives, &i.CancelledSends, &i.SuspiciousMessages, &i.MessageBytes,
		&i.OpenCalls, &i.CutCalls, &i.OrphanLeaves, &i.Definitions, &i.Epochs, &i.Nodes,
	}
}

// Append appends the totals block.
func (i *Info) Append(dst []byte) []byte {
	for _, n := range i.Numbers() {
		dst = format.AppendUvarint(dst, *n)
	}
	dst = format.AppendUvarint(dst, uint64(len(i.Kinds)))
	for _, k := range i.Kinds {
		dst = format.AppendUvarint(dst, uint64(k.Kind))
		dst = format.AppendUvarint(dst, k.Count)
	}
	dst = format.AppendUvarint(dst, uint64(len(i.Locations)))
	first := int64(0)
	for _, l := range i.Locations {
		for _, n := range []uint64{l.ID, uint64(l.Lane), l.Events, l.Calls, l.MaxDepth} {
			dst = format.AppendUvarint(dst, n)
		}
		dst = format.AppendVarint(dst, l.First-first)
		dst = format.AppendUvarint(dst, uint64(l.Last-l.First))
		first = l.First
	}
	dst = format.AppendUvarint(dst, uint64(len(i.AuxStreams)))
	for _, s := range i.AuxStreams {
		dst = append(dst, byte(s.Class))
		dst = format.AppendUvarint(dst, s.Location)
		dst = format.AppendUvarint(dst, s.Records)
	}
	return append(dst, i.SHA256[:]...)
}

// ReadTotals reads what append wrote and derives the rest.
func ReadTotals(b []byte, limits format.Limits) (*Info, error) {
	r := format.NewDecoder("totals block", b)
	i := &Info{}
	for _, n := range i.Numbers() {
		*n = r.Uvarint()
	}
	i.Kinds = make([]KindCount, r.Count(2, 1<<16))
	for k := range i.Kinds {
		i.Kinds[k] = KindCount{trace.Kind(r.Int(1 << 16)), r.Uvarint()}
	}
	i.Locations = make([]LocationInfo, r.LimitedCount(7, limits.Locations))
	first := int64(0)
	for k := range i.Locations {
		l := &i.Locations[k]
		l.ID, l.Lane, l.Events, l.Calls, l.MaxDepth = r.Uvarint(), uint32(r.Int(1<<32)), r.Uvarint(), r.Uvarint(), r.Uvarint()
		l.First = first + r.Varint()
		l.Last = l.First + int64(r.Int(format.SpanLimit))
		first = l.First
	}
	i.AuxStreams = make([]trace.StreamInfo, r.Count(3, 1<<30))
	for k := range i.AuxStreams {
		s := &i.AuxStreams[k]
		s.Class, s.Location, s.Records = trace.StreamClass(r.Byte()), r.Uvarint(), r.Uvarint()
		if s.Class == trace.StreamEvents {
			r.Fail("auxiliary stream %d has events", k)
		}
	}
	copy(i.SHA256[:], r.Take(len(i.SHA256)))
	i.derive()
	_, err := r.FinishExtended()
	return i, err
}

// derive adds up what follows from the locations.
func (i *Info) derive() {
	busy := slices.DeleteFunc(slices.Clone(i.Locations), func(l LocationInfo) bool { return l.Events == 0 })
	for _, l := range busy {
		i.Events += l.Events
		i.MaxDepth = max(i.MaxDepth, l.MaxDepth)
	}
	if len(busy) > 0 {
		i.First = slices.MinFunc(busy, func(a, b LocationInfo) int { return cmp.Compare(a.First, b.First) }).First
		i.Last = slices.MaxFunc(busy, func(a, b LocationInfo) int { return cmp.Compare(a.Last, b.Last) }).Last
	}
}
