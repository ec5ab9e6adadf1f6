package otf

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/trace"
)

// readAll opens a trace and reads all its streams; n is the number of records.
func readAll(path string, opt Options) (a *Archive, n int, err error) {
	a, err = Open(path, opt)
	if err != nil {
		return nil, 0, err
	}
	for _, class := range []trace.StreamClass{trace.StreamEvents, trace.StreamSnapshots, trace.StreamStatistics, trace.StreamMarkers} {
		for _, id := range streamsOf(a, class) {
			list, err := recordsOf(a, id, 1000)
			n += len(list)
			if err != nil {
				return a, n, err
			}
		}
	}
	return a, n, nil
}

// TestBadFiles: errors name the file, the place and what is wrong there. Where the reader is lenient, damage becomes a warning.
func TestBadFiles(t *testing.T) {
	events := "5\n*1\nE1\n"
	tests := []struct {
		name   string
		files  map[string]string // besides an index, definitions and events that are good; "-" for none
		class  error
		want   string // in the error
		offset int64
		stays  bool   // an error where the reader is lenient, too
		warned string // what the warning is otherwise
	}{
		{name: "no definitions", files: map[string]string{".0.def": "-"}, class: trace.ErrMissing, want: ".0.def, byte 0: there are no definitions", warned: "missing file"},
		{name: "no events", files: map[string]string{".1.events": "-"}, class: trace.ErrMissing, want: ".1.events, byte 0: there are no events", warned: "missing file"},
		{name: "an empty index", files: map[string]string{".otf": ""}, class: trace.ErrCorrupt, want: "without streams", stays: true},
		{name: "an index without streams", files: map[string]string{".otf": "hello\n"}, class: trace.ErrCorrupt, want: "without streams", stays: true},
		{name: "an index of stream 0", files: map[string]string{".otf": "1:1\n0:2\n"}, class: trace.ErrCorrupt, want: "no stream", offset: 4, stays: true},
		{name: "an index of the last stream", files: map[string]string{".otf": "ffffffff:2\n"}, class: trace.ErrCorrupt, want: "no stream", stays: true},
		{name: "an index with a stream twice", files: map[string]string{".otf": "1:1\n1:2\n"}, class: trace.ErrCorrupt, want: "stands twice", offset: 4, stays: true},
		{name: "an index with a process twice", files: map[string]string{".otf": "1:1\n2:2,1\n"}, class: trace.ErrCorrupt, want: "process of two streams", offset: 4, stays: true},
		{name: "an index with words", files: map[string]string{".otf": "1:1,x\n"}, class: trace.ErrCorrupt, want: "besides processes", stays: true},
		{name: "an index with large numbers", files: map[string]string{".otf": "1:100000000\n"}, class: trace.ErrCorrupt, want: "too large", stays: true},
		{name: "all streams in one file", files: map[string]string{".otf": "i4:0:1f\n"}, class: trace.ErrUnsupported, want: "IOFSL", stays: true},

		{name: "a field is missing", files: map[string]string{".1.events": events + "S1L5C1\n"}, class: trace.ErrCorrupt, want: "TAG is missing: \"S1L5C1\"", offset: 8, warned: "damaged line"},
		{name: "a field in another place", files: map[string]string{".1.events": events + "S1T5L5C1\n"}, class: trace.ErrCorrupt, want: "LEN is missing", offset: 8, warned: "damaged line"},
		{name: "something behind a record", files: map[string]string{".1.events": events + "E1 junk\n"}, class: trace.ErrCorrupt, want: "behind the end", offset: 8, warned: "damaged line"},
		{name: "something behind a time", files: map[string]string{".1.events": events + "7E1\n"}, class: trace.ErrCorrupt, want: "behind the end", offset: 8, warned: "damaged line"},
		{name: "a string without an end", files: map[string]string{".1.events": events + "#\"abc\n"}, class: trace.ErrCorrupt, want: "without an end", offset: 8, warned: "damaged line"},
		{name: "no string", files: map[string]string{".1.events": events + "#abc\n"}, class: trace.ErrCorrupt, want: "a string should begin", offset: 8, warned: "damaged line"},
		{name: "time runs backwards", files: map[string]string{".1.events": events + "4\n*1\nL1\n"}, class: trace.ErrCorrupt, want: "time runs backwards from 5", offset: 8, warned: "damaged line"},
		{name: "time is too far away", files: map[string]string{".1.events": events + "2000000000000001\n"}, class: trace.ErrCorrupt, want: "2^61 ticks", offset: 8, warned: "damaged line"},
		{name: "time is at the end", files: map[string]string{".1.events": events + "ffffffffffffffff\n"}, class: trace.ErrCorrupt, want: "2^61 ticks", offset: 8, warned: "damaged line"},
		{name: "no time", files: map[string]string{".1.events": "*1\nE1\n5\nE1\n"}, class: trace.ErrCorrupt, want: "before the first time", offset: 3, warned: "damaged line"},
		{name: "no process", files: map[string]string{".1.events": "5\nE1\n*1\nE1\n"}, class: trace.ErrCorrupt, want: "before the first time and process", offset: 2, warned: "damaged line"},
		{name: "an attribute of an unknown type", files: map[string]string{".1.events": events + "K1YcV1\nE1\n"}, class: trace.ErrCorrupt, want: "type c", offset: 8, warned: "damaged line"},
		{name: "an attribute without a value", files: map[string]string{".1.events": events + "K1Y1\nE1\n"}, class: trace.ErrCorrupt, want: "VALUE is missing", offset: 8, warned: "damaged line"},
		{name: "too many attributes", files: map[string]string{".1.events": events + manyAttributes() + "E1\n"}, class: trace.ErrCorrupt, want: "more than 1024 attributes", offset: -1, warned: "damaged line"},
		{name: "half a byte", files: map[string]string{".1.events": events + "K1YbV010L2\nE1\n"}, class: trace.ErrCorrupt, want: "wrong length", offset: 8, warned: "damaged line"},
		{name: "a list of bytes that is longer than it should be", files: map[string]string{".1.events": events + "K1YbV0102L1\nE1\n"}, class: trace.ErrCorrupt, want: "wrong length", offset: 8, warned: "damaged line"},
		{name: "a list of bytes that goes on wrongly", files: map[string]string{".1.events": events + "K1YbV0102L4\nK1YbV01L1\nE1\n"}, class: trace.ErrCorrupt, want: "does not go on", offset: 20, warned: "damaged line"},
		{name: "a definition without a name", files: map[string]string{".0.def": head + "DF1G1\n"}, class: trace.ErrCorrupt, want: "NAME is missing", offset: int64(len(head)), warned: "damaged line"},
		{name: "a list without commas", files: map[string]string{".0.def": head + "DPG1M1 2,NM\"x\"\n"}, class: trace.ErrCorrupt, want: "a comma is missing", offset: int64(len(head)), warned: "damaged line"},
		{name: "a version without dots", files: map[string]string{".0.def": head + "DV1 2 3\"x\"\n"}, class: trace.ErrCorrupt, want: "a full stop", offset: int64(len(head)), warned: "damaged line"},
		{name: "a marker of an unknown type", files: map[string]string{".0.marker": "MD1NM\"x\"Y4\n"}, class: trace.ErrCorrupt, want: "a marker of type 4", warned: "damaged line"},

		{name: "no zlib header", files: map[string]string{".1.events": "-", ".1.events.z": events}, class: trace.ErrCorrupt, want: "no zlib header", stays: true},
		{name: "half a zlib header", files: map[string]string{".1.events": "-", ".1.events.z": "\x78"}, class: trace.ErrCorrupt, want: "no zlib header", stays: true},
		{name: "damaged compression", files: map[string]string{".1.events": "-", ".1.events.z": "\x78\x9c\xff\xff\xff\xff\xff"}, class: trace.ErrCorrupt, want: "compressed text is damaged", offset: -1, warned: "damaged piece of a compressed file"},
		{name: "a folder", files: map[string]string{".1.events": "/"}, class: trace.ErrCorrupt, want: "is not a file", stays: true},
	}
	for _, tt := range tests {
		files := map[string]string{".otf": "1:1\n", ".0.def": head, ".1.events": events}
		for end, content := range tt.files {
			if files[end] = content; content == "-" {
				delete(files, end)
			}
		}
		path := write(t, files)
		if strings.Contains(tt.files[".1.events"], "/") {
			makeFolder(t, strings.TrimSuffix(path, ".otf")+".1.events")
		}
		_, _, err := readAll(path, Options{})
		var e *trace.SourceError
		if !errors.As(err, &e) || !errors.Is(err, tt.class) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		} else if tt.offset >= 0 && e.Offset != tt.offset {
			t.Errorf("%s: at byte %d, want %d: %v", tt.name, e.Offset, tt.offset, err)
		}
		a, _, err := readAll(path, Options{Lenient: true})
		if (err != nil) != tt.stays || err == nil && seen(a, tt.warned) == 0 {
			t.Errorf("%s, lenient: %v, %v", tt.name, err, a)
		}
	}
}

