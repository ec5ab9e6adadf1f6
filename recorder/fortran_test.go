package recorder_test

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/convert/recording"
	"github.com/pandotrace/pando/trace"
)

// fortran compiles the example in Fortran with the module and what that needs of the header.
func fortran(t *testing.T) string {
	t.Helper()
	object := filepath.Join(programs, "pando_fortran.o")
	if path, err := exec.LookPath("gfortran"); err != nil {
		t.Skip("gfortran is not installed")
	} else if out, err := exec.Command("gcc", "-std=c99", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I.", "-c", "-o", object,
		"fortran/pando_fortran.c").CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", path, err, out)
	}
	return built(t, "gfortran", "fortran", "-std=f2008", "-fopenmp", "-J", programs, "fortran/pando_record.f90", "fortran/example.f90", object)
}

func TestFortran(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run.d")
	program := fortran(t)
	if out, err := command(t, dir, program).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	path := filepath.Join(dir, "0.pandorec")
	h := read(t, path)
	h.has(t, "outer", 1)
	h.has(t, "inner", 1300)
	if len(h.locations) != 3 || h.locations[0] != "the first" || h.warnings != "[]" {
		t.Errorf("locations %q, warnings %s", h.locations, h.warnings)
	}
	checkFortranEvents(t, path)
	if out, err := command(t, dir, program).CombinedOutput(); err == nil || !strings.Contains(string(out), "File exists") {
		t.Errorf("a second run into the folder: %v, %s", err, out)
	}
}

// checkFortranEvents holds the words of events and the definitions to what the example says.
func checkFortranEvents(t *testing.T, path string) {
	t.Helper()
	a, err := recording.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	log, err := a.Definitions(0)
	if err != nil {
		t.Fatal(err)
	}
	d := trace.NewDefinitions(log)
	if name := d.Name(trace.SpaceComm, 3); name != "pair" || !slices.Equal(d.GroupLists[d.Comms[3].Group].Members, []uint64{0}) {
		t.Errorf("communicator 3 is %q of %v", name, d.GroupLists[d.Comms[3].Group].Members)
	}
	want := map[trace.Kind][]uint64{
		trace.KindMpiSend:          {0, 3, 7, 64},
		trace.KindMpiRecv:          {0, 3, 7, 64},
		trace.KindMpiCollectiveEnd: {11, 0, 0xffffffff, 8, 8},
		trace.KindMeasurementOnOff: {1},
		trace.KindMetric:           {0, 1, 4, 1000}, // the last of ten
	}
	got := map[trace.Kind][]uint64{}
	for _, info := range a.Streams() {
		if info.Class != trace.StreamEvents {
			continue
		}
		s, err := a.Open(info.StreamID)
		if err != nil {
			t.Fatal(err)
		}
		var b trace.Batch
		for s.Next(&b, 1000) == nil {
			for i, k := range b.Kinds {
				got[k] = slices.Clone(b.Fields(i))
			}
		}
	}
	for k, words := range want {
		if !slices.Equal(got[k], words) {
			t.Errorf("kind %d: words %v, not %v", k, got[k], words)
		}
	}
}
