package fuzz

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"sync/atomic"
	"testing"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/spec/vectors"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// What one question to a hostile file may take: bytes of memory, and bytes read as a multiple of the file's size. (A block that is
// refused is read again by everything that needs it: what could not be read once may be readable now.) The multiple also bounds the bytes and events that a byte
// becomes: a block of a slice has 28 bytes of header and 8 at least of its own, and stands for 262,144 events at most.
const (
	questionBytes = 64 << 20
	questionReads = 64
	eventsPerByte = 262_144 / 36
)

// countedFile counts the bytes that are read of it.
type countedFile struct {
	*bytes.Reader
	bytes atomic.Int64
}

func (c *countedFile) ReadAt(b []byte, at int64) (int, error) {
	n, err := c.Reader.ReadAt(b, at)
	c.bytes.Add(int64(n))
	return n, err
}

// questions are all that can be asked of a file.
func questions(t *testing.T, r *store.Reader) map[string]func() {
	note := func(err error) { damaged(t, err) }
	return map[string]func(){
		"definitions": func() { _, err := r.Definitions(); note(err) },
		"window":      func() { readWindow(t, r.All()) },
		"messages":    func() { _, err := countTold(r.All().Messages()); note(err) },
		"parts": func() {
			_, err := countTold(store.Parts(r.All(), store.PartCalls|store.PartEvents|store.PartMessages, everything))
			note(err)
		},
		"summary":  func() { _, err := r.Window(math.MinInt64, math.MaxInt64).Summary(); note(err) },
		"timeline": func() { _, err := r.All().Timeline(50); note(err) },
		"longest":  func() { _, err := r.All().LongestCalls(5); note(err) },
		"source":   func() { readSource(t, r.Source()) },
		"stack": func() {
			locations, err := r.Locations()
			note(err)
			for _, l := range locations[:min(5, len(locations))] {
				_, err := r.CallStack(l.ID, l.Last)
				note(err)
			}
		},
		"verify": func() {
			_, err := r.Verify(t.Context(), store.VerifyOptions{Level: store.VerifyDeep})
			note(err)
		},
	}
}

// everything goes through all that a part has.
func everything(p *store.Part) (n int, err error) {
	if _, err := p.Calls(); err != nil {
		return 0, err
	}
	if _, err := p.Messages(); err != nil {
		return 0, err
	}
	return n, p.Events(func(trace.Event) { n++ })
}

// mustBeCheap asks a file everything, and checks what each answer takes.
func mustBeCheap(t *testing.T, name string, file []byte) {
	t.Helper()
	mustBeCheapWithin(t, name, file, limits, questionBytes)
}

// mustBeCheapWithin does it with some limits and some memory.
func mustBeCheapWithin(t *testing.T, name string, file []byte, limits format.Limits, most uint64) {
	t.Helper()
	mustTake(t, name, file, limits, most, func(ask func()) uint64 {
		before := allocated()
		ask()
		return allocated() - before
	})
}

// mustTake does it with a measure of memory, and saves the file.
func mustTake(t *testing.T, name string, file []byte, limits format.Limits, most uint64, memory func(ask func()) uint64) {
	t.Helper()
	m := measure{t: t, name: name, src: &countedFile{Reader: bytes.NewReader(file)}, size: int64(len(file)), limits: limits, most: most, memory: memory}
	m.questions()
	m.saving(most)
}

// measure holds what is done with a file against its size.
type measure struct {
	t      *testing.T
	name   string
	src    *countedFile
	size   int64
	limits format.Limits
	most   uint64 // bytes of memory
	memory func(ask func()) uint64
	tries  int // how often something is done until it takes no more; once, at least
}

func (m *measure) did(question string, ask func()) {
	m.t.Helper()
	spent := uint64(math.MaxUint64)
	for try := 0; spent > m.most && try < max(m.tries, 1); try++ {
		m.src.bytes.Store(0)
		spent = min(spent, m.memory(ask))
	}
	if spent > m.most {
		m.t.Errorf("%s, %d bytes: %s takes %d bytes of memory", m.name, m.size, question, spent)
	}
	if n := m.src.bytes.Load(); n > questionReads*m.size {
		m.t.Errorf("%s, %d bytes: %s reads %d bytes", m.name, m.size, question, n)
	}
}

