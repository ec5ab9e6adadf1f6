package write

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"testing"

	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/store/internal/verify"
	"github.com/pandotrace/pando/trace"
)

// manySource defines n regions with names and calls each once, on one location or on one for each.
type manySource struct {
	n       int
	threads bool
}

func (s manySource) Meta() *trace.Meta         { return &trace.Meta{Resolution: 1e9} }
func (s manySource) Warnings() []trace.Warning { return nil }
func (s manySource) Close() error              { return nil }

func (s manySource) locations() int {
	if s.threads {
		return s.n
	}
	return 1
}

func (s manySource) Definitions(from int) ([]trace.Record, error) {
	return s.DefinitionsPart(from, 3*s.n)
}

func (s manySource) DefinitionsPart(from, most int) (list []trace.Record, err error) {
	for i := from; i < 2*s.n+s.locations() && len(list) < most; i++ {
		id := uint64(i % s.n)
		switch i / s.n {
		case 0:
			r := trace.Record{Kind: trace.KindString}
			r.Words = []uint64{id, r.PutText(fmt.Sprint("function ", id))}
			list = append(list, r)
		case 1:
			list = append(list, trace.Record{Kind: trace.KindRegion, Words: []uint64{id, id, id, 0, 0, 0, id, 0, 0, 0}})
		case 2:
			list = append(list, trace.Record{Kind: trace.KindLocation, Words: []uint64{id, id, 1, 2, 0}})
		}
	}
	return list, nil
}

func (s manySource) Streams() (list []trace.StreamInfo) {
	for l := range s.locations() {
		list = append(list, trace.StreamInfo{StreamID: trace.StreamID{Location: uint64(l)}})
	}
	return list
}

func (s manySource) Open(id trace.StreamID) (trace.Stream, error) {
	if s.threads {
		return &manyStream{location: id.Location, from: int(id.Location), to: int(id.Location) + 1}, nil
	}
	return &manyStream{to: s.n}, nil
}

// manyStream calls regions one after the other.
type manyStream struct {
	location uint64
	from, to int
}

func (s *manyStream) Close() error { return nil }

func (s *manyStream) Next(b *trace.Batch, most int) error {
	b.Reset(s.location)
	for ; s.from < s.to && b.Len()+2 <= most; s.from++ {
		b.Append(trace.KindEnter, int64(10*s.from), uint64(s.from))
		b.Append(trace.KindLeave, int64(10*s.from+5), uint64(s.from))
	}
	if b.Len() == 0 {
		return io.EOF
	}
	return nil
}

// bytesOfWriting returns how many bytes of memory writing a source asks for.
func bytesOfWriting(t *testing.T, src trace.Source) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	w, err := NewWriter(t.Context(), io.Discard, src.Meta(), layout.Options{Workers: 1, TempDir: t.TempDir(), SliceEvents: 8192, Fanout: 4})
	if err == nil {
		err = Copy(t.Context(), w, src, nil)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A definition, and a location, costs the same bytes however many there are; docs/performance.md states the bounds.
func TestCostOfDefinitions(t *testing.T) {
	for _, c := range []struct {
		name    string
		threads bool
		n, most uint64
	}{{"regions", false, 40_000, 11_000}, {"locations", true, 10_000, 20_000}} {
		t.Run(c.name, func(t *testing.T) {
			once := bytesOfWriting(t, manySource{int(c.n), c.threads})
			twice := bytesOfWriting(t, manySource{2 * int(c.n), c.threads})
			more := (twice - min(once, twice)) / c.n
			t.Logf("%d bytes for each of %d, %d for each of as many more", once/c.n, c.n, more)
			if more > c.most {
				t.Errorf("each of %d more asks for %d bytes, more than %d", c.n, more, c.most)
			}
		})
	}
}

// TestMemoryOfSilentLocations holds how much memory of the writer a location keeps in use that has had its events.
func TestMemoryOfSilentLocations(t *testing.T) {
	const n, slice, most = 1 << 15, 8192, 640
	used := func(locations int) int64 {
		src := manySource{n: locations, threads: true}
		w, err := NewWriter(t.Context(), io.Discard, src.Meta(), layout.Options{Workers: 1, TempDir: t.TempDir(), SliceEvents: slice, Fanout: 4})
		if err == nil {
			err = Copy(t.Context(), w, src, nil)
		}
		if err = errors.Join(err, w.backlog.wait()); err != nil {
			t.Fatal(err)
		}
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return int64(m.HeapAlloc)
	}
	once := used(n)
	more := (used(2*n) - once) / n
	t.Logf("%d bytes for each of %d more locations", more, n)
	if more > most {
		t.Errorf("a location keeps %d bytes, more than %d", more, most)
	}
}

// TestWorkOfLargeDictionary holds that a dictionary that takes more than the cache is read once, not for each slice that needs it.
func TestWorkOfLargeDictionary(t *testing.T) {
	work := func(n int) int64 {
		var file bytes.Buffer
		w, err := NewWriter(t.Context(), &file, manySource{n: n}.Meta(), layout.Options{SliceEvents: 1000, Fanout: 4})
		if err == nil {
			err = Copy(t.Context(), w, manySource{n: n}, nil)
		}
		if err = errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		r, err := read.NewReader(t.Context(), bytes.NewReader(file.Bytes()), int64(file.Len()), layout.ReadOptions{CacheBytes: 256 << 10})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := verify.Check(r, nil); err != nil {
			t.Fatal(err)
		}
		return r.ReadStats().Decompressed
	}
	once, fourfold := work(5_000), work(20_000)
	t.Logf("%d bytes, then %d", once, fourfold)
	if fourfold > 8*once {
		t.Errorf("four times as many regions decompress %d bytes instead of %d", fourfold, once)
	}
}
