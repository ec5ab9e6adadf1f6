package slice

import (
	"slices"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/encode/text"
	"github.com/pandotrace/pando/format"
)

// checkTokens gives each run its tokens, and returns the number of words of all events. It fails if tokens do not have as many events as
// their run, or if there are more words than the limit. Both are found by arithmetic, before anything is expanded.
func checkTokens(d *shape.Dictionary, r *format.Decoder, s *Block, tokens []shape.Token, perRun []uint64, limits format.Limits) (words uint64) {
	wrong := -1
	for i := range s.Runs {
		run := &s.Runs[i]
		run.Tokens, tokens = tokens[:perRun[i]:perRun[i]], tokens[perRun[i]:]
		n, w := d.SizeOf(run.Tokens)
		if words = shape.Plus(words, w); n != uint64(run.Events) && wrong < 0 {
			wrong = i
		}
	}
	switch {
	case words > uint64(limits.LaneValues):
		r.FailLimit("%d words of events, more than the limit of %d", words, limits.LaneValues)
	case wrong >= 0:
		run := &s.Runs[wrong]
		r.Fail("tokens stand for %d events of location %d, which has %d", d.EventsOf(run.Tokens), run.Location, run.Events)
	}
	return words
}

// sliceReader reads a slice block up to its values.
type sliceReader struct {
	*Block
	r          *format.Decoder
	dictionary *shape.Dictionary
	statistics *TokenStatistics
	limits     format.Limits
	tokens     []uint64 // by run: their number
	phases     []uint64 // by run: their number
	residuals  []uint64 // by run: their number
	words      uint64   // of all events
	packed     text.Text
	room       *readRoom
}

// readRoom is memory for the structure of a slice, which is used again when nothing of the one before is needed.
type readRoom struct {
	runs   []Run
	counts []uint64 // see sliceReader.readRuns
	tokens []shape.Token
}

// readSlice reads a slice block up to its values, but no text. It returns how many bytes its structure takes, and how many words, attributes and
// times the events have. Without heads, it passes over what only values need. Damage is noted in r. The slice stands in the memory of room.
func readSlice(r *format.Decoder, d *shape.Dictionary, t *TokenStatistics, limits format.Limits, heads bool, room *readRoom) (slice Block, packed text.Text, structure int, words uint64) {
	s := sliceReader{Block: &slice, r: r, dictionary: d, statistics: t, limits: limits, room: room}
	if s.readHead(heads); r.Err() != nil {
		return slice, s.packed, 0, 0
	}
	structure = r.Len()
	s.readStructure(heads)
	return slice, s.packed, structure - r.Len(), s.words
}

// readHead reads what stands before the chain of structure, and makes the runs.
func (s *sliceReader) readHead(heads bool) {
	r := s.r
	s.Number, s.Lane, s.Epoch, s.Start = r.Uvarint(), uint32(r.Int(1<<32)), uint32(r.Int(1<<32)), r.Varint()
	s.End = s.Start + int64(r.Int(format.SpanLimit))
	s.packed = text.Read(r, s.limits.BlockBytes)
	shares := s.statistics.Roster.of(s.Number)
	if len(shares) == 0 {
		r.Fail("the roster does not have slice %d", s.Number)
	}
	s.room.runs = slices.Grow(s.room.runs[:0], len(shares))[:len(shares)]
	s.Runs = s.room.runs
	left := uint64(s.limits.LaneEvents)
	if heads {
		clear(s.Runs) // without heads, nothing sets more of a run than is set here and its tokens
	}
	for i := range shares {
		share, run := &shares[i], &s.Runs[i]
		run.Location, run.ID, run.First, run.Events = share.Location, share.ID, share.First, int(share.Events)
		if uint64(share.Events) > left {
			r.FailLimit("more events than the limit of %d", s.limits.LaneEvents)
			return
		}
		left -= uint64(share.Events)
	}
}

// readStructure reads the chain of structure; without heads, only up to them.
func (s *sliceReader) readStructure(heads bool) {
	inner := format.NewDecoder("structure", s.r.Bytes())
	chain := s.statistics.Structure.NewChainReader(inner)
	// next reads values of a context.
	next := func(context int, values []uint64) {
		for i := range values {
			values[i] = chain.Next(s.statistics.base() + context)
		}
	}
	s.readRuns(next)
	if s.r.Err() == nil && inner.Err() == nil {
		s.readTokens(chain)
	}
	if heads && s.r.Err() == nil && inner.Err() == nil {
		s.readHeads(next)
		chain.Finish()
	}
	if inner.Err() != nil {
		s.r.Fail("%v", inner.Err())
	}
}

