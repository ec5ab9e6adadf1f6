package clog2

import (
	"io"
	"os"

	"github.com/pandotrace/pando/convert/mpe"
	"github.com/pandotrace/pando/trace"
)

// pieceBytes is the size of the pieces that files are read in, a little less or more.
const pieceBytes = 64 << 10

// file is one CLOG-2 file. It is not held open.
type file struct {
	*preamble
	byteOrder
	path string
	// end is where the records end at the latest; lenient lets them end there without a mark.
	end      int64
	lenient  bool
	warnings *trace.Warnings
	// pieces divide the records up, in order.
	pieces []piece
	// stop is where the last record ends, once all were read.
	stop  int64
	lines lineTable
	// ids are those of the events of all files.
	ids   *eventIDs
	comms []commEvent
	// located are the lines of the trace, by the number of the line in the file.
	located []fileLine
	inter   map[int32]groups // intercommunicators, by their ids in the file
	slot    int              // where its pieces begin in the cache
	entries []tableEntry     // of the table of communicators
	defs    []definition
	// commIDs are the ids in the trace of communicators that have another id in this file.
	commIDs map[int32]int32
	// atOnce is how many bytes are read at once when all are; a record is not longer.
	atOnce int64
	// read fills p from a position of the file.
	read func(p []byte, at int64) error
}

// piece is a part of a file's records that is read at once.
type piece struct {
	start int64
	// shift is what times are moved by at the piece's begin, in seconds; 0 in finished files.
	shift float64
	// later is the earliest time of this piece and all after it.
	later float64
}

// openFile finds a file on the disk.
func openFile(path string, lenient bool, warnings *trace.Warnings) (*file, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, trace.Unreadable("", path, 0, err)
	}
	if info.IsDir() {
		return nil, mpe.Corrupt(path, 0, "is a directory where a file should be")
	}
	f := &file{path: path, warnings: warnings, lenient: lenient, atOnce: stretchBytes}
	f.read = func(p []byte, at int64) error { return mpe.ReadAt(path, p, at) }
	return f, f.open(info.Size())
}

// open reads the file's preamble and table of communicators.
func (f *file) open(size int64) (err error) {
	data := make([]byte, min(size, preambleBytes))
	if err := f.fill(data, 0); err != nil {
		return err
	}
	if f.preamble, err = parsePreamble(f.path, data); err != nil {
		return err
	}
	return f.layOut(size)
}

// layOut finds out where the records end.
func (f *file) layOut(size int64) error {
	f.byteOrder = byteOrder{f.bigEndian}
	f.end = f.preamble.table
	whole := f.end >= preambleBytes && f.end <= size
	if whole && (f.end-preambleBytes)%f.block == 0 {
		return f.readTable(size)
	}
	if !f.lenient {
		return mpe.Corrupt(f.path, 0, "the log was never finished or is cut off: its %d bytes do not reach to the table of communicators at %d", size, f.end)
	}
	f.warnings.Add("unfinished file", "%s", f.path)
	f.end = size
	return nil
}

// fill reads p from a position of the file.
func (f *file) fill(p []byte, at int64) error {
	err := f.read(p, at)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return mpe.Corrupt(f.path, at, "the file became shorter while it was read")
	}
	if err != nil {
		return trace.Unreadable("", f.path, at, err)
	}
	return nil
}

// blockEnd returns where the block ends that a position lies in.
func (f *file) blockEnd(at int64) int64 {
	return min(preambleBytes+((at-preambleBytes)/f.block+1)*f.block, f.end)
}

// walker steps through the records of a piece.
type walker struct {
	*file
	data  []byte // of the file, from base on
	base  int64
	limit int // where the block ends, in data or behind it
	next  int // where the next record begins
	shift float64

	record []byte // the current record
	at     int    // where it begins
	typ    int
	done   bool // the log has ended,
	mark   bool // and says so
	err    error
}

// begin starts to walk along a piece, of which data is what was read.
func (w *walker) begin(f *file, p *piece, data []byte) {
	*w = walker{file: f, data: data, base: p.start, shift: p.shift}
	w.limit = int(f.blockEnd(p.start) - p.start)
}

// step goes to the next record. It returns false at the end of what is there of the piece, at the end of the log, and
// after an error.
func (w *walker) step() bool {
	for {
		at := w.next
		if at+headerBytes > w.limit {
			return w.unmarked()
		}
		if at+headerBytes > len(w.data) {
			return false
		}
		w.typ = int(w.uint32(w.data[at+20:]))
		if w.typ >= types {
			w.err = mpe.Corrupt(w.path, w.base+int64(at), "a record of type %d", int32(w.typ))
			return false
		}
		end := at + int(recordSizes[w.typ])
		switch {
		case w.typ == typeEndBlock:
			if !w.nextBlock() {
				return false
			}
			continue
		case w.typ == typeEndLog:
			w.next, w.done, w.mark = end, true, true
			return false
		case end > w.limit:
			return w.unmarked()
		case end > len(w.data):
			return false
		}
		w.record, w.at, w.next = w.data[at:end], at, end
		if !w.finished {
			w.unshift()
		}
		return true
	}
}

// nextBlock goes to the begin of the next block; there is none behind the last.
func (w *walker) nextBlock() bool {
	if w.base+int64(w.limit) >= w.end {
		if !w.lenient {
			w.err = mpe.Corrupt(w.path, w.base+int64(w.next), "the last block has no end of the log")
			return false
		}
		return w.unmarked()
	}
	w.next = w.limit
	w.limit = int(w.blockEnd(w.base+int64(w.limit)) - w.base)
	return true
}

// unmarked is called where records end without a mark.
func (w *walker) unmarked() bool {
	at := w.base + int64(w.next)
	if w.lenient && w.base+int64(w.limit) >= w.end {
		w.done = true
		return false
	}
	w.err = mpe.Corrupt(w.path, at, "the block has no end")
	return false
}

// unshift gives a record of one process the time that it would have in the finished log, and its time shift the sign.
func (w *walker) unshift() {
	if w.typ == typeTimeShift {
		w.shift = w.float64(w.record[headerBytes:])
		w.putFloat64(w.record[headerBytes:], -w.shift)
	}
	w.putFloat64(w.record, w.float64(w.record)+w.shift)
}
