package otf2

import "github.com/pandotrace/pando/trace"

// stamp takes in a time stamp: the local time of the records after it.
func (s *stream) stamp(local uint64) error {
	if s.stamped && local < s.local {
		return corrupt(s.window.path, s.window.at(), "time runs backwards, from %d to %d", s.local, local)
	}
	s.local, s.stale = local, true
	return s.now()
}

// now makes time and residual those of the next record. Before the first time stamp the local time is 0.
func (s *stream) now() error {
	if !s.grammar.timed {
		s.time = 0
		return nil
	}
	if s.stamped && !s.stale {
		return nil
	}
	s.stamped, s.stale = true, false
	corrected := s.corrected(s.local)
	t := int64(corrected - s.epoch)
	if s.local > s.latest || t < -maxSpan || t > maxSpan {
		return corrupt(s.window.path, s.window.at(), "time %d is more than 2^62 ticks from the epoch %d", corrected, s.epoch)
	}
	if t < s.latestTime {
		s.warnings.Add("corrected times run backwards", "from %d to %d ticks at byte %d of %s",
			s.latestTime, t, s.window.at(), s.window.path)
		t = s.latestTime
	}
	s.time, s.residual = t, 0
	if s.clock != nil {
		s.residual = int64(s.local - s.clock.Local(uint64(t)+s.epoch))
	}
	return nil
}

// exact returns the corrected time of a time stamp, relative to the epoch; ok is false if it has a residual.
func (s *stream) exact(local uint64) (t int64, ok bool) {
	corrected := s.clock.Corrected(local, &s.interval)
	t = int64(corrected - s.epoch)
	return t, t <= maxSpan && s.clock.Local(corrected) == local
}

func (s *stream) corrected(local uint64) uint64 {
	if s.clock == nil {
		return local
	}
	return s.clock.Corrected(local, &s.interval)
}

// flushed corrects the stop time of a BufferFlush and adds its residual. This moves the clock to the interval of that time: the time of
// further records without a time stamp of their own has to be computed anew.
func (s *stream) flushed(words []uint64) {
	local := words[0]
	corrected := s.corrected(local)
	words[0] = corrected - s.epoch
	if s.clock != nil {
		words[1] = local - s.clock.Local(corrected)
		s.stale = true
	}
}

var _ trace.Stream = (*stream)(nil)
