package store

import (
	"slices"

	"github.com/pandotrace/pando/encode"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/trace"
)

// note notes for the postings, and for the totals, what a lane's part of a slice has.
func (b *backlog) note(s *sliceData, l *laneJob, d *encode.Draft) {
	d.Tell(l.infos, l.leaves.Info(), func(k trace.Kind, key uint64, n int) {
		b.kinds.add(k, uint64(n))
		s.has = append(s.has, index.Posting{What: index.PostingKind, ID: uint64(k)})
		switch k {
		case trace.KindEnter:
			s.has = append(s.has, index.Posting{What: index.PostingRegion, ID: key})
		case trace.KindCallingContextEnter:
			s.has = append(s.has, index.Posting{What: index.PostingContext, ID: key}) // of which region may be defined later
		}
	})
	for i := range d.Runs {
		s.has = append(s.has, index.Posting{What: index.PostingLocation, ID: uint64(d.Runs[i].Location)})
	}
}

// flushPostings writes the postings of the page that is about to be closed.
func (b *backlog) flushPostings() error {
	if b.postings.Len() == 0 {
		return nil
	}
	payload, err := b.postings.Append(nil)
	if err != nil {
		return err
	}
	ref, err := b.w.file.compressed(format.BlockPostings, payload)
	b.entry(index.Entry{Kind: format.BlockPostings, Number: b.page.First, Ref: ref})
	return err
}

// postings returns those of a page; nil if it has none.
func (r *Reader) postings(page *page) (*index.Postings, error) {
	ref, ok := page.refs[blockKey{kind: format.BlockPostings, number: page.First}]
	if !ok {
		return nil, nil
	}
	return cached(r.cache, cacheKey{what: cachedPostings, offset: ref.Offset}, func() (*index.Postings, int64, error) {
		b, err := r.block(format.BlockPostings, ref)
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

// nextSlice returns the first slice, not before the one given, that may answer a query; the number of slices if there is none.
func (r *Reader) nextSlice(q index.Query, slice uint64) (uint64, error) {
	for len(q) > 0 && slice < r.root.Slices {
		page, err := r.pageOf(slice)
		if err != nil {
			return 0, err
		}
		p, err := r.postings(page)
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

// previousSlice returns the last slice, not behind the one given, that may answer a query.
func (r *Reader) previousSlice(q index.Query, slice uint64) (found uint64, ok bool, err error) {
	for len(q) > 0 {
		page, err := r.pageOf(slice)
		if err != nil {
			return 0, false, err
		}
		p, err := r.postings(page)
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

// query asks for slices that have events of the window's locations, and calls of its regions or events of its kinds.
func (w *Window) query(calls bool) index.Query {
	var q index.Query
	if w.locations != nil {
		q = append(q, postingsOf(index.PostingLocation, w.locations))
	}
	if calls && w.regions != nil {
		regions, ok := w.regionPostings()
		if !ok {
			return nil
		}
		q = append(q, regions)
	}
	if !calls && w.kinds != nil {
		q = append(q, postingsOf(index.PostingKind, w.kinds))
	}
	if slices.ContainsFunc(q, func(g []index.Posting) bool { return len(g) > manyPostings }) {
		return nil // as good as all
	}
	return q
}

// manyPostings is the number of locations, regions or kinds from which on it is not worth to ask which slices have them.
const manyPostings = 64

func postingsOf[T ~uint32 | ~uint16 | ~uint64](what index.PostingWhat, set map[T]bool) []index.Posting {
	var list []index.Posting
	for id := range set {
		list = append(list, index.Posting{What: what, ID: uint64(id)})
	}
	return list
}

// regionPostings lists the window's regions, and the calling contexts that are calls of them. ok is false if these are not known.
func (w *Window) regionPostings() (list []index.Posting, ok bool) {
	d, err := w.reader.Definitions()
	if err != nil || w.regions[trace.Undefined] {
		return nil, false
	}
	list = postingsOf(index.PostingRegion, w.regions)
	for id, c := range d.Contexts {
		if w.regions[c.Region] {
			list = append(list, index.Posting{What: index.PostingContext, ID: id})
		}
	}
	return list, true
}
