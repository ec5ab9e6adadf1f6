package convert

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/trace"
)

// Traces of other formats become archives: what OTF2 knows of their events is in them, and otf2-print can read it.
func TestOthersAsOTF2(t *testing.T) {
	program, _ := exec.LookPath("otf2-print")
	if program == "" {
		t.Log("there is no otf2-print: archives are only read by the package that wrote them")
	}
	markers, snapshots := 0, 0
	for _, name := range append(tracetest.BundledOf(t, "clog2"), tracetest.BundledOf(t, "otf1")...) {
		t.Run(name, func(t *testing.T) {
			found, err := Find(t.Context(), tracetest.Dir(t, name)+"/"+mainOf(t, name), Options{})
			if err != nil {
				t.Fatal(err)
			}
			anchor := filepath.Join(t.TempDir(), "x.otf2")
			w, err := OutputAt(anchor).Write(context.Background(), found, anchor, WriteOptions{})
			if err != nil || w.Events == 0 || w.Bytes < 1000 {
				t.Fatal(err, w)
			}
			sameKnownEvents(t, anchor, found.Path)
			markers += sameMarkers(t, anchor, found.Path)
			snapshots += sameSnapshots(t, anchor, found.Path)
			if program != "" {
				if out, err := exec.Command(program, "-A", anchor).CombinedOutput(); err != nil {
					t.Errorf("otf2-print: %v: %.500s", err, out)
				}
			}
		})
	}
	if markers == 0 || snapshots == 0 {
		t.Error("no trace had a marker, or none a snapshot")
	}
}

// sameSnapshots compares the snapshots of an archive with the records of the trace that it was made of, and returns their number.
func sameSnapshots(t *testing.T, anchor, original string) (n int) {
	t.Helper()
	archive, err := Open(t.Context(), anchor, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	got, want := map[uint64][]string{}, streamsOf(t, original, trace.StreamSnapshots)
	for _, info := range archive.Streams() {
		if info.Class != trace.StreamSnapshots {
			continue
		}
		times := timesOf(t, archive, info.Location)
		var records, begun, told uint64
		each(t, archive, info.StreamID, func(b *trace.Batch, i int) {
			switch b.Kinds[i] {
			case trace.KindSnapshotStart:
				records, told = 0, b.Fields(i)[0]
				n, begun = n+1, begun+1
			case trace.KindSnapshotEnd:
				first, _ := slices.BinarySearch(times, b.Times[i])
				if pos := b.Fields(i)[0]; pos != uint64(first)+1 || records != told || told == 0 {
					t.Fatalf("location %d: %d records, said to be %d; event %d follows, want %d", info.Location, records, told, pos, first+1)
				}
			default:
				records++
				got[info.Location] = append(got[info.Location], describeRecord(b, i, archive.Meta()))
			}
		})
	}
	for location := range want {
		if !slices.Equal(got[location], want[location]) {
			t.Errorf("location %d: snapshots %q, want %q", location, got[location], want[location])
		}
	}
	return n
}

// timesOf returns the times of a location's events.
func timesOf(t *testing.T, src trace.Source, location uint64) (times []int64) {
	t.Helper()
	each(t, src, trace.StreamID{Class: trace.StreamEvents, Location: location}, func(b *trace.Batch, i int) { times = append(times, b.Times[i]) })
	return times
}

// sameMarkers compares the markers of an archive with those of the trace that it was made of, and returns their number.
func sameMarkers(t *testing.T, anchor, original string) int {
	t.Helper()
	var got, want []string
	for _, list := range streamsOf(t, anchor, trace.StreamMarkers) {
		got = append(got, list...)
	}
	for _, list := range streamsOf(t, original, trace.StreamMarkers) {
		want = append(want, list...)
	}
	if !slices.Equal(got, want) {
		t.Errorf("markers %q, want %q", got, want)
	}
	return len(want)
}

// mainOf returns the path of a trace's main file below its folder.
func mainOf(t *testing.T, name string) string {
	t.Helper()
	ext := ".clog2"
	if strings.HasPrefix(name, "otf1") {
		ext = ".otf"
	}
	path, err := filepath.Rel(tracetest.Dir(t, name), tracetest.Files(t, name, ext)[0])
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// sameKnownEvents compares the events of an archive with those of the trace that it was made of whose kinds OTF2 has.
func sameKnownEvents(t *testing.T, anchor, original string) {
	t.Helper()
	got, want := streamsOf(t, anchor, trace.StreamEvents), streamsOf(t, original, trace.StreamEvents)
	for location := range want {
		if len(got[location]) != len(want[location]) {
			t.Fatalf("location %d: %d events, want %d", location, len(got[location]), len(want[location]))
		}
		for i, e := range want[location] {
			if got[location][i] != e {
				t.Fatalf("location %d, event %d: %s, want %s", location, i, got[location][i], e)
			}
		}
	}
	if len(got) != len(want) || len(want) == 0 {
		t.Errorf("%d locations, want %d", len(got), len(want))
	}
}

// streamsOf describes the records of a class of streams of a trace whose kinds OTF2 has, with times in the source's ticks.
func streamsOf(t *testing.T, path string, class trace.StreamClass) map[uint64][]string {
	t.Helper()
	src, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	list := map[uint64][]string{}
	for _, info := range src.Streams() {
		if info.Class == class {
			list[info.Location] = describeStream(t, src, info.StreamID)
		}
	}
	return list
}

// each visits the records of a stream.
func each(t *testing.T, src trace.Source, id trace.StreamID, visit func(b *trace.Batch, i int)) {
	t.Helper()
	s, err := src.Open(id)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var b trace.Batch
	for {
		err := s.Next(&b, 1000)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.Len() {
			visit(&b, i)
		}
	}
}

func describeStream(t *testing.T, src trace.Source, id trace.StreamID) (list []string) {
	t.Helper()
	const lastOTF2 = trace.KindCommDestroy
	each(t, src, id, func(b *trace.Batch, i int) {
		switch k := b.Kinds[i]; {
		case k <= lastOTF2 && k != trace.KindUnknownEvent, k == trace.KindDefMarker || k == trace.KindMarker,
			k >= trace.KindSnapshotMeasurementOnOff && k <= trace.KindSnapshotParameterUnsignedInt:
			list = append(list, describeRecord(b, i, src.Meta()))
		}
	})
	return list
}

func describeRecord(b *trace.Batch, i int, meta *trace.Meta) string {
	text := fmt.Sprint(b.Kinds[i], uint64(b.Times[i])+meta.Epoch)
	meta.Table().Spec(b.Kinds[i]).Walk(b.Fields(i), func(_ int, f *trace.Field, w uint64) {
		switch {
		case f.Type.InText():
			text += fmt.Sprintf(" %q", b.TextOf(w))
		case f.Type == trace.TypeTime:
			text += fmt.Sprint(" ", w+meta.Epoch)
		default:
			text += fmt.Sprint(" ", w)
		}
	})
	if b.Kinds[i] == trace.KindMarker {
		return text // OTF2 has no attributes of these
	}
	return text + fmt.Sprint(b.AttrsOf(i))
}
