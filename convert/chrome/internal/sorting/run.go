package sorting

import (
	"bufio"
	"container/heap"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/pandotrace/pando/convert/chrome/internal/scan"
)

// run is a file of sorted records, each
//
//	group, rank, µs, fraction (8, 8, 8, 4 bytes, little-endian) | length (4) | bytes
type run struct {
	file *os.File
	w    *bufio.Writer
}

const (
	headBytes = 32
	// runBuffer is what is read of a run at a time.
	runBuffer = 32 << 10
)

func newRun(dir string) (*run, error) {
	f, err := tempFile(dir)
	if err != nil {
		return nil, err
	}
	return &run{file: f, w: bufio.NewWriterSize(f, 256<<10)}, nil
}

func (r *run) write(k Key, data []byte) error {
	var head [headBytes]byte
	binary.LittleEndian.PutUint64(head[0:], k.Group)
	binary.LittleEndian.PutUint64(head[8:], k.Rank)
	binary.LittleEndian.PutUint64(head[16:], uint64(k.Time.Micros))
	binary.LittleEndian.PutUint32(head[24:], k.Time.Frac)
	binary.LittleEndian.PutUint32(head[28:], uint32(len(data)))
	if _, err := r.w.Write(head[:]); err != nil {
		return err
	}
	_, err := r.w.Write(data)
	return err
}

func (r *run) flush() error {
	err := r.w.Flush()
	r.w = nil
	return err
}

// close removes the file.
func (r *run) close() error { return remove(r.file) }

// reader reads the run, a number of bytes at a time.
func (r *run) reader(buffer int) *runReader {
	return &runReader{r: bufio.NewReaderSize(io.NewSectionReader(r.file, 0, math.MaxInt64), buffer)}
}

// runReader goes through the records of a run.
type runReader struct {
	r     *bufio.Reader
	head  [headBytes]byte
	bytes []byte
	err   error
}

func (c *runReader) Next() bool {
	if c.err != nil {
		return false
	}
	if _, err := io.ReadFull(c.r, c.head[:]); err != nil {
		if err != io.EOF {
			c.err = fmt.Errorf("chrome: reading back sorted events: %w", err)
		}
		return false
	}
	n := int(binary.LittleEndian.Uint32(c.head[28:]))
	if n > cap(c.bytes) {
		c.bytes = make([]byte, n, 2*n)
	}
	c.bytes = c.bytes[:n]
	if _, err := io.ReadFull(c.r, c.bytes); err != nil {
		c.err = fmt.Errorf("chrome: reading back sorted events: %w", err)
	}
	return c.err == nil
}

func (c *runReader) Key() Key {
	return Key{
		binary.LittleEndian.Uint64(c.head[0:]), binary.LittleEndian.Uint64(c.head[8:]),
		scan.Instant{Micros: int64(binary.LittleEndian.Uint64(c.head[16:])), Frac: binary.LittleEndian.Uint32(c.head[24:])},
	}
}
func (c *runReader) Data() []byte   { return c.bytes }
func (c *runReader) Failure() error { return c.err }

// merge goes through the records of several runs.
type merge struct {
	heap  mergeHeap
	begun bool
	err   error
}

// head is the record that a run stands at.
type head struct {
	*runReader
	k   Key
	run int
}

func newMerge(runs []*run) (*merge, error) {
	m := &merge{}
	for i, r := range runs {
		if c := r.reader(runBuffer); c.Next() {
			m.heap = append(m.heap, head{c, c.Key(), i})
		} else if c.err != nil {
			return nil, c.err
		}
	}
	heap.Init(&m.heap)
	return m, nil
}

func (m *merge) next() bool {
	if m.begun && m.err == nil && len(m.heap) > 0 {
		first := &m.heap[0]
		if first.Next() {
			first.k = first.runReader.Key()
			heap.Fix(&m.heap, 0)
		} else {
			m.err = first.err
			heap.Pop(&m.heap)
		}
	}
	m.begun = true
	return m.err == nil && len(m.heap) > 0
}

func (m *merge) key() Key     { return m.heap[0].k }
func (m *merge) data() []byte { return m.heap[0].Data() }

// mergeHeap orders runs by the records that they stand at; the earlier run is first where those are equal.
type mergeHeap []head

// Len, Less, Swap, Push and Pop make it a heap.
func (h mergeHeap) Len() int { return len(h) }
func (h mergeHeap) Less(i, j int) bool {
	c := h[i].k.Compare(&h[j].k)
	return c < 0 || c == 0 && h[i].run < h[j].run
}
func (h mergeHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *mergeHeap) Push(x any)   { *h = append(*h, x.(head)) }
func (h *mergeHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
