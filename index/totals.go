package index

import (
	"slices"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// Totals are what a trace adds up to, and its locations if they are few.
//
//	uvarints  calls, messages, unmatched sends, unmatched receives, cancelled sends, suspicious messages, message bytes, open calls,
//	          cut calls, orphan leaves, definitions, epochs, nodes, depth, locations
//	varint    first
//	uvarint   last - first
//	uvarint   number of kinds; each uvarint kind, uvarint count
//	uvarint   number of auxiliary streams; each byte class, uvarint location, uvarint records
//	32 bytes  fingerprint of the events
//	uvarint   locations in each page of them but the last; 0 if they have none
//	columns   if they have none: those of a locations block, and those of a location totals block
//	rest      extensions
type Totals struct {
	Info
	// PageLocations is the number of locations in each of their pages but the last, 0 if there are no pages.
	PageLocations uint64
	// Few and FewTotals are all locations if there are no pages.
	Few       LocationPage
	FewTotals LocationTotalsPage
}

// FewLocations is the number of locations up to which a writer gives them no pages.
const FewLocations = 256

// SetLocations takes all locations, and adds up what follows from them. It returns their pages of a size, none if the totals have them.
func (i *Totals) SetLocations(list []LocationInfo, size int) (ids []LocationPage, totals []LocationTotalsPage) {
	i.Locations, i.PageLocations = uint64(len(list)), uint64(size)
	busy := false
	for at := range list {
		l := &list[at]
		i.MaxDepth = max(i.MaxDepth, l.MaxDepth)
		switch {
		case l.Events == 0:
		case !busy:
			i.First, i.Last, busy = l.First, l.Last, true
		default:
			i.First, i.Last = min(i.First, l.First), max(i.Last, l.Last)
		}
	}
	if len(list) <= min(FewLocations, size) {
		i.PageLocations, i.Few, i.FewTotals = 0, pageOf(list, 0), totalsOf(list, 0)
		return nil, nil
	}
	for from := 0; from < len(list); from += size {
		some := list[from:min(from+size, len(list))]
		ids, totals = append(ids, pageOf(some, from)), append(totals, totalsOf(some, from))
	}
	return ids, totals
}

func pageOf(list []LocationInfo, first int) LocationPage {
	p := LocationPage{First: uint64(first)}
	for i := range list {
		p.IDs, p.Lanes = append(p.IDs, list[i].ID), append(p.Lanes, list[i].Lane)
	}
	return p
}

func totalsOf(list []LocationInfo, first int) LocationTotalsPage {
	p := LocationTotalsPage{First: uint64(first)}
	for i := range list {
		p.Totals = append(p.Totals, list[i].LocationTotals)
	}
	return p
}

// Numbers returns the places of the numbers that the totals begin with, in their order.
func (i *Info) Numbers() []*uint64 {
	return []*uint64{
		&i.Calls, &i.Messages, &i.UnmatchedSends, &i.UnmatchedReceives, &i.CancelledSends, &i.SuspiciousMessages, &i.MessageBytes,
		&i.OpenCalls, &i.CutCalls, &i.OrphanLeaves, &i.Definitions, &i.Epochs, &i.Nodes, &i.MaxDepth, &i.Locations,
	}
}

// Append appends the totals block.
func (i *Totals) Append(dst []byte) []byte {
	for _, n := range i.Numbers() {
		dst = format.AppendUvarint(dst, *n)
	}
	dst = format.AppendVarint(dst, i.First)
	dst = format.AppendUvarint(dst, uint64(i.Last-i.First))
	dst = format.AppendUvarint(dst, uint64(len(i.Kinds)))
	for _, k := range i.Kinds {
		dst = format.AppendUvarint(dst, uint64(k.Kind))
		dst = format.AppendUvarint(dst, k.Count)
	}
	dst = format.AppendUvarint(dst, uint64(len(i.AuxStreams)))
	for _, s := range i.AuxStreams {
		dst = append(dst, byte(s.Class))
		dst = format.AppendUvarint(dst, s.Location)
		dst = format.AppendUvarint(dst, s.Records)
	}
	dst = append(dst, i.SHA256[:]...)
	dst = format.AppendUvarint(dst, i.PageLocations)
	if i.PageLocations == 0 {
		dst = i.FewTotals.appendColumns(i.Few.appendColumns(dst))
	}
	if i.Doubts != (Doubts{}) {
		dst = format.AppendExtension(dst, doubtsTag, i.Doubts.append(nil))
	}
	if i.Deviations != nil {
		dst = format.AppendExtension(dst, deviationsTag, appendDeviations(nil, i.Deviations))
	}
	return dst
}

// doubtsTag is the tag of the extension with what a sound program does not do.
const doubtsTag = 2

// Doubts are extension 2 of the totals block: what a sound program does not do.
//
//	uvarint  messages that are received before they are sent
//	uvarint  sends and receives that do not block, and are neither completed nor cancelled
//	uvarint  ranks whose collective operations are not those of most ranks of their communicator
//
// The last ones are left out where they were not counted.
func (d *Doubts) append(dst []byte) []byte {
	numbers := d.numbers()
	for _, n := range numbers[:len(numbers)-d.Uncounted] {
		dst = format.AppendUvarint(dst, *n)
	}
	return dst
}

func (d *Doubts) numbers() [3]*uint64 {
	return [3]*uint64{&d.BackwardMessages, &d.OpenRequests, &d.UnlikeRanks}
}

// read reads the extension, if it is among some.
func (d *Doubts) read(extensions []byte) error {
	b, ok := format.Extension(extensions, doubtsTag)
	if !ok {
		return nil
	}
	r := format.NewDecoder("totals block", b)
	for _, n := range d.numbers() {
		if r.Len() > 0 {
			*n = r.Uvarint()
		} else {
			d.Uncounted++
		}
	}
	return r.Finish()
}

// deviationsTag is the tag of the extension with how far sums of calls are from those of the original.
const deviationsTag = 4

// Deviations are extension 4 of the totals block: how much more the calls of regions added up to in the original.
//
//	uvarint  number of regions, in order of their ids
//	each     uvarint region, varint inclusive, varint inclusive less exclusive, varint inclusive less busy
//	then, if calls were left out: for each region, uvarint number of those
func appendDeviations(dst []byte, list []trace.CallDeviation) []byte {
	dst = format.AppendUvarint(dst, uint64(len(list)))
	for _, d := range list {
		dst = format.AppendUvarint(dst, d.Region)
		dst = format.AppendVarint(dst, d.Inclusive)
		dst = format.AppendVarint(dst, d.Inclusive-d.Exclusive)
		dst = format.AppendVarint(dst, d.Inclusive-d.Busy)
	}
	if slices.ContainsFunc(list, func(d trace.CallDeviation) bool { return d.Count > 0 }) {
		for _, d := range list {
			dst = format.AppendUvarint(dst, d.Count)
		}
	}
	return dst
}

// readDeviations reads the extension, if it is among some.
func readDeviations(extensions []byte) ([]trace.CallDeviation, error) {
	b, ok := format.Extension(extensions, deviationsTag)
	if !ok {
		return nil, nil
	}
	r := format.NewDecoder("totals block", b)
	list := make([]trace.CallDeviation, r.Count(4, 1<<30))
	for i := range list {
		d := trace.CallDeviation{Region: r.Uvarint(), Inclusive: r.Varint()}
		d.Exclusive, d.Busy = d.Inclusive-r.Varint(), d.Inclusive-r.Varint()
		if list[i] = d; i > 0 && d.Region <= list[i-1].Region {
			r.Fail("deviations of regions are out of order")
		}
	}
	if r.Len() > 0 {
		for i := range list {
			list[i].Count = r.Uvarint()
		}
	}
	return list, r.Finish()
}

// ReadTotals reads what Append wrote.
func ReadTotals(b []byte) (*Totals, error) {
	r := format.NewDecoder("totals block", b)
	i := &Totals{}
	for _, n := range i.Numbers() {
		*n = r.Uvarint()
	}
	i.First = r.Varint()
	if i.Last = i.First + int64(r.Int(format.SpanLimit)); i.Last < i.First {
		r.Fail("a trace from %d to %d", i.First, i.Last)
	}
	i.Kinds = make([]KindCount, r.Count(2, 1<<16))
	for k := range i.Kinds {
		i.Kinds[k] = KindCount{trace.Kind(r.Int(1 << 16)), r.Uvarint()}
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
	if i.PageLocations = uint64(r.Int(PageLocations + 1)); i.PageLocations == 0 {
		if i.Locations > PageLocations {
			r.Fail("%d locations without pages", i.Locations)
			return nil, r.Err()
		}
		i.Few.readColumns(r, int(i.Locations))
		i.FewTotals.readColumns(r, int(i.Locations))
	}
	extensions, err := r.FinishExtended()
	if err != nil {
		return i, err
	}
	if err := i.Doubts.read(extensions); err != nil {
		return i, err
	}
	i.Deviations, err = readDeviations(extensions)
	return i, err
}
