package sorting

import (
	"bufio"
	"fmt"
	"os"
	"slices"
)

// packedRun is a file of packed records: one part for each thread that has some, in the order of their numbers.
type packedRun struct {
	file  *os.File
	w     *bufio.Writer
	size  int64
	parts []piece
	pack  packer
	room  []byte // for copying
}

// copyBytes is what is copied at a time.
const copyBytes = 64 << 10

func newPackedRun(dir string) (*packedRun, error) {
	f, err := tempFile(dir)
	if err != nil {
		return nil, err
	}
	return &packedRun{file: f, w: bufio.NewWriterSize(f, 256<<10)}, nil
}

// take writes the records of a thread. Pieces that follow each other are copied as they are.
func (r *packedRun) take(pieces []piece, buffer int) error {
	part := piece{first: pieces[0].first, last: pieces[0].last, run: r, at: r.size}
	for i := range pieces {
		part.first = earlier(part.first, pieces[i].first)
		part.last = later(part.last, pieces[i].last)
	}
	var err error
	if inOrder(pieces) {
		err = r.copy(pieces)
	} else {
		err = r.merge(newCursor(pieces, buffer))
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
		err := r.write(p.packed)
		for at := p.at; err == nil && at < p.end; at += int64(len(r.room)) {
			r.room = slices.Grow(r.room[:0], copyBytes)[:min(copyBytes, p.end-at)]
			if _, err = p.run.file.ReadAt(r.room, at); err == nil {
				err = r.write(r.room)
			}
		}
		if err != nil {
			return fmt.Errorf("chrome: sorting events on disk: %w", err)
		}
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
	r.w, r.room, r.pack.bytes = nil, nil, nil
	return err
}

// close removes the file.
func (r *packedRun) close() error { return remove(r.file) }
