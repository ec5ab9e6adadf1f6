package otf2

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/convert/otf2/internal/form"
	"github.com/pandotrace/pando/convert/otf2/internal/read"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/trace"
)

const (
	ezHello   = "otf2.ez.hello.4.io"             // locations 0, 536870911, ...; no mappings
	unknownID = "otf2.patched.mg.S.4.unknown-id" // half of the locations are empty
)

// readAll opens an archive and reads all its streams.
func readAll(anchor string, opt Options) (*Archive, error) {
	a, err := Open(anchor, opt)
	if err != nil {
		return nil, err
	}
	for _, s := range a.Streams() {
		if err := walk(a, s.StreamID, 1000, func(*trace.Batch, int) {}); err != nil {
			return a, err
		}
	}
	return a, nil
}

func TestBadFiles(t *testing.T) {
	tests := []struct {
		name    string
		file    string // of EZTrace's archive, with its folder
		damage  func(t *testing.T, path string, data []byte) []byte
		class   error
		offset  int64
		problem string
	}{
		{"missing events", "eztrace_log/0.evt", remove, trace.ErrMissing, 0, "the 2 events of location 0 cannot be read"},
		{"missing definitions", "eztrace_log.def", remove, trace.ErrMissing, 0, "cannot be read"},
		{"missing anchor", "eztrace_log.otf2", remove, trace.ErrMissing, 0, "cannot be read"},
		{"event folder", "eztrace_log/0.evt", makeFolder, trace.ErrCorrupt, 0, "is a directory"},
		{"definition folder", "eztrace_log.def", makeFolder, trace.ErrCorrupt, 0, "is a directory"},
		{"anchor folder", "eztrace_log.otf2", makeFolder, trace.ErrCorrupt, 0, "is a directory"},
		{"empty events", "eztrace_log/0.evt", cut(0), trace.ErrCorrupt, 0, "a chunk should begin"},
		{"half a chunk header", "eztrace_log/0.evt", cut(10), trace.ErrCorrupt, 0, "the file has 10 bytes left"},
		{"no records", "eztrace_log/0.evt", cut(18), trace.ErrCorrupt, 18, "the file has 0 left"},
		{"truncated time", "eztrace_log/0.evt", cut(20), trace.ErrCorrupt, 18, "at least 9 bytes where the file has 2 left"},
		{"truncated definition", "eztrace_log.def", cut(19), trace.ErrCorrupt, 18, "at least 2 bytes where the file has 1 left"},
		{"event magic", "eztrace_log/0.evt", set(0, 7), trace.ErrCorrupt, 0, "should begin with 03, but here is 07"},
		{"byte order", "eztrace_log/0.evt", set(1, 0x41), trace.ErrCorrupt, 0, "unknown byte order 41"},
		{"anchor magic", "eztrace_log.otf2", set(2, 'o'), trace.ErrCorrupt, 0, "is not the anchor file"},
		{"anchor format", "eztrace_log.otf2", set(7, 0), trace.ErrCorrupt, 8, "anchor format 0"},
		{"huge length", "eztrace_log/0.evt", set(28, 0xff), trace.ErrCorrupt, 27, "a record of at least"},
		{"short length", "eztrace_log/0.evt", set(28, 1), trace.ErrCorrupt, 27, "ThreadBegin: a value ends behind the record"},
		{"time running backwards", "eztrace_log/0.evt", set(24, 0xff), trace.ErrCorrupt, 31, "time runs backwards"},
		{"stray mark", "eztrace_log/0.evt", set(27, 1), trace.ErrCorrupt, 27, "a record of id 1"},
		{"SION", "eztrace_log.otf2", set(28, 2), trace.ErrUnsupported, 0, "file substrate SION (2) is not supported"},
		{"no substrate", "eztrace_log.otf2", set(28, 3), trace.ErrUnsupported, 0, "file substrate NONE (3) is not supported"},
		{"compression", "eztrace_log.otf2", set(29, 2), trace.ErrUnsupported, 0, "compression ZLIB (2) is not supported"},
		{"chunk size", "eztrace_log.otf2", set(19, 0xff), trace.ErrCorrupt, 0, "a chunk size of"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			anchor := copyOf(t, ezHello)
			path := filepath.Join(filepath.Dir(anchor), test.file)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if data := test.damage(t, path, data); data != nil {
				if err := os.WriteFile(path, data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			_, err = readAll(anchor, Options{})
			var e *trace.SourceError
			if !errors.As(err, &e) || !errors.Is(err, test.class) {
				t.Fatalf("got %v, want an Error that is %v", err, test.class)
			}
			if e.File != path || e.Offset != test.offset || !strings.Contains(e.Error(), test.problem) {
				t.Errorf("got %v\nwant %s, byte %d: %s", e, path, test.offset, test.problem)
			}
		})
	}
}

func remove(t *testing.T, path string, _ []byte) []byte {
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	return nil
}

func makeFolder(t *testing.T, path string, data []byte) []byte {
	remove(t, path, data)
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	return nil
}

func cut(n int) func(*testing.T, string, []byte) []byte {
	return func(_ *testing.T, _ string, data []byte) []byte { return data[:n] }
}

func set(at int, value byte) func(*testing.T, string, []byte) []byte {
	return func(_ *testing.T, _ string, data []byte) []byte {
		data[at] = value
		return data
	}
}

func TestMissingFilesAreBearable(t *testing.T) {
	tests := []struct {
		name, trace, file, warning string
		lenient                    bool
	}{
		{"events, lenient", ezHello, "eztrace_log/0.evt", "missing event file", true},
		{"events of a location without any", unknownID, "trace/4294967297.evt", "missing event file", false},
		{"local definitions", ezHello, "eztrace_log/0.def", "missing local definitions", false},
		{"thumbnail", allRecords, "all.0.thumb", "missing thumbnail", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			anchor := copyOf(t, test.trace)
			if err := os.Remove(filepath.Join(filepath.Dir(anchor), test.file)); err != nil {
				t.Fatal(err)
			}
			a, err := readAll(anchor, Options{Lenient: test.lenient})
			if err != nil {
				t.Fatal(err)
			}
			if n := countOf(a, test.warning); n != 1 {
				t.Errorf("%d warnings of %q, want 1: %v", n, test.warning, a.Warnings())
			}
			if n := len(streamsOf(a, trace.StreamEvents)); uint64(n) != a.Anchor.Locations {
				t.Errorf("%d event streams, want one for each of %d locations", n, a.Anchor.Locations)
			}
		})
	}
}

