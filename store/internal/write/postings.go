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
	ref, err := b.w.file.Compressed(format.BlockPostings, payload)
	b.entry(index.Entry{Kind: format.BlockPostings, Number: b.page.First, Ref: ref})
	return err
}
