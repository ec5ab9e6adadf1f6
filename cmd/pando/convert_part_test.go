package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/edit"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
	"github.com/pandotrace/pando/trace/selector"
)

// foreignTraces returns the main files of all bundled traces.
func foreignTraces(t *testing.T) (paths []string) {
	t.Helper()
	for format, ext := range map[string]string{"otf2": ".otf2", "otf1": ".otf", "clog2": ".clog2"} {
		for _, name := range tracetest.BundledOf(t, format) {
			paths = append(paths, tracetest.Files(t, name, ext)...)
			if format == "clog2" {
				if more, _ := filepath.Glob(filepath.Join(tracetest.Dir(t, name), "*", "*.slog2")); more != nil {
					paths = append(paths, more...)
				}
			}
		}
	}
	slices.Sort(paths)
	return append(paths, "../../convert/chrome/testdata/node.json", "../../convert/chrome/testdata/phases.json")
}

// found finds the trace of a main file.
func found(t *testing.T, path string) *convert.Trace {
	t.Helper()
	f, err := convert.Find(t.Context(), path, convert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// loaded reads all of a source.
func loaded(t *testing.T, open func(context.Context) (trace.Source, error)) *model.Trace {
	t.Helper()
	src, err := open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	m, err := model.Load(src)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// selections are some of a trace's locations: by number, the first and the last one, and the even ones.
func selections(m *model.Trace) (list [][]string) {
	n := len(m.Locations)
	id := func(i int) string { return strconv.FormatUint(m.Locations[i].ID, 10) }
	even := []string{}
	for i := 0; i < n; i += 2 {
		even = append(even, id(i))
	}
	return [][]string{{id(0)}, {id(n - 1)}, even}
}

// wantSame fails unless two traces have the same definitions, and the same records in the same streams. A stream that one of them does not have
// is empty.
func wantSame(t *testing.T, got, want *model.Trace) {
	t.Helper()
	if !reflect.DeepEqual(got.Definitions.Log, want.Definitions.Log) {
		t.Errorf("%d definitions, want %d, or not the same", len(got.Definitions.Log), len(want.Definitions.Log))
	}
	if !reflect.DeepEqual(got.Meta.Properties, want.Meta.Properties) || got.Meta.Format != want.Meta.Format || got.Meta.Epoch != want.Meta.Epoch ||
		got.Meta.Resolution != want.Meta.Resolution || !reflect.DeepEqual(got.Meta.History, want.Meta.History) {
		t.Error("the description of the trace differs")
	}
	have, wanted := recordsByStream(got), recordsByStream(want)
	for id := range wanted {
		if !reflect.DeepEqual(have[id], wanted[id]) {
			t.Errorf("stream %v: %d records, want %d, or not the same", id, len(have[id]), len(wanted[id]))
		}
	}
	for id := range have {
		if wanted[id] == nil {
			t.Errorf("stream %v: %d records, want none", id, len(have[id]))
		}
	}
}

// recordsByStream returns the records of all streams that have some.
func recordsByStream(m *model.Trace) map[trace.StreamID][]model.Record {
	by := map[trace.StreamID][]model.Record{}
	for i := range m.Locations {
		if l := &m.Locations[i]; len(l.Events) > 0 {
			by[trace.StreamID{Class: trace.StreamEvents, Location: l.ID}] = l.Events
		}
	}
	for _, s := range m.Auxiliary {
		if len(s.Records) > 0 {
			by[s.ID] = s.Records
		}
	}
	return by
}

// onlyOf returns a trace with the records of some locations, and those of the whole trace.
func onlyOf(m *model.Trace, names []string) *model.Trace {
	out := *m
	out.Locations, out.Auxiliary = nil, nil
	kept := func(id uint64) bool { return slices.Contains(names, strconv.FormatUint(id, 10)) }
	for _, l := range m.Locations {
		if kept(l.ID) {
			out.Locations = append(out.Locations, l)
		}
	}
	for _, s := range m.Auxiliary {
		if kept(s.ID.Location) || s.ID.Class == trace.StreamMarkers || s.ID.Class == trace.StreamThumbnails {
			out.Auxiliary = append(out.Auxiliary, s)
		}
	}
	return &out
}

// All formats: locations that are selected are as they are in the trace, others are empty.
func TestConvertOnlyLocations(t *testing.T) {
	events := 0
	for _, path := range foreignTraces(t) {
		whole := loaded(t, found(t, path).Open)
		for _, names := range selections(whole) {
			v := &convertVerb{Selection: verb.Selection{Locations: names}}
			part, err := v.part(context.Background(), found(t, path), convert.OutputAt("out.pando"))
			if err != nil {
				t.Fatalf("%s, %v: %v", path, names, err)
			}
			if part.IsPando() {
				t.Fatalf("%s: a temporary file was made", path)
			}
			got := loaded(t, part.Open)
			wantSame(t, got, onlyOf(whole, names))
			for i := range got.Locations {
				events += len(got.Locations[i].Events)
			}
			if t.Failed() {
				t.Fatalf("%s, locations %v", path, names)
			}
		}
	}
	if events < 100_000 {
		t.Errorf("only %d events", events)
	}
}

// A window of some locations, and regions and trace events of them, are what a cut of a file of the whole trace has.
func TestConvertWindowOfLocations(t *testing.T) {
	windows := []verb.Selection{{From: "30%", To: "60%"}, {From: "1us"}, {To: "40%", Regions: []string{"*"}}, {From: "0.1ms", To: "+1ms"}}
	put := 0
	for i, path := range foreignTraces(t) {
		whole, err := found(t, path).Indexed(context.Background(), convert.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer whole.Close()
		names := selections(loaded(t, whole.Open))
		s := windows[i%len(windows)]
		s.Locations = names[i%len(names)]
		v := &convertVerb{Selection: s}
		part, err := v.part(context.Background(), found(t, path), convert.OutputAt("out.pando"))
		if err != nil {
			t.Fatalf("%s, %+v: %v", path, s, err)
		}
		defer part.Close()
		want := wholeCut(t, whole, s)
		for i := range want.Locations {
			for _, e := range want.Locations[i].Events {
				if e.Kind == trace.KindCutBefore || e.Kind == trace.KindCutAfter {
					put++
				}
			}
		}
		if wantSame(t, loaded(t, part.Open), want); t.Failed() {
			t.Fatalf("%s, %+v", path, s)
		}
	}
	if put < 20 {
		t.Errorf("only %d events are put in", put)
	}
}

// A call that is never left lasts as long as the trace, also if its location has no events any more.
func TestConvertWindowBehindLocation(t *testing.T) {
	m := tracegen.New(trace.Meta{Resolution: 1_000_000_000})
	region := m.Region("main")
	for id, end := range []int64{10, 100} {
		b := m.Location(uint64(id), m.Process("p"))
		for at := int64(0); at <= end; at += 10 {
			b.Append(trace.KindEnter, at, region)
		}
	}
	path := filepath.Join(t.TempDir(), "trace.otf2")
	if _, err := otf2.Write(context.Background(), m, path, otf2.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	whole, err := found(t, path).Indexed(context.Background(), convert.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	for from, events := range map[string]int{"50": 4, "101": 0, "5": 3} {
		v := &convertVerb{Selection: verb.Selection{From: from, Locations: []string{"0"}}}
		part, err := v.part(context.Background(), found(t, path), convert.OutputAt("out.pando"))
		if err != nil {
			t.Fatal(err)
		}
		defer part.Close()
		got := loaded(t, part.Open)
		wantSame(t, got, wholeCut(t, whole, v.Selection))
		if n := len(got.Locations[0].Events); n != events {
			t.Errorf("from %s: %d events, want %d", from, n, events)
		}
	}
}

// wholeCut cuts a file of all of a trace.
func wholeCut(t *testing.T, whole *convert.Trace, s verb.Selection) *model.Trace {
	t.Helper()
	r, err := store.Open(t.Context(), whole.Path, store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	axis := r.TimeAxis()
	defs, err := r.Definitions()
	if err != nil {
		t.Fatal(err)
	}
	var p edit.Selection
	if p.From, p.To, err = axis.ParseWindow(s.From, s.To); err != nil {
		t.Fatal(err)
	}
	ids, err := r.LocationIDs()
	if err != nil {
		t.Fatal(err)
	}
	if p.Locations, err = selector.Locations(defs, ids, s.Locations); err != nil {
		t.Fatal(err)
	}
	if s.Regions != nil {
		if p.Regions, err = selector.Regions(defs, s.Regions); err != nil {
			t.Fatal(err)
		}
	}
	return loaded(t, func(context.Context) (trace.Source, error) { return edit.Cut(r, p) })
}

// Files of other locations are not read: the same comes out when they are damaged, or gone.
func TestConvertOpensNoOtherLocations(t *testing.T) {
	for _, test := range []struct {
		name, location string
		others         func(name string) bool // files of other locations
	}{
		{"otf2.mg.S.8.snapmark", "3", func(name string) bool {
			stem, ext, _ := strings.Cut(name, ".")
			_, err := strconv.Atoi(stem)
			return err == nil && stem != "3" && ext != ""
		}},
		{"otf1.ep.S.32.z", "3", func(name string) bool {
			return strings.Contains(name, ".events") && name != "t.3.events.z"
		}},
	} {
		for _, remove := range []bool{false, true} {
			intact := tracetest.Dir(t, test.name)
			broken := filepath.Join(t.TempDir(), "trace")
			if err := os.CopyFS(broken, os.DirFS(intact)); err != nil {
				t.Fatal(err)
			}
			if n := breakFiles(t, broken, test.others, remove); n < 7 {
				t.Fatalf("%s: only %d files", test.name, n)
			}
			main := func(dir string) string {
				for _, pattern := range []string{"*/*.otf2", "*/*.otf"} {
					if list, _ := filepath.Glob(filepath.Join(dir, pattern)); len(list) == 1 {
						return list[0]
					}
				}
				t.Fatalf("no main file in %s", dir)
				return ""
			}
			out := filepath.Join(t.TempDir(), "part.pando")
			output(t, "convert", main(broken), out, "-L", test.location)
			want := onlyOf(loaded(t, found(t, main(intact)).Open), []string{test.location})
			got := loaded(t, found(t, out).Open)
			got.Meta.History = nil
			wantSame(t, got, want)
			if _, _, code := pando("convert", main(broken), out, "--force"); code == 0 {
				t.Errorf("%s: all of it was converted", test.name)
			}
		}
	}
}

// breakFiles removes files below a folder, or damages them from their first byte on, and returns their number.
func breakFiles(t *testing.T, dir string, which func(name string) bool, remove bool) (n int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir() || !which(d.Name()):
			return err
		case remove:
			err = os.Remove(path)
		default:
			err = os.WriteFile(path, []byte("damaged"), 0o600)
		}
		n++
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
