package recorder_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// instrumented builds the program and its library in a folder of their own, and returns the program. how is linked with the hooks, or has them preloaded.
func instrumented(t *testing.T, compiler string, preloaded bool, flags ...string) (program, preload string) {
	t.Helper()
	dir := t.TempDir()
	do := func(name string, args ...string) {
		t.Helper()
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skipf("%s is not installed", name)
		}
		if out, err := exec.Command(path, args...).CombinedOutput(); err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	plus := map[string]string{"gcc": "g++", "clang": "clang++"}[compiler]
	do(plus, "-O2", "-g", "-fPIC", "-shared", "-finstrument-functions", "-o", in("libshapes.so"), "instrument/testdata/shapes.cc")
	do(compiler, append([]string{"-O2", "-g", "-pthread", "-finstrument-functions", "-c", "-o", in("program.o"), "instrument/testdata/program.c"}, flags...)...)
	strict := []string{"-std=gnu99", "-O2", "-Wall", "-Wextra", "-Werror", "-I.", "-pthread", "instrument/pando_instrument.c", "-o"}
	link := []string{in("program.o"), "-o", in("program"), "-L" + dir, "-lshapes", "-Wl,-rpath," + dir, "-pthread"}
	if preloaded {
		do(compiler, append(strict, in("libpando-instrument.so"), "-shared", "-fPIC")...)
		preload = in("libpando-instrument.so")
	} else {
		do(compiler, append(strict, in("hooks.o"), "-c")...)
		link = append(link, in("hooks.o"))
	}
	do(compiler, append(link, flags...)...)
	return in("program"), preload
}

func runInstrumented(t *testing.T, program, preload string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run.d")
	cmd := command(t, dir, program)
	if preload != "" {
		cmd.Env = append(cmd.Env, "LD_PRELOAD="+preload)
	}
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(dir, "0.pandorec")
}

// called is how often the program calls each of its functions.
var called = map[string]int{
	"main": 1, "middle": 1, "far": 1, "work": 1, "from_c": 101, "recursive": 100*4 + 10*3, "small": 100*3 + 10*2, "shapes::both(double)": 101, "shapes::area<double>::of(double)": 100,
}

// All calls are recorded, by the names that the source has: of position-independent programs and others, of shared libraries, by GCC and Clang, linked and preloaded; also calls that an
// exception or longjmp leaves.
func TestInstrumented(t *testing.T) {
	for name, c := range map[string]struct {
		compiler  string
		preloaded bool
		flags     []string
	}{
		"linked":                  {"gcc", false, nil},
		"at a fixed address":      {"gcc", false, []string{"-no-pie", "-fno-pie"}},
		"preloaded":               {"gcc", true, nil},
		"by Clang":                {"clang", false, nil},
		"debugging information 4": {"gcc", false, []string{"-gdwarf-4"}},
		"compressed debugging":    {"gcc", false, []string{"-gz"}},
	} {
		t.Run(name, func(t *testing.T) {
			program, preload := instrumented(t, c.compiler, c.preloaded, c.flags...)
			h := read(t, runInstrumented(t, program, preload))
			for region, calls := range called {
				h.has(t, region, calls)
			}
			if len(h.entered) != len(called) || h.warnings != "[]" || len(h.locations) != 2 {
				t.Errorf("%d regions, %d locations, warnings %s", len(h.entered), len(h.locations), h.warnings)
			}
		})
	}
}

// Functions of a stripped program have addresses in place of names; those that the linker needs keep them.
func TestInstrumentedAndStripped(t *testing.T) {
	program, preload := instrumented(t, "gcc", false)
	if out, err := exec.Command("strip", program).CombinedOutput(); err != nil {
		t.Skipf("strip: %v %s", err, out)
	}
	h := read(t, runInstrumented(t, program, preload))
	h.has(t, "shapes::both(double)", 101)
	addresses := 0
	for name := range h.entered {
		if regexp.MustCompile(`^program\+0x[0-9a-f]+$`).MatchString(name) {
			addresses++
		}
	}
	if addresses < 5 {
		t.Errorf("%d functions have addresses: %v", addresses, h.entered)
	}
}

// A program that was translated anew since, or is gone, gives no wrong names.
func TestInstrumentedAndChanged(t *testing.T) {
	program, preload := instrumented(t, "gcc", false)
	path := runInstrumented(t, program, preload)
	other, _ := instrumented(t, "gcc", false, "-O0")
	b, err := os.ReadFile(other)
	if err == nil {
		err = os.Remove(program)
	}
	if err != nil {
		t.Fatal(err)
	}
	if h := read(t, path); h.entered["main"] != 0 || !strings.Contains(h.warnings, "no such file") {
		t.Errorf("a program that is gone: %v, warnings %s", h.entered, h.warnings)
	}
	if err := os.WriteFile(program, b, 0o700); err != nil {
		t.Fatal(err)
	}
	if h := read(t, path); h.entered["main"] != 0 || !strings.Contains(h.warnings, "build id") {
		t.Errorf("another program: %v, warnings %s", h.entered, h.warnings)
	}
}
