package otf2

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pandotrace/pando/convert/otf2/internal/form"
	"github.com/pandotrace/pando/convert/otf2/internal/read"
	"github.com/pandotrace/pando/convert/otf2/internal/write"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// pandoOf converts an archive into a Pando file and opens that as a source.
func pandoOf(t testing.TB, anchor string) trace.Source {
	t.Helper()
	a, err := Open(anchor, Options{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "trace.pando")
	w, err := store.Create(t.Context(), path, a.Meta(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(store.Copy(t.Context(), w, a, nil), w.Close()); err != nil {
		t.Fatal(err)
	}
	r, err := store.Open(t.Context(), path, store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r.Source()
}

// restored writes a source as an archive and returns its anchor.
func restored(t testing.TB, src trace.Source, opt WriteOptions) string {
	t.Helper()
	anchor := filepath.Join(t.TempDir(), "new", "traces.otf2")
	warnings, err := Write(context.Background(), src, anchor, opt)
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	return anchor
}

// filesOf returns the files of an archive by what follows the stem.
func filesOf(t testing.TB, anchor string) map[string][]byte {
	t.Helper()
	stem := anchor[:len(anchor)-len(write.AnchorExt)]
	paths, _ := filepath.Glob(stem + "*")
	inside, _ := filepath.Glob(stem + "/*")
	files := map[string][]byte{}
	for _, path := range append(paths, inside...) {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // the folder
		}
		files[path[len(stem):]] = data
	}
	return files
}

// otherIDs are files with local ids that no mapping table has, of definitions for which the table has another one.
var otherIDs = map[string]string{allRecords: "/0.evt", allRecordsBig: "/0.evt"}

// An archive that the OTF2 library wrote comes back byte by byte.
func TestRestoreBytes(t *testing.T) {
	for _, name := range tracetest.Bundled(t) {
		t.Run(name, func(t *testing.T) {
			anchor := tracetest.Anchor(t, name)
			again := restored(t, pandoOf(t, anchor), WriteOptions{})
			want, got := filesOf(t, anchor), filesOf(t, again)
			for file := range want {
				if !bytes.Equal(got[file], want[file]) && otherIDs[name] != file {
					t.Errorf("%s: %d bytes, other than the %d of the original", file, len(got[file]), len(want[file]))
				}
			}
			if len(got) != len(want) || len(want) < 4 {
				t.Errorf("%d files, want %d", len(got), len(want))
			}
			if otherIDs[name] != "" {
				compareDumps(t, again, anchor)
			}
		})
	}
}

// compareDumps compares all that the reader finds in two archives. What it finds in the second one is held against the OTF2
// library elsewhere.
func compareDumps(t *testing.T, anchor, original string) {
	t.Helper()
	var dumps []map[byte][]string
	for _, path := range []string{anchor, original} {
		a, err := Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		dumps = append(dumps, dumpOf(t, a))
	}
	for class, lines := range dumps[1] {
		compareLines(t, string(class), dumps[0][class], lines)
	}
}

// What otf2-print says of an archive with chunks of another size is the same, but for the size.
func TestRestorePrinted(t *testing.T) {
	program := tracetest.Oracle(t, "otf2-print")
	printOf := func(anchor string) []string {
		out, err := exec.Command(program, "-A", "-M", "-C", anchor).Output()
		if err != nil {
			t.Fatal(err)
		}
		return slices.DeleteFunc(lines(out), func(line string) bool { return bytes.HasPrefix([]byte(line), []byte("Chunk size")) })
	}
	for _, name := range []string{"otf2.amg.8.piece", "otf2.mg.S.16.skew"} {
		anchor := tracetest.Anchor(t, name)
		again := restored(t, pandoOf(t, anchor), WriteOptions{EventChunk: 256 << 10, DefinitionChunk: 256 << 10})
		compareLines(t, name, printOf(again), printOf(anchor))
	}
}

// Nothing is written over, and nothing stays after an error.
func TestWriteRefuses(t *testing.T) {
	src := mustOpen(t, "otf2.ez.hello.4.io", Options{})
	for _, taken := range []string{"traces.otf2", "traces.def", "traces"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, taken), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Write(context.Background(), src, filepath.Join(dir, "traces.otf2"), WriteOptions{}); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s is there: %v", taken, err)
		}
	}
	dir := t.TempDir()
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if _, err := Write(stopped, src, filepath.Join(dir, "traces.otf2"), WriteOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("after an error there is %s", left[0].Name())
	}
	for _, name := range []string{"traces", ".otf2", "traces.def"} {
		if _, err := Write(context.Background(), src, filepath.Join(dir, name), WriteOptions{}); err == nil {
			t.Errorf("an anchor %q was written", name)
		}
	}
}

// Records that do not fit are errors that say where.
func TestUnwritable(t *testing.T) {
	long := string(bytes.Repeat([]byte("x"), 1<<10))
	maps := &form.Mappings{trace.SpaceRegion: form.NewIDMap([]form.IDPair{{Local: 3, Global: 4}})}
	tests := map[string]func(b *trace.Batch){
		"no id for 3":    func(b *trace.Batch) { b.Append(trace.KindEnter, 1, 3) },
		"runs backwards": func(b *trace.Batch) { b.Append(trace.KindEnter, 5, 4); b.Append(trace.KindEnter, 4, 4) },
		"4 bytes":        func(b *trace.Batch) { b.Append(trace.KindLeave, 1, 1<<32) },
		"in a byte":      func(b *trace.Batch) { b.Append(trace.KindMeasurementOnOff, 1, 256) },
		"1 bytes": func(b *trace.Batch) {
			b.Append(trace.KindOmpJoin, 1)
			b.SetAttrs([]trace.Attr{{Type: trace.ValueInt8, Value: 128}})
		},
		"than a chunk":       func(b *trace.Batch) { b.Append(trace.KindUnknownEvent, 1, 200, 0, b.PutText(long)) },
		"is no record id of": func(b *trace.Batch) { b.Append(trace.KindUnknownEvent, 1, 256, 0, b.PutText("")) },
	}
	for want, fill := range tests {
		var file []byte
		o := &write.Output{Path: "memory", Sink: inMemorySink(&file), Grammar: form.EventGrammar, Chunk: 1 << 9, Dropped: &write.Drops{},
			Encoder: write.Encoder{Maps: maps.Reverse()}}
		o.Begin()
		var b trace.Batch
		fill(&b)
		if err := o.Write(&b); !errors.Is(err, ErrUnwritable) || !bytes.Contains([]byte(err.Error()), []byte(want)) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// Kinds that OTF2 does not have are counted.
func TestLeftOut(t *testing.T) {
	var file []byte
	o := &write.Output{Path: "memory", Sink: inMemorySink(&file), Grammar: form.EventGrammar, Chunk: 1 << 9, Dropped: &write.Drops{}, Foreign: true}
	o.Begin()
	var b trace.Batch
	b.Append(trace.KindComment, 1, b.PutText("text"))
	b.Append(trace.KindEnter, 2, 7)
	b.Append(trace.KindComment, 3, b.PutText("text"))
	b.Append(trace.KindSoloEvent, 4, 1, 2)
	b.Append(trace.KindUnknownEvent, 5, 12, 0, b.PutText("of another format"))
	if err := o.Write(&b); err != nil {
		t.Fatal(err)
	}
	got := o.Dropped.Warnings(trace.Standard)
	if len(got) != 3 || got[1].Count != 2 || got[1].Example != "Comment is nothing that OTF2 knows" || got[2].Count != 1 || o.Records != 1 {
		t.Errorf("%v, %d records", got, o.Records)
	}
}

// Bytes behind the known fields of records, and obsolete fields that are not as usual, come back.
func TestRestKept(t *testing.T) {
	const measurementOnOff, region, property, oddType = 11, 15, 28, 99
	tests := []struct {
		grammar *form.Grammar
		data    []byte
	}{
		{form.EventGrammar, fileOf(stampRecord(7), recordL(form.IdAttributes, 1, 1, 1, 5, 1, 9), recordL(measurementOnOff, 1, 0xcc, 0xcc),
			recordL(measurementOnOff, 2), stampRecord(9), recordL(10, 9, 0, 0, 0, 0, 0, 0, 0, 3))},
		{form.DefinitionGrammar, fileOf(recordL(region, 0, 0, 0, oddType, 0, 0, 0, 0, 1, 4, 0), recordL(region, 0, 0, 0, oddType, 0, 0, 0, 0, 1, 4, 0, 1, 2),
			recordL(region, 0, 0, 0, 0, 0, 0, 0, 0, 1, 4, 0), recordL(property, 0, 0, 1, 5, 4, 1, 3))},
	}
	for _, test := range tests {
		var file []byte
		o := &write.Output{Path: "memory", Sink: inMemorySink(&file), Grammar: test.grammar, Chunk: writtenChunk, Dropped: &write.Drops{}}
		o.Begin()
		s := read.NewStream(inMemory(test.data, writtenChunk, 64), test.grammar, 1, 0, nil, nil, &trace.Warnings{})
		var b trace.Batch
		var err error
		for err = s.Next(&b, 1); err == nil; err = s.Next(&b, 1) {
			if err := o.Write(&b); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(o.Close(), err); !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		if !bytes.Equal(file[form.ChunkHeader:], test.data[form.ChunkHeader:]) {
			t.Errorf("%x, want %x", file, test.data)
		}
	}
}
