package index

import (
	"math"
	"sort"

	"github.com/pandotrace/pando/encode/records"
	"github.com/pandotrace/pando/format"
)

// Entry says where a block is and what it belongs to. What Number counts depends on the kind: slices of slice
// blocks, groups (nodes of level 1) of dictionaries and models, nodes of their level of calls and messages,
// and nothing but the order of writing of all others.
type Entry struct {
	Kind   format.BlockKind
	Level  uint8
	Lane   uint32
	Number uint64
	Ref    format.Ref
}

// SliceEntry is what the directory says of a slice.
type SliceEntry struct {
	// Start and End bound the slice, a half-open interval. Slices of one instant share their bounds.
	Start, End int64
	Events     uint64
}

// continues reports whether both slices hold events of the same instant.
func (s *SliceEntry) continues(before *SliceEntry) bool {
	return s.Start == before.Start && s.End == before.End && s.End == s.Start+1
}

// Page is a part of the directory: consecutive slices, and the blocks written with them, of some lanes.
//
//	uvarint  number of the first slice
//	uvarint  first lane
//	uvarint  number of slices; 0 if another page has them
//	slices   varint start - end of the slice before (the first: start), uvarint end - start, uvarint events
//	entries  of the blocks that were written with these slices
//	rest     extensions
type Page struct {
	First   uint64
	Lane    uint32
	Slices  []SliceEntry
	Entries []Entry
	// Extensions are bytes of extensions that this package does not know.
	Extensions []byte
}

// Append appends the page's bytes.
func (p *Page) Append(dst []byte) []byte {
	dst = format.AppendUvarint(dst, p.First)
	dst = format.AppendUvarint(dst, uint64(p.Lane))
	dst = format.AppendUvarint(dst, uint64(len(p.Slices)))
	end := int64(0)
	for _, s := range p.Slices {
		dst = format.AppendVarint(dst, s.Start-end)
		dst = format.AppendUvarint(dst, uint64(s.End-s.Start))
		dst = format.AppendUvarint(dst, s.Events)
		end = s.End
	}
	return append(appendEntries(dst, p.Entries), p.Extensions...)
}

// ParsePage reads a page.
func ParsePage(b []byte) (p *Page, err error) {
	r := format.NewDecoder("directory page", b)
	p = &Page{First: r.Uvarint(), Lane: uint32(r.Int(1 << 32)), Slices: make([]SliceEntry, r.Count(3, math.MaxInt32))}
	end := int64(0)
	for i := range p.Slices {
		s := &p.Slices[i]
		s.Start = end + r.Varint()
		s.End = s.Start + int64(r.Int(format.SpanLimit))
		s.Events = r.Uvarint()
		if s.End < s.Start || i > 0 && s.Start < end && !s.continues(&p.Slices[i-1]) {
			r.Fail("slice %d begins before the one before it ends", p.First+uint64(i))
		}
		end = s.End
	}
	p.Entries = readEntries(r)
	p.Extensions, err = r.FinishExtended()
	return p, err
}

// appendEntries appends
//
//	uvarint  number of entries
//	entries  byte kind, byte level, uvarint lane, varint number - number of the entry before,
//	         varint offset - end of the entry before (the first: offset), uvarint length, 4 bytes checksum,
//	         bytes extensions (if bit 7 of the level is set)
func appendEntries(dst []byte, entries []Entry) []byte {
	dst = format.AppendUvarint(dst, uint64(len(entries)))
	var before Entry
	for _, e := range entries {
		dst = append(dst, byte(e.Kind), e.Level)
		dst = format.AppendUvarint(dst, uint64(e.Lane))
		dst = format.AppendVarint(dst, int64(e.Number-before.Number))
		dst = format.AppendVarint(dst, int64(e.Ref.Offset-before.Ref.Offset-uint64(before.Ref.Length)))
		dst = appendLength(dst, e.Ref)
		before = e
	}
	return dst
}

func appendLength(dst []byte, r format.Ref) []byte {
	dst = format.AppendUvarint(dst, uint64(r.Length))
	return append(dst, byte(r.CRC), byte(r.CRC>>8), byte(r.CRC>>16), byte(r.CRC>>24))
}

// extended is the bit of a level that tells that extensions follow on the entry.
const extended = 0x80

func readEntries(r *format.Decoder) []Entry {
	entries := make([]Entry, r.Count(10, math.MaxInt32))
	var before Entry
	for i := range entries {
		e := Entry{Kind: format.BlockKind(r.Byte()), Level: r.Byte(), Lane: uint32(r.Int(1 << 32))}
		e.Number = before.Number + uint64(r.Varint())
		e.Ref.Offset = before.Ref.Offset + uint64(before.Ref.Length) + uint64(r.Varint())
		e.Ref.Length, e.Ref.CRC = uint32(r.Int(1<<32)), r.Uint32()
		if e.Level&extended != 0 {
			e.Level &^= extended
			r.Extensions()
		}
		entries[i], before = e, e
	}
	return entries
}

