package sorting

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
)

// packedRun is a file of packed records: one part for each thread that has some, in the order of their numbers.
type packedRun struct {
	of    *Threads // that the records come from
	file  *os.File
	w     *bufio.Writer
	size  int64
	parts []piece
	pack  packer
	room  []byte // for copying

	cursor Cursor
}

// copyBytes is what is copied at a time.
const copyBytes = 64 << 10

func newPackedRun(of *Threads) (*packedRun, error) {
	f, err := tempFile(of.Dir)
	if err != nil {
		return nil, err
	}
	return &packedRun{of: of, file: f, w: bufio.NewWriterSize(f, 256<<10)}, nil
}

// take writes the records of a thread. Pieces that follow each other are copied as they are.
func (r *packedRun) take(pieces []piece) error {
	part := piece{first: pieces[0].first, last: pieces[0].last, at: r.size}
	for i := range pieces {
		part.first = earlier(part.first, pieces[i].first)
		part.last = later(part.last, pieces[i].last)
	}
	var err error
	if inOrder(pieces) {
		err = r.copy(pieces)
	} else {
		r.cursor.start(r.of, pieces, readBuffer)
		err = r.merge(&r.cursor)
	}
	part.end = r.size
	r.parts = append(r.parts, part)
	return err
}

func earlier(a, b Key) Key {
	if b.Compare(&a) < 0 {
		return b
	}
	return a
}

func later(a, b Key) Key {
	if b.Compare(&a) > 0 {
		return b
	}
	return a
}

func (r *packedRun) copy(pieces []piece) error {
	for i := range pieces {
		p := &pieces[i]
		var err error
		if p.source >= 0 {
			err = r.write(r.of.blocks[p.source][p.at:p.end])
		} else {
			err = r.copyPart(r.of.Runs[-1-p.source].file, p.at, p.end)
		}
		if err != nil {
			return fmt.Errorf("chrome: sorting events on disk: %w", err)
		}
	}
	return nil
}

func (r *packedRun) copyPart(from io.ReaderAt, at, end int64) error {
	for at < end {
		r.room = slices.Grow(r.room[:0], copyBytes)[:min(copyBytes, end-at)]
		if _, err := from.ReadAt(r.room, at); err != nil {
			return err
		}
		if err := r.write(r.room); err != nil {
			return err
		}
		at += int64(len(r.room))
	}
	return nil
}

func (r *packedRun) write(b []byte) error {
	r.size += int64(len(b))
	_, err := r.w.Write(b)
	return err
}

func (r *packedRun) merge(c *Cursor) error {
	r.pack.begin()
	for c.Next() {
		k := c.Key()
		r.pack.bytes = r.pack.bytes[:0]
		r.pack.add(&k, c.Data())
		if err := r.write(r.pack.bytes); err != nil {
			return fmt.Errorf("chrome: sorting events on disk: %w", err)
		}
	}
	return c.Failure()
}

func (r *packedRun) flush() error {
	err := r.w.Flush()
	r.of, r.w, r.room, r.pack, r.cursor = nil, nil, nil, packer{}, Cursor{} // the file and its parts are left
	return err
}

// close removes the file.
func (r *packedRun) close() error { return remove(r.file) }
