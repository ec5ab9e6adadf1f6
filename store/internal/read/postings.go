package read

import (
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/cache"
)

// PostingsKey returns the key of the block of postings of a page.
func (p *Page) PostingsKey() BlockKey {
	return BlockKey{Kind: format.BlockPostings, Lane: p.Lane, Number: p.First}
}

// Postings returns those of a page; nil if it has none.
func (r *File) Postings(page *Page) (*index.Postings, error) {
	ref, ok := page.Refs[page.PostingsKey()]
	if !ok {
		return nil, nil
	}
	p, err := cache.Get(r.cache, cache.Key{What: cache.Postings, Offset: ref.Offset}, func() (*index.Postings, int64, error) {
		b, err := r.Block(format.BlockPostings, ref)
		if err != nil {
			return nil, 0, err
		}
		p, err := index.ParsePostings(b, r.root.Pages[page.number].Slices)
		return p, int64(4*len(b) + 1000), format.At(err, r.name, int64(ref.Offset))
	})
	if err == nil && (p.First != page.First || p.Lane != page.Lane) {
		err = format.Corruptf("postings block", -1, "it belongs to the page of slice %d, lane %d, not of slice %d, lane %d", p.First, p.Lane, page.First, page.Lane)
	}
	return p, format.At(err, r.name, int64(ref.Offset))
}

// NextSlice returns the first slice, not before the one given, that may answer a query about some lanes; if there is none before the end,
// the end or a later one.
func (r *File) NextSlice(q index.Query, lanes []uint32, slice, end uint64) (uint64, error) {
	for len(q) > 0 && slice < end {
		row, err := r.row(slice)
		if err != nil {
			return 0, err
		}
		page := &r.root.Pages[row]
		next := page.First + page.Slices
		found := next
		err = r.eachPostings(row, lanes, func(p *index.Postings) {
			if p == nil { // without postings, any may
				found = slice
			} else if n, ok := p.Next(q, slice); ok {
				found = min(found, n)
			}
		})
		if err != nil || found < next {
			return found, err
		}
		slice = next
	}
	return slice, nil
}

// PreviousSlice returns the last slice, not behind the one given, that may answer a query about some lanes.
func (r *File) PreviousSlice(q index.Query, lanes []uint32, slice uint64) (found uint64, ok bool, err error) {
	for len(q) > 0 {
		row, err := r.row(slice)
		if err != nil {
			return 0, false, err
		}
		err = r.eachPostings(row, lanes, func(p *index.Postings) {
			if p == nil {
				found, ok = slice, true
			} else if n, has := p.Previous(q, slice); has {
				found, ok = max(found, n), true
			}
		})
		if err != nil || ok {
			return found, ok, err
		}
		if row == 0 {
			return 0, false, nil
		}
		slice = r.root.Pages[row].First - 1
	}
	return slice, true, nil
}

// eachPostings calls f for the postings of the pages about the same slices that list blocks of some lanes; for a page that has none with nil.
func (r *File) eachPostings(row int, lanes []uint32, f func(*index.Postings)) error {
	for _, part := range r.partsOf(row, lanes) {
		page, err := r.part(row, part)
		if err != nil {
			return err
		}
		p, err := r.Postings(page)
		if err != nil {
			return err
		}
		f(p)
	}
	return nil
}

// partsOf returns which of the pages about the same slices list blocks of some lanes, in rising order.
func (r *File) partsOf(row int, lanes []uint32) (parts []int) {
	ref := &r.root.Pages[row]
	for _, lane := range lanes {
		if part := ref.PageOf(lane); len(parts) == 0 || parts[len(parts)-1] != part {
			parts = append(parts, part)
		}
	}
	return parts
}