// Of a file that was cut off anywhere, a lenient archive has the events that are there as a whole, and says so.
func TestTornFilesAreBearable(t *testing.T) {
	anchor := copyOf(t, "otf2.mg.S.8.snapmark")
	events := func() (found []string, a *Archive) {
		a, err := Open(anchor, Options{Lenient: true})
		if err == nil {
			err = walk(a, streamsOf(a, trace.StreamEvents)[0], 100, func(b *trace.Batch, i int) {
				found = append(found, fmt.Sprint(b.Kinds[i], b.Times[i], b.Fields(i), b.AttrsOf(i)))
			})
		}
		if err != nil {
			t.Fatal(err)
		}
		return found, a
	}
	all, a := events()
	path := a.Path(streamsOf(a, trace.StreamEvents)[0])
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before := len(all)
	const marks = 2 // the bytes that end a file
	for n := len(data) - marks; n >= 0; n -= 1 + n/50 {
		if err := os.WriteFile(path, data[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		some, a := events()
		if len(some) > before || !slices.Equal(some, all[:len(some)]) || countOf(a, "event file cut off") != 1 {
			t.Fatalf("cut at byte %d of %d: %d of %d events, and %v", n, len(data), len(some), len(all), a.Warnings())
		}
		before = len(some)
	}
	if before != 0 {
		t.Errorf("an empty file has %d events", before)
	}
}

func countOf(a *Archive, warning string) uint64 {
	for _, w := range a.Warnings() {
		if w.Kind == warning {
			return w.Count
		}
	}
	return 0
}

func TestUnknownRecordsAreCounted(t *testing.T) {
	a, err := readAll(tracetest.Anchor(t, unknownID), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := countOf(a, "unknown record"); n != 444 {
		t.Errorf("%d unknown records, want 444", n)
	}
}

func TestUnknownRecordsKeepPayloadAndAttributes(t *testing.T) {
	attrs := recordL(form.IdAttributes, 1, 1, 1, 7, 1, 9) // one attribute, id 7, UINT8 9
	got, err := events(t, stampRecord(5), attrs, recordL(200, 'a', 'b'), []byte{12, 1, 3})
	if err != nil {
		t.Fatal(err)
	}
	compareLines(t, "events", got, []string{`1 UnknownEvent 5+0 200 0 "ab" attrs=7:1:9`, `1 Enter 5+0 3`})
}

func TestUnknownStream(t *testing.T) {
	a := mustOpen(t, ezHello, Options{})
	if _, err := a.Open(trace.StreamID{Class: trace.StreamEvents, Location: 12345}); err == nil {
		t.Error("opened a stream that there is not")
	}
}

// Every beginning of a file must give an error, and before it the records that are complete.
func TestEveryTruncation(t *testing.T) {
	dir := filepath.Dir(tracetest.Anchor(t, allRecords))
	data, err := os.ReadFile(filepath.Join(dir, "all", "7.evt"))
	if err != nil {
		t.Fatal(err)
	}
	whole, err := all(allEvents(data, 512), 100)
	if err != nil || len(whole) != 242 {
		t.Fatalf("%d records, %v", len(whole), err)
	}
	for n := range len(data) - 1 { // the very last byte says nothing
		part, err := all(allEvents(data[:n], 512), 100)
		if !errors.Is(err, trace.ErrCorrupt) {
			t.Fatalf("the first %d bytes: error %v", n, err)
		}
		if len(part) > 0 {
			compareLines(t, "records before the error", part, whole[:len(part)])
		}
	}
}

// Every byte changed in some ways must give records or an error, never a panic.
func TestEveryByteChanged(t *testing.T) {
	dir := filepath.Dir(tracetest.Anchor(t, allRecords))
	data, err := os.ReadFile(filepath.Join(dir, "all", "7.evt"))
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for i, old := range data {
		for _, v := range []byte{old ^ 1, old ^ 0x80, 0, 0xff} {
			data[i] = v
			if err := drain(allEvents(data, 512)); err != nil {
				failed++
				if !errors.Is(err, trace.ErrCorrupt) {
					t.Fatalf("byte %d set to %02x: %v", i, v, err)
				}
			}
		}
		data[i] = old
	}
	if failed == 0 {
		t.Error("no change was noticed")
	}
}

func allEvents(data []byte, want int) *read.Stream {
	return read.NewStream(inMemory(data, 256<<10, want), form.EventGrammar, 7, 0, nil, nil, &trace.Warnings{})
}

func TestEveryAnchorTruncation(t *testing.T) {
	data, err := os.ReadFile(tracetest.Anchor(t, allRecords))
	if err != nil {
		t.Fatal(err)
	}
	const tail = 2 // what follows the mark of the end says nothing
	for n := range len(data) - tail {
		if _, err := form.ParseAnchor("anchor", data[:n]); !errors.Is(err, trace.ErrCorrupt) {
			t.Errorf("the first %d bytes: error %v", n, err)
		}
		if n >= 7 && !Detect(data[:n]) || n < 7 && Detect(data[:n]) {
			t.Errorf("the first %d bytes: detected %v", n, n < 7)
		}
	}
}

// Numbers in a file must not make the reader allocate more than the file is worth.
func TestCountsAreCheckedBeforeAllocation(t *testing.T) {
	huge := []byte{4, 0xff, 0xff, 0xff, 0x7f} // 2^31-1
	files := map[string]*read.Stream{
		"program arguments": read.NewStream(inMemory(fileOf(recordL(83, append([]byte{0}, huge...)...)), 1<<20, 64),
			form.EventGrammar, 0, 0, nil, nil, &trace.Warnings{}),
		"attributes": read.NewStream(inMemory(fileOf(recordL(6, huge...)), 1<<20, 64),
			form.EventGrammar, 0, 0, nil, nil, &trace.Warnings{}),
		"group members": read.NewStream(inMemory(fileOf(recordL(18, append([]byte{0, 0, 0}, huge...)...)), 1<<20, 64),
			form.DefinitionGrammar, 0, 0, nil, nil, &trace.Warnings{}),
		"mapping table": read.NewStream(inMemory(fileOf(recordL(5, append(append([]byte{0}, huge...), 0)...)), 1<<20, 64),
			form.LocalGrammar, 0, 0, nil, nil, &trace.Warnings{}),
		"metric values": read.NewStream(inMemory(fileOf(recordL(31, 0, 255, 4)), 1<<20, 64),
			form.EventGrammar, 0, 0, nil, nil, &trace.Warnings{}),
		"record length": read.NewStream(inMemory(append(fileOf()[:18], 31, 0xff, 0, 0, 0, 0, 1, 0, 0, 0), 1<<40, 64),
			form.EventGrammar, 0, 0, nil, nil, &trace.Warnings{}),
		"record length beyond int64": read.NewStream(inMemory(append(fileOf()[:18], 31, 0xff, 0, 0, 0, 0, 0, 0, 0, 0xff), 1<<40, 64),
			form.EventGrammar, 0, 0, nil, nil, &trace.Warnings{}),
	}
	for name, s := range files {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		list, err := all(s, 10)
		runtime.ReadMemStats(&after)
		if !errors.Is(err, trace.ErrCorrupt) || len(list) != 0 {
			t.Errorf("%s: %d records, error %v", name, len(list), err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 64<<10 {
			t.Errorf("%s: %d bytes were allocated", name, used)
		}
	}
}

func TestTimeTooFarFromEpoch(t *testing.T) {
	if _, err := events(t, stampRecord(1<<62+1), []byte{12, 0}); !errors.Is(err, trace.ErrCorrupt) {
		t.Errorf("a time 2^62+1 ticks from the epoch: %v", err)
	}
	if list, err := events(t, stampRecord(1<<62), []byte{12, 0}); err != nil || len(list) != 1 {
		t.Errorf("a time 2^62 ticks from the epoch: %v", err)
	}
}

func TestEpoch(t *testing.T) {
	for offset, want := range map[uint64]uint64{0: 0, 1 << 60: 1 << 60, math.MaxUint64: 0} {
		defs := []trace.Record{{Kind: trace.KindClockProperties, Words: []uint64{1000, offset, 0, 0}}}
		if resolution, epoch := read.ClockOf(defs); resolution != 1000 || epoch != want {
			t.Errorf("global offset %d: resolution %d, epoch %d, want %d", offset, resolution, epoch, want)
		}
	}
}

func TestClosedStream(t *testing.T) {
	a := mustOpen(t, ezHello, Options{})
	s, err := a.Open(a.Streams()[0].StreamID)
	if err != nil {
		t.Fatal(err)
	}
	var b trace.Batch
	if err := s.Next(&b, 1); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if err := s.Next(&b, 1); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// Of several mapping tables of a type the first counts; of clock offsets, those in order of their times.
func TestOddLocalDefinitions(t *testing.T) {
	offset := func(time, offset byte) []byte {
		return recordL(6, time, 0, 0, 0, 0, 0, 0, 0, 1, offset, 0, 0, 0, 0, 0, 0, 0, 0)
	}
	data := fileOf(recordL(5, 3, 1, 2, form.MapDense, 1, 70, 1, 71), recordL(5, 3, 1, 1, form.MapDense, 1, 99),
		recordL(5, 200, 1, 1, form.MapDense, 1, 99), offset(10, 5), offset(10, 7), offset(20, 15))
	warn := &trace.Warnings{}
	maps, clock, err := form.ReadLocal(read.NewStream(inMemory(data, 1<<20, 64), form.LocalGrammar, 1, 0, nil, nil, warn), 1, warn)
	if err != nil {
		t.Fatal(err)
	}
	regions := &maps[trace.SpaceRegion]
	if a, b, c := regions.Global(0), regions.Global(1), regions.Global(2); a != 70 || b != 71 || c != 2 {
		t.Errorf("regions 0, 1, 2 became %d, %d, %d", a, b, c)
	}
	cursor := 0
	if got := clock.Corrected(20, &cursor); got != 35 {
		t.Errorf("local time 20 became %d, want 35", got)
	}
	counts := map[string]uint64{}
	for _, w := range warn.All() {
		counts[w.Kind] = w.Count
	}
	if counts["unused mapping table"] != 2 || counts["unused clock offset"] != 1 {
		t.Errorf("warnings: %v", counts)
	}
}