func manyAttributes() string {
	var s strings.Builder
	for i := range maxAttributes + 1 {
		fmt.Fprintf(&s, "K%xY1V1\n", i)
	}
	return s.String()
}

func makeFolder(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
}

// TestMissing: what the system says of files is not lost.
func TestMissing(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(filepath.Join(dir, "t.otf"), Options{}); !errors.Is(err, fs.ErrNotExist) || !errors.Is(err, trace.ErrMissing) {
		t.Errorf("no index: %v", err)
	}
	if _, err := Open(dir, Options{}); !errors.Is(err, trace.ErrCorrupt) {
		t.Errorf("a folder: %v", err)
	}
	path := write(t, map[string]string{".otf": "1:1\n", ".0.def": head, ".1.events": "5\n*1\nE1\n"})
	a := mustOpen(t, path, Options{})
	if err := os.Remove(strings.TrimSuffix(path, ".otf") + ".1.events"); err != nil {
		t.Fatal(err)
	}
	if _, err := recordsOf(a, eventsOf(1), 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("events that went away: %v", err)
	}
	if _, err := a.Open(eventsOf(7)); err == nil {
		t.Error("a stream that is not there was opened")
	}
}

// TestLenientLines: damaged lines are kept as they are, and the others are what they were.
func TestLenientLines(t *testing.T) {
	got, _ := events(t, Options{Lenient: true}, "", "5\n*1\nE1\nS1 junk\nK1Y1Vzz\nL1\n6x\nE2\n")
	compareLines(t, "events", got[1], []string{"5 Enter [1]", `5 UnknownEvent [0 0] ["S1 junk"]`, "5 Leave [1]", "6 Enter [2]"})
}

