package contrast

// cell is what the calls of a path add up to on a pair of locations.
type cell struct {
	pairs          uint64
	slower, faster uint64
	net            int64 // calls that one side alone has included
	ticks          int64 // of all calls of A
	bins           []bin
	width          uint64      // pairs of each bin
	room           uint64      // pairs that the last bin can still take
	lone           *[2]stretch // calls that one side alone has; nil if there are none
}

// bin is some pairs in a row.
type bin struct {
	net     int64
	start   int64  // of the first one, on side A
	ordinal uint64 // of the first one, among the calls of the path on side A
}

// stretch is calls of one side alone, from the first to the last one.
type stretch struct {
	calls       uint64
	first, last int64 // when they begin
}

// add adds a call.
func (s *stretch) add(start int64) {
	if s.calls == 0 {
		s.first, s.last = start, start
	}
	s.calls++
	s.first, s.last = min(s.first, start), max(s.last, start)
}

// alone adds a call that a side alone has.
func (c *cell) alone(side int, start int64) {
	if c.lone == nil {
		c.lone = &[2]stretch{}
	}
	c.lone[side].add(start)
}

// mostBins is the number of bins of a cell, from which on two become one.
const mostBins = 256

// bin counts a pair in its bin alone.
func (c *cell) bin(d, start int64, ordinal uint64) {
	if c.room == 0 {
		c.next(start, ordinal)
	}
	c.room--
	c.bins[len(c.bins)-1].net += d
}

// next begins a bin.
func (c *cell) next(start int64, ordinal uint64) {
	c.width = max(c.width, 1)
	if len(c.bins) == mostBins {
		for i := range mostBins / 2 {
			x, y := &c.bins[2*i], &c.bins[2*i+1]
			c.bins[i] = bin{x.net + y.net, x.start, x.ordinal}
		}
		c.bins = c.bins[:mostBins/2]
		c.width *= 2
	}
	c.bins, c.room = append(c.bins, bin{start: start, ordinal: ordinal}), c.width
}

// add counts a pair.
func (c *cell) add(d, start int64, ordinal uint64) {
	c.bin(d, start, ordinal)
	c.pairs++
	c.net += d
	if d > 0 {
		c.slower++
	} else if d < 0 {
		c.faster++
	}
}

// skew is how far one side is behind the other over time: for pairs of enters, by how much the time since the first pair is longer in B.
type skew struct {
	from, to int64 // of the window of A
	bins     []SkewBin
	any      bool
	a, b     int64    // the first pair
	current  *SkewBin // the bin of times from begin on, before end
	begin    int64
	end      int64
}

// SkewBin is the skew of pairs in a part of the time.
type SkewBin struct {
	Pairs        uint64
	Least, Most  int64
	Lone, Enters uint64 // calls that one side alone has, and all of both
}

// bin returns the bin of a time. Times come in order mostly, so that the last bin is the next one, too.
func (s *skew) bin(start int64) *SkewBin {
	if s.current != nil && s.begin <= start && start < s.end {
		return s.current
	}
	n, at := int64(len(s.bins)), int64(0)
	if span := s.to - s.from; span > 0 {
		at = max(0, min(n-1, int64(float64(start-s.from)/float64(span)*float64(n))))
		s.begin, s.end = start, start+1
		if next := s.from + int64(float64(at+1)*float64(span)/float64(n)); at < n-1 && next > start {
			s.end = next
		}
	}
	s.current = &s.bins[at]
	return s.current
}

// add counts a pair of enters.
func (s *skew) add(a, b int64) {
	if !s.any {
		s.any, s.a, s.b = true, a, b
	}
	d := (b - s.b) - (a - s.a)
	n := s.bin(a)
	if n.Pairs == 0 {
		n.Least, n.Most = d, d
	}
	n.Pairs++
	n.Least, n.Most = min(n.Least, d), max(n.Most, d)
	n.Enters += 2
}

// lone counts a call that one side alone has, near a time of A.
func (s *skew) lone(near int64) {
	n := s.bin(near)
	n.Lone++
	n.Enters++
}
