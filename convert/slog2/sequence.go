package slog2

import "cmp"

// What happens at a moment.
const (
	begins  = iota // a state
	happens        // a solo event
	leaves         // an arrow
	arrives        // an arrow
	ends           // a state
)

// moment is something that happens at a time on a line.
type moment struct {
	what uint8
	time float64
	line int32
	*drawable
}

// sequencer puts what happens on one location in order, given the location's drawables in the order in which they
// start: ends of states, and ends of arrows, wait in it until it is their turn.
//
// At equal times states end before others begin, the last one that began first; what has no duration comes after the
// begins and before the ends; ends of arrows are in the order of the other end.
type sequencer struct {
	waiting []waiting // a heap
	slots   []drawable
	free    []int32
}

// waiting is something that is going to happen.
type waiting struct {
	what  uint8
	time  float64
	other float64 // when a state began, or when the other end of an arrow is
	at    int64
	slot  int32
}

// before is the order of what waits.
func (a *waiting) before(b *waiting) bool {
	if a.time != b.time {
		return a.time < b.time
	}
	if aEnds, bEnds := a.what == ends, b.what == ends; aEnds != bEnds {
		return bEnds
	}
	c := cmp.Or(cmp.Compare(a.other, b.other), cmp.Compare(a.at, b.at))
	if a.what == ends {
		return c > 0
	}
	return c < 0
}

// maxWaiting bounds the number of states and arrows of a location that have begun and not ended.
const maxWaiting = 1 << 20

// add takes in the next drawable of the location; here says which lines are the location's. What happens up to then is
// given to emit, whose drawable is good until it returns. ok is false if too much has not ended.
func (s *sequencer) add(d *drawable, here func(line int32) bool, emit func(moment)) (ok bool) {
	s.until(d, emit)
	switch d.kind {
	case state:
		emit(moment{begins, d.start, d.line, d})
		s.wait(ends, d.end, d.start, d)
	case solo:
		s.wait(happens, d.start, d.start, d)
	default:
		if here(d.line) {
			s.wait(leaves, d.start, d.end, d)
		}
		if here(d.endLine) {
			s.wait(arrives, d.end, d.start, d)
		}
	}
	return len(s.waiting) <= maxWaiting
}

// until emits what comes before a drawable.
func (s *sequencer) until(d *drawable, emit func(moment)) {
	t := d.first()
	for len(s.waiting) > 0 && (s.waiting[0].time < t || d.kind == state && s.waiting[0].time == t) {
		s.pop(emit)
	}
}

// finish emits all that is left.
func (s *sequencer) finish(emit func(moment)) {
	for len(s.waiting) > 0 {
		s.pop(emit)
	}
}

func (s *sequencer) wait(what uint8, time, other float64, d *drawable) {
	slot := int32(len(s.slots))
	if n := len(s.free); n > 0 {
		slot, s.free = s.free[n-1], s.free[:n-1]
		s.slots[slot] = *d
	} else {
		s.slots = append(s.slots, *d)
	}
	h := append(s.waiting, waiting{what, time, other, d.at, slot})
	for i := len(h) - 1; i > 0; {
		parent := (i - 1) / 2
		if !h[i].before(&h[parent]) {
			break
		}
		h[i], h[parent] = h[parent], h[i]
		i = parent
	}
	s.waiting = h
}

// pop emits the first thing that waits.
func (s *sequencer) pop(emit func(moment)) {
	h := s.waiting
	first := h[0]
	n := len(h) - 1
	h[0], h = h[n], h[:n]
	for i := 0; ; {
		child := 2*i + 1
		if child >= n {
			break
		}
		if child+1 < n && h[child+1].before(&h[child]) {
			child++
		}
		if !h[child].before(&h[i]) {
			break
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
	s.waiting, s.free = h, append(s.free, first.slot)
	d := &s.slots[first.slot]
	line := d.line
	if first.what == arrives {
		line = d.endLine
	}
	emit(moment{first.what, first.time, line, d})
}
