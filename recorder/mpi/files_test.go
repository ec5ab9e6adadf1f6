package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pandotrace/pando/trace"
)

// What files and topologies a program uses is compared with the program, by hand.
func TestFiles(t *testing.T) {
	for _, m := range implementations {
		t.Run(m.name, func(t *testing.T) {
			lib, program := library(t, m.name, "mpicc", "files.c")
			path := filepath.Join(t.TempDir(), "all")
			h := opened(t, recorded(t, m.name, lib, program, path, false))
			checkGrids(t, h.definitions)
			handles := handlesOf(t, h.definitions, path)
			for rank := range uint64(ranks) {
				checkFiles(t, h.events[rank], handles[0], handles[rank+1])
			}
			if info, err := os.Stat(path); err != nil || info.Size() != 40*ranks {
				t.Errorf("the file that the program has written: %v, %v", info, err)
			}
		})
	}
}

// checkGrids wants a plate of 2 by 2, and its two rows.
func checkGrids(t *testing.T, d *trace.Definitions) {
	dimensions, found := map[uint64]string{}, map[string]int{}
	at := map[uint64]string{} // by topology
	for _, r := range d.Log {
		switch w := r.Words; r.Kind {
		case trace.KindCartDimension:
			dimensions[w[0]] = fmt.Sprint(w[2:4])
		case trace.KindCartCoordinate:
			at[w[0]] += fmt.Sprint(w[1], w[3:], " ")
		}
	}
	for _, r := range d.Log {
		if w := r.Words; r.Kind == trace.KindCartTopology {
			what := d.Strings[w[1]] + " " + at[w[0]]
			for _, id := range w[4:] {
				what += dimensions[id]
			}
			found[what]++
		}
	}
	if want := map[string]int{"plate 0 [0 0] 1 [0 1] 2 [1 0] 3 [1 1] [2 1][2 0]": 1, " 0 [0] 1 [1] [2 0]": 2}; fmt.Sprint(found) != fmt.Sprint(want) {
		t.Errorf("topologies %v, not %v", found, want)
	}
}

// handlesOf returns the handle of the common file, and that of each rank's own.
func handlesOf(t *testing.T, d *trace.Definitions, path string) (handles [1 + ranks]uint64) {
	t.Helper()
	names := map[string]int{path: 0}
	for rank := range ranks {
		names[fmt.Sprint(path, ".", rank)] = 1 + rank
	}
	n := 0
	for _, r := range d.Log {
		if w := r.Words; r.Kind == trace.KindIoHandle {
			at, ok := names[d.Name(trace.SpaceIoFile, w[2])]
			if members := d.GroupLists[d.Comms[w[5]].Group].Members; !ok || len(members) != 1 && at > 0 || len(members) != ranks && at == 0 {
				t.Errorf("handle %d of %q, of ranks %v", w[0], d.Name(trace.SpaceIoFile, w[2]), members)
			}
			handles[at] = w[0]
			n++
		}
	}
	if n != len(handles) {
		t.Fatalf("%d handles, not %d", n, len(handles))
	}
	return handles
}

// checkFiles compares the events of a rank. Operations are numbered from 1.
func checkFiles(t *testing.T, got map[trace.Kind][][]uint64, all, own uint64) {
	t.Helper()
	const read, write, flush = 0, 1, 2
	const later, together = 1, 2
	for kind, want := range map[trace.Kind][][]uint64{
		trace.KindIoCreateHandle:  {{all, 2, 1, 0}, {own, 1, 1, 0}},
		trace.KindIoDestroyHandle: {{all}, {own}},
		trace.KindIoOperationBegin: {{all, write, together, 40, 1}, {all, flush, together, 0, 2}, {all, read, 0, 40, 3}, {all, read, 0, 40, 4}, {all, write, later, 40, 5},
			{all, write, later + together, 40, 6}, {own, write, 0, 4, 7}},
		trace.KindIoOperationComplete: {{all, 40, 1}, {all, 0, 2}, {all, 40, 3}, {all, 4, 4}, {all, 40, 5}, {all, 40, 6}, {own, 4, 7}},
	} {
		if fmt.Sprint(got[kind]) != fmt.Sprint(want) {
			t.Errorf("kind %d: %v, not %v", kind, got[kind], want)
		}
	}
	seeks, end := got[trace.KindIoSeek], int64(-4)
	if len(seeks) != 2 || seeks[0][1] != seeks[0][3] || !slices.Equal(seeks[1], []uint64{all, uint64(end), 2, 40*ranks - 4}) {
		t.Errorf("positions %v", seeks)
	}
	if deleted := got[trace.KindIoDeleteFile]; len(deleted) != 1 || deleted[0][1] == 0xffffffff {
		t.Errorf("deleted %v", deleted)
	}
}

