package clog2

import (
	"math"

	"github.com/pandotrace/pando/convert/mpe"
	"github.com/pandotrace/pando/trace"
)

// Bounds of what is kept of events.
const (
	// maxTexts bounds the number of different strings in cargo; others are kept as bytes.
	maxTexts = 1 << 18
	// maxSides bounds the number of pairs of groups that messages go between.
	maxSides = 1 << 16
)

// survey reads all records for the second time: it finds the clocks of all locations, the states that do not nest, the event
// ids that occur, and the strings in cargo.
func (a *Archive) survey() error {
	a.nesting = mpe.NewNesting(len(a.locations))
	for i := range a.locations {
		a.locations[i].fit = trace.NewSecondsFit(ticksPerSecond)
		a.locations[i].before = math.Inf(-1)
	}
	for _, f := range a.files {
		for i := range f.pieces {
			g, err := a.cache.get(a, f, i)
			if err != nil {
				return err
			}
			for _, r := range g.runs {
				if err := a.look(f, i, r.location, g.data[r.from:r.to]); err != nil {
					return err
				}
			}
		}
	}
	for a.nesting.Again() {
		if err := a.nest(); err != nil {
			return err
		}
	}
	for i := range a.locations {
		a.locations[i].clock = a.locations[i].fit.Clock()
	}
	a.events.settle(a.nesting.Crosses)
	return nil
}

// readPiece reads a piece.
func (f *file) readPiece(i int) ([]byte, error) {
	end := f.stop
	if i+1 < len(f.pieces) {
		end = f.pieces[i+1].start
	}
	data := make([]byte, min(end-f.pieces[i].start, pieceBytes)) // a block may end early
	return data, f.fill(data, f.pieces[i].start)
}

// changed is the error of a file that is not what it was when it was read first.
func (f *file) changed(at int64) error {
	return mpe.Corrupt(f.path, at, "the file changed while it was read")
}

// lineOf returns the line of a record that was walked along.
func (f *file) lineOf(record []byte) *fileLine {
	n, _ := f.lines.find(f.line(record))
	return &f.located[n]
}

// look takes in the records of a location in a piece.
func (a *Archive) look(f *file, piece int, location int32, records []byte) error {
	loc := &a.locations[location]
	if loc.Records == 0 {
		loc.first = int32(piece)
	}
	loc.last = int32(piece)
	for len(records) > 0 {
		typ := f.typeOf(records)
		record := records[:recordSizes[typ]]
		records = records[len(record):]
		loc.Records++
		t := f.float64(record)
		if t < loc.before {
			a.warnings.Add("time runs backwards", "from %v to %v s behind byte %d of %s", loc.before, t, f.pieces[piece].start, f.path)
		}
		loc.before = t
		loc.fit.Add(t)
		var err error
		switch typ {
		case typeBare, typeCargo:
			err = a.lookAtEvent(f, piece, location, record)
		case typeMessage:
			err = a.lookAtMessage(f, piece, record)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (a *Archive) lookAtEvent(f *file, piece int, location int32, record []byte) error {
	id := f.int32(record[headerBytes:])
	e := a.events.find(id)
	if e == nil {
		if e = a.events.note(id); e == nil {
			return mpe.Unsupported(f.path, f.pieces[piece].start, "more than %d different events", maxEvents)
		}
	}
	if e.role == unknown {
		a.warnings.Add("event of unknown id", "id %d behind byte %d of %s", id, f.pieces[piece].start, f.path)
	}
	a.nestEvent(e, location, f.uint32(record[8:]))
	if e.texts && f.typeOf(record) == typeCargo {
		e.layout.Texts(record[headerBytes+8:], a.noteText)
	}
	return nil
}

// nest goes through the states of all records once more.
func (a *Archive) nest() error {
	for _, f := range a.files {
		for i := range f.pieces {
			g, err := a.cache.get(a, f, i)
			if err != nil {
				return err
			}
			for _, r := range g.runs {
				for records := g.data[r.from:r.to]; len(records) > 0; records = records[recordSizes[f.typeOf(records)]:] {
					if typ := f.typeOf(records); typ == typeBare || typ == typeCargo {
						a.nestEvent(a.events.find(f.int32(records[headerBytes:])), r.location, f.uint32(records[8:]))
					}
				}
			}
		}
	}
	return nil
}

func (a *Archive) nestEvent(e *event, location int32, comm uint32) {
	switch {
	case e == nil: // the file changed
	case e.role == begins:
		a.nesting.Begin(int(location), e.category, uint64(comm))
	case e.role == ends:
		a.nesting.End(int(location), e.category, uint64(comm))
	}
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

func (a *Archive) lookAtMessage(f *file, piece int, record []byte) error {
	if f.finished && f.uint32(record[8:]) == f.uint32(record[headerBytes+4:]) {
		return nil // nearly always
	}
	at := f.lineOf(record)
	remote := f.peerComm(at, record[headerBytes:])
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
