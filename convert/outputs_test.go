package convert

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
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
	for _, name := range append(tracetest.BundledOf(t, "clog2"), tracetest.BundledOf(t, "otf1")...) {
		t.Run(name, func(t *testing.T) {
			found, err := Find(tracetest.Dir(t, name)+"/"+mainOf(t, name), Options{})
			if err != nil {
				t.Fatal(err)
			}
			anchor := filepath.Join(t.TempDir(), "x.otf2")
			w, err := OutputAt(anchor).Write(context.Background(), found, anchor, WriteOptions{})
			if err != nil || w.Events == 0 || w.Bytes < 1000 {
				t.Fatal(err, w)
			}
			sameKnownEvents(t, anchor, found.Path)
			if program != "" {
				if out, err := exec.Command(program, "-A", anchor).CombinedOutput(); err != nil {
					t.Errorf("otf2-print: %v: %.500s", err, out)
				}
			}
		})
	}
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
	got, want := eventsOf(t, anchor), eventsOf(t, original)
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

// eventsOf describes the events of all locations of a trace whose kinds OTF2 has, with times in the source's ticks.
func eventsOf(t *testing.T, path string) map[uint64][]string {
	t.Helper()
	src, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	list := map[uint64][]string{}
	for _, info := range src.Streams() {
		if info.Class == trace.StreamEvents {
			list[info.Location] = describeEvents(t, src, info.StreamID)
		}
	}
	return list
}

func describeEvents(t *testing.T, src trace.Source, id trace.StreamID) (list []string) {
	t.Helper()
	s, err := src.Open(id)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const lastOTF2 = trace.KindCommDestroy
	var b trace.Batch
	for {
		err := s.Next(&b, 1000)
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, k := range b.Kinds {
			if k <= lastOTF2 && k != trace.KindUnknownEvent {
				list = append(list, fmt.Sprint(k, uint64(b.Times[i])+src.Meta().Epoch, b.Fields(i), b.AttrsOf(i)))
			}
		}
	}
}
