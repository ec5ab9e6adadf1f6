package clog2

import (
	"math"
	"runtime"
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

// scan reads all records once: it divides them into pieces, counts lines, finds out which event ids occur, and notes what is defined.
// What fits stays in the cache.
func scan(f *file, c *cache) error {
	var walked []chan *stretch // those under way, in order
	defer func() {
		for _, w := range walked {
			(<-w).release()
		}
	}()
	length, abreast := f.stretches()
	next := piece{start: preambleBytes}
	for done := false; !done; {
		for len(walked) == 0 || len(walked) < abreast && next.start < f.end {
			end := min(next.start+length, f.end)
			walked = append(walked, walkAlong(f, next, end))
			next = piece{start: end}
		}
		s := <-walked[0]
		walked = walked[1:]
		if err := take(f, s, c); err != nil {
			s.release()
			return err
		}
		done = s.done
		if f.stop = s.next.start; abreast == 1 {
			next = s.next
		}
		s.release()
	}
	later := math.Inf(1)
	for i := len(f.pieces) - 1; i >= 0; i-- {
		later = min(later, f.pieces[i].later)
		f.pieces[i].later = later
	}
	return nil
}

// stretches returns how many bytes of the file a stretch has, and how many of them are walked at once: where a record begins is known
// at the begin of a block, what its time is as long as there are no shifts. Else one stretch is walked after the other.
func (f *file) stretches() (length int64, abreast int) {
	if f.finished && f.block <= f.atOnce {
		return f.atOnce / f.block * f.block, runtime.GOMAXPROCS(0) + 1
	}
	return f.end, 1
}

// walkAlong begins to walk along a stretch of a file.
func walkAlong(f *file, first piece, end int64) chan *stretch {
	walked := make(chan *stretch, 1)
	s := newStretch(f)
	go func() {
		s.walk(first, end)
		walked <- s
	}()
	return walked
}

// take takes in the next stretch.
func take(f *file, s *stretch, c *cache) error {
	if s.err != nil {
		return s.err
	}
	at := s.pieces[0].start
	lines := make([]int32, len(s.lines.keys))
	for i, k := range s.lines.keys {
		lines[i] = f.lines.number(k)
		f.lines.counts[lines[i]] += s.lines.counts[i]
	}
	if len(f.lines.keys) > maxLines {
		return mpe.Unsupported(f.path, at, "more than %d threads in communicators", maxLines)
	}
	if !f.ids.add(&s.ids) {
		return mpe.Unsupported(f.path, at, "more than %d different events", maxFar)
	}
	f.defs, f.comms = append(f.defs, s.defs...), append(f.comms, s.comms...)
	if len(f.defs) > maxDefinitions || len(f.comms) > maxCommEvents {
		return mpe.Unsupported(f.path, at, "more than %d definitions or %d records about communicators", maxDefinitions, maxCommEvents)
	}
	if s.done && !s.mark {
		f.warnings.Add("log without an end", "%s ends at byte %d", f.path, s.next.start)
	}
	s.renumber(lines)
	for i, r := range s.records {
		c.put(f, len(f.pieces)+i, r)
	}
	f.pieces = append(f.pieces, s.pieces...)
	return nil
}

// definition returns the definition that a record is.
func (w *walker) definition() definition {
	b, at := w.record[headerBytes:], w.base+int64(w.at)
	if w.typ == typeStateDef {
		return definition{true, w.int32(b[4:]), w.int32(b[8:]), string(text(b[40:72])), string(text(b[16:40])), string(text(b[72:])), at}
	}
	return definition{false, w.int32(b), 0, string(text(b[32:64])), string(text(b[8:32])), string(text(b[64:])), at}
}

// commEvent returns the event of a communicator that a record is.
func (w *walker) commEvent() commEvent {
	b := w.record[headerBytes:]
	return commEvent{w.line(w.record), w.int32(b), w.int32(b[4:]), w.int32(b[8:]), w.int32(b[12:]), w.gid(b[16:])}
}