func (m *measure) worked(question string, before, w store.ReadStats) {
	m.t.Helper()
	if w.Decompressed-before.Decompressed > questionReads*format.Density*format.PackedBytes*m.size || w.Events-before.Events > questionReads*eventsPerByte*m.size {
		m.t.Errorf("%s, %d bytes: %s takes %+v, before it %+v", m.name, m.size, question, w, before)
	}
}

func (m *measure) questions() {
	m.t.Helper()
	t, src, limits := m.t, m.src, m.limits
	var r *store.Reader
	m.did("opening", func() {
		var err error
		if r, err = store.NewReader(t.Context(), src, m.size, store.ReadOptions{Limits: limits, Name: "fuzz"}); damaged(t, err) {
			r = nil
		}
	})
	if r != nil {
		for question, ask := range questions(t, r) {
			before := r.ReadStats()
			m.did(question, ask)
			m.worked(question, before, r.ReadStats())
		}
	}
}

// saving recovers the file, with at most the given bytes of memory.
func (m *measure) saving(most uint64) {
	m.t.Helper()
	m.most = most
	t, src, limits := m.t, m.src, m.limits
	m.did("saving", func() {
		s, err := store.OpenRecovery(t.Context(), src, m.size, store.ReadOptions{Limits: limits, Name: "fuzz"}, nil)
		if damaged(t, err) {
			return
		}
		w, err := store.NewWriter(t.Context(), io.Discard, s.Meta(), store.Options{Workers: 1, Memory: 64 << 20})
		if err == nil {
			_, err = s.Copy(t.Context(), w, nil)
		}
		m.worked("saving", store.ReadStats{}, s.ReadStats())
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Errorf("%s: what was saved cannot be written: %v", m.name, err)
		}
	})
}

// Vectors of faults, and of what is not one, take little.
func TestVectorsAreCheap(t *testing.T) {
	files, err := vectors.Committed()
	if err != nil || len(files) < 100 {
		t.Fatal(len(files), err)
	}
	for name, file := range files {
		mustBeCheap(t, name, file)
	}
}

// Blocks that are little when stored and much when decompressed are refused before memory is taken, and so are those within limits
// that hold nothing but zeros.
func TestDecompressionBombs(t *testing.T) {
	for n, file := range smallFiles(t)[:2] {
		blocks := damage.Blocks(file)
		tried := map[format.BlockKind]bool{}
		for i, b := range blocks {
			if tried[b.Kind] {
				continue
			}
			tried[b.Kind] = true
			for _, raw := range []int{limits.BlockBytes, 255 << 20, 1 << 30, 1<<32 - 1} {
				changed := append([]damage.Block(nil), blocks...)
				changed[i].Payload, changed[i].Codec, changed[i].Raw = vectors.Bomb(raw), format.CodecZstd, uint32(raw)
				mustBeCheap(t, fmt.Sprintf("file %d, %s of %d bytes", n, b.Kind, raw), damage.Join(file, changed))
			}
		}
		if len(tried) < 10 {
			t.Errorf("bombs in %v only", tried)
		}
	}
}

// Counts that are absurd, wherever they stand in a block, are refused before memory is taken.
func TestAbsurdCounts(t *testing.T) {
	step := 61
	if os.Getenv("PANDO_SOAK") != "" {
		step = 1
	}
	tried := 0
	for n, file := range smallFiles(t)[:2] {
		for i, b := range damage.Blocks(file) {
			for at := i % step; at < min(len(b.Payload), 200); at += step {
				count := []uint64{1 << 20, 1 << 28, 1 << 40, math.MaxUint64}[tried%4]
				changed := damage.Blocks(file)
				changed[i].Payload = append(format.AppendUvarint(bytes.Clone(b.Payload[:at]), count), b.Payload[at+1:]...)
				mustBeCheap(t, fmt.Sprintf("file %d, %d at byte %d of block %d, a %s", n, count, at, i, b.Kind), damage.Join(file, changed))
				tried++
			}
		}
	}
	if tried < 100 {
		t.Errorf("only %d counts", tried)
	}
}