func (s *sliceReader) readRuns(next func(context int, values []uint64)) {
	n := len(s.Runs)
	counts := slices.Grow(s.room.counts[:0], 3*n)[:3*n]
	s.room.counts = counts
	s.tokens, s.phases, s.residuals = counts[:n], counts[n:2*n], counts[2*n:]
	next(contextTokens, s.tokens)
	next(contextPhases, s.phases)
	next(contextResiduals, s.residuals)
	for i := range s.Runs {
		run := &s.Runs[i]
		if max(s.tokens[i], s.phases[i], s.residuals[i]) > uint64(run.Events) {
			s.r.Fail("location %d: %d tokens, %d phases and %d residuals for %d events",
				run.Location, s.tokens[i], s.phases[i], s.residuals[i], run.Events)
		}
	}
}

func (s *sliceReader) readHeads(next func(context int, values []uint64)) {
	read := func(context, n int) []uint64 {
		values := make([]uint64, n)
		next(context, values)
		return values
	}
	phases, lattices, residuals := 0, 0, 0
	for i, n := range s.phases {
		phases += int(n)
		lattices += int(min(n, 1))
		residuals += int(s.residuals[i])
	}
	s.setPhases(read(contextPhaseEvents, phases-lattices), read(contextShift, phases), read(contextPhase, phases))
	s.setResiduals(read(contextResidual, residuals))
}

// setPhases leaves the events of the last phase of a run to what is left of the run.
func (s *sliceReader) setPhases(events, shifts, values []uint64) {
	room := make([]column.Phase, len(values))
	for i, n := range s.phases {
		if n == 0 {
			continue
		}
		run := &s.Runs[i]
		run.Phases, room = room[:n:n], room[n:]
		left := uint64(run.Events)
		for j := range run.Phases {
			shift, value := shifts[0], values[0]
			shifts, values = shifts[1:], values[1:]
			if shift > column.LatticeBits || value >= 1<<(63-shift) || shift < column.LatticeBits && value&1 == 0 {
				s.r.Fail("bad phase")
			}
			run.Phases[j] = column.Phase{Events: int(left), Value: value << shift}
			if j+1 == int(n) {
				break
			}
			if left < 2 || events[0] > left-2 {
				s.r.Fail("location %d has phases beyond its events", run.Location)
				return
			}
			run.Phases[j].Events = int(events[0]) + 1
			left -= events[0] + 1
			events = events[1:]
		}
	}
}

// setResiduals sets which events of each run have residuals.
func (s *sliceReader) setResiduals(gaps []uint64) {
	events := make([]uint32, len(gaps))
	for i, n := range s.residuals {
		run := &s.Runs[i]
		next := uint64(0)
		for j, gap := range gaps[:n] {
			if gap >= uint64(run.Events)-next {
				s.r.Fail("location %d has a residual beyond its events", run.Location)
				return
			}
			events[j], next = uint32(next+gap), next+gap+1
		}
		if n > 0 {
			run.Residuals, events, gaps = events[:n:n], events[n:], gaps[n:]
		}
	}
}

// readTokens reads the tokens of all runs. They must have as many events as the run.
func (s *sliceReader) readTokens(chain *column.ChainReader) {
	total := uint64(0)
	for _, n := range s.tokens {
		total += n
	}
	s.room.tokens = slices.Grow(s.room.tokens[:0], int(total))[:total]
	tokens, at, shapes := s.room.tokens, 0, uint64(s.dictionary.Len())
	successors := &s.statistics.Successors
	counts := successors.contexts()
	for _, n := range s.tokens {
		context := runBegin
		for end := at + int(n); at < end; at++ {
			v := chain.Next(context)
			if v >= shapes {
				s.r.Fail("a token of shape %d, of %d", v, shapes)
				return
			}
			context = successors.context(v)
			count := chain.Next(counts + context)
			if count >= 1<<32-1 {
				s.r.Fail("token %d stands %d times", at, count)
				return
			}
			tokens[at] = shape.Token{Shape: uint32(v), Count: uint32(count + 1)}
		}
	}
	s.words = checkTokens(s.dictionary, s.r, s.Block, tokens, s.tokens, s.limits)
}
