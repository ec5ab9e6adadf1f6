package otf

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	_ "github.com/pandotrace/pando/internal/lastwords"
	"github.com/pandotrace/pando/trace"
)

// memory opens a trace whose files are in memory, by the ends of their names.
func memory(indexText string, files map[string][]byte, opt Options) (*Archive, error) {
	x, err := parseIndex("t.otf", []byte(indexText))
	if err != nil {
		return nil, err
	}
	return open("t", x, func(path string) (file, bool, error) {
		for _, f := range []file{{path: path}, {path: path + ".z", compressed: true}} {
			if content, ok := files[strings.TrimPrefix(f.path, "t")]; ok {
				f.raw = func() io.Reader { return bytes.NewReader(content) }
				return f, true, nil
			}
		}
		return file{path: path}, false, nil
	}, opt)
}

// seeds returns the begins of files of the bundled traces, at most n bytes of each.
func seeds(f *testing.F, pattern string, n int) (list [][]byte) {
	f.Helper()
	for _, path := range indices(f) {
		found, err := filepath.Glob(filepath.Join(filepath.Dir(path), pattern))
		if err != nil {
			f.Fatal(err)
		}
		for _, path := range found {
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			list = append(list, data[:min(n, len(data))])
		}
	}
	if len(list) == 0 {
		f.Fatalf("no seeds: the bundled traces have no files %s", pattern)
	}
	return list
}

const fuzzIndex = "1:1,10001,1a\n"

// FuzzStream reads any text as events, as their snapshots, as snapshots and as statistics, of processes that share it.
func FuzzStream(f *testing.F) {
	for i, pattern := range []string{"t.*.events", "t.*.snaps", "t.*.stats"} {
		for _, data := range seeds(f, pattern, 1<<10) {
			f.Add(data, []byte(head), i == 0)
		}
	}
	for seed := range uint64(10) {
		files := randomTrace(seed)
		f.Add([]byte(files[".1.events"]), []byte(files[".0.def"]), seed%2 == 0)
	}
	f.Fuzz(func(t *testing.T, text, definitions []byte, lenient bool) {
		fuzz(t, map[string][]byte{".0.def": definitions, ".1.events": text, ".1.snaps": text, ".1.stats": text, ".0.marker": text}, lenient)
	})
}

// FuzzDefinitions reads any text as definitions, of the whole trace and of its stream.
func FuzzDefinitions(f *testing.F) {
	for _, data := range seeds(f, "t.0.def", 1<<12) {
		f.Add(data, []byte{}, false)
	}
	for seed := range uint64(10) {
		files := randomTrace(seed)
		f.Add([]byte(files[".0.def"]), []byte(files[".1.def"]), seed%2 == 0)
	}
	events := []byte("5\n*1\nE2\nL\nS1L1T1C1\nCNT1V1\nK1Y1V1\nCOP1C1RT1S1R1D1\n")
	f.Fuzz(func(t *testing.T, whole, own []byte, lenient bool) {
		fuzz(t, map[string][]byte{".0.def": whole, ".1.def": own, ".1.events": events}, lenient)
	})
}

// FuzzCompressed reads any bytes as a compressed file: its text, the same whatever the sizes of pieces, and what is in it if the text
// is short.
func FuzzCompressed(f *testing.F) {
	for _, pattern := range []string{"t.*.events.z", "t.*.def.z"} {
		for _, data := range seeds(f, pattern, 1<<12) {
			f.Add(data, false)
			f.Add(data, true)
		}
	}
	f.Add([]byte(compressed(program(3, 4000, 1, false), 500, true)), true)
	f.Fuzz(func(t *testing.T, packed []byte, lenient bool) {
		text, err := inflated(bytes.NewReader(packed), lenient, mostInflated)
		again, errAgain := inflated(iotest.HalfReader(bytes.NewReader(packed)), lenient, 7)
		if text != again || fmt.Sprint(err) != fmt.Sprint(errAgain) {
			t.Fatalf("%d bytes of text and %v, in small pieces %d and %v", len(text), err, len(again), errAgain)
		}
		const short = 2 << 10 // bytes of text that are read as such; FuzzStream does not mind where they come from
		if len(text) < short {
			fuzz(t, map[string][]byte{".0.def": []byte(head), ".1.events.z": packed, ".1.def.z": packed}, lenient)
		}
	})
}

// mostInflated is how much text of a compressed file is looked at, in bytes; see TestMemory for more.
const mostInflated = 64 << 10

// inflated reads the text of a compressed file, in pieces, with a mark for each gap, and how it ends.
func inflated(raw io.Reader, lenient bool, piece int) (string, error) {
	packed := file{compressed: true, raw: func() io.Reader { return raw }}
	in, b := packed.open(lenient, &trace.Warnings{}), make([]byte, piece)
	var text []byte
	for len(text) < mostInflated {
		n, err := in.Read(b[:min(piece, mostInflated-len(text))])
		text = append(text, b[:n]...)
		if errors.Is(err, errGap) {
			text = append(text, "<gap>"...)
		} else if err != nil {
			return string(text), err
		}
	}
	return string(text), nil
}