// Fortran passes texts with their lengths, and offsets by their addresses.
func TestFilesOfFortran(t *testing.T) {
	for _, m := range implementations {
		t.Run(m.name, func(t *testing.T) {
			lib, program := library(t, m.name, "mpif90", "files.f90", "-fallow-argument-mismatch")
			path := filepath.Join(t.TempDir(), "all")
			checkOneFile(t, opened(t, recorded(t, m.name, lib, program, path, false)), path)
		})
	}
}

// The module mpi_f08 has other addresses for what stands in place of buffers and statuses.
func TestFilesOfFortran2008(t *testing.T) {
	for _, m := range implementations {
		t.Run(m.name, func(t *testing.T) {
			lib, program := library(t, m.name, "mpif90", "files08.f90")
			path := filepath.Join(t.TempDir(), "all")
			files := recorded(t, m.name, lib, program, path, false)
			checkOneFile(t, opened(t, files), path)
			r := read(t, files)
			r.checkPairs(t)
			r.hasCalls(t, map[string]int{"MPI_Mrecv": 1, "MPI_Waitany": 1, "MPI_Waitsome": 1, "MPI_Testall": 1, "MPI_Comm_set_name": 1, "MPI_Iallreduce": 1})
			for rank := range uint64(ranks) {
				for tag, bytes := range map[uint64]uint64{4: 12, 5: 20} {
					if got := r.sent[channel{0, rank, (rank + 1) % ranks, tag}]; !slices.Equal(got, []uint64{bytes}) {
						t.Errorf("rank %d sends %v with tag %d, not %d", rank, got, tag, bytes)
					}
				}
				for operation, bytes := range map[uint64]uint64{9: 16, 10: 16, 11: 64} { // Alltoallv, Alltoallw, Allreduce
					if got := r.bytes[rank][operation]; !slices.Equal(got, [][2]uint64{{bytes, bytes}}) {
						t.Errorf("rank %d, operation %d: %v", rank, operation, got)
					}
				}
			}
			if len(r.sent) != 2*ranks || r.warnings != "[]" {
				t.Errorf("%d channels, warnings %s", len(r.sent), r.warnings)
			}
		})
	}
}

// checkOneFile wants what files.f90 does with its file.
func checkOneFile(t *testing.T, h *happened, path string) {
	t.Helper()
	var handle uint64
	for _, r := range h.definitions.Log {
		if r.Kind == trace.KindIoHandle {
			if name := h.definitions.Name(trace.SpaceIoFile, r.Words[2]); name != path || r.Words[5] != 0 {
				t.Errorf("%q was opened by communicator %d", name, r.Words[5])
			}
			handle = r.Words[0]
		}
	}
	for rank := range uint64(ranks) {
		got := h.events[rank]
		for kind, want := range map[trace.Kind][][]uint64{
			trace.KindIoCreateHandle: {{handle, 2, 1, 0}}, trace.KindIoDestroyHandle: {{handle}}, trace.KindIoSeek: {{handle, 40 * rank, 0, 40 * rank}},
			trace.KindIoOperationBegin:    {{handle, 1, 2, 40, 1}, {handle, 2, 2, 0, 2}, {handle, 0, 0, 40, 3}, {handle, 1, 1, 40, 4}},
			trace.KindIoOperationComplete: {{handle, 40, 1}, {handle, 0, 2}, {handle, 40, 3}, {handle, 40, 4}},
		} {
			if fmt.Sprint(got[kind]) != fmt.Sprint(want) {
				t.Errorf("rank %d, kind %d: %v, not %v", rank, kind, got[kind], want)
			}
		}
	}
}