// TestGaps damages a compressed file: a lenient reader goes on where the compressor began anew, and loses nothing but the
// blocks that were damaged, and what can no longer be told of a process. Of times nothing is promised.
func TestGaps(t *testing.T) {
	const block = 1000
	index, defs := programDefinitions(3)
	text := program(3, 60<<10, 0, false)
	whole := map[string]string{".otf": index, ".0.def": defs, ".1.events.z": compressed(text, block, false)}
	want, total, err := readAll(write(t, whole), Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := counted(t, want)
	resumed := 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 5))
		packed := []byte(whole[".1.events.z"])
		for range 1 + r.IntN(3) {
			packed[2+r.IntN(len(packed)-2)] ^= byte(1 + r.IntN(255))
		}
		files := map[string]string{".otf": index, ".0.def": defs, ".1.events.z": string(packed)}
		a, n, err := readAll(write(t, files), Options{Lenient: true})
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		if seen(a, "damaged piece of a compressed file") > 0 {
			resumed++
		}
		known := 0
		for what, n := range counted(t, a) {
			known += min(n, all[what])
		}
		if lost := total - known; n == 0 || lost > 3*2*block/10 { // a record has ten bytes or more
			t.Errorf("seed %d: %d of %d records are lost", seed, lost, total)
		}
	}
	if resumed < 10 {
		t.Errorf("only %d files had to be read on behind damage", resumed)
	}
}

