package otf2

import (
	"errors"
	"math"
	"os"

	"github.com/pandotrace/pando/trace"
)

// rest is what the next record has besides its fields.
type rest struct {
	obsolete uint64
	big      bool
	bytes    []byte
}

// output is a chunked file that is being written. It holds no file open, and in memory what is not in the file yet:
// about want bytes, or one record.
type output struct {
	encoder
	path    string
	sink    func([]piece) error
	grammar *grammar
	chunk   int64 // size of chunks, in bytes
	want    int
	dropped *drops
	foreign bool // records of unknown ids are those of another format
	rest    *rest
	marking *marking // nil if marks are dropped

	// clock is nil if times are not corrected.
	clock   *trace.Clock
	last    uint64 // time of the last time stamp
	stamped bool   // there was one in the chunk

	base    int64 // position of data in the file
	start   int64 // where the current chunk began in the file
	records uint64
}

// at returns the position in the file of what comes next.
func (o *output) at() int64 { return o.base + int64(len(o.data)) }

// lastAt is where the number of a chunk's last event stands, from the chunk's begin.
const lastAt = 10

// Marks at the end of a chunk and of a file, in bytes.
const (
	chunkEnding = 1
	fileEnding  = 2
)

func (o *output) begin() {
	o.start, o.stamped = o.at(), false
	mark := byte(markLittle)
	if o.big {
		mark = markBig
	}
	o.data = append(o.data, idChunk, mark)
	first := uint64(1)
	if o.grammar.timed {
		first = o.records + 1
	}
	o.fixed(first, 8)
	o.fixed(0, 8)
}

// left returns how much room the chunk has, in bytes.
func (o *output) left() int64 { return o.start + o.chunk - o.at() }

// reserve begins a new chunk if this one, which has records, has no room for n bytes and the mark of its end.
func (o *output) reserve(n int) error {
	if o.left() >= int64(n)+chunkEnding || o.at() == o.start+chunkHeader {
		return nil
	}
	return o.nextChunk(o.big)
}

// nextChunk ends the chunk and begins another, in a byte order.
func (o *output) nextChunk(big bool) error {
	o.data = append(o.data, idEndOfChunk)
	if err := o.seal(); err != nil {
		return err
	}
	o.base, o.big = o.start+o.chunk, big
	o.begin()
	return nil
}

// written is called after each record.
func (o *output) written(what trace.Kind) error {
	o.records++
	if o.problem != "" {
		return &trace.SourceError{Format: "otf2", File: o.path, Offset: o.at(), Problem: what.String() + ": " + o.problem, Class: ErrUnwritable}
	}
	if o.left() < chunkEnding {
		return &trace.SourceError{Format: "otf2", File: o.path, Offset: o.at(), Problem: what.String() + ": longer than a chunk", Class: ErrUnwritable}
	}
	if len(o.data) < o.want {
		return nil
	}
	return o.flush()
}

// seal brings the chunk into the file, with the number of its last event in its header if there are events.
func (o *output) seal() error {
	if !o.grammar.timed {
		return o.flush()
	}
	last := encoder{big: o.big}
	last.fixed(o.records, 8)
	return o.flush(piece{o.start + lastAt, last.data})
}

// flush brings data into the file, and then patches.
func (o *output) flush(patches ...piece) error {
	if err := o.sink(append([]piece{{o.base, o.data}}, patches...)); err != nil {
		return &trace.SourceError{Format: "otf2", File: o.path, Offset: o.base, Problem: "cannot be written", Cause: err}
	}
	o.base += int64(len(o.data))
	o.data = o.data[:0]
	return nil
}

// close ends the file.
func (o *output) close() error {
	if err := o.release(math.MaxUint64); err != nil {
		return err
	}
	o.dropMark()
	if o.left() < fileEnding {
		if err := o.nextChunk(o.big); err != nil {
			return err
		}
	}
	o.data = append(o.data, idEndOfFile, idEndOfBuffer)
	return o.seal()
}

// piece is a part of a file.
type piece struct {
	at   int64
	data []byte
}

// fileSink writes pieces to a file, which is open only meanwhile.
func fileSink(path string) func([]piece) error {
	return func(pieces []piece) error {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666)
		if err != nil {
			return err
		}
		for _, p := range pieces {
			if _, err := f.WriteAt(p.data, p.at); err != nil {
				return errors.Join(err, f.Close())
			}
		}
		return f.Close()
	}
}
