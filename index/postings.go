package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// PostingWhat says what a posting is of. The numbers are part of the format.
type PostingWhat uint8

const (
	// PostingLocation is of events of a location, by its index in the trace.
	PostingLocation PostingWhat = 0
	// PostingRegion is of calls of a region that begin.
	PostingRegion PostingWhat = 1
	// PostingKind is of events of a kind.
	PostingKind PostingWhat = 2
	// PostingContext is of calls of a calling context that begin.
	PostingContext PostingWhat = 3
)

// Posting names something that slices can have.
type Posting struct {
	What PostingWhat
	ID   uint64
}

func (p Posting) compare(o Posting) int {
	return cmp.Or(cmp.Compare(p.What, o.What), cmp.Compare(p.ID, o.ID))
}

// Postings lists, for locations, regions, kinds and calling contexts, the slices of a page of the directory that have them. The zero Postings is empty.
//
//	uvarint  number of the page's first slice
//	uvarint  the page's first lane
//	uvarint  number of lists
//	lists    byte what (0 location, 1 region, 2 kind, 3 calling context), uvarint id, bytes slices
//
// Lists are in rising order of what and id; slices are numbers less that of the first one, as a Roaring bitmap in its portable
// serialization, runs where they are smaller.
type Postings struct {
	First   uint64
	Lane    uint32
	lists   [PostingContext + 1]postingLists // by what they are of
	bitmaps []*roaring.Bitmap                // of lists of several slices
}

// postingLists are those of one kind of things, without pointers: there may be very many.
type postingLists struct {
	trace.Numbers
	ids   []uint64 // by number
	marks []uint32 // by number: the only slice, or manySlices + the number of a bitmap
}

// manySlices begins the marks of lists that have a bitmap.
const manySlices = 1 << 31

// postingList is a list of slices, less the first one of the page. Of very many things there is one each, so that takes no bitmap.
type postingList struct {
	only uint32
	all  *roaring.Bitmap // nil if there is one
}

// list returns that of a number.
func (p *Postings) list(of *postingLists, number uint32) postingList {
	if m := of.marks[number]; m >= manySlices {
		return postingList{all: p.bitmaps[m-manySlices]}
	}
	return postingList{only: of.marks[number]}
}

// find returns the list of something.
func (p *Postings) find(what Posting) (l postingList, ok bool) {
	if what.What > PostingContext {
		return l, false
	}
	of := &p.lists[what.What]
	number, ok := of.Of(what.ID)
	if ok {
		l = p.list(of, number)
	}
	return l, ok
}

// mark returns that of a list, whose bitmap is kept.
func (p *Postings) mark(l postingList) uint32 {
	if l.all == nil && l.only < manySlices {
		return l.only
	}
	if l.all == nil {
		l.all = roaring.BitmapOf(l.only)
	}
	p.bitmaps = append(p.bitmaps, l.all)
	return manySlices + uint32(len(p.bitmaps)-1)
}

// put adds the list of something that has none.
func (p *Postings) put(what Posting, l postingList) {
	of := &p.lists[what.What]
	of.Add(what.ID)
	of.ids, of.marks = append(of.ids, what.ID), append(of.marks, p.mark(l))
}

// Add notes that a slice has something.
func (p *Postings) Add(what Posting, slice uint64) {
	n := uint32(slice - p.First)
	of := &p.lists[what.What]
	number, ok := of.Of(what.ID)
	if !ok {
		p.put(what, postingList{only: n})
		return
	}
	switch l := p.list(of, number); {
	case l.all != nil:
		l.all.Add(n)
	case l.only != n:
		of.marks[number] = p.mark(postingList{all: roaring.BitmapOf(l.only, n)})
	}
}

// Join adds what other lanes have in the same slices.
func (p *Postings) Join(o *Postings) {
	for what := range o.lists {
		of := &o.lists[what]
		for number, id := range of.ids {
			l := o.list(of, uint32(number))
			if l.all == nil {
				p.Add(Posting{PostingWhat(what), id}, p.First+uint64(l.only))
				continue
			}
			for it := l.all.Iterator(); it.HasNext(); {
				p.Add(Posting{PostingWhat(what), id}, p.First+uint64(it.Next()))
			}
		}
	}
}

// seek returns the nearest slice from one on, itself included: behind it, or before it if not forward; -1 if there is none.
func (l postingList) seek(slice uint32, forward bool) int64 {
	switch {
	case l.all != nil && forward:
		return l.all.NextValue(slice)
	case l.all != nil:
		return l.all.PreviousValue(slice)
	case l.only == slice, forward == (l.only > slice):
		return int64(l.only)
	}
	return -1
}

// append appends the bytes of a list. scratch is used for one slice.
func (l postingList) append(dst *bytes.Buffer, scratch *roaring.Bitmap) error {
	b := l.all
	if b == nil {
		b = scratch
		b.Clear()
		b.Add(l.only)
	}
	b.RunOptimize()
	_, err := b.WriteTo(dst)
	return err
}

// Locations returns the locations that have lists, in any order.
func (p *Postings) Locations() []uint64 { return p.lists[PostingLocation].ids }

