package clog2

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/trace"
)

// inMemory opens logs that are not on the disk. Little of them is read at once.
func inMemory(lenient bool, logs ...[]byte) (*Archive, error) {
	return inMemoryBy(1000, lenient, logs...)
}

// inMemoryBy opens logs that are read atOnce bytes at a time.
func inMemoryBy(atOnce int64, lenient bool, logs ...[]byte) (*Archive, error) {
	a := &Archive{}
	for i, data := range logs {
		f := &file{path: fmt.Sprintf("log %d", i), warnings: &a.warnings, lenient: lenient, atOnce: atOnce}
		f.read = func(p []byte, at int64) error {
			if at > int64(len(data)) || copy(p, data[at:]) < len(p) {
				return io.EOF
			}
			return nil
		}
		if err := f.open(int64(len(data))); err != nil {
			return nil, err
		}
		a.files = append(a.files, f)
	}
	return a, a.read()
}

// drain reads all streams to their ends, step by step, and holds them to what streams promise.
func drain(a *Archive, max int) (events int, err error) {
	for _, id := range a.Streams() {
		s, err := a.Open(id.StreamID)
		if err != nil {
			return events, err
		}
		n, err := drainStream(a, s, max)
		if err != nil {
			return events, err
		}
		if id.Class == trace.StreamEvents {
			events += n
		}
		if uint64(n) != id.Records {
			return events, fmt.Errorf("stream %v has %d records, not %d", id.StreamID, n, id.Records)
		}
	}
	return events, nil
}

func drainStream(a *Archive, s trace.Stream, max int) (n int, err error) {
	defer s.Close()
	var b trace.Batch
	before, covered := int64(math.MinInt64), int64(math.MinInt64)
	for {
		c, err := trace.Step(s, &b, max)
		if err == io.EOF {
			return n, nil
		}
		if err == nil {
			err = b.Check(a.Meta().Table())
		}
		if err != nil {
			return n, err
		}
		for _, t := range b.Times {
			if t < before || t < covered {
				return n, fmt.Errorf("time %d after %d, with all before %d covered", t, before, covered)
			}
			before = t
		}
		if b.Len() > max {
			return n, fmt.Errorf("%d records, not %d", b.Len(), max)
		}
		n, covered = n+b.Len(), c
	}
}

// classed reports whether an error has a class.
func classed(err error) bool {
	var e *trace.SourceError
	return errors.As(err, &e) && (errors.Is(err, trace.ErrCorrupt) || errors.Is(err, trace.ErrUnsupported))
}

