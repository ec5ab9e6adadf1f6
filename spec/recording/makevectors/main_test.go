package main

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/convert/recording"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/trace"
)

const folder = "../vectors"

// unpacked writes the recordings of a committed vector where they can be opened.
func unpacked(t *testing.T, name string) (paths []string, files map[string][]byte) {
	t.Helper()
	packed, err := filepath.Glob(filepath.Join(folder, name, "*.gz"))
	if err != nil || len(packed) == 0 {
		t.Fatalf("%s has no recordings: %v", name, err)
	}
	files, dir := map[string][]byte{}, t.TempDir()
	for _, path := range packed {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		r, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		base := strings.TrimSuffix(filepath.Base(path), ".gz")
		files[base] = b
		paths = append(paths, filepath.Join(dir, base))
		if err := os.WriteFile(paths[len(paths)-1], b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return paths, files
}

// wanted is what a committed vector says that readers make of it.
func wanted(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(folder, name, "expected.txt"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(b), "\n") // behind the line that says what the vector is for
	return text
}

// The committed vectors are those that are made here, and no others.
func TestCommitted(t *testing.T) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, v := range all() {
		names = append(names, v.name)
		_, files := unpacked(t, v.name)
		for _, r := range v.files {
			if b := files[fmt.Sprintf("%d.pandorec", r.rank)]; !slices.Equal(b, r.bytes()) {
				t.Errorf("%s, rank %d: go run ./spec/recording/makevectors spec/recording/vectors", v.name, r.rank)
			}
		}
		if len(files) != len(v.files) || wanted(t, v.name) != v.expected {
			t.Errorf("%s: go run ./spec/recording/makevectors spec/recording/vectors", v.name)
		}
	}
	for _, e := range entries {
		if e.IsDir() && !slices.Contains(names, e.Name()) {
			t.Errorf("%s is made by nobody", e.Name())
		}
	}
}

// The reader of convert/recording makes of each vector what is expected.
func TestVectors(t *testing.T) {
	for _, v := range all() {
		paths, _ := unpacked(t, v.name)
		if got, want := shown(t, paths), wanted(t, v.name); got != want {
			t.Errorf("%s is read as\n%s, not\n%s", v.name, got, want)
		}
	}
}

// A reader of some hundred lines, which was written from the text, does so as well.
func TestVectorsInPython(t *testing.T) {
	python := tracetest.Oracle(t, "python3")
	for _, v := range all() {
		paths, err := filepath.Glob(filepath.Join(folder, v.name, "*.gz"))
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(python, append([]string{"../reader.py", "../../v1/registry.md"}, paths...)...).CombinedOutput()
		if got, want := string(out), wanted(t, v.name); err != nil || got != want {
			t.Errorf("%s is read as\n%s, not\n%s, %v", v.name, got, want, err)
		}
	}
}

// The vector of kinds has an event of each kind that a recording may hold.
func TestKinds(t *testing.T) {
	for k := trace.KindMeasurementOnOff; k <= trace.KindCommDestroy; k++ {
		s := trace.Standard.Spec(k)
		if s == nil || k == trace.KindEnter || k == trace.KindLeave || k == trace.KindMetric {
			continue
		}
		if !strings.Contains(words, fmt.Sprintf("\n%s %d:", s.Name, k)) {
			t.Errorf("no event of kind %d, %s", k, s.Name)
		}
	}
}

// shown writes what the converter reads in the words of the vectors.
func shown(t *testing.T, paths []string) string {
	t.Helper()
	a, err := recording.Open(paths...)
	if errors.Is(err, trace.ErrCorrupt) || errors.Is(err, trace.ErrUnsupported) {
		return "refused\n"
	} else if err != nil {
		t.Fatal(err)
	}
	log, err := a.Definitions(0)
	if err != nil {
		t.Fatal(err)
	}
	d := trace.NewDefinitions(log)
	var out strings.Builder
	fmt.Fprintf(&out, "resolution %d\n", a.Meta().Resolution)
	for _, id := range slices.Sorted(maps.Keys(d.Comms)) {
		c := d.Comms[id]
		switch members := joined(d.GroupLists[c.Group].Members); {
		case c.Inter:
			fmt.Fprintf(&out, "communicator %d %s:%s |%s\n", id, d.Name(trace.SpaceComm, id), members, joined(d.GroupLists[c.Group2].Members))
		case id != 0:
			fmt.Fprintf(&out, "communicator %d %s:%s\n", id, d.Name(trace.SpaceComm, id), members)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(d.RmaWindows)) {
		w := d.RmaWindows[id]
		fmt.Fprintf(&out, "window %d %s of communicator %d\n", id, d.Strings[w.Name], w.Comm)
	}
	topologies(&out, d)
	for _, r := range d.Log {
		if r.Kind == trace.KindIoHandle {
			fmt.Fprintf(&out, "file %d %s of communicator %d\n", r.Words[0], d.Name(trace.SpaceIoFile, r.Words[2]), r.Words[5])
		}
	}
	profiles := map[uint64]bool{}
	for _, info := range a.Streams() {
		if info.Class == trace.StreamStatistics {
			profiles[info.Location] = true
		}
	}
	marks := marksOf(t, a)
	for _, l := range d.Locations {
		fmt.Fprintf(&out, "location %s of rank %s\n", d.Name(trace.SpaceLocation, l.ID), strings.TrimPrefix(d.Name(trace.SpaceLocationGroup, l.Group), "MPI Rank "))
		stream(t, &out, a, d, trace.StreamID{Class: trace.StreamEvents, Location: l.ID})
		if profiles[l.ID] {
			stream(t, &out, a, d, trace.StreamID{Class: trace.StreamStatistics, Location: l.ID})
		}
		out.WriteString(marks[l.ID])
	}
	for _, w := range a.Warnings() {
		if w.Kind != "recording of a program that runs, was killed, or left by _exit or exec" && w.Kind != "torn recording" &&
			w.Kind != "functions without names" {
			out.WriteString("lost\n")
			break
		}
	}
	return out.String()
}

// marksOf writes markers, by their locations.
func marksOf(t *testing.T, a *recording.Archive) map[uint64]string {
	t.Helper()
	lines, kinds := map[uint64]string{}, map[uint64]string{}
	s, err := a.Open(trace.StreamID{Class: trace.StreamMarkers})
	if err != nil {
		return lines // there are none
	}
	defer s.Close()
	var b trace.Batch
	for err = s.Next(&b, 2); err == nil; err = s.Next(&b, 2) {
		for i, k := range b.Kinds {
			w := b.Fields(i)
			if k == trace.KindDefMarker {
				kinds[w[0]] = fmt.Sprintf("%d %s, %s", w[3], b.TextOf(w[1]), b.TextOf(w[2]))
			} else {
				lines[w[4]] += fmt.Sprintf("marker %d %s: %s\n", int64(w[0])+int64(a.Meta().Epoch), kinds[w[2]], b.TextOf(w[5]))
			}
		}
	}
	if err != io.EOF {
		t.Fatal(err)
	}
	return lines
}

func topologies(out io.Writer, d *trace.Definitions) {
	dimensions := map[uint64]string{}
	for _, r := range d.Log {
		switch w := r.Words; r.Kind {
		case trace.KindCartDimension:
			dimensions[w[0]] = fmt.Sprint(w[2], []string{"", " periodic"}[w[3]])
		case trace.KindCartTopology:
			var sizes []string
			for _, id := range w[4:] {
				sizes = append(sizes, dimensions[id])
			}
			fmt.Fprintf(out, "topology %d: %s\n", w[0], strings.Join(sizes, " x "))
		case trace.KindCartCoordinate:
			fmt.Fprintf(out, "rank %d at%s\n", w[1], joined(w[3:]))
		}
	}
}

func joined(words []uint64) string {
	text := ""
	for _, w := range words {
		text += fmt.Sprint(" ", w)
	}
	return text
}

func stream(t *testing.T, out io.Writer, a *recording.Archive, d *trace.Definitions, id trace.StreamID) {
	t.Helper()
	s, err := a.Open(id)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var b trace.Batch
	for {
		if err := s.Next(&b, 7); err == io.EOF {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		for i, k := range b.Kinds {
			w, at := b.Fields(i), b.Times[i]+int64(a.Meta().Epoch)
			switch name := trace.Standard.Spec(k).Name; k {
			case trace.KindStatisticsRegion:
				fmt.Fprintf(out, "profile %s %d %d %d\n", d.RegionName(w[0]), w[1], w[3], w[2])
			case trace.KindEnter, trace.KindLeave:
				fmt.Fprintf(out, "%d %s %s\n", at, name, d.RegionName(w[0]))
			case trace.KindRmaGroupSync:
				fmt.Fprintf(out, "%d %s%s {%s}\n", at, name, joined(w[:2]), strings.TrimSpace(joined(d.GroupLists[w[2]].Members)))
			case trace.KindIoDeleteFile:
				path := "unknown"
				if w[1] != 0xffffffff {
					path = d.Name(trace.SpaceIoFile, w[1])
				}
				fmt.Fprintf(out, "%d %s %d %s\n", at, name, w[0], path)
			case trace.KindMetric:
				fmt.Fprintf(out, "%d Metric %s%s\n", at, d.Strings[d.Members[d.MetricMembers(w[0])[0]].Name], joined(w[1:]))
			default:
				fmt.Fprintf(out, "%d %s%s\n", at, name, joined(w))
			}
		}
	}
}
