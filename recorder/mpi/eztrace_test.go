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

// kernels are programs with the patterns of NPB's, and how many calls of MPI and messages they have at least.
var kernels = map[string]struct{ calls, channels int }{"cg": {6000, 12}, "ft": {76, 0}, "is": {120, 3}, "lu": {1700, 12}, "mg": {1000, 12}, "bt": {700, 11}, "ep": {12, 0}}

// EZTrace and the library count the same calls by rank and function, the same messages, with their bytes, by the pair of ranks and the tag, and the same collective operations.
func TestAsEZTrace(t *testing.T) {
	eztrace := tracetest.Oracle(t, "eztrace")
	for _, m := range implementations {
		lib, program := library(t, m.name, "mpicc", "npb.c")
		for kernel, least := range kernels {
			t.Run(kernel+" "+m.name, func(t *testing.T) {
				ours := record(t, m.name, lib, program, kernel, false)
				ours.checkPairs(t)
				theirs := recordedByEZTrace(t, m.name, eztrace, program, kernel)
				if calls := ours.equal(t, theirs); calls < least.calls || len(ours.sent) < least.channels {
					t.Errorf("%d calls and %d channels of messages are compared", calls, len(ours.sent))
				}
			})
		}
	}
}

// recordedByEZTrace runs a program under EZTrace.
func recordedByEZTrace(t *testing.T, implementation, eztrace, program, what string) *run {
	t.Helper()
	dir := t.TempDir()
	cmd := launch(t, implementation, eztrace, "-t", implementation, "-o", dir, program, what)
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
	return readSource(t, a)
}

// equal compares what both have, and returns how many calls that are.
func (r *run) equal(t *testing.T, theirs *run) (calls int) {
	t.Helper()
	for rank := range ranks {
		only := func(calls map[string]int) map[string]int {
			list := maps.Clone(calls)
			maps.DeleteFunc(list, func(name string, _ int) bool {
				return !strings.HasPrefix(name, "MPI_") || slices.Contains(notOfEZTrace, name)
			})
			return list
		}
		we, they := only(r.calls[rank]), only(theirs.calls[rank])
		if !maps.Equal(we, they) {
			t.Errorf("rank %d: %v, and EZTrace %v", rank, we, they)
		}
		for _, n := range we {
			calls += n
		}
		for operation := range uint64(17) {
			if we, they := len(r.bytes[rank][operation]), len(theirs.bytes[rank][operation]); we != they {
				t.Errorf("rank %d: %d operations %d, and EZTrace %d", rank, we, operation, they)
			}
		}
	}
	// What is received by a request is missing in EZTrace's traces if the program does not want the status.
	if !maps.EqualFunc(r.sent, theirs.sent, slices.Equal) {
		t.Errorf("messages %v, and EZTrace's %v", r.sent, theirs.sent)
	}
	for _, kind := range []trace.Kind{trace.KindMpiCollectiveBegin, trace.KindMpiIsend, trace.KindMpiIrecvRequest} {
		if r.opened[kind] != theirs.opened[kind] {
			t.Errorf("%d events of kind %d, and EZTrace's %d", r.opened[kind], kind, theirs.opened[kind])
		}
	}
	return calls
}
