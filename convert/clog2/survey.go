package clog2

import (
	"math"

	"golang.org/x/sync/errgroup"

	"github.com/pandotrace/pando/convert/mpe"
)

// Bounds of what is kept of events.
const (
	// maxTexts bounds the number of different strings in cargo; others are kept as bytes.
	maxTexts = 1 << 18
	// maxSides bounds the number of pairs of groups that messages go between.
	maxSides = 1 << 16
)

// survey goes through all records for the second time: it finds the clocks of all locations, the states that do not nest, and the
// strings in cargo.
func (a *Archive) survey() error {
	a.nesting = mpe.NewNesting(len(a.locations))
	for i := range a.locations {
		a.locations[i].fit = mpe.NewSecondsFit(ticksPerSecond)
		a.locations[i].before = math.Inf(-1)
	}
	var g errgroup.Group // clocks and states have nothing to do with each other
	g.Go(func() error { return a.parts(a.clock) })
	g.Go(func() error { return a.parts(a.look) })
	if err := g.Wait(); err != nil {
		return err
	}
	for a.nesting.Again() {
		if err := a.parts(a.nest); err != nil {
			return err
		}
	}
	for i := range a.locations {
		a.locations[i].clock = a.locations[i].fit.Clock()
	}
	for i := range a.events {
		a.events[i].settle(a.nesting.Crosses)
	}
	return nil
}

// parts calls do for the records of each location in each piece, in order.
func (a *Archive) parts(do func(f *file, piece int, location int32, p *part) error) error {
	for _, f := range a.files {
		for i := range f.pieces {
			r, err := a.cache.get(f, i)
			if err != nil {
				return err
			}
			for n := 0; n < len(r.runs); {
				location := r.runs[n].location
				var p part
				p, n = r.part(n)
				if err := do(f, i, location, &p); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// changed is the error of a file that is not what it was when it was read first.
func (f *file) changed(at int64) error {
	return mpe.Corrupt(f.path, at, "the file changed while it was read")
}

// lineOf returns the line that records of a source are on.
func (f *file) lineOf(source int32) *mpe.Line {
	if source%2 == 0 {
		return f.located[source/2].events
	}
	return f.located[source/2].comms
}

// clock takes in the times of a location in a piece.
func (a *Archive) clock(f *file, piece int, location int32, p *part) error {
	loc := &a.locations[location]
	if loc.Records == 0 {
		loc.first = int32(piece)
	}
	loc.last = int32(piece)
	loc.Records += uint64(p.len())
	for _, t := range p.times {
		if t < loc.before {
			a.unordered.Add("time runs backwards", "from %v to %v s behind byte %d of %s", loc.before, t, f.pieces[piece].start, f.path)
		}
		loc.before = t
	}
	loc.fit.Add(p.times...)
	return nil
}

// look takes in the events of a location in a piece.
func (a *Archive) look(f *file, piece int, location int32, p *part) error {
	for i := 0; i < len(p.whats); {
		n := a.simple(p, i)
		switch n {
		case 0:
			n = 1
			if err := a.lookAt(f, piece, p, i); err != nil {
				return err
			}
			a.follow(f, location, p, i)
		case 3:
			if err := a.lookAt(f, piece, p, i+1); err != nil {
				return err
			}
		}
		i += n
	}
	return nil
}

// lookAt takes in a record.
func (a *Archive) lookAt(f *file, piece int, p *part, i int) error {
	w := p.whats[i]
	if w.bare() {
		a.lookAtEvent(f, piece, &a.events[w])
		return nil
	}
	switch typ, payload := w.payload(p.payloads); typ {
	case typeBare:
		a.lookAtEvent(f, piece, a.eventOf(f, payload))
	case typeCargo:
		e := a.eventOf(f, payload)
		if a.lookAtEvent(f, piece, e); e.texts {
			e.layout.Texts(payload[8:], a.noteText)
		}
	case typeMessage:
		return a.lookAtMessage(f, piece, p.sourceAt(i), payload)
	}
	return nil
}

// eventOf returns the event of a payload.
func (a *Archive) eventOf(f *file, payload []byte) *event {
	return &a.events[a.ids.number(f.int32(payload))]
}

func (a *Archive) lookAtEvent(f *file, piece int, e *event) {
	if e.role == unknown {
		a.warnings.Add("event of unknown id", "id %d behind byte %d of %s", e.id, f.pieces[piece].start, f.path)
	}
}

// nest follows the states of a location in a piece.
func (a *Archive) nest(f *file, _ int, location int32, p *part) error {
	for i := 0; i < len(p.whats); {
		n := a.simple(p, i)
		if n == 0 {
			n = 1
			a.follow(f, location, p, i)
		}
		i += n
	}
	return nil
}

// simple returns how many records a state has that begins with record i, if there is nothing in it, or one message, as is in most: such a
// state changes nothing. For other records it is 0.
func (a *Archive) simple(p *part, i int) int {
	w := p.whats[i:]
	switch {
	case p.source == mixed || !w[0].bare():
	case len(w) > 1 && a.isBareState(w[0], w[1]):
		return 2
	case len(w) > 2 && w[1].isMessage() && a.isBareState(w[0], w[2]):
		return 3
	}
	return 0
}

// follow follows the states of a location by one record.
func (a *Archive) follow(f *file, location int32, p *part, i int) {
	var e *event
	w := p.whats[i]
	if w.bare() {
		e = &a.events[w]
	} else if typ, payload := w.payload(p.payloads); typ == typeBare || typ == typeCargo {
		e = a.eventOf(f, payload)
	} else {
		return
	}
	comm := uint64(uint32(f.lines.keys[p.sourceAt(i)/2].comm))
	switch e.role {
	case begins:
		a.nesting.Begin(int(location), e.category, comm)
	case ends:
		a.nesting.End(int(location), e.category, comm)
	}
}

// isBareState reports whether two records are begin and end of a state.
func (a *Archive) isBareState(begin, end what) bool {
	if !begin.bare() || !end.bare() {
		return false
	}
	b, e := &a.events[begin], &a.events[end]
	return b.role == begins && e.role == ends && b.category == e.category
}

func (a *Archive) noteText(text []byte) {
	if _, ok := a.log.Lookup(text); ok {
		return
	}
	if a.log.Strings() >= maxTexts {
		a.warnings.Add("text kept as bytes", "%.40q", text)
		return
	}
	a.log.String(string(text))
}

// peerComm returns the communicator that the peer of a message is in.
func (f *file) peerComm(at *fileLine, payload []byte) int32 {
	remote := f.int32(payload[4:])
	if remote == unfilled && !f.finished {
		return at.peer
	}
	return f.id(remote)
}

func (a *Archive) lookAtMessage(f *file, piece int, source int32, payload []byte) error {
	at := &f.located[source/2]
	remote := f.peerComm(at, payload)
	if remote == at.events.Comm {
		return nil
	}
	if key := mpe.SidesOf(at.events.Comm, remote); !a.between[key] {
		if len(a.between) >= maxSides {
			return mpe.Unsupported(f.path, f.pieces[piece].start, "messages between more than %d pairs of communicators", maxSides)
		}
		a.between[key] = true
	}
	return nil
}