func smallFile(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile(partFiles(t, smallBlocks)[3])
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestBadFiles(t *testing.T) {
	preamble := func(old, new string) func([]byte) []byte {
		return func(data []byte) []byte {
			head := []byte(strings.Replace(string(data[:1024]), old, new, 1))
			return append(append(head, make([]byte, 1024)...)[:1024], data[1024:]...)
		}
	}
	set := func(at int, b ...byte) func([]byte) []byte {
		return func(data []byte) []byte { copy(data[at:], b); return data }
	}
	tests := []struct {
		name    string
		damage  func([]byte) []byte
		class   error
		offset  int64
		problem string
	}{
		{"nothing", func([]byte) []byte { return nil }, trace.ErrCorrupt, 0, "no CLOG-2 file"},
		{"half a preamble", func(d []byte) []byte { return d[:500] }, trace.ErrCorrupt, 0, "a preamble of 500 bytes"},
		{"another version", preamble("02.44", "02.20"), trace.ErrUnsupported, 0, "version"},
		{"no blocks", func(d []byte) []byte { return d[:1024] }, trace.ErrCorrupt, 0, "never finished or is cut off"},
		{"cut off", func(d []byte) []byte { return d[:20000] }, trace.ErrCorrupt, 0, "never finished or is cut off"},
		{"unfinished", preamble("\x0046080\x00", "\x000\x00"), trace.ErrCorrupt, 0, "never finished"},
		{"block size 0", preamble("\x004096\x00", "\x000\x00"), trace.ErrCorrupt, 0, "block_size is \"0\""},
		{"block size 2^31", preamble("\x004096\x00", "\x002147483648\x00"), trace.ErrCorrupt, 0, "block_size"},
		{"block size that does not fit", preamble("\x004096\x00", "\x005000\x00"), trace.ErrCorrupt, 0, "cut off"},
		{"counts", preamble("\x00300\x00", "\x0099999999999\x00"), trace.ErrCorrupt, 0, "known_stateID_count"},
		{"table's place", preamble("\x001073741824\x00", "\x00x\x00"), trace.ErrCorrupt, 0, "commtable_fptr"},
		{"table's size", set(46080, 0xff, 0xff, 0xff, 0x7f), trace.ErrCorrupt, 46080, "a table of 2147483647 communicators in 284 bytes"},
		{"table's negative size", set(46080, 0xff, 0xff, 0xff, 0xff), trace.ErrCorrupt, 46080, "a table of -1"},
		{"no table", func(d []byte) []byte { return d[:46082] }, trace.ErrCorrupt, 46080, "the file ends before the table"},
		{"record type", set(1024+20, 12), trace.ErrCorrupt, 1024, "a record of type 12"},
		{"negative record type", set(1024+20, 0xff, 0xff, 0xff, 0xff), trace.ErrCorrupt, 1024, "a record of type -1"},
		{"time", set(1024, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f), trace.ErrCorrupt, 1024, "a record of time NaN"},
		{"huge time", set(1024, 0, 0, 0, 0, 0, 0, 0xf8, 0x47), trace.ErrCorrupt, 1024, "a record of time"},
		{"no end", func(d []byte) []byte { return withoutEnd(d) }, trace.ErrCorrupt, -1, "no end of the log"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := inMemory(false, test.damage(smallFile(t)))
			var e *trace.SourceError
			if !errors.As(err, &e) || !errors.Is(err, test.class) {
				t.Fatalf("got %v, want an Error that is %v", err, test.class)
			}
			if !strings.Contains(err.Error(), test.problem) || test.offset >= 0 && e.Offset != test.offset {
				t.Errorf("got %v\nwant byte %d: %s", err, test.offset, test.problem)
			}
		})
	}
}

// withoutEnd makes the end of the log the end of a block.
func withoutEnd(data []byte) []byte {
	for at := 46080 - 4096; ; {
		typ := binary.LittleEndian.Uint32(data[at+20:])
		if typ == 0 {
			data[at+20] = 1
			return data
		}
		at += plainSizes[typ]
	}
}

// Logs that were cut off can be read as far as they go.
func TestLenient(t *testing.T) {
	whole, err := inMemory(false, smallFile(t))
	if err != nil {
		t.Fatal(err)
	}
	all, err := drain(whole, 100)
	if err != nil {
		t.Fatal(err)
	}
	last := 0
	for _, n := range []int{1024, 1030, 5000, 20000, 40000, 45000, 46079} {
		a, err := inMemory(true, smallFile(t)[:n])
		if err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		events, err := drain(a, 100)
		if err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		if events < last || n > 5000 && n < 46000 && events <= last || n > 46000 && events != all {
			t.Errorf("%d bytes: %d events, of %d before and %d in all", n, events, last, all)
		}
		last = events
		kinds := []string{}
		for _, w := range a.Warnings() {
			kinds = append(kinds, w.Kind)
		}
		if !slices.Contains(kinds, "unfinished file") {
			t.Errorf("%d bytes: warnings %v", n, kinds)
		}
	}
}

