package recovery

import (
	"fmt"
	"slices"

	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/store/internal/merged"
	"github.com/pandotrace/pando/store/internal/pairing"
	"github.com/pandotrace/pando/store/internal/query"
	"github.com/pandotrace/pando/store/internal/read"
)

// savedSlice is a slice on its way into the new file. If it is small its lanes are kept until they are written; else they are decoded
// again, one after the other, for each span.
type savedSlice struct {
	*recoverer
	number uint64
	lanes  []savedRuns
	events int
	words  int
	runs   int
}

// savedRuns is a lane of the slice.
type savedRuns struct {
	block      foundBlock
	start, end int64
	runs       []savedRun
	kept       *slice.Events // nil if it is to be decoded again
}

// savedRun is where the events of a location go on.
type savedRun struct {
	location uint32
	first    uint64
	time     int64
}

// slice writes the events of one slice.
func (c *recoverer) slice(number uint64, blocks []foundBlock) error {
	s := savedSlice{recoverer: c, number: number}
	defer s.release()
	for i, b := range blocks {
		if i > 0 && b.lane == blocks[i-1].lane {
			c.problem(b.offset, format.Corruptf("slice block", -1, "another block is slice %d of lane %d, too", number, b.lane))
			continue
		}
		if err := s.admit(b); format.IsCorrupt(err) {
			c.problem(b.offset, err)
		} else if err != nil {
			return err
		}
	}
	if len(s.lanes) == 0 {
		return nil
	}
	if err := c.w.CoverUpTo(c.start); err != nil {
		return err
	}
	if err := c.w.Keep(c.w.Settle()); err != nil { // gaps and hints are told to what takes slices apart
		return err
	}
	for i := range s.lanes {
		s.findGaps(&s.lanes[i])
	}
	return s.write()
}

// admit decodes a block, and notes what it has if it is admitted.
func (s *savedSlice) admit(b foundBlock) error {
	e := read.EventRoom.Get().(*slice.Events)
	err := s.decode(e, b)
	if err == nil {
		err = s.check(e)
	}
	if err != nil {
		read.EventRoom.Put(e)
		return err
	}
	lane := savedRuns{block: b, start: e.Start, end: e.End, kept: e}
	for i := range e.Runs {
		from, _ := e.Span(i)
		lane.runs = append(lane.runs, savedRun{e.Runs[i].Location, e.Runs[i].First, e.Times[from]})
	}
	s.lanes = append(s.lanes, lane)
	s.events, s.words, s.runs = s.events+len(e.Leaves), s.words+e.Words(), s.runs+len(e.Runs)
	if s.large() {
		s.release()
	}
	return nil
}

// large reports whether the slice is taken in spans.
func (s *savedSlice) large() bool { return s.words > s.AtOnce.Words }

// release gives back the memory of all lanes.
func (s *savedSlice) release() {
	for i := range s.lanes {
		if l := &s.lanes[i]; l.kept != nil {
			read.EventRoom.Put(l.kept)
			l.kept = nil
		}
	}
}

// check refuses a slice that does not follow the one before, or does not agree with those of other lanes.
func (s *savedSlice) check(e *slice.Events) error {
	if s.begun && e.Start < s.start {
		return format.Corruptf("slice block", -1, "it begins at %d, before another one of a lower number", e.Start)
	}
	if len(s.lanes) > 0 && (e.Start != s.lanes[0].start || e.End != s.lanes[0].end) {
		return format.Corruptf("slice block", -1, "it is [%d, %d), that of lane %d [%d, %d)", e.Start, e.End, s.lanes[0].block.lane, s.lanes[0].start, s.lanes[0].end)
	}
	if err := s.makeUp(e); err != nil {
		return err
	}
	for i := range e.Runs {
		run := &e.Runs[i]
		from, _ := e.Span(i)
		l := s.location(s.recoverer.lanes[e.Lane], run.Location)
		if l.lane != s.recoverer.lanes[e.Lane] {
			return format.Corruptf("slice block", -1, "its location number %d is of another lane", run.Location)
		}
		if run.First < l.next || e.Times[from] < l.last {
			return format.Corruptf("slice block", -1, "event %d of location number %d does not come after its event %d", run.First, run.Location, l.next)
		}
		if _, err := e.Batch(i); err != nil {
			return err
		}
	}
	s.begun, s.start = true, e.Start
	return nil
}

// each does something with the events of each lane.
func (s *savedSlice) each(do func(e *slice.Events) error) error {
	for i := range s.lanes {
		l := &s.lanes[i]
		if err := s.lane(l, do); err != nil {
			return format.At(err, s.name, l.block.offset)
		}
	}
	return nil
}

