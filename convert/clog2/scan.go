package clog2

import (
	"math"
	"slices"

	"github.com/pandotrace/pando/convert/mpe"
)

// Bounds of what a file may define.
const (
	maxDefinitions = 1 << 16
	maxCommEvents  = 1 << 22
	// maxSeconds is the time from which on ticks would not fit.
	maxSeconds = 1 << 61 / ticksPerSecond
)

// definition is a record that defines a state or a kind of solo event.
type definition struct {
	state               bool
	start, final        int32 // event ids; start is that of a solo event
	name, color, format string
	at                  int64 // where it stands in the file
}

// commEvent is a record about a communicator.
type commEvent struct {
	line                         lineKey
	op, created, rank, worldRank int32
	gid                          gid
}

// gid is the name of a communicator that no other has: a random number, a time, and a host.
type gid struct {
	number int32
	time   float64
	host   string
}

// tableEntry is an entry of the table of communicators.
type tableEntry struct {
	gid        gid
	comm, kind int32
}

// Kinds of entries of the table.
const (
	kindInter  = 0
	kindLocal  = 2
	kindRemote = 3
)

const (
	gidBytes   = 32
	entryBytes = gidBytes + 8
)

func (f *file) gid(b []byte) gid {
	return gid{f.int32(b), f.float64(b[4:]), string(text(b[12:gidBytes]))}
}

// readTable reads the table of communicators, which ends the file.
func (f *file) readTable(size int64) error {
	var b [4]byte
	if size < f.end+4 {
		return mpe.Corrupt(f.path, f.end, "the file ends before the table of communicators")
	}
	if err := f.fill(b[:], f.end); err != nil {
		return err
	}
	n := int64(f.int32(b[:]))
	if n < 0 || n > (size-f.end-4)/entryBytes {
		return mpe.Corrupt(f.path, f.end, "a table of %d communicators in %d bytes", n, size-f.end)
	}
	data := make([]byte, n*entryBytes)
	if err := f.fill(data, f.end+4); err != nil {
		return err
	}
	for e := range slices.Chunk(data, entryBytes) {
		f.entries = append(f.entries, tableEntry{f.gid(e), f.int32(e[gidBytes:]), f.int32(e[gidBytes+4:])})
	}
	return nil
}

// scan reads all records once: it divides them into pieces, counts lines, numbers event ids, and notes what is defined. What fits
// stays in the cache.
func (f *file) scan(c *cache) error {
	windows := newWindows(f)
	defer windows.close()
	next := piece{start: preambleBytes}
	for done := false; !done; {
		p := next
		data, err := windows.piece(p.start)
		if err != nil {
			return err
		}
		var w walker
		w.begin(f, &p, data)
		r, err := f.scanPiece(&w, &p)
		if err != nil {
			return err
		}
		c.put(f, len(f.pieces), r)
		f.pieces = append(f.pieces, p)
		next, done = piece{start: w.base + int64(w.next), shift: w.shift}, w.done
	}
	f.stop = next.start
	later := math.Inf(1)
	for i := len(f.pieces) - 1; i >= 0; i-- {
		later = min(later, f.pieces[i].later)
		f.pieces[i].later = later
	}
	return nil
}

func (f *file) scanPiece(w *walker, p *piece) (*records, error) {
	c := collectors.Get().(*collector)
	defer collectors.Put(c)
	c.begin()
	p.later = math.Inf(1)
	for w.step() {
		t := f.float64(w.record)
		if !f.isTime(w.record) {
			return nil, mpe.Corrupt(f.path, p.start+int64(w.at), "a record of time %v", t)
		}
		p.later = min(p.later, t)
		line := f.lines.count(f.line(w.record))
		if line < 0 {
			return nil, mpe.Unsupported(f.path, p.start+int64(w.at), "more than %d threads in communicators", maxLines)
		}
		what, ok := c.what(w, f.numbers.note)
		if !ok {
			return nil, mpe.Unsupported(f.path, p.start+int64(w.at), "more than %d different events", maxEvents)
		}
		c.add(sourceOf(line, w.typ), t, what)
		if w.typ <= typeConstDef || w.typ == typeComm {
			if err := f.note(w); err != nil {
				return nil, err
			}
		}
	}
	return c.sorted(), w.err
}

// isTime reports whether a record's time is one that ticks can tell.
func (f *file) isTime(record []byte) bool { return math.Abs(f.float64(record)) < maxSeconds }

// note notes what a record defines.
func (f *file) note(w *walker) error {
	b := w.record[headerBytes:]
	switch w.typ {
	case typeStateDef:
		f.defs = append(f.defs, definition{true, f.int32(b[4:]), f.int32(b[8:]), string(text(b[40:72])), string(text(b[16:40])), string(text(b[72:])), w.base + int64(w.at)})
	case typeEventDef:
		f.defs = append(f.defs, definition{false, f.int32(b), 0, string(text(b[32:64])), string(text(b[8:32])), string(text(b[64:])), w.base + int64(w.at)})
	case typeComm:
		f.comms = append(f.comms, commEvent{f.line(w.record), f.int32(b), f.int32(b[4:]), f.int32(b[8:]), f.int32(b[12:]), f.gid(b[16:])})
	}
	if len(f.defs) > maxDefinitions || len(f.comms) > maxCommEvents {
		return mpe.Unsupported(f.path, w.base+int64(w.at), "more than %d definitions or %d records about communicators", maxDefinitions, maxCommEvents)
	}
	return nil
}