func TestFilesThatDoNotBelongTogether(t *testing.T) {
	parts := partFiles(t, smallBlocks)
	if _, err := Open(Options{}, parts[0], parts[1], parts[0]); !errors.Is(err, trace.ErrUnsupported) {
		t.Errorf("one process twice: %v", err)
	}
	if _, err := Open(Options{}, mainFile(t, smallBlocks), parts[1]); !errors.Is(err, trace.ErrUnsupported) {
		t.Errorf("a finished log and a part: %v", err)
	}
	other := smallFile(t)
	copyOfOne := filepath.Join(t.TempDir(), "part")
	for at := 1024; ; at += plainSizes[other[at+20]] {
		if other[at+20] == 9 { // the first record about a communicator is about MPI_COMM_WORLD
			other[at+24+16]++
			break
		}
	}
	if err := os.WriteFile(copyOfOne, other, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(Options{}, parts[0], copyOfOne); !errors.Is(err, trace.ErrUnsupported) || !strings.Contains(err.Error(), "another run") {
		t.Errorf("files of two runs: %v", err)
	}
	if _, err := Open(Options{}, filepath.Join(t.TempDir(), "none")); !errors.Is(err, trace.ErrMissing) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := Open(Options{}, t.TempDir()); !errors.Is(err, trace.ErrCorrupt) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Open(Options{}); !errors.Is(err, trace.ErrMissing) {
		t.Errorf("no files: %v", err)
	}
}

// A file cut anywhere is read as far as it goes, or refused with an error that says where.
func TestEveryTruncation(t *testing.T) {
	data := smallFile(t)
	step := 1
	if os.Getenv("PANDO_SOAK") == "" {
		step = 97
	}
	for n := 0; n < len(data); n += step {
		for _, lenient := range []bool{false, true} {
			a, err := inMemory(lenient, data[:n])
			if err == nil {
				_, err = drain(a, 100)
			}
			if err != nil && !classed(err) || err == nil && !lenient {
				t.Fatalf("%d bytes, lenient %v: %v", n, lenient, err)
			}
		}
	}
}

// Whatever byte changes, the file is read or refused.
func TestEveryByteChanged(t *testing.T) {
	data := smallFile(t)
	step := 1
	if os.Getenv("PANDO_SOAK") == "" {
		step = 101
	}
	read, refused := 0, 0
	for at := 0; at < len(data); at += step {
		for _, bit := range []byte{1, 0x80, 0xff} {
			data[at] ^= bit
			a, err := inMemory(false, data)
			if err == nil {
				_, err = drain(a, 100)
			}
			data[at] ^= bit
			if err != nil && !classed(err) {
				t.Fatalf("byte %d: %v", at, err)
			}
			if err == nil {
				read++
			} else {
				refused++
			}
		}
	}
	if read == 0 || refused == 0 {
		t.Errorf("%d files were read and %d refused", read, refused)
	}
}

// A file that changes between two readings is noticed, or at least does no harm.
func TestFileChangesWhileItIsRead(t *testing.T) {
	data := smallFile(t)
	a, err := inMemory(false, data)
	if err != nil {
		t.Fatal(err)
	}
	a.cache = cache{} // so that pieces are read again
	for at := 1024; at < 46080; at += 24 {
		data[at+8] ^= 0x55
	}
	if _, err := drain(a, 100); !classed(err) {
		t.Errorf("got %v", err)
	}
}

// Numbers in a file take no memory before there is anything to put into it.
func TestCountsAreCheckedBeforeAllocation(t *testing.T) {
	data := smallFile(t)
	head := string(data[:1024])
	for _, number := range []string{"4", "300", "100", "0", "600"} {
		head = strings.ReplaceAll(head, "\x00"+number+"\x00", "\x00016777215\x00")
	}
	head = strings.Replace(head, "num_buffered_blocks=\x00016777215", "num_buffered_blocks=\x004", 1)
	head = strings.Replace(head, "commtable_fptr=\x00016777215", "commtable_fptr=\x000", 1)
	data = append([]byte(head)[:1024], data[1024:]...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	a, err := inMemory(false, data)
	if err == nil {
		_, err = drain(a, 100)
	}
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Error(err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
		t.Errorf("%d bytes for a log of %d", n, len(data))
	}
}