func (s *savedSlice) lane(l *savedRuns, do func(e *slice.Events) error) error {
	if l.kept != nil {
		return do(l.kept)
	}
	e := read.EventRoom.Get().(*slice.Events)
	defer read.EventRoom.Put(e)
	if err := s.decode(e, l.block); err != nil {
		return err
	}
	return do(e)
}

// eachEnd does something with the ends of messages of all lanes, but those of which it is not known what locations they have, or what belongs
// together.
func (s *savedSlice) eachEnd(do func(b *pairing.EndBatch) error) error {
	ends := pairing.EndReader{Do: do}
	return s.each(func(e *slice.Events) error {
		marks, known, err := s.pairMarks(e.Lane)
		if err != nil {
			return err
		}
		if !known || s.isStrange(e.Lane, s.runsOf(e.Lane)) {
			ends.Events += len(e.Leaves)
			return nil
		}
		if err := pairing.CheckMarks(marks, e); err != nil {
			return err
		}
		return ends.Lane(e, marks)
	})
}

func (s *savedSlice) runsOf(lane uint32) []savedRun {
	i := slices.IndexFunc(s.lanes, func(l savedRuns) bool { return l.block.lane == lane })
	return s.lanes[i].runs
}

// write passes the slice's events on.
func (s *savedSlice) write() error {
	var pairs *pairing.EndPairing
	if s.torn {
		var err error
		if pairs, err = s.pair(); err != nil && !format.IsCorrupt(err) { // these are hints only
			return err
		}
	}
	spans, err := s.spans()
	if err != nil {
		return err
	}
	for i := range spans {
		if err := s.writeSpan(&spans[i], pairs); err != nil {
			return fmt.Errorf("slice %d: %w", s.number, err)
		}
	}
	return nil
}

// pair finds out which ends of messages in the slice belong together, to be told to the writer: after a loss the order does not tell.
func (s *savedSlice) pair() (*pairing.EndPairing, error) {
	p := &pairing.EndPairing{
		Channels: pairing.ChannelNumbers{Ids: func(l uint32) uint64 { return s.names.byIndex[l] }, Definitions: s.w.Definitions},
		Most:     s.AtOnce.Channels, Each: s.eachEnd,
	}
	if err := p.Pair(s.events); err != nil {
		return nil, err
	}
	n := uint32(len(p.Pairs))
	p.Pairs, p.First = nil, s.pairs
	if s.pairs += n; s.pairs < n { // 0 is the number of none
		s.pairs, p.First = n, 0
	}
	return p, nil
}

// spans divides the slice if it is large.
func (s *savedSlice) spans() ([]query.Span, error) {
	all := query.Whole(s.number, false)
	if !s.large() {
		return []query.Span{all}, nil
	}
	m := merged.NewMarker(s.AtOnce.Words, s.runs)
	if err := s.each(m.Events); err != nil {
		return nil, err
	}
	return all.DividedAt(slices.Compact(m.Chosen(s.runs))), nil
}

// writeSpan passes the events of a span on, of which some ends may be known to belong together.
func (s *savedSlice) writeSpan(span *query.Span, pairs *pairing.EndPairing) error {
	if pairs != nil {
		if err := s.hints(span, pairs); err != nil {
			return err
		}
	}
	if err := s.each(func(e *slice.Events) error { return s.writeLane(e, span) }); err != nil {
		return err
	}
	if span.To == merged.End {
		return nil
	}
	return s.w.CoverUpTo(span.To.Time)
}

// hints tells the writer which ends of a span belong together.
func (s *savedSlice) hints(span *query.Span, pairs *pairing.EndPairing) error {
	if err := s.w.Keep(s.w.Settle()); err != nil {
		return err
	}
	return s.eachEnd(func(b *pairing.EndBatch) error {
		for i, t := range b.Times {
			pair, ok := pairs.Of(b, i)
			if !ok || !span.Has(merged.Mark{Time: t, Location: b.Run.Location, Ordinal: b.Ordinal(i)}) {
				continue
			}
			l := s.locations[b.Run.Location]
			l.at.Hint(l.at.Events+uint64(l.at.Pending.Events)+b.Ordinal(i)-l.next, pairs.First+pair+1)
		}
		return nil
	})
}

// writeLane passes a lane's events of a span on.
func (s *savedSlice) writeLane(e *slice.Events, span *query.Span) error {
	for i := range e.Runs {
		run := &e.Runs[i]
		b, err := e.Batch(i)
		if err != nil {
			return err
		}
		from, to := span.Cut(b.Times, run.Location, run.First)
		if from == to {
			continue
		}
		if err := s.w.Append(b.View(from, to)); err != nil {
			return err
		}
		l := s.locations[run.Location]
		l.next += uint64(to - from)
		l.last = b.Times[to-1]
		s.report.Events += uint64(to - from)
	}
	return nil
}
