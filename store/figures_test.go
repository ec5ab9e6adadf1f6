package store_test

import (
	"encoding/binary"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pandotrace/pando/encode/records"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
)

// structureBytes returns what a file takes for dictionaries, tokens and what codes them, and the number of parts that locations
// have in slices.
func structureBytes(t *testing.T, r *store.Reader) (bytes, parts int64) {
	t.Helper()
	report, err := r.SpaceUsage(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range report.Lines {
		if l.What == "dictionaries" || l.What == "tokens and phases" || l.What == "models of tokens" {
			bytes += l.Bytes
		}
	}
	for b, err := range r.All().Batches() {
		if err != nil {
			t.Fatal(err)
		}
		if b.Len() > 0 {
			parts++
		}
	}
	return bytes, parts
}

// A program that does the same all the time has a structure of next to nothing, however long it runs.
func TestFiguresOfRepetition(t *testing.T) {
	for _, e := range tracegen.Extremes() {
		if e.Name != "repetition" {
			continue
		}
		for _, events := range []uint64{20_000, 300_000} {
			r := read(t, write(t, e.Trace(8, 0, events, 1), store.Options{}))
			size, parts := structureBytes(t, r)
			if size > 8*parts+100 {
				t.Errorf("%d events: %d bytes of structure for %d parts of slices", events, size, parts)
			}
			c, err := r.Compaction(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if n := c.Dictionaries.Sum(); n > 10*uint64(bits.Len64(events)) {
				t.Errorf("%d events: a graph of %+v", events, c.Dictionaries)
			}
			t.Logf("%d events: %d bytes of structure for %d parts of slices, a graph of %+v", events, size, parts, c.Dictionaries)
		}
	}
}

// A program without any order takes no more than what zstd makes of its columns: kinds, regions and differences of time.
func TestFiguresOfDisorder(t *testing.T) {
	t.Parallel()
	seeds := 9
	if testing.Short() {
		seeds = 3
	}
	for seed := range uint64(seeds) {
		locations, events := 1+int(seed%4), 100_000+int(seed)*10_000
		src := tracegen.Shuffle(locations, events, seed)
		m, err := model.Load(src)
		if err != nil {
			t.Fatal(err)
		}
		size := len(write(t, src, store.Options{}))
		for name, limit := range zstdSizes(t, columnsOf(m)) {
			if size > limit {
				t.Errorf("seed %d: %d bytes, %s makes %d of the columns", seed, size, name, limit)
			}
		}
	}
}

// columnsOf writes kinds, regions and differences of time as varints, one after the other.
func columnsOf(m *model.Trace) []byte {
	var kinds, regions, times []byte
	for _, l := range m.Locations {
		before := int64(0)
		for _, e := range l.Events {
			kinds = binary.AppendUvarint(kinds, uint64(e.Kind))
			regions = binary.AppendUvarint(regions, e.Words[0])
			times = binary.AppendUvarint(times, uint64(e.Time-before))
			before = e.Time
		}
	}
	return append(append(kinds, regions...), times...)
}

// zstdSizes compresses with the library, and with the program if there is one.
func zstdSizes(t *testing.T, columns []byte) map[string]int {
	t.Helper()
	packed, _ := records.Compress(columns)
	sizes := map[string]int{"the library": len(packed)}
	if program, err := exec.LookPath("zstd"); err == nil {
		path := filepath.Join(t.TempDir(), "columns")
		if err := os.WriteFile(path, columns, 0o666); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(program, "-3", "-c", path).Output()
		if err != nil {
			t.Fatal(err)
		}
		sizes["zstd -3"] = len(out)
	}
	return sizes
}

// An epoch ends when the dictionaries have enough slices, or one of them enough bytes, and not earlier.
func TestEpochsEnd(t *testing.T) {
	t.Parallel()
	epochs := func(opt store.Options) uint64 {
		return read(t, write(t, tracegen.Shuffle(3, 20_000, 1), opt)).Info().Epochs
	}
	opt := store.Options{SliceEvents: 500, Fanout: 2, EpochSlices: 1000, LaneLocations: 1}
	if n := epochs(opt); n != 1 {
		t.Errorf("%d epochs of small dictionaries", n)
	}
	// Forty slices, two of them a group; a lane's shapes of a group take some 300 bytes.
	opt.EpochBytes = 1
	if n := epochs(opt); n != 20 {
		t.Errorf("%d epochs of 20 groups", n)
	}
	opt.EpochBytes = 1000
	if n := epochs(opt); n < 4 || n > 10 {
		t.Errorf("%d epochs of some 1000 bytes", n)
	}
	opt.EpochBytes, opt.EpochSlices = 0, 10
	if n := epochs(opt); n != 4 {
		t.Errorf("%d epochs of 10 slices", n)
	}
}
