package main

import (
	"fmt"
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

// Ranks whose clock is ahead and gains, and whose time of day is another one, too, are at the right times in the trace: those that the program itself has measured. That all ranks share one processor makes no difference.
func TestClocksOfHosts(t *testing.T) {
	for _, m := range implementations {
		t.Run(m.name, func(t *testing.T) {
			lib, program := shifted(t, m.name)
			t.Run("all processors", func(t *testing.T) { comparesClocks(t, launch(t, m.name, "env", "LD_PRELOAD="+lib, program)) })
			t.Run("one processor", func(t *testing.T) {
				cmd := launch(t, m.name, "env", "LD_PRELOAD="+lib, program)
				cmd.Args = append([]string{"taskset", "--cpu-list", firstProcessor(t), cmd.Path}, cmd.Args[1:]...)
				cmd.Path = tracetest.Oracle(t, "taskset")
				comparesClocks(t, cmd)
			})
		})
	}
}

// firstProcessor returns the number of a processor that may be used.
func firstProcessor(t *testing.T) string {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	_, list, ok := strings.Cut(string(status), "Cpus_allowed_list:")
	if err != nil || !ok {
		t.Fatal("no list of processors", err)
	}
	return strings.FieldsFunc(list, func(r rune) bool { return r < '0' || r > '9' })[0]
}

// shifted builds a library for whose clocks the ranks from 2 on are on a host of their own, and the program.
func shifted(t *testing.T, implementation string) (lib, program string) {
	t.Helper()
	dir := t.TempDir()
	cc := tracetest.Oracle(t, "mpicc."+implementation)
	lib, program = filepath.Join(dir, "lib.so"), filepath.Join(dir, "program")
	build(t, cc, "-std=c99", "-D_GNU_SOURCE", "-include", "testdata/shifted.h", "-shared", "-fPIC", "-O2", "-o", lib, written(t, dir))
	build(t, cc, "-D_GNU_SOURCE", "-O1", "-o", program, filepath.Join("testdata", "clocks.c"))
	return lib, program
}

// comparesClocks runs the program, and compares times of the trace with those that it prints.
func comparesClocks(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	dir := t.TempDir()
	cmd.Env = append(cmd.Env, "PANDO_DIR="+dir, "PANDO_BUDGET=1M")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	a, err := recording.Open(files...)
	if err != nil {
		t.Fatal(err)
	}
	for rank, want := range printed(t, string(out)) {
		got := begins(t, a, uint64(rank), "MPI_Get_processor_name")
		if len(got) != 40 || len(want) != 40 {
			t.Fatalf("rank %d: %d calls in the trace, %d in the program", rank, len(got), len(want))
		}
		for _, part := range [][2]int{{0, 10}, {15, 25}, {30, 40}} {
			// In most of ten calls, no other process comes in between.
			var late []int64
			for i := part[0]; i < part[1]; i++ {
				late = append(late, got[i]-want[i])
			}
			slices.Sort(late)
			t.Logf("rank %d, calls from %d on: %d us late", rank, part[0], late[5]/1000)
			if most := int64(5e5); late[5] < -most || late[5] > most {
				t.Errorf("rank %d, calls from %d on: %d ns late", rank, part[0], late)
			}
		}
	}
	if w := a.Warnings(); len(w) > 0 {
		t.Errorf("warnings %v", w)
	}
}

// printed takes lines "RANK NANOSECONDS", and returns the times of each rank.
func printed(t *testing.T, out string) (times [ranks][]int64) {
	t.Helper()
	for line := range strings.Lines(out) {
		var rank int
		var at int64
		if _, err := fmt.Sscan(line, &rank, &at); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		times[rank] = append(times[rank], at)
	}
	return times
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
