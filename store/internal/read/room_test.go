package read

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/write"
)

// Results are kept within 1000 bytes for each byte of a file, at least 16 MiB and at most 256 MiB: SECURITY.md says so.
func TestRoomForResults(t *testing.T) {
	for size, want := range map[int64]int64{0: 16 << 20, 16_777: 16 << 20, 16_778: 16_778_000, 100_000: 100_000_000, 268_435: 268_435_000, 268_436: 256 << 20, 1 << 50: 256 << 20} {
		if got := RoomFor(size); got != want {
			t.Errorf("a file of %d bytes has room for %d bytes of results, not %d", size, got, want)
		}
	}
}

// A reader keeps no more than there is room for, though its answers are more: counted by the cache, and measured.
func TestResultsKept(t *testing.T) {
	var file bytes.Buffer
	src := tracegen.Ring(4, 6_000, 1)
	w, err := write.NewWriter(t.Context(), &file, src.Meta(), layout.Options{SliceEvents: 2000})
	if err == nil {
		err = write.Copy(t.Context(), w, src, nil)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	const room = 8 << 20
	r, err := NewReader(t.Context(), bytes.NewReader(file.Bytes()), int64(file.Len()), layout.ReadOptions{CacheBytes: room})
	if err != nil {
		t.Fatal(err)
	}
	before, made := heap(), uint64(0)
	for slice := range r.Root().Slices {
		for lane := range uint32(r.Root().Lanes) {
			events, err := r.Events(slice, lane)
			if err != nil {
				t.Fatal(err)
			}
			for i := range events.Runs {
				b, err := events.Batch(i)
				if err != nil {
					t.Fatal(err)
				}
				made += uint64(b.Len())
			}
			if used := r.Cache().Used(); used > room {
				t.Fatalf("%d bytes are kept, with room for %d", used, room)
			}
		}
	}
	kept := heap() - before
	t.Logf("%d events were decoded, %d bytes are counted, %d measured", made, r.Cache().Used(), kept)
	if kept > room*5/4 || r.Cache().Used() < room*3/4 {
		t.Errorf("%d bytes are in use and %d counted, with room for %d", kept, r.Cache().Used(), room)
	}
	runtime.KeepAlive(r)
}

// heap returns the bytes of all objects that are in use.
func heap() int64 {
	runtime.GC()
	runtime.GC() // pools are empty now
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
