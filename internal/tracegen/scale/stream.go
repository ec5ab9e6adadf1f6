package scale

import (
	"io"
	"math/rand/v2"

	"github.com/pandotrace/pando/trace"
)

// stream plays a location.
type stream struct {
	source   *source
	location *location
	id       uint64
	number   uint64 // of the copy
	phase    uint64 // of the clock
	noise    *rand.PCG
	weather  *weather

	repetition uint64
	at, end    int   // the next event, and the end of what is played before the next leap
	span       int   // that the next event is in
	patch      int   // the first one of the next event, or after it
	now        int64 // the time of the event before, in ticks of the base
	shift      int64 // ticks that the repetitions before took, without delays
}

func newStream(s *source, id uint64, p place) *stream {
	st := &stream{
		source: s, location: s.locations[p.location], id: id, number: uint64(p.number),
		noise:   rand.NewPCG(s.options.Seed, uint64(p.number)<<32+uint64(p.location)+1),
		weather: newWeather(s.Base, s.options.Seed, p.number),
	}
	if spare := s.clock.period - clockUnit; spare > 0 {
		st.phase = st.noise.Uint64() % spare // so that what is a tick later is later in any phase
	}
	st.end = st.location.to
	return st
}

// Close implements [trace.Stream].
func (s *stream) Close() error { return nil }

// Next implements [trace.Stream].
func (s *stream) Next(b *trace.Batch, most int) error {
	b.Reset(s.id)
	for b.Len() < most && s.more() {
		s.play(b, min(most-b.Len(), s.end-s.at))
	}
	if b.Len() == 0 {
		return io.EOF
	}
	return nil
}

// more reports whether there are further events. At the end of the body it returns to the body's start, or continues with the rest.
func (s *stream) more() bool {
	for s.at == s.end {
		switch {
		case s.repetition+1 < uint64(s.source.options.Repetitions):
			s.leap()
		case s.end < s.location.events.Len():
			s.end = s.location.events.Len()
		default:
			return false
		}
	}
	return true
}

// leap goes back to the begin of the body.
func (s *stream) leap() {
	s.repetition++
	s.weather.repeat()
	s.now -= s.source.length
	s.shift += s.source.length
	s.at, s.span, s.patch = s.location.from, s.location.bodySpan, s.location.bodyPatch
}

// play appends the next n events.
func (s *stream) play(b *trace.Batch, n int) {
	first, words := b.Len(), len(b.Words)
	b.AppendRange(&s.location.events, s.at, s.at+n, s.source.meta.Table())
	s.times(b.Times[first:])
	s.patchWords(b, first-s.at, words-int(s.location.events.Starts[s.at]), s.at+n)
	s.at += n
}

// times draws the times of the next events.
func (s *stream) times(times []int64) {
	laws := s.location.laws[s.at : s.at+len(times)]
	for i := 0; i < len(times); {
		span := &s.location.spans[s.span]
		end := min(span.end-s.at, len(times))
		if s.at+end < span.end || span.leash < 0 {
			s.drift(times[i:end], laws[i:end], span)
		} else {
			s.drift(times[i:end-1], laws[i:end-1], span)
			times[end-1] = s.pull(laws[end-1], span)
		}
		if s.at+end == span.end {
			s.span++
		}
		i = end
	}
}

// drift draws the times of events by their distances alone.
func (s *stream) drift(times []int64, laws []uint32, span *span) {
	for i, l := range laws {
		next := s.now + s.source.laws[l].at(uint32(s.noise.Uint64()))
		s.now = min(max(next, span.release), span.deadline)
		times[i] = s.instant()
	}
}

// pull draws the time of an event that comes about when it does in the base.
func (s *stream) pull(l uint32, span *span) int64 {
	law, x := s.source.laws[l], s.noise.Uint64()
	earliest, latest := span.target-span.leash, span.target+span.leash
	next := s.now + law.at(uint32(x))
	if next < earliest || next > latest {
		soon := s.now + law.at(uint32(x)>>3) // by one of the shortest distances, if it is late already
		next = max(soon, earliest+int64(float64(x>>11)*0x1p-53*float64(latest-earliest+1)))
	}
	s.now = min(max(next, span.release), span.deadline)
	return s.instant()
}

// instant returns the time of now.
func (s *stream) instant() int64 {
	if s.now >= s.weather.next {
		s.weather.pass(s.now)
	}
	return s.source.clock.time(s.now+s.shift+s.weather.total, s.phase)
}

// patchWords changes the words of the events before `end` that were just appended. records and words are what is between
// the numbers of records and words in the location and in the batch.
func (s *stream) patchWords(b *trace.Batch, records, words, end int) {
	events := &s.location.events
	for ; s.patch < len(s.location.patches) && s.location.patches[s.patch].event < end; s.patch++ {
		p := &s.location.patches[s.patch]
		w := &b.Words[words+p.word]
		*w += s.number*p.perCopy + s.repetition*p.perRepetition
		if p.instant {
			*w += uint64(b.Times[records+p.event] - s.source.clock.time(events.Times[p.event], 0))
		}
	}
}
