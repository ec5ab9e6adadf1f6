package read

import (
	"github.com/pandotrace/pando/convert/otf2/internal/form"
	"github.com/pandotrace/pando/trace"
)

// stamp takes in a time stamp: the local time of the records after it.
func (s *Stream) stamp(local uint64) error {
	if s.stamped && local < s.local {
		return form.Corrupt(s.window.Path, s.window.at(), "time runs backwards, from %d to %d", s.local, local)
	}
	s.local, s.stale = local, true
	return s.now()
}

// now makes time and residual those of the next record. Before the first time stamp the local time is 0.
func (s *Stream) now() error {
	if !s.grammar.Timed {
		s.time = 0
		return nil
	}
	if s.stamped && !s.stale {
		return nil
	}
	s.stamped, s.stale = true, false
	corrected := s.corrected(s.local)
	t := int64(corrected - s.epoch)
	if s.local > s.latest || t < -form.MaxSpan || t > form.MaxSpan {
		return form.Corrupt(s.window.Path, s.window.at(), "time %d is more than 2^62 ticks from the epoch %d", corrected, s.epoch)
	}
	if t < s.latestTime {
		s.warnings.Add("corrected times run backwards", "from %d to %d ticks at byte %d of %s",
			s.latestTime, t, s.window.at(), s.window.Path)
		t = s.latestTime
	}
	s.time, s.residual = t, 0
	if s.Clock != nil {
		s.residual = int64(s.local - s.Clock.Local(uint64(t)+s.epoch))
	}
	return nil
}

// exact returns the corrected time of a time stamp, relative to the epoch; ok is false if it has a residual.
func (s *Stream) exact(local uint64) (t int64, ok bool) {
	corrected := s.Clock.Corrected(local, &s.interval)
	t = int64(corrected - s.epoch)
	return t, t <= form.MaxSpan && s.Clock.Local(corrected) == local
}

func (s *Stream) corrected(local uint64) uint64 {
	if s.Clock == nil {
		return local
	}
	return s.Clock.Corrected(local, &s.interval)
}

// flushed corrects the stop time of a BufferFlush and adds its residual. This moves the clock to the interval of that time: the time of
// further records without a time stamp of their own has to be computed anew.
func (s *Stream) flushed(words []uint64) {
	local := words[0]
	corrected := s.corrected(local)
	words[0] = corrected - s.epoch
	if s.Clock != nil {
		words[1] = local - s.Clock.Local(corrected)
		s.stale = true
	}
}

var _ trace.Stream = (*Stream)(nil)
