package segment

// record is the segments of a candidate that are kept, on all locations. Where they become too many, neighbours become one: a stride of
// segments each.
type record struct {
	want
	stride  int64
	entries int
	lines   []*series
}

// series is the segments of a location, in order.
type series struct {
	id    uint64
	first int64 // number of the first entry
	// whole is the number of segments that the last entry has.
	whole int64
	// cutFront says that the first entry lacks segments, which began before the window.
	cutFront                bool
	starts, durations, owns []int64
}

// newSeries returns a series with room for a number of entries.
func newSeries(id uint64, n int) *series {
	return &series{id: id, starts: make([]int64, 0, n), durations: make([]int64, 0, n), owns: make([]int64, 0, n)}
}

// add adds a segment to a series of the record. Numbers rise.
func (r *record) add(s *series, number, start, duration, own int64) {
	if len(s.starts) == 0 {
		s.first, s.cutFront = number/r.stride, number%r.stride != 0
	} else if s.first+int64(len(s.starts))-1 == number/r.stride {
		last := len(s.starts) - 1
		s.durations[last] += duration
		s.owns[last] += own
		s.whole++
		return
	}
	s.starts, s.durations, s.owns = append(s.starts, start), append(s.durations, duration), append(s.owns, own)
	s.whole = 1
	r.entries++
}

// halve makes one entry of two.
func (r *record) halve() {
	r.stride *= 2
	r.entries = 0
	for _, s := range r.lines {
		s.halve(r.stride)
		r.entries += len(s.starts)
	}
}

// halve makes one entry of two, when their stride has become twice as large.
func (s *series) halve(stride int64) {
	if len(s.starts) == 0 {
		return
	}
	odd := s.first & 1
	s.cutFront = s.cutFront || odd != 0
	if last := s.first + int64(len(s.starts)) - 1; last&1 != 0 {
		s.whole += stride / 2
	}
	s.first /= 2
	to := -1
	for i := range s.starts {
		if i == 0 || (int64(i)+odd)&1 == 0 {
			to++
			s.starts[to], s.durations[to], s.owns[to] = s.starts[i], s.durations[i], s.owns[i]
			continue
		}
		s.durations[to] += s.durations[i]
		s.owns[to] += s.owns[i]
	}
	s.starts, s.durations, s.owns = s.starts[:to+1], s.durations[:to+1], s.owns[:to+1]
}

// trim leaves out entries that lack segments, at both ends.
func (s *series) trim(stride int64) {
	if n := len(s.starts) - 1; n >= 0 && s.whole < stride {
		s.starts, s.durations, s.owns = s.starts[:n], s.durations[:n], s.owns[:n]
	}
	if len(s.starts) > 0 && s.cutFront {
		s.first++
		s.starts, s.durations, s.owns = s.starts[1:], s.durations[1:], s.owns[1:]
	}
}
