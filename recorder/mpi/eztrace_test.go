package main

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/trace"
)

// notOfEZTrace are functions that EZTrace calls by no events.
var notOfEZTrace = []string{"MPI_Init", "MPI_Finalize", "MPI_Comm_rank", "MPI_Comm_size"}

// EZTrace and the library count the same calls by rank and function, and the same messages, with their bytes, by the pair of ranks and the tag.
func TestAsEZTrace(t *testing.T) {
	eztrace := tracetest.Oracle(t, "eztrace")
	lib, program := library(t, "openmpi", "mpicc", "npb.c")
	ours := record(t, "openmpi", lib, program, "", false)
	dir := t.TempDir()
	cmd := launch(t, "openmpi", eztrace, "-t", "openmpi", "-o", dir, program)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("eztrace cannot run it: %v\n%s", err, out)
	}
	archives, err := filepath.Glob(filepath.Join(dir, "*", "*.otf2"))
	if err != nil || len(archives) != 1 {
		t.Fatalf("EZTrace wrote %v, %v", archives, err)
	}
	a, err := otf2.Open(archives[0], otf2.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	theirs := readSource(t, a)
	total := 0
	for rank := range ranks {
		only := func(calls map[string]int) map[string]int {
			list := maps.Clone(calls)
			maps.DeleteFunc(list, func(name string, _ int) bool {
				return !strings.HasPrefix(name, "MPI_") || slices.Contains(notOfEZTrace, name)
			})
			return list
		}
		we, they := only(ours.calls[rank]), only(theirs.calls[rank])
		if !maps.Equal(we, they) {
			t.Errorf("rank %d: %v, and EZTrace %v", rank, we, they)
		}
		for _, n := range we {
			total += n
		}
	}
	if total < 1000 {
		t.Errorf("%d calls are compared", total)
	}
	if !maps.EqualFunc(ours.sent, theirs.sent, slices.Equal) || len(ours.sent) < 8 {
		t.Errorf("messages %v, and EZTrace's %v", ours.sent, theirs.sent)
	}
	for _, kind := range []trace.Kind{trace.KindMpiCollectiveBegin, trace.KindMpiIsend, trace.KindMpiIrecvRequest} {
		if ours.opened[kind] != theirs.opened[kind] {
			t.Errorf("%d events of kind %d, and EZTrace's %d", ours.opened[kind], kind, theirs.opened[kind])
		}
	}
}
