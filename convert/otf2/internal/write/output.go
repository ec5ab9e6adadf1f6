package write

import (
	"errors"
	"math"
	"os"

	"github.com/pandotrace/pando/convert/otf2/internal/form"
	"github.com/pandotrace/pando/trace"
)

// rest is what the next record has besides its fields.
type rest struct {
	obsolete uint64
	big      bool
	bytes    []byte
}

// Output is a chunked file that is being written. It holds no file open, and in memory what is not in the file yet:
// about want bytes, or one record.
type Output struct {
	Encoder
	Path    string
	Sink    func([]Piece) error
	Grammar *form.Grammar
	Chunk   int64 // size of chunks, in bytes
	Want    int
	Dropped *Drops
	Foreign bool // records of unknown ids are those of another format
	rest    *rest
	Marking *Marking // nil if marks are dropped

	// Clock is nil if times are not corrected.
	Clock   *trace.Clock
	last    uint64 // time of the last time stamp
	stamped bool   // there was one in the chunk

	base    int64 // position of data in the file
	start   int64 // where the current chunk began in the file
	Records uint64
}

// at returns the position in the file of what comes next.
func (o *Output) at() int64 { return o.base + int64(len(o.data)) }

// lastAt is where the number of a chunk's last event stands, from the chunk's begin.
const lastAt = 10

// Marks at the end of a chunk and of a file, in bytes.
const (
	chunkEnding = 1
	fileEnding  = 2
)

func (o *Output) Begin() {
	o.start, o.stamped = o.at(), false
	mark := byte(form.MarkLittle)
	if o.big {
		mark = form.MarkBig
	}
	o.data = append(o.data, form.IdChunk, mark)
	first := uint64(1)
	if o.Grammar.Timed {
		first = o.Records + 1
	}
	o.fixed(first, 8)
	o.fixed(0, 8)
}

// left returns how much room the chunk has, in bytes.
func (o *Output) left() int64 { return o.start + o.Chunk - o.at() }

// reserve begins a new chunk if this one, which has records, has no room for n bytes and the mark of its end.
func (o *Output) reserve(n int) error {
	if o.left() >= int64(n)+chunkEnding || o.at() == o.start+form.ChunkHeader {
		return nil
	}
	return o.nextChunk(o.big)
}

// nextChunk ends the chunk and begins another, in a byte order.
func (o *Output) nextChunk(big bool) error {
	o.data = append(o.data, form.IdEndOfChunk)
	if err := o.seal(); err != nil {
		return err
	}
	o.base, o.big = o.start+o.Chunk, big
	o.Begin()
	return nil
}

// written is called after each record.
func (o *Output) written(what trace.Kind) error {
	o.Records++
	if o.problem != "" {
		return &trace.SourceError{Format: "otf2", File: o.Path, Offset: o.at(), Problem: what.String() + ": " + o.problem, Class: form.ErrUnwritable}
	}
	if o.left() < chunkEnding {
		return &trace.SourceError{Format: "otf2", File: o.Path, Offset: o.at(), Problem: what.String() + ": longer than a chunk", Class: form.ErrUnwritable}
	}
	if len(o.data) < o.Want {
		return nil
	}
	return o.flush()
}

// seal brings the chunk into the file, with the number of its last event in its header if there are events.
func (o *Output) seal() error {
	if !o.Grammar.Timed {
		return o.flush()
	}
	last := Encoder{big: o.big}
	last.fixed(o.Records, 8)
	return o.flush(Piece{o.start + lastAt, last.data})
}

// flush brings data into the file, and then patches.
func (o *Output) flush(patches ...Piece) error {
	if err := o.Sink(append([]Piece{{o.base, o.data}}, patches...)); err != nil {
		return &trace.SourceError{Format: "otf2", File: o.Path, Offset: o.base, Problem: "cannot be written", Cause: err}
	}
	o.base += int64(len(o.data))
	o.data = o.data[:0]
	return nil
}

// Close ends the file.
func (o *Output) Close() error {
	if err := o.release(math.MaxUint64); err != nil {
		return err
	}
	o.dropMark()
	if o.left() < fileEnding {
		if err := o.nextChunk(o.big); err != nil {
			return err
		}
	}
	o.data = append(o.data, form.IdEndOfFile, form.IdEndOfBuffer)
	return o.seal()
}

// Piece is a part of a file.
type Piece struct {
	At   int64
	Data []byte
}

// fileSink writes pieces to a file, which is open only meanwhile.
func fileSink(path string) func([]Piece) error {
	return func(pieces []Piece) error {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666)
		if err != nil {
			return err
		}
		for _, p := range pieces {
			if _, err := f.WriteAt(p.Data, p.At); err != nil {
				return errors.Join(err, f.Close())
			}
		}
		return f.Close()
	}
}
