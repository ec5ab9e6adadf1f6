package slog2

import "math"

// merger gives all drawables in the order in which they start. It merges the lists of the nodes: those of one level follow
// each other.
type merger struct {
	*input
	streams []listStream
}

// listStream is one of the two lists of all nodes of a level, one behind the other.
type listStream struct {
	nodes []node
	which int
	place
	window window
	head   []drawable // the next item, empty behind the last
	first  float64    // when it starts; +Inf if there is none
	last   float64    // when it ends
}

// place is a place in a list of the nodes of a level: there are left drawables of a node from at on.
type place struct {
	node, left int32
	at         int64
}

// checkpoint is where each list stands.
type checkpoint []place

func newMerger(in *input, levels [][]node) *merger {
	m := &merger{input: in}
	for _, nodes := range levels {
		for _, which := range []int{states, arrows} { // states begin before what happens in them
			s := listStream{nodes: nodes, which: which, window: window{input: in}}
			m.streams = append(m.streams, s)
		}
	}
	return m
}

// begin goes to the begin of all lists.
func (m *merger) begin() error {
	for i := range m.streams {
		s := &m.streams[i]
		s.place = place{node: -1}
		if err := s.load(); err != nil {
			return err
		}
	}
	return nil
}

// resume goes to a checkpoint.
func (m *merger) resume(c checkpoint) error {
	for i := range m.streams {
		s := &m.streams[i]
		s.place = c[i]
		if s.left > 0 {
			s.window.move(s.at, s.nodes[s.node].end()-s.at)
		}
		if err := s.load(); err != nil {
			return err
		}
	}
	return nil
}

// checkpoint returns where the lists stand.
func (m *merger) checkpoint() checkpoint {
	c := make(checkpoint, len(m.streams))
	for i := range m.streams {
		c[i] = m.streams[i].place
	}
	return c
}

// next appends the next item, and returns its size in the file; 0 if there is none.
func (m *merger) next(dst []drawable) (list []drawable, size int64, err error) {
	s := m.earliest()
	if len(s.head) == 0 {
		return dst, 0, nil
	}
	dst = append(dst, s.head...)
	size = s.window.at() - s.at
	s.at += size
	s.left--
	return dst, size, s.load()
}

// start returns when the next item starts; +Inf if there is none.
func (m *merger) start() float64 { return m.earliest().first }

// earliest returns the list whose next item starts first; of equal ones, that which ends last.
func (m *merger) earliest() *listStream {
	best := &m.streams[0]
	for i := range m.streams[1:] {
		s := &m.streams[i+1]
		if s.first < best.first || s.first == best.first && s.which == best.which && s.last > best.last {
			best = s
		}
	}
	return best
}

// load reads the item that the list stands at.
func (s *listStream) load() error {
	for s.left == 0 {
		if int(s.node)+1 >= len(s.nodes) {
			s.head, s.first = s.head[:0], math.Inf(1)
			return nil
		}
		s.node++
		n := &s.nodes[s.node]
		l := n.lists[s.which]
		s.place = place{node: s.node, left: l.n, at: l.at}
		if l.n > 0 {
			s.window.move(l.at, n.end()-l.at)
		}
	}
	s.head = s.window.drawables(s.head[:0])
	if s.window.err != nil {
		return s.window.err
	}
	s.first, s.last = s.head[0].first(), max(s.head[0].start, s.head[0].end)
	return nil
}
