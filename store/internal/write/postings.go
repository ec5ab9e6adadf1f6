package write

import (
	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/trace"
)

// note notes for the postings, and for the totals, what a lane's part of a slice has.
func (b *backlog) note(s *sliceData, l *laneJob, d *slice.Draft) {
	d.CountKinds(l.infos, l.leaves.Info(), func(k trace.Kind, key uint64, n int) {
		b.kinds.add(k, uint64(n))
		s.note(l.lane, index.PostingKind, uint64(k))
		switch k {
		case trace.KindEnter:
			s.note(l.lane, index.PostingRegion, key)
		case trace.KindCallingContextEnter:
			s.note(l.lane, index.PostingContext, key) // of which region may be defined later
		}
	})
	for i := range d.Runs {
		s.note(l.lane, index.PostingLocation, uint64(d.Runs[i].Location))
	}
}

// posted is something that a lane has in a slice.
type posted struct {
	index.Posting
	lane uint32
}

func (s *sliceData) note(lane uint32, what index.PostingWhat, id uint64) {
	s.has = append(s.has, posted{index.Posting{What: what, ID: id}, lane})
}

// flushPostings writes the postings of some lanes, those of a page that is about to be closed.
func (b *backlog) flushPostings(page *index.Page, from, to int) error {
	all := index.Postings{First: page.First, Lane: page.Lane}
	for i := from; i < min(to, len(b.postings)); i++ {
		all.Join(&b.postings[i])
	}
	if all.Len() == 0 {
		return nil
	}
	payload, err := all.Append(nil)
	if err != nil {
		return err
	}
	ref, err := b.w.file.Compressed(format.BlockPostings, payload)
	page.Entries = append(page.Entries, index.Entry{Kind: format.BlockPostings, Lane: page.Lane, Number: page.First, Ref: ref})
	return err
}