// FuzzIndex reads any text as an index.
func FuzzIndex(f *testing.F) {
	for _, data := range seeds(f, "t.otf", 1<<10) {
		f.Add(data)
	}
	f.Add([]byte("i4:0:1f\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		Detect(data)
		x, err := parseIndex("index", data)
		if err != nil {
			if !errors.Is(err, trace.ErrCorrupt) && !errors.Is(err, trace.ErrUnsupported) {
				t.Fatalf("an error of no class: %v", err)
			}
			return
		}
		processes := map[uint64]bool{}
		for _, s := range x.streams {
			for _, p := range s.processes {
				if processes[p] || p > noID {
					t.Errorf("process %x twice, or too large", p)
				}
				processes[p] = true
			}
		}
	})
}

// told is what a trace says of a stream, and how it ends.
type told struct {
	stream string // "" for definitions
	lines  []string
	end    string
}

// fuzz checks that a trace gives records and then nothing, or an error of a class; that they do not depend on the sizes of
// windows and batches, as far as they are read before damage; and that they are no larger than the text allows. A damaged line
// of one process need not end the streams of others.
func fuzz(t *testing.T, files map[string][]byte, lenient bool) {
	first := everything(t, files, Options{Lenient: lenient, WindowBytes: 1 << 16}, 1000)
	second := everything(t, files, Options{Lenient: lenient, WindowBytes: 16}, 2)
	size, lines := 0, 0
	whole := isWhole(first) && isWhole(second)
	if whole && len(first) != len(second) {
		t.Fatalf("%d streams, %d in small windows", len(first), len(second))
	}
	for i := range first {
		for _, line := range first[i].lines {
			lines += len(line)
		}
		at := slices.IndexFunc(second, func(o told) bool { return o.stream == first[i].stream })
		if at < 0 && whole {
			t.Fatalf("no stream %s in small windows", first[i].stream)
		} else if at < 0 {
			continue // snapshots among events that were read further
		}
		a, b := first[i].lines, second[at].lines
		if !whole && i > 0 {
			n := min(len(a), len(b))
			a, b = a[:n], b[:n]
		}
		compareLines(t, "records", b, a)
	}
	for end, content := range files {
		size += len(content)
		if strings.HasSuffix(end, ".z") {
			size += 2000 * len(content)
		}
	}
	if lines > 4000+600*size {
		t.Fatalf("%d bytes say %d", size, lines)
	}
}

// isWhole reports whether all streams were read to their ends. Where events are not, snapshots among them are found as far as
// the events were read.
func isWhole(streams []told) bool {
	for i := range streams {
		if i > 0 && streams[i].end != io.EOF.Error() {
			return false
		}
	}
	return true
}

// everything reads definitions and all streams of a trace, a batch of each in turn, until each ends or fails.
func everything(t *testing.T, files map[string][]byte, opt Options, max int) (all []told) {
	a, err := memory(fuzzIndex, files, opt)
	if err != nil {
		mustHaveClass(t, err)
		return []told{{end: err.Error()}}
	}
	defs, _ := a.Definitions(0)
	all = append(all, told{lines: describeAll(defs)})
	for _, class := range []trace.StreamClass{trace.StreamEvents, 1, 2, 3, 5} {
		ids := streamsOf(a, class)
		lists, ends := together(t, a, ids, max)
		for i, list := range lists {
			all = append(all, told{fmt.Sprint(ids[i]), describeRecords(list), ends[i]})
		}
	}
	return all
}

// together reads streams in turn to their ends.
func together(t *testing.T, a *Archive, ids []trace.StreamID, max int) (lists [][]record, ends []string) {
	lists, ends = make([][]record, len(ids)), make([]string, len(ids))
	open := make([]trace.Stream, len(ids))
	for i, id := range ids {
		s, err := a.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		open[i] = s
	}
	var b trace.Batch
	for left := len(ids); left > 0; {
		for i, s := range open {
			if s == nil {
				continue
			}
			err := s.Next(&b, max)
			if err != nil {
				if b.Len() > 0 || s.Next(&b, max) != err {
					t.Fatalf("an error along with records, or not final: %v", err)
				}
				mustHaveClass(t, err)
				ends[i], open[i] = err.Error(), nil
				left--
				continue
			}
			if b.Len() == 0 || b.Len() > max {
				t.Fatalf("%d records, at most %d were asked for", b.Len(), max)
			}
			if lists[i], err = appendBatch(lists[i], a, &b); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, id := range ids {
		for j := 1; id.Class == trace.StreamEvents && j < len(lists[i]); j++ {
			if lists[i][j].time < lists[i][j-1].time {
				t.Fatalf("time runs backwards at record %d", j)
			}
		}
	}
	return lists, ends
}

func mustHaveClass(t *testing.T, err error) {
	if err != io.EOF && !errors.Is(err, trace.ErrCorrupt) && !errors.Is(err, trace.ErrMissing) {
		t.Fatalf("an error of no class: %v", err)
	}
}
