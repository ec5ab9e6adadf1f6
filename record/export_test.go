package record

// SetClock gives a recorder whose clock is monotonic another one, in its ticks.
func (r *Recorder) SetClock(now func() uint64) { r.given = now }

// Last returns the time of the last event of a location.
func (l *Location) Last() uint64 { return l.last }
