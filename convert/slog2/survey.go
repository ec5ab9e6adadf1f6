package slog2

import (
	"math"

	"github.com/pandotrace/pando/convert/mpe"
	"github.com/pandotrace/pando/trace"
)

// Bounds of what is kept of drawables.
const (
	maxTexts      = 1 << 18 // different strings in cargo; others are kept as bytes
	maxSides      = 1 << 16 // pairs of groups that messages go between
	maxOvertaking = 1 << 20 // arrows that overtake others
	maxChannels   = 1 << 20 // that messages go through
)

// survey reads all drawables in the order in which they start: it divides them into pieces, and finds the clocks of all
// locations, the states that do not nest, messages that overtake others, and the strings in cargo.
func survey(a *Archive) error {
	for i := range a.locations {
		l := &a.locations[i]
		l.fit, l.first, l.before = mpe.NewSecondsFit(ticksPerSecond), -1, math.Inf(-1)
	}
	a.nesting = mpe.NewNesting(len(a.locations))
	s := &surveyor{Archive: a, channels: map[channel]*latest{}, between: map[mpe.Sides]bool{}}
	if err := s.pass(s.note, true); err != nil {
		return err
	}
	s.check(math.Inf(1))
	for a.nesting.Again() {
		if err := s.pass(s.nest, false); err != nil {
			return err
		}
	}
	for i := range a.locations {
		a.locations[i].clock = a.locations[i].fit.Clock()
	}
	for _, id := range a.nesting.Crossing() {
		a.categories[id].crosses = true
		a.warnings.Add("states that do not nest", "%s", a.categories[id].name)
	}
	if len(a.nesting.Crossing()) > 0 {
		s.begun = map[interval][]int64{}
		if err := s.pass(s.queue, false); err != nil {
			return err
		}
	}
	a.comms.Connect(s.between, a.places) // the file does not tell of intercommunicators
	return s.err
}

// surveyor is what is known while the drawables are looked at.
type surveyor struct {
	*Archive
	channels map[channel]*latest
	between  map[mpe.Sides]bool
	arrows   sentHeap
	begun    map[interval][]int64 // states that have begun, in order
	texts    []trace.Attr
	err      error
}

// interval is where states that do not nest are expected to end in the order in which they began.
type interval struct {
	location       int
	category, line int32
}

// queue finds the states that end in another order.
func (s *surveyor) queue(location int, m moment) {
	c, key := s.categories[m.category], interval{location, m.category, m.line}
	if m.kind != state || !c.crosses || c.numbered {
		return
	}
	if m.what == begins {
		s.begun[key] = append(s.begun[key], m.at)
		return
	}
	if s.begun[key][0] != m.at {
		c.numbered, c.isMark = true, true
		s.warnings.Add("states that end in no order", "%s", c.name)
	}
	if s.begun[key] = s.begun[key][1:]; len(s.begun[key]) == 0 {
		delete(s.begun, key)
	}
}

// pass goes through all drawables and gives what happens to note. The first pass finds the pieces.
func (s *surveyor) pass(note func(location int, m moment), first bool) error {
	m := newMerger(s.input, s.levels)
	if len(m.streams) == 0 {
		return nil
	}
	if err := m.begin(); err != nil {
		return err
	}
	for i := range s.locations {
		s.locations[i].sequencer = sequencer{}
	}
	var list []drawable
	for n := int32(0); !math.IsInf(m.start(), 1); n++ {
		var p piece
		if first {
			p.checkpoint = m.checkpoint()
		}
		var err error
		if list, err = s.drawables(m, list[:0]); err != nil {
			return err
		}
		p.later, p.drawables = math.Inf(1), int32(len(list))
		for i := range list {
			p.later = min(p.later, list[i].first())
			if err := s.take(&list[i], n, note, first); err != nil {
				return err
			}
		}
		if first {
			s.pieces = append(s.pieces, p)
		}
	}
	for i := range s.locations {
		s.locations[i].sequencer.finish(func(m moment) { note(i, m) })
	}
	for i := len(s.pieces) - 2; i >= 0; i-- {
		s.pieces[i].later = min(s.pieces[i].later, s.pieces[i+1].later)
	}
	return s.err
}

// take gives a drawable to its locations.
func (s *surveyor) take(d *drawable, piece int32, note func(int, moment), first bool) error {
	if first && d.kind == arrow {
		s.check(d.first())
		s.send(d)
	}
	one, two := s.locationsOf(d)
	for _, index := range []int32{one, two} {
		if index < 0 {
			continue
		}
		l := &s.locations[index]
		if l.first < 0 {
			l.first = piece
		}
		l.last = piece
		here := func(line int32) bool { return s.lines[line].Location == index }
		if !l.sequencer.add(d, here, func(m moment) { note(int(index), m) }) {
			return mpe.Unsupported(s.path, d.at, "more than %d states and arrows at once", maxWaiting)
		}
	}
	return s.err
}

// note takes in something that happens.
func (s *surveyor) note(location int, m moment) {
	l := &s.locations[location]
	l.Records++
	if m.time < l.before {
		s.warnings.Add("drawable out of order", "%v s after %v s, at byte %d", m.time, l.before, m.at)
	}
	l.before = m.time
	l.fit.Add(m.time)
	s.nest(location, m)
	c := s.categories[m.category]
	if m.carriesCargo() && m.cargoBytes > 0 {
		if c.layout.HasTexts() {
			c.layout.Texts(m.cargoOf(), s.noteText)
		}
		if left := s.cargoLeft(c, m.drawable); len(left) > 0 {
			l.Records++
		}
	}
}

// carriesCargo reports whether this is where a drawable's cargo belongs: to the end of a state, to the begin of an arrow.
func (m *moment) carriesCargo() bool { return m.what != begins && m.what != arrives }

// cargoLeft returns the bytes of a cargo that have no place in attributes.
func (s *surveyor) cargoLeft(c *category, d *drawable) (left []byte) {
	if d.cargoBytes <= mpe.CargoBytes {
		return nil
	}
	s.texts, left = c.layout.Append(s.texts[:0], d.cargoOf(), s.log.Lookup)
	return left
}

func (s *surveyor) noteText(text []byte) {
	if _, ok := s.log.Lookup(text); ok {
		return
	}
	if s.log.Strings() >= maxTexts {
		s.warnings.Add("text kept as bytes", "%.40q", text)
		return
	}
	s.log.String(string(text))
}

// nest follows the states.
func (s *surveyor) nest(location int, m moment) {
	switch m.what {
	case begins:
		s.nesting.Begin(location, uint32(m.category), uint64(m.at))
	case ends:
		s.nesting.End(location, uint32(m.category), uint64(m.at))
	}
}
