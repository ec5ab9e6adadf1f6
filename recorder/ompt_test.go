package recorder_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/tracetest"
)

// openMP builds the tool, and a program with Clang.
func openMP(t *testing.T, flags ...string) (tool, program string) {
	t.Helper()
	clang := tracetest.Oracle(t, "clang")
	tool, program = filepath.Join(programs, "libpando-ompt.so"), filepath.Join(programs, "threads")
	if out, err := exec.Command(clang, "-xc", "-fsyntax-only", "ompt/testdata/has_ompt.c").CombinedOutput(); err != nil {
		t.Skipf("LLVM's OpenMP runtime is not installed (Debian: libomp-dev): %.200s", out)
	}
	for _, args := range [][]string{
		{"-std=c99", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-O2", "-I.", "-o", tool, "ompt/pando_ompt.c"},
		append([]string{"-O1", "-fopenmp", "-o", program, "ompt/testdata/threads.c"}, flags...),
	} {
		if out, err := exec.Command(clang, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	return tool, program
}

// The regions, tasks and waits of a program that is not changed are those that its source has: 6 parallel regions of 3 threads, of which 5 have two loops, a barrier and a critical section, and the
// sixth has Fibonacci's tasks.
func TestOpenMP(t *testing.T) {
	tool, program := openMP(t)
	dir := filepath.Join(t.TempDir(), "run.d")
	cmd := command(t, dir, program)
	cmd.Env = append(cmd.Env, "OMP_TOOL_LIBRARIES="+tool)
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "448500 15 8\n" {
		t.Fatalf("%v\n%s", err, out)
	}
	h := read(t, filepath.Join(dir, "0.pandorec"))
	for region, n := range map[string]int{
		"omp parallel": 6, "omp loop": 5 * 2 * 3, "omp barrier": 5 * 3, "omp wait for a lock": 5 * 3, "omp single": 1, "omp single, by another thread": 2,
		"omp task": 24, "omp taskwait": 12,
	} {
		h.has(t, region, n)
	}
	// Two of the three threads still wait behind the last region when the program ends.
	for region, n := range map[string]int{
		"omp implicit task":    6 * 3,
		"omp implicit barrier": 6*3 + 5*3 + 3, // behind parallel regions, behind the loop that has one, behind single
	} {
		if h.entered[region] != n || h.left[region] > n || h.left[region] < n-2 || h.profiled[region] != h.left[region] {
			t.Errorf("%d calls of %s were entered, %d left, %d are in the profile, not %d", h.entered[region], region, h.left[region], h.profiled[region], n)
		}
	}
	slices.Sort(h.locations)
	if want := []string{"OpenMP thread 1", "OpenMP thread 2", "main thread"}; !slices.Equal(h.locations, want) || h.warnings != "[]" || len(h.entered) != 10 {
		t.Errorf("locations %q, warnings %s, regions %v", h.locations, h.warnings, h.entered)
	}
}

// With debugging information, regions are those of the lines that the source has. The barrier behind a parallel region has no line on the threads that it began.
func TestOpenMPHasLines(t *testing.T) {
	source, err := os.ReadFile("ompt/testdata/threads.c")
	if err != nil {
		t.Fatal(err)
	}
	at := func(pragma string) string { // the line of a pragma
		before, _, ok := strings.Cut(string(source), "#pragma omp "+pragma+"\n")
		if !ok {
			t.Fatalf("no %s", pragma)
		}
		return fmt.Sprint(" @threads.c:", 1+strings.Count(before, "\n"))
	}
	first, second := at("parallel reduction(+ : sum)"), at("parallel")
	for _, optimized := range []string{"-O0", "-O2", "-gdwarf-4"} {
		t.Run(optimized, func(t *testing.T) {
			tool, program := openMP(t, "-g", optimized)
			dir := filepath.Join(t.TempDir(), "run.d")
			cmd := command(t, dir, program)
			cmd.Env = append(cmd.Env, "OMP_TOOL_LIBRARIES="+tool)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			h := read(t, filepath.Join(dir, "0.pandorec"))
			want := map[string]int{
				"omp parallel" + first: 5, "omp parallel" + second: 1, "omp implicit task" + first: 15, "omp implicit task" + second: 3,
				"omp loop" + at("for"): 15, "omp loop" + at("for schedule(dynamic, 10) nowait"): 15, "omp barrier" + at("barrier"): 15, "omp wait for a lock" + at("critical"): 15,
				"omp single" + at("single"): 1, "omp single, by another thread" + at("single"): 2,
				"omp task" + at("task shared(a)"): 12, "omp task" + at("task shared(b)"): 12, "omp taskwait" + at("taskwait"): 12,
				"omp implicit barrier" + at("for"): 15, "omp implicit barrier" + at("single"): 3, "omp implicit barrier" + first: 5, "omp implicit barrier" + second: 1, "omp implicit barrier": 12,
			}
			for region, n := range h.entered {
				if want[region] != n {
					t.Errorf("%d calls of %s, not %d", n, region, want[region])
				}
			}
			if len(h.entered) != len(want) {
				t.Errorf("%d regions, not %d", len(h.entered), len(want))
			}
		})
	}
}

// Without a folder the tool stays away; of a folder that holds another recording it gives an error. The program runs in both cases.
func TestOpenMPIsNotRecorded(t *testing.T) {
	tool, program := openMP(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "0.pandorec"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for folder, message := range map[string]string{"": "", dir: "File exists"} {
		cmd := exec.Command(program)
		cmd.Dir = t.TempDir()
		cmd.Env = append(os.Environ(), "OMP_TOOL_LIBRARIES="+tool)
		if folder != "" {
			cmd.Env = append(cmd.Env, "PANDO_DIR="+folder)
		}
		out, err := cmd.CombinedOutput()
		made, globbed := filepath.Glob(filepath.Join(cmd.Dir, "*"))
		if err != nil || globbed != nil || !strings.HasSuffix(string(out), "448500 15 8\n") || !strings.Contains(string(out), message) || len(made) > 0 {
			t.Errorf("%s: %v, %s, files %v", fmt.Sprintf("folder %q", folder), err, out, made)
		}
	}
}
