package otf2

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pandotrace/pando/convert/otf2/internal/form"
	"github.com/pandotrace/pando/convert/otf2/internal/read"
	"github.com/pandotrace/pando/convert/otf2/internal/write"
	_ "github.com/pandotrace/pando/internal/lastwords"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/trace"
)

// seeds returns the begins of the files of the bundled traces that end in ext, at most n bytes of each.
func seeds(f *testing.F, ext string, n int) [][]byte {
	f.Helper()
	var list [][]byte
	for _, name := range tracetest.Bundled(f) {
		root := tracetest.Dir(f, name)
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ext {
				return err
			}
			data, err := os.ReadFile(path)
			list = append(list, data[:min(n, len(data))])
			return err
		})
		if err != nil {
			f.Fatal(err)
		}
	}
	if len(list) == 0 {
		f.Fatalf("no seeds: the bundled traces have no %s files", ext)
	}
	return list
}

func FuzzAnchor(f *testing.F) {
	for _, data := range seeds(f, ".otf2", 1<<20) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := form.ParseAnchor("anchor", data)
		if err != nil {
			if !errors.Is(err, trace.ErrCorrupt) && !errors.Is(err, trace.ErrUnsupported) {
				t.Fatalf("an error of no class: %v", err)
			}
			return
		}
		if !Detect(data) {
			t.Error("read what is not detected")
		}
		if n := len(read.Properties(a)); n < 16+len(a.Properties) {
			t.Errorf("%d properties", n)
		}
	})
}

// fuzzChunk is small, so that files of several chunks are found, and short ones too.
const fuzzChunk = 1 << 10

func FuzzDefinitions(f *testing.F) {
	for _, data := range seeds(f, ".def", fuzzChunk) {
		f.Add(data)
	}
	for _, ext := range []string{".marker", ".thumb"} {
		for _, data := range seeds(f, ext, fuzzChunk) {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, g := range []*form.Grammar{form.DefinitionGrammar, form.LocalGrammar, form.MarkerGrammar, form.ThumbnailGrammar} {
			fuzzStream(t, func(want int) *read.Stream {
				return read.NewStream(inMemory(data, fuzzChunk, want), g, 0, 100, nil, nil, &trace.Warnings{})
			})
			fuzzWritten(t, data, g, nil, nil)
		}
		defs, err := read.ReadRecords(read.NewStream(inMemory(data, fuzzChunk, 64), form.DefinitionGrammar, 0, 0, nil, nil, &trace.Warnings{}))
		if err == nil {
			trace.NewDefinitions(defs)
		}
	})
}

// FuzzEvents reads a location's events, with its own definitions, as events and as snapshots.
func FuzzEvents(f *testing.F) {
	defs := seeds(f, ".def", 1<<10)
	for i, data := range append(seeds(f, ".evt", fuzzChunk), seeds(f, ".snap", fuzzChunk)...) {
		f.Add(data, defs[i%len(defs)])
	}
	f.Fuzz(func(t *testing.T, data, defs []byte) {
		maps, clock, _ := form.ReadLocal(read.NewStream(inMemory(defs, 1<<10, 64), form.LocalGrammar, 0, 0, nil, nil, &trace.Warnings{}), 1, &trace.Warnings{})
		fuzzStream(t, func(want int) *read.Stream {
			s := read.NewStream(inMemory(data, fuzzChunk, want), form.EventGrammar, 1, 1000, maps, clock, &trace.Warnings{})
			s.Marks = &fuzzMarks
			return s
		})
		fuzzWritten(t, data, form.EventGrammar, maps, clock)
		fuzzWritten(t, data, form.SnapshotGrammar, nil, nil)
		fuzzStream(t, func(want int) *read.Stream {
			return read.NewStream(inMemory(data, fuzzChunk, want), form.SnapshotGrammar, 1, 1000, nil, nil, &trace.Warnings{})
		})
	})
}

// fuzzMarks have ids that the attributes of the seeds have.
var fuzzMarks = form.Marks{Before: 0, After: 1, Definitions: []trace.Record{}}

// fuzzStream checks that a stream gives records and then nothing or an error of a class, and the same whatever the sizes
// of windows and batches.
func fuzzStream(t *testing.T, open func(want int) *read.Stream) {
	large, err := all(open(1<<20), 1000)
	if err != nil && !errors.Is(err, trace.ErrCorrupt) {
		t.Fatalf("an error of no class: %v", err)
	}
	small, errSmall := all(open(1), 3)
	if !slices.Equal(large, small) || (err == nil) != (errSmall == nil) || err != nil && err.Error() != errSmall.Error() {
		t.Fatalf("records and errors depend on the window: %s\n%v\n%v", firstDifference(large, small), err, errSmall)
	}
}

// fuzzWritten writes what a stream gives and checks that reading it gives the same.
func fuzzWritten(t *testing.T, data []byte, g *form.Grammar, maps *form.Mappings, clock *trace.Clock) {
	const epoch = 1000
	open := func(data []byte, chunk int64) *read.Stream {
		s := read.NewStream(inMemory(data, chunk, 1<<20), g, 1, epoch, maps, clock, &trace.Warnings{})
		s.Marks = &fuzzMarks
		return s
	}
	var file []byte
	o := &write.Output{Path: "memory", Sink: inMemorySink(&file), Grammar: g, Chunk: writtenChunk, Want: 100, Dropped: &write.Drops{}, Marking: &write.Marking{Marks: &fuzzMarks, Table: trace.Standard},
		Encoder: write.Encoder{Epoch: epoch, Maps: maps.Reverse()}}
	if clock != nil && clock.Corrects() {
		o.Clock = clock
	}
	o.Begin()
	s := open(data, fuzzChunk)
	var b trace.Batch
	var err error
	for err == nil {
		if err = s.Next(&b, 5); err == nil {
			err = o.Write(&b)
		}
	}
	if errors.Is(err, ErrUnwritable) {
		t.Fatal(err)
	}
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
	var want []string
	for s := open(data, fuzzChunk); s.Next(&b, 1) == nil; {
		want = append(want, describe(&b, 0))
	}
	got, err := all(open(file, writtenChunk), 100)
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("written and read again: %v, %s", err, firstDifference(got, want))
	}
}

// Time stamps that no record follows change nothing, even if a strange clock gives them a time behind that of the next one.
func TestIdleStamps(t *testing.T) {
	var clock trace.Clock
	clock.Add(0, 5000)
	clock.Add(1000, -5000)
	for _, data := range [][]byte{
		fileOf(stampRecord(10), stampRecord(700), recordL(11, 1)),
		fileOf(stampRecord(10), []byte{12, 0}, stampRecord(20), stampRecord(700), recordL(11, 1), []byte{13, 0}),
	} {
		fuzzWritten(t, data, form.EventGrammar, nil, &clock)
	}
}

// writtenChunk is larger than fuzzChunk: what was written can be a little longer than what was read.
const writtenChunk = 3 << 10

func inMemorySink(file *[]byte) func([]write.Piece) error {
	return func(pieces []write.Piece) error {
		for _, p := range pieces {
			if end := int(p.At) + len(p.Data); end > len(*file) {
				*file = append(*file, make([]byte, end-len(*file))...)
			}
			copy((*file)[p.At:], p.Data)
		}
		return nil
	}
}

func firstDifference(a, b []string) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("record %d: %s\nand %s", i, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d and %d records", len(a), len(b))
}
