package store_test

import (
	"bytes"
	"os"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
)

// countingReader counts what is read.
type countingReader struct {
	*bytes.Reader
	bytes atomic.Int64
}

func (c *countingReader) ReadAt(b []byte, at int64) (int, error) {
	n, err := c.Reader.ReadAt(b, at)
	c.bytes.Add(int64(n))
	return n, err
}

// take returns how much was read since the last time.
func (c *countingReader) take() int64 { return c.bytes.Swap(0) }

// A small part of a trace costs a small part of its file, wherever it lies.
func TestBytesRead(t *testing.T) {
	t.Parallel()
	const ranks, iterations = 16, 2600
	file := write(t, tracegen.Ring(ranks, iterations, 1), store.Options{})
	size := int64(len(file))
	source := &countingReader{Reader: bytes.NewReader(file)}
	open := func() *store.Reader {
		source.take()
		r, err := store.NewReader(t.Context(), source, size, store.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := open()
	events := r.Info().Events
	const head, tail = 2 << 10, 64 << 10
	if n := source.take(); n > head+tail || n != r.BytesRead() {
		t.Errorf("%d bytes read to open a file of %d; it says %d", n, size, r.BytesRead())
	}
	if events < 900_000 || size < 10*tail {
		t.Fatalf("%d events in %d bytes: this tests little", events, size)
	}
	first, length := r.Info().First, r.Info().Last-r.Info().First
	for _, permille := range []int64{0, 333, 700, 990} {
		from := first + length/1000*permille
		r := open()
		source.take()
		n := readWindow(t, r.Window(from, from+length/100))
		if n == 0 {
			t.Errorf("window at %d ‰ is empty", permille)
		}
		got := source.take()
		t.Logf("window at %d ‰: %.2f %% of %d bytes read for %d items", permille, 100*float64(got)/float64(size), size, n)
		if got > size/100*7 { // up to 16 KiB between two blocks are read along, 2 % of this file
			t.Error("that is too much")
		}
		r = open()
		source.take()
		stack, err := r.CallStack(uint64(permille)%ranks, from)
		if err != nil || len(stack) == 0 {
			t.Errorf("stack at %d ‰: %v, %v", permille, stack, err)
		}
		got = source.take()
		t.Logf("stack at %d ‰: %.2f %% read", permille, 100*float64(got)/float64(size))
		if got > size/20 {
			t.Error("that is too much")
		}
	}
}

// Opening a file, and calls of one location, read little, also of a million locations. Messages are not asked for: they need to know what ranks there are.
func TestBytesReadOfAMillionLocations(t *testing.T) {
	if os.Getenv("PANDO_SOAK") == "" {
		t.Skip("a million locations take minutes: PANDO_SOAK=1")
	}
	few, many := bytesOfOneLocation(t, 10_000), bytesOfOneLocation(t, 1_000_000)
	t.Logf("opening reads %d and %d bytes, a window of one location %d and %d", few.open, many.open, few.window, many.window)
	const tail, most = 72 << 10, 20 << 10
	if max(few.open, many.open) > tail {
		t.Errorf("more than %d are read to open a file", tail)
	}
	if many.window > most {
		t.Errorf("more than %d are read for one location", most)
	}
}

// locationBytes are those that are read to open a file, and then for a window of one location.
type locationBytes struct{ open, window int64 }

// bytesOfOneLocation writes short locations, and asks for the calls of one in the middle.
func bytesOfOneLocation(t *testing.T, locations int) (read locationBytes) {
	t.Helper()
	kinds := tracegen.Extremes()
	short := kinds[slices.IndexFunc(kinds, func(e tracegen.Extreme) bool { return e.Name == "short-locations" })]
	file := write(t, short.Trace(locations, 0, 1, 1), store.Options{})
	source := &countingReader{Reader: bytes.NewReader(file)}
	r, err := store.NewReader(t.Context(), source, int64(len(file)), store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if n := r.Info().Locations; n != uint64(locations) {
		t.Fatalf("%d locations in place of %d", n, locations)
	}
	read.open = source.take()
	if calls := all(t, r.All().WithLocations(uint64(locations)/2).Calls()); calls == "" {
		t.Error("the location has no calls")
	}
	read.window = source.take()
	return read
}

// readWindow goes through a window and counts what is in it.
func readWindow(t *testing.T, w *store.Window) (n int) {
	t.Helper()
	for _, err := range w.Calls() {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	for _, err := range w.Messages() {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	for _, err := range w.Events() {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}
