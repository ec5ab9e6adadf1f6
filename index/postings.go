package index

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/pandotrace/pando/format"
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
//	uvarint  number of lists
//	lists    byte what (0 location, 1 region, 2 kind, 3 calling context), uvarint id, bytes slices
//
// Lists are in rising order of what and id; slices are numbers less that of the first one, as a Roaring bitmap in its portable
// serialization, runs where they are smaller.
type Postings struct {
	First uint64
	lists map[Posting]*roaring.Bitmap
}

// Add notes that a slice has something.
func (p *Postings) Add(what Posting, slice uint64) {
	if p.lists == nil {
		p.lists = map[Posting]*roaring.Bitmap{}
	}
	b := p.lists[what]
	if b == nil {
		b = roaring.New()
		p.lists[what] = b
	}
	b.Add(uint32(slice - p.First))
}

// Len returns the number of lists.
func (p *Postings) Len() int { return len(p.lists) }

// Append appends the bytes of the postings.
func (p *Postings) Append(dst []byte) ([]byte, error) {
	dst = format.AppendUvarint(dst, p.First)
	dst = format.AppendUvarint(dst, uint64(len(p.lists)))
	for _, what := range slices.SortedFunc(maps.Keys(p.lists), Posting.compare) {
		b := p.lists[what]
		b.RunOptimize()
		packed, err := b.ToBytes()
		if err != nil {
			return nil, err
		}
		dst = append(dst, byte(what.What))
		dst = format.AppendUvarint(dst, what.ID)
		dst = format.AppendBytes(dst, packed)
	}
	return dst, nil
}

// ParsePostings reads postings of a page with a number of slices.
func ParsePostings(b []byte, count uint64) (*Postings, error) {
	r := format.NewDecoder("postings block", b)
	p := &Postings{First: r.Uvarint(), lists: map[Posting]*roaring.Bitmap{}}
	var before Posting
	for i := range r.Count(3, math.MaxInt32) {
		what := Posting{PostingWhat(r.Byte()), r.Uvarint()}
		packed := r.Bytes()
		if r.Err() != nil {
			break
		}
		if what.What > PostingContext || i > 0 && before.compare(what) >= 0 {
			r.Fail("list %d is of something unknown, or out of order", i)
			break
		}
		list := roaring.New()
		if !readBitmap(list, packed) || list.IsEmpty() || uint64(list.Maximum()) >= count {
			r.Fail("list %d is no bitmap of %d slices", i, count)
			break
		}
		p.lists[what], before = list, what
	}
	return p, r.Finish()
}

// readBitmap reads a bitmap, which must take all bytes and be in its only form. The bytes are not kept.
func readBitmap(b *roaring.Bitmap, packed []byte) bool {
	n, err := b.FromBuffer(slices.Clone(packed))
	if err != nil || int(n) != len(packed) || b.Validate() != nil {
		return false
	}
	again := b.Clone()
	again.RunOptimize()
	bytes, err := again.ToBytes()
	return err == nil && slices.Equal(bytes, packed)
}

// Query asks for slices that have at least one of each of some groups of postings.
type Query [][]Posting

// Next returns the first slice, not before the one given, that may answer a query.
func (p *Postings) Next(q Query, slice uint64) (found uint64, ok bool) {
	if slice < p.First {
		slice = p.First
	}
	for {
		at, settled := slice, true
		for _, group := range q {
			next := int64(-1)
			for _, what := range group {
				if b := p.lists[what]; b != nil && at-p.First <= math.MaxUint32 {
					if n := b.NextValue(uint32(at - p.First)); n >= 0 && (next < 0 || n < next) {
						next = n
					}
				}
			}
			if next < 0 {
				return 0, false
			}
			if n := p.First + uint64(next); n > at {
				at, settled = n, false
			}
		}
		if slice = at; settled {
			return slice, true
		}
	}
}

// Previous returns the last slice, not behind the one given, that may answer a query.
func (p *Postings) Previous(q Query, slice uint64) (found uint64, ok bool) {
	for slice >= p.First {
		at, settled := slice, true
		for _, group := range q {
			before := int64(-1)
			for _, what := range group {
				if b := p.lists[what]; b != nil {
					before = max(before, b.PreviousValue(uint32(min(at-p.First, math.MaxUint32))))
				}
			}
			if before < 0 {
				return 0, false
			}
			if n := p.First + uint64(before); n < at {
				at, settled = n, false
			}
		}
		if slice = at; settled {
			return slice, true
		}
	}
	return 0, false
}
