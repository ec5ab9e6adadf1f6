package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/convert/recording"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/trace"
)

// Ranks whose clock is ahead and gains, and whose time of day is another one, too, are at the right times in the trace: those that the program itself has measured.
func TestClocksOfHosts(t *testing.T) {
	for _, m := range implementations {
		t.Run(m.name, func(t *testing.T) {
			dir := t.TempDir()
			file, err := os.Create(filepath.Join(dir, "pando_mpi.c"))
			if err == nil {
				err = source(file)
			}
			if err != nil || file.Close() != nil {
				t.Fatal(err)
			}
			cc, lib, program := tracetest.Oracle(t, "mpicc."+m.name), filepath.Join(dir, "lib.so"), filepath.Join(dir, "program")
			build(t, cc, "-std=c99", "-D_GNU_SOURCE", "-include", "testdata/shifted.h", "-shared", "-fPIC", "-O2", "-o", lib, file.Name())
			build(t, cc, "-D_GNU_SOURCE", "-O1", "-o", program, filepath.Join("testdata", "clocks.c"))
			cmd := launch(t, m.name, "env", "LD_PRELOAD="+lib, program)
			cmd.Env = append(cmd.Env, "PANDO_DIR="+filepath.Join(dir, "run.d"), "PANDO_BUDGET=1M")
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			var want [ranks][]int64
			for line := range strings.Lines(string(out)) {
				var rank int
				var at int64
				if _, err := fmt.Sscan(line, &rank, &at); err != nil {
					t.Fatalf("%q: %v", line, err)
				}
				want[rank] = append(want[rank], at)
			}
			files, err := filepath.Glob(filepath.Join(dir, "run.d", "*"))
			if err != nil {
				t.Fatal(err)
			}
			a, err := recording.Open(files...)
			if err != nil {
				t.Fatal(err)
			}
			for rank := range want {
				got := begins(t, a, uint64(rank), "MPI_Get_processor_name")
				if len(got) != 40 || len(want[rank]) != 40 {
					t.Fatalf("rank %d: %d calls in the trace, %d in the program", rank, len(got), len(want[rank]))
				}
				for _, part := range [][2]int{{0, 10}, {15, 25}, {30, 40}} {
					// In most of ten calls, no other process comes in between.
					var late []int64
					for i := part[0]; i < part[1]; i++ {
						late = append(late, got[i]-want[rank][i])
					}
					slices.Sort(late)
					t.Logf("rank %d, calls from %d on: %d us late", rank, part[0], late[5]/1000)
					if most := int64(2e6); late[5] < -most || late[5] > most {
						t.Errorf("rank %d, calls from %d on: %d ns late", rank, part[0], late)
					}
				}
			}
			if w := a.Warnings(); len(w) > 0 {
				t.Errorf("warnings %v", w)
			}
		})
	}
}

// begins lists when calls of a region of a location begin, by the clock of the first file.
func begins(t *testing.T, a *recording.Archive, location uint64, name string) (list []int64) {
	t.Helper()
	log, err := a.Definitions(0)
	if err != nil {
		t.Fatal(err)
	}
	d := trace.NewDefinitions(log)
	s, err := a.Open(trace.StreamID{Class: trace.StreamEvents, Location: location})
	if err != nil {
		t.Fatal(err)
	}
	var b trace.Batch
	for s.Next(&b, 1000) == nil {
		for i, k := range b.Kinds {
			if k == trace.KindEnter && d.RegionName(b.Fields(i)[0]) == name {
				list = append(list, b.Times[i]+int64(a.Meta().Epoch))
			}
		}
	}
	return list
}