// PageRef locates the page that has some slices, and says which these are.
type PageRef struct {
	First, Slices uint64
	// Start and End bound the slices in time.
	Start, End int64
	Ref        format.Ref
	// Lanes are the pages of the same slices that list blocks of further lanes. The page itself lists those of the lanes before.
	Lanes []LanesRef
}

// LanesRef locates a page that lists the blocks of some lanes, from the first one up to that of the next page.
type LanesRef struct {
	First uint32
	Ref   format.Ref
}

// PageOf returns which of the pages of the same slices lists the blocks of a lane: 0 is the one that has the slices.
func (p *PageRef) PageOf(lane uint32) int {
	return sort.Search(len(p.Lanes), func(i int) bool { return p.Lanes[i].First > lane })
}

// Page returns where one of the pages of the same slices is, and its first lane.
func (p *PageRef) Page(i int) (ref format.Ref, first uint32) {
	if i == 0 {
		return p.Ref, 0
	}
	return p.Lanes[i-1].Ref, p.Lanes[i-1].First
}

// Root is the part of the directory that is always read.
//
//	uvarint  fanout
//	uvarint  slices of a group
//	uvarint  number of events
//	uvarint  number of slices
//	uvarint  number of lanes
//	uvarint  number of epochs
//	epochs   but for the first: uvarint first group - first group of the epoch before - 1
//	uvarint  number of pages
//	pages    uvarint slices, varint start - end of the page before, uvarint end - start, place of the page,
//	         uvarint number of further pages of these slices,
//	         each: uvarint first lane - that of the page before (but the first page of lanes: first lane), place of the page
//	places   varint offset - end of the page before, uvarint length, 4 bytes checksum
//	entries  of blocks that belong to no page
//	kinds    of each definitions block, in the order of the entries: uvarint number of kinds,
//	         kinds: uvarint kind - kind before (the first: kind); if it is one: uvarint least id, uvarint greatest id - least id
//	ranges   of each locations block, in the order of the entries: uvarint least id, uvarint greatest id - least id,
//	         uvarint least lane, uvarint greatest lane - least lane
//	rest     extensions
type Root struct {
	Division
	Slices, Lanes uint64
	// Events is the number of events of all slices.
	Events uint64
	// Epochs lists the first group of each epoch, in rising order; that of the first one is 0.
	Epochs  []uint64
	Pages   []PageRef
	Entries []Entry
	// Definitions says what is in the blocks of definitions, in the order of their entries.
	Definitions []records.Contents
	// Ranges says what is in the pages of locations, in their order.
	Ranges []LocationRange
	// Extensions are bytes of extensions that this package does not know.
	Extensions []byte
}

// maxSlices is above the number of slices of a file: the arithmetic of the tree stays within 64 bits.
const maxSlices = 1 << 48

// Append appends the root's bytes.
func (t *Root) Append(dst []byte) []byte {
	for _, v := range []uint64{t.Fanout, t.GroupSlices, t.Events, t.Slices, t.Lanes, uint64(len(t.Epochs))} {
		dst = format.AppendUvarint(dst, v)
	}
	for i := 1; i < len(t.Epochs); i++ {
		dst = format.AppendUvarint(dst, t.Epochs[i]-t.Epochs[i-1]-1)
	}
	dst = format.AppendUvarint(dst, uint64(len(t.Pages)))
	end, at := int64(0), places{}
	for _, p := range t.Pages {
		dst = format.AppendUvarint(dst, p.Slices)
		dst = format.AppendVarint(dst, p.Start-end)
		dst = format.AppendUvarint(dst, uint64(p.End-p.Start))
		dst = at.append(dst, p.Ref)
		dst = format.AppendUvarint(dst, uint64(len(p.Lanes)))
		first := uint32(0)
		for _, l := range p.Lanes {
			dst = format.AppendUvarint(dst, uint64(l.First-first))
			dst = at.append(dst, l.Ref)
			first = l.First
		}
		end = p.End
	}
	dst = appendEntries(dst, t.Entries)
	for i := range t.Definitions {
		dst = appendContents(dst, &t.Definitions[i])
	}
	for i := range t.Ranges {
		dst = t.Ranges[i].append(dst)
	}
	return append(dst, t.Extensions...)
}

func appendContents(dst []byte, c *records.Contents) []byte {
	dst = records.AppendKindNumbers(dst, c.Kinds)
	if len(c.Kinds) == 1 {
		dst = format.AppendUvarint(dst, c.First)
		dst = format.AppendUvarint(dst, c.Last-c.First)
	}
	return dst
}

func readContents(r *format.Decoder) (c records.Contents) {
	c.Kinds = records.ReadKindNumbers(r)
	if len(c.Kinds) == 1 {
		c.First = r.Uvarint()
		c.Last = c.First + r.Uvarint()
	}
	if len(c.Kinds) == 0 || c.Last < c.First {
		r.Fail("a block of definitions without kinds, or of ids from %d to %d", c.First, c.Last)
	}
	return c
}

