package query

import (
	"slices"

	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/trace"
)

// query asks for slices that have events of the window's locations, and calls of its regions or events of its kinds.
func (w *Window) query(calls bool) index.Query {
	var q index.Query
	if w.Locations != nil {
		q = append(q, postingsOf(index.PostingLocation, w.Locations))
	}
	if calls && w.Regions != nil {
		regions, ok := w.regionPostings()
		if !ok {
			return nil
		}
		q = append(q, regions)
	}
	if !calls && w.kinds != nil {
		q = append(q, w.kinds.postings())
	}
	if slices.ContainsFunc(q, func(g []index.Posting) bool { return len(g) > manyPostings }) {
		return nil // as good as all
	}
	return q
}

// manyPostings is the number of locations, regions or kinds from which on it is not worth to ask which slices have them.
const manyPostings = 64

func (s kindSet) postings() (list []index.Posting) {
	for k, wanted := range s {
		if wanted {
			list = append(list, index.Posting{What: index.PostingKind, ID: uint64(k)})
		}
	}
	return list
}

func postingsOf[T ~uint32 | ~uint64](what index.PostingWhat, set map[T]bool) []index.Posting {
	var list []index.Posting
	for id := range set {
		list = append(list, index.Posting{What: what, ID: uint64(id)})
	}
	return list
}

// regionPostings lists the window's regions, and the calling contexts that are calls of them. ok is false if these are not known.
func (w *Window) regionPostings() (list []index.Posting, ok bool) {
	w.Reader.LoadPages(w.From, w.To, read.Contexts)
	d, err := w.Reader.View(read.Contexts)
	if err != nil || w.Regions[trace.Undefined] {
		return nil, false
	}
	list = postingsOf(index.PostingRegion, w.Regions)
	for id, c := range d.Contexts {
		if w.Regions[c.Region] {
			list = append(list, index.Posting{What: index.PostingContext, ID: id})
		}
	}
	return list, true
}
