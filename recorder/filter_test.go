package recorder_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pandotrace/pando/convert/recording"
	"github.com/pandotrace/pando/trace"
)

// The header decides as the list says that the recorder in Go is held to, too.
func TestFilterRules(t *testing.T) {
	list, err := os.Open("testdata/filters.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	cmd := exec.Command(built(t, "gcc", "filter", "-std=c99", "-D_GNU_SOURCE", "testdata/filter.c"))
	cmd.Stdin = list
	if out, err := cmd.Output(); err != nil || string(out) != "20 checked\n" {
		t.Errorf("%v: %s", err, out)
	}
}

// Calls of a region that the filter leaves out are in the profile only, and the trace says so. Rules that are too long are refused.
func TestFilter(t *testing.T) {
	t.Setenv("PANDO_FILTER", "!in*")
	dir := filepath.Join(t.TempDir(), "run.d")
	if out, err := command(t, dir, life(t), "threads").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	path := filepath.Join(dir, "0.pandorec")
	h := read(t, path)
	h.has(t, "outer", 40)
	if h.entered["inner"] != 0 || h.profiled["inner"] != 40_000 {
		t.Errorf("%d calls of inner, and %d in the profile", h.entered["inner"], h.profiled["inner"])
	}
	a, err := recording.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if list := a.Meta().Loss.Calls(); len(list) != 1 || list[0] != trace.CallsBound(trace.LeftFiltered, 1) {
		t.Errorf("the trace says %v of calls that were left out", list)
	}
	t.Setenv("PANDO_FILTER", strings.Repeat("!a;", 400))
	if out, err := command(t, filepath.Join(t.TempDir(), "run.d"), life(t), "threads").CombinedOutput(); !strings.Contains(string(out), "the filter has more than 1023 bytes") {
		t.Errorf("%v: %s", err, out)
	}
}