// ParseRoot reads a root.
func ParseRoot(b []byte) (t *Root, err error) {
	r := format.NewDecoder("directory root", b)
	t = &Root{}
	t.Division.read(r)
	if r.Err() != nil {
		return nil, r.Err()
	}
	t.Events, t.Slices, t.Lanes = r.Uvarint(), uint64(r.Int(maxSlices)), uint64(r.Int(1<<32))
	t.readEpochs(r)
	t.Pages = make([]PageRef, r.Count(10, math.MaxInt32))
	before, at := PageRef{}, places{}
	for i := range t.Pages {
		p := PageRef{First: before.First + before.Slices, Slices: uint64(r.Int(maxSlices))}
		p.Start = before.End + r.Varint()
		p.End = p.Start + int64(r.Int(format.SpanLimit))
		p.Ref = at.read(r)
		p.Lanes = t.readLanes(r, &at)
		if p.End < p.Start || i > 0 && p.Start < before.End-1 { // slices of one instant may lie in two pages
			r.Fail("page %d begins before the one before it ends", i)
		}
		if p.Slices == 0 || p.Slices > t.Slices-p.First {
			r.Fail("page %d describes %d slices from %d on, of %d", i, p.Slices, p.First, t.Slices)
		}
		t.Pages[i], before = p, p
	}
	if before.First+before.Slices != t.Slices {
		r.Fail("pages describe %d of %d slices", before.First+before.Slices, t.Slices)
	}
	t.Entries = readEntries(r)
	t.readContents(r)
	t.Extensions, err = r.FinishExtended()
	return t, err
}

// readContents reads what is in the blocks of definitions and locations.
func (t *Root) readContents(r *format.Decoder) {
	for i := range t.Entries {
		if t.Entries[i].Kind == format.BlockDefinitions && r.Err() == nil {
			t.Definitions = append(t.Definitions, readContents(r))
		}
	}
	for i := range t.Entries {
		if t.Entries[i].Kind == format.BlockLocations && r.Err() == nil {
			t.Ranges = append(t.Ranges, t.readLocationRange(r))
		}
	}
}

// readLanes reads where further pages of the same slices are.
func (t *Root) readLanes(r *format.Decoder, at *places) []LanesRef {
	lanes := make([]LanesRef, r.Count(7, math.MaxInt32))
	first := uint64(0)
	for i := range lanes {
		step := uint64(r.Int(1 << 32))
		if first += step; first >= t.Lanes || i > 0 && step == 0 {
			r.Fail("a page of lanes from %d on, of %d", first, t.Lanes)
			break
		}
		lanes[i] = LanesRef{uint32(first), at.read(r)}
	}
	return lanes
}

// places is the end of the latest of several blocks that mostly follow each other.
type places struct{ end uint64 }

func (p *places) append(dst []byte, ref format.Ref) []byte {
	dst = appendLength(format.AppendVarint(dst, int64(ref.Offset-p.end)), ref)
	p.end = ref.Offset + uint64(ref.Length)
	return dst
}

func (p *places) read(r *format.Decoder) (ref format.Ref) {
	ref.Offset = p.end + uint64(r.Varint())
	ref.Length, ref.CRC = uint32(r.Int(1<<32)), r.Uint32()
	p.end = ref.Offset + uint64(ref.Length)
	return ref
}

func (t *Root) readEpochs(r *format.Decoder) {
	n := r.Count(0, 1+r.Len()) // of the first one there is no byte
	if r.Err() != nil {
		return
	}
	t.Epochs = make([]uint64, n)
	for i := 1; i < n; i++ {
		if t.Epochs[i] = t.Epochs[i-1] + 1 + uint64(r.Int(maxSlices)); t.Epochs[i] >= t.groups() {
			r.Fail("epoch %d begins with group %d of %d", i, t.Epochs[i], t.groups())
			return
		}
	}
	if (n == 0) != (t.Slices == 0) {
		r.Fail("%d epochs of %d slices", n, t.Slices)
	}
}

// groups returns the number of groups.
func (t *Root) groups() uint64 { return (t.Slices + t.GroupSlices - 1) / t.GroupSlices }

// EpochOf returns the epoch of a group.
func (t *Root) EpochOf(group uint64) uint64 {
	return uint64(sort.Search(len(t.Epochs), func(i int) bool { return t.Epochs[i] > group })) - 1
}

// GroupsOf returns the groups of an epoch: from <= group < to. There are none if the epoch does not exist.
func (t *Root) GroupsOf(epoch uint64) (from, to uint64) {
	at := func(epoch uint64) uint64 {
		if epoch < uint64(len(t.Epochs)) {
			return t.Epochs[epoch]
		}
		return t.groups()
	}
	return at(epoch), at(epoch + 1)
}