// Len returns the number of lists.
func (p *Postings) Len() (n int) {
	for i := range p.lists {
		n += p.lists[i].Len()
	}
	return n
}

// sorted returns the numbers in the order of ids.
func (l *postingLists) sorted() []uint32 {
	order := make([]uint32, l.Len())
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Compare(l.ids[a], l.ids[b]) })
	return order
}

// Append appends the bytes of the postings.
func (p *Postings) Append(dst []byte) ([]byte, error) {
	dst = format.AppendUvarint(dst, p.First)
	dst = format.AppendUvarint(dst, uint64(p.Lane))
	dst = format.AppendUvarint(dst, uint64(p.Len()))
	var packed bytes.Buffer
	scratch := roaring.New()
	for what := range p.lists {
		of := &p.lists[what]
		for _, number := range of.sorted() {
			packed.Reset()
			if err := p.list(of, number).append(&packed, scratch); err != nil {
				return nil, err
			}
			dst = append(dst, byte(what))
			dst = format.AppendUvarint(dst, of.ids[number])
			dst = format.AppendBytes(dst, packed.Bytes())
		}
	}
	return dst, nil
}

// ParsePostings reads postings of a page with a number of slices.
func ParsePostings(b []byte, count uint64) (*Postings, error) {
	r := format.NewDecoder("postings block", b)
	p := &Postings{First: r.Uvarint(), Lane: uint32(r.Int(1 << 32))}
	var before Posting
	for i := range r.Count(3, math.MaxInt32) {
		what := Posting{PostingWhat(r.Byte()), r.Uvarint()}
		packed := r.Bytes()
		if r.Err() != nil {
			break
		}
		if i > 0 && before.compare(what) >= 0 {
			r.Fail("list %d is out of order", i)
			break
		}
		if before = what; what.What > PostingContext { // a later program knows what it is of
			continue
		}
		list, ok := readPostingList(packed, count)
		if !ok {
			r.Fail("list %d is no bitmap of %d slices", i, count)
			break
		}
		p.put(what, list)
	}
	return p, r.Finish()
}

// singleBitmap is the only form of a bitmap of one number below 2^16, but for that number, which follows.
var singleBitmap = []byte{
	0x3a, 0x30, 0, 0, // no runs
	1, 0, 0, 0, // containers
	0, 0, 0, 0, // key, numbers - 1
	16, 0, 0, 0, // offset
}

// readPostingList reads a list that has a slice at least, and none from count on.
func readPostingList(packed []byte, count uint64) (l postingList, ok bool) {
	if number, ok := bytes.CutPrefix(packed, singleBitmap); ok && len(number) == 2 {
		l.only = uint32(binary.LittleEndian.Uint16(number))
		return l, uint64(l.only) < count
	}
	l.all = roaring.New()
	return l, readBitmap(l.all, packed) && !l.all.IsEmpty() && uint64(l.all.Maximum()) < count
}

// readBitmap reads a bitmap, which must take all bytes and be in its only form. The bytes are not kept.
func readBitmap(b *roaring.Bitmap, packed []byte) bool {
	n, err := b.FromBuffer(slices.Clone(packed))
	if err != nil || int(n) != len(packed) || b.Validate() != nil {
		return false
	}
	again := b.Clone()
	again.RunOptimize()
	form, err := again.ToBytes()
	return err == nil && bytes.Equal(form, packed)
}

// Query asks for slices that have at least one of each of some groups of postings.
type Query [][]Posting

// Next returns the first slice, not before the one given, that may answer a query.
func (p *Postings) Next(q Query, slice uint64) (found uint64, ok bool) {
	slice = max(slice, p.First)
	if len(q) > 0 && slice-p.First > math.MaxUint32 {
		return 0, false
	}
	return p.seek(q, slice, true)
}

// Previous returns the last slice, not behind the one given, that may answer a query.
func (p *Postings) Previous(q Query, slice uint64) (found uint64, ok bool) {
	if slice < p.First {
		return 0, false
	}
	if len(q) > 0 {
		slice = min(slice, p.First+math.MaxUint32)
	}
	return p.seek(q, slice, false)
}

// seek goes on from a slice, in one direction, until each group of the query has a posting there.
func (p *Postings) seek(q Query, slice uint64, forward bool) (found uint64, ok bool) {
	for {
		at := slice
		for _, group := range q {
			n := p.nearest(group, uint32(at-p.First), forward)
			if n < 0 {
				return 0, false
			}
			at = p.First + uint64(n)
		}
		if at == slice {
			return at, true
		}
		slice = at
	}
}

// nearest returns the nearest slice from one on, relative to the first one of the page, that has any posting of a group; -1 if there is none.
func (p *Postings) nearest(group []Posting, from uint32, forward bool) int64 {
	nearest := int64(-1)
	for _, what := range group {
		l, ok := p.find(what)
		if !ok {
			continue
		}
		if n := l.seek(from, forward); n >= 0 && (nearest < 0 || forward == (n < nearest)) {
			nearest = n
		}
	}
	return nearest
}
