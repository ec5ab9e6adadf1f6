package write

import (
	"github.com/pandotrace/pando/encode/records"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/pairing"
)

func (b *backlog) pageIsFull() bool {
	return uint64(len(b.page.Slices)) >= max(layout.MinPageSlices, b.root.Slices/layout.RootPages)
}

func (b *backlog) slice(s *sliceData) {
	for _, h := range s.has {
		for len(b.postings) <= int(h.lane) {
			b.postings = append(b.postings, index.Postings{First: b.page.First})
		}
		b.postings[h.lane].Add(h.Posting, b.page.First+uint64(len(b.page.Slices)))
	}
	b.root.Events += s.events
	b.page.Slices = append(b.page.Slices, index.SliceEntry{Start: s.start, End: s.end, Events: s.events})
}

func (b *backlog) entry(e index.Entry) { b.page.Entries = append(b.page.Entries, e) }

func (b *backlog) rootEntry(e index.Entry) { b.root.Entries = append(b.root.Entries, e) }

// nodeEntry notes a block of a node: low nodes in the page of their slices, the few high ones in the root.
func (b *backlog) nodeEntry(e index.Entry) {
	if e.Level <= layout.PageLevel {
		b.entry(e)
	} else {
		b.rootEntry(e)
	}
}

func (b *backlog) flushPage() error {
	if len(b.page.Slices) == 0 {
		return nil
	}
	p := &b.page
	at := index.PageRef{First: p.First, Slices: uint64(len(p.Slices)), Start: p.Slices[0].Start, End: p.Slices[len(p.Slices)-1].End}
	pages, err := b.divide()
	if err != nil {
		return err
	}
	for i, page := range pages {
		ref, err := b.w.file.Compressed(format.BlockPage, page.Append(nil))
		if err != nil {
			return err
		}
		if i == 0 {
			at.Ref = ref
		} else {
			at.Lanes = append(at.Lanes, index.LanesRef{First: page.Lane, Ref: ref})
		}
	}
	b.root.Pages = append(b.root.Pages, at)
	b.root.Slices += at.Slices
	b.page = index.Page{First: p.First + at.Slices, Slices: p.Slices[:0], Entries: p.Entries[:0]}
	b.postings = b.postings[:0]
	return nil
}

// divide returns the pages of the slices at hand, and writes their postings. If there are too many entries for one page, it has the slices
// alone, and further ones have the entries of some lanes each.
func (b *backlog) divide() (pages []*index.Page, err error) {
	most := b.w.options.PageEntries
	if len(b.page.Entries) <= most {
		return []*index.Page{&b.page}, b.flushPostings(&b.page, 0, len(b.postings))
	}
	byLane := make([][]index.Entry, max(len(b.w.lanes), len(b.postings)))
	for _, e := range b.page.Entries {
		byLane[e.Lane] = append(byLane[e.Lane], e)
	}
	pages = []*index.Page{{First: b.page.First, Slices: b.page.Slices}}
	for from := 0; from < len(byLane); {
		page := &index.Page{First: b.page.First, Lane: uint32(from)}
		to := from
		for ; to < len(byLane) && (to == from || len(page.Entries)+len(byLane[to]) < most); to++ {
			page.Entries = append(page.Entries, byLane[to]...)
		}
		if err := b.flushPostings(page, from, to); err != nil {
			return nil, err
		}
		pages, from = append(pages, page), to
	}
	return pages, nil
}

// unmatched writes the ends of messages without a partner.
func (b *backlog) unmatched() error {
	number := uint64(0)
	for ends, err := range b.w.Matcher.Unmatched(len(b.w.locations), b.w.sliceCount) {
		if err != nil {
			return err
		}
		if err := b.once(format.BlockUnmatched, number, pairing.AppendUnmatched(nil, ends)); err != nil {
			return err
		}
		number++
	}
	return nil
}

// finish writes what comes once, after the last group: what was defined since, auxiliary records, ends of messages without
// a partner, kinds and totals, the directory and the footer.
func (b *backlog) finish() error {
	w := b.w
	if err := b.definitions(&w.defined); err != nil {
		return err
	}
	if err := w.Auxiliary.flush(b); err != nil {
		return err
	}
	if err := b.unmatched(); err != nil {
		return err
	}
	if err := b.flushPage(); err != nil {
		return err
	}
	if err := b.locations(); err != nil {
		return err
	}
	if err := b.once(format.BlockKinds, 0, records.AppendKinds(nil, w.specsSeen())); err != nil {
		return err
	}
	if err := b.once(format.BlockTotals, 0, w.appendTotals(nil)); err != nil {
		return err
	}
	if len(w.meta.Annotations) > 0 {
		if err := b.once(format.BlockAnnotations, 0, records.AppendAnnotations(nil, w.meta.Annotations)); err != nil {
			return err
		}
	}
	return w.file.Finish(&b.root, layout.Features(w.meta))
}