// counted returns how often each process has each event, whatever their times.
func counted(t *testing.T, a *Archive) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for _, id := range streamsOf(a, trace.StreamEvents) {
		list, err := recordsOf(a, id, 1000)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list {
			counts[fmt.Sprint(id.Location, r.kind, r.words)]++
		}
	}
	return counts
}

// TestTorn cuts files anywhere: what is there is read.
func TestTorn(t *testing.T) {
	index, defs := programDefinitions(2)
	text := program(2, 20<<10, 0, false)
	packed := compressed(text, 3000, false)
	r := rand.New(rand.NewPCG(1, 6))
	before := 0
	for n := 2; n < len(packed); n += 1 + r.IntN(400) {
		files := map[string]string{".otf": index, ".0.def": defs, ".1.events.z": packed[:n]}
		_, records, err := readAll(write(t, files), Options{})
		if err != nil || records < before {
			t.Errorf("%d of %d bytes: %d records after %d, %v", n, len(packed), records, before, err)
		}
		before = records
	}
	if before < 500 {
		t.Errorf("only %d records", before)
	}
}

func TestDetect(t *testing.T) {
	for prefix, want := range map[string]bool{
		"1:1\n": true, "1:1": true, "1:1,2,3\n2:4\n": true, "1:1,2,3,\n": true, "1:\n2:1\n": true, "a1:ffffffff\n": true, "1:1\n2": true,
		"1:1\n2:": true, "i4:0:1f\n": true, strings.Repeat("1:1,2,3,4,5,6,7,8\n", 30)[:512]: true, "1:" + strings.Repeat("12,", 300)[:510]: true,
		"": false, "1": false, "1\n": false, "0:1000,4\n4:0,0,0\n": false, "hello": false, "1:x\n": false, "1:1;2\n": false, "x:1\n": false,
		"1:1\nhello\n": false, "123456789:1\n": false, "0\n*1\nPB\n": false, "DV1.c.5\"salmon\"\n": false, "{\n \"a\": 1": false, "i4:0\n": false,
		"\x03\x42OTF2\x00": false, "12:34:56\n": false, ":1\n": false, "1:1,,2\n": true,
	} {
		if got := Detect([]byte(prefix)); got != want {
			t.Errorf("%.40q: %v", prefix, got)
		}
	}
	for _, path := range indices(t) {
		dir := filepath.Dir(path)
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			data, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			if got := Detect(data[:min(len(data), 512)]); got != (filepath.Ext(e.Name()) == ".otf") {
				t.Errorf("%s: %v", e.Name(), got)
			}
		}
	}
}

// TestThumb: the picture that some programs write is no trace.
func TestThumb(t *testing.T) {
	if os.Getenv("PANDO_TRACES") == "" {
		t.Skip("PANDO_TRACES is not set")
	}
	tracetest.LargerOf(t, "otf1")
	for _, path := range tracetest.Files(t, "otf1.mg.S.16.aux", ".thumb") {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if Detect(data[:512]) {
			t.Errorf("%s is taken for an index", path)
		}
	}
}

// TestClosed: a closed stream gives an error, whatever it was about to give.
func TestClosed(t *testing.T) {
	path := write(t, map[string]string{".otf": "1:1,2\n", ".0.def": head, ".1.events": "5\n*1\nE1\n*2\nE1\nL1\n*1\nL1\n"})
	a := mustOpen(t, path, Options{})
	var open []trace.Stream
	for _, id := range streamsOf(a, trace.StreamEvents) {
		s, err := a.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, s)
	}
	var b trace.Batch
	if err := open[0].Next(&b, 1); err != nil || b.Len() != 1 {
		t.Fatal(err, b.Len())
	}
	open[0].Close()
	if err := open[0].Next(&b, 1); !errors.Is(err, os.ErrClosed) || b.Len() != 0 {
		t.Errorf("closed: %v, %d records", err, b.Len())
	}
	if err := open[1].Next(&b, 9); err != nil || !slices.Equal(b.Kinds, []trace.Kind{trace.KindEnter, trace.KindLeave}) {
		t.Errorf("the other: %v, %v", err, b.Kinds)
	}
}
