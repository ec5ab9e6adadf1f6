package fold

// states are those of a pixel: regions in order of their ids, and no call.
type states struct {
	sums    []sum
	members uint64
	length  uint64 // of the pixel, in ticks
	busy    *busySum
}

// noCall returns the time of all members without call.
func (s *states) noCall() uint64 {
	all := times(s.members, s.length)
	return all - min(all, s.busy.sum)
}

// common returns the time that all members spent in each state, at least, added up.
func (s *states) common() uint64 {
	ticks := s.length - min(s.length, s.busy.most)
	for i := range s.sums {
		if r := &s.sums[i]; uint64(r.members) == s.members {
			ticks += r.least
		}
	}
	return min(ticks, s.length)
}

// choose returns the state that is shown, and the time of all members in it.
func (s *states) choose(by Select) (State, uint64) {
	switch {
	case s.length == 0 || by == Quantiles:
		return State{}, 0
	case by == Min:
		return s.rarest(func(*sum) bool { return true }, s.noCall() > 0)
	case by == Diff:
		return s.rarest(func(r *sum) bool {
			return uint64(r.members) < s.members || r.ticks != times(s.members, r.least)
		}, s.busy.most != s.busy.least)
	}
	best, found := State{Kind: NoCall}, s.noCall()
	if by == Idle {
		found = 0
	}
	for i := range s.sums {
		if r := &s.sums[i]; r.ticks > found || r.ticks == found && best.Kind == NoCall {
			best, found = State{Called, r.region}, r.ticks
		}
	}
	if best.Kind == NoCall {
		found = s.noCall()
	}
	return best, found
}

// rarest returns the state with least time among some regions, and no call if that counts, too.
func (s *states) rarest(counts func(*sum) bool, noCall bool) (best State, found uint64) {
	for i := range s.sums {
		if r := &s.sums[i]; counts(r) && (best.Kind == Nothing || r.ticks < found) {
			best, found = State{Called, r.region}, r.ticks
		}
	}
	if none := s.noCall(); noCall && (best.Kind == Nothing || none < found) {
		best, found = State{Kind: NoCall}, none
	}
	return best, found
}
