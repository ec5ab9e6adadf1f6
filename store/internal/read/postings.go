package read

import (
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/cache"
)

// Postings returns those of a page; nil if it has none.
func (r *File) Postings(page *Page) (*index.Postings, error) {
	ref, ok := page.Refs[BlockKey{Kind: format.BlockPostings, Number: page.First}]
	if !ok {
		return nil, nil
	}
	return cache.Get(r.cache, cache.Key{What: cache.Postings, Offset: ref.Offset}, func() (*index.Postings, int64, error) {
		b, err := r.Block(format.BlockPostings, ref)
		if err != nil {
			return nil, 0, err
		}
		p, err := index.ParsePostings(b, uint64(len(page.Slices)))
		if err == nil && p.First != page.First {
			err = format.Corruptf("postings block", -1, "it belongs to the page of slice %d, not of %d", p.First, page.First)
		}
		return p, int64(4*len(b) + 1000), format.At(err, r.name, int64(ref.Offset))
	})
}

// NextSlice returns the first slice, not before the one given, that may answer a query; if there is none before the end, the end or a later one.
func (r *File) NextSlice(q index.Query, slice, end uint64) (uint64, error) {
	for len(q) > 0 && slice < end {
		page, err := r.PageOf(slice)
		if err != nil {
			return 0, err
		}
		p, err := r.Postings(page)
		if err != nil || p == nil {
			return slice, err // without postings, any may
		}
		if found, ok := p.Next(q, slice); ok {
			return found, nil
		}
		slice = page.First + uint64(len(page.Slices))
	}
	return slice, nil
}

// PreviousSlice returns the last slice, not behind the one given, that may answer a query.
func (r *File) PreviousSlice(q index.Query, slice uint64) (found uint64, ok bool, err error) {
	for len(q) > 0 {
		page, err := r.PageOf(slice)
		if err != nil {
			return 0, false, err
		}
		p, err := r.Postings(page)
		if err != nil || p == nil {
			return slice, true, err
		}
		if found, ok := p.Previous(q, slice); ok {
			return found, true, nil
		}
		if page.First == 0 {
			return 0, false, nil
		}
		slice = page.First - 1
	}
	return slice, true, nil
}
