package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/tracetest"
)

// recording builds a program that records itself.
func recording(t *testing.T) string {
	t.Helper()
	compiler, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("gcc is not installed")
	}
	source, program := "../../recorder/testdata/", filepath.Join(t.TempDir(), "life")
	out, err := exec.Command(compiler, "-std=c99", "-D_GNU_SOURCE", "-O1", "-pthread", "-I../../recorder", "-o", program, source+"life.c", source+"other.c").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// told returns a number that pando info tells of a file.
func told(t *testing.T, file, field string) float64 {
	t.Helper()
	var info map[string]any
	if err := json.Unmarshal([]byte(output(t, "info", file, "--json")), &info); err != nil {
		t.Fatal(err)
	}
	n, ok := info[field].(float64)
	if !ok {
		t.Fatalf("info tells no %s", field)
	}
	return n
}

func TestRecord(t *testing.T) {
	program, dir := recording(t), t.TempDir()
	run, folder := filepath.Join(dir, "run.pando"), filepath.Join(dir, "run.d")
	said := output(t, "record", "-o", run, "--budget", "1M", "--", program, "exit")
	if n := told(t, run, "events"); n != 10 || !strings.Contains(said, run) {
		t.Errorf("%v events; pando says %s", n, said)
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("the recordings are still there")
	}
	if _, _, code := pando("record", "-o", run, program, "exit"); code == exitOK {
		t.Error("a file was written over")
	}
	output(t, "record", "-f", "--keep", "--last", "1h", "--budget", "1M", "-o", run, program, "exit")
	if n := told(t, run, "events"); n != 10 {
		t.Errorf("the last hour has %v events", n)
	}
	if _, err := os.Stat(filepath.Join(folder, "0.pandorec")); err != nil {
		t.Error(err)
	}
	if _, said, code := pando("record", "-f", "-o", run, program, "exit"); code != exitIO || !strings.Contains(said, "run.d") {
		t.Errorf("two runs in a folder: code %d, %s", code, said)
	}
}

// pando says which calls the budget had no room for, and the end of a program is shorter than all of it.
func TestRecordGivesUp(t *testing.T) {
	program, run := recording(t), filepath.Join(t.TempDir(), "run.pando")
	_, said, code := pando("record", "-o", run, "--budget", "256K", program, "threads")
	if code != exitOK || !strings.Contains(said, "pando: calls shorter than ") {
		t.Errorf("code %d: %s", code, said)
	}
	output(t, "record", "-f", "-q", "-o", run, "--budget", "8M", program, "threads")
	all := told(t, run, "events")
	output(t, "record", "-f", "-q", "-o", run, "--budget", "8M", "--last", "100us", program, "threads")
	if n := told(t, run, "events"); n == 0 || n >= all {
		t.Errorf("%v events of the end, and %v of all", n, all)
	}
}

// Sums of the whole run are those of all calls, however many were left out, and every verb for which it matters says what the trace lacks.
func TestRecordedLoss(t *testing.T) {
	program, dir := recording(t), t.TempDir()
	run, all := filepath.Join(dir, "run.pando"), filepath.Join(dir, "all.pando")
	output(t, "record", "-q", "-o", all, "--budget", "16M", program, "threads")
	output(t, "record", "-q", "-o", run, "--budget", "2M", program, "threads")
	if kept, whole := told(t, run, "calls"), told(t, all, "calls"); kept >= whole || whole != 40*1001 {
		t.Fatalf("%v calls of %v were kept", kept, whole)
	}
	counts := func(file string, more ...string) string {
		return output(t, append([]string{"summary", file, "--columns", "region,count", "--sort", "count", "--format", "csv"}, more...)...)
	}
	if got, want := counts(run), counts(all); got != want {
		t.Errorf("sums of\n%s\nnot of\n%s", got, want)
	}
	for _, c := range []struct{ args, says string }{
		{"info " + run, "loss         calls shorter than "},
		{"summary " + run, "counts, and inclusive and exclusive times, are those of all calls, of which "},
		{"summary " + run + " --json", `,"exact":true}`},
		{"summary " + run + " --from 10%", "sums are those of the calls that are there"},
		{"summary " + run + " --by location", "sums are those of the calls that are there"},
		{"verify " + run, "sound"},
		{"export " + run + " -o " + filepath.Join(dir, "a.json"), "pando.calls_below_ns"},
		{"compare " + run + " " + all, "unlike calls were left out"},
	} {
		out, said, code := pando(strings.Fields(c.args)...)
		if code != exitOK || !strings.Contains(out+said, c.says) {
			t.Errorf("pando %s: code %d, says not %q:\n%s%s", c.args, code, c.says, out, said)
		}
	}
	var outcome struct {
		Recorded struct {
			Event     float64 `json:"event_ns"`
			Overhead  float64
			Left      float64  `json:"calls_left_out"`
			GivenUp   []string `json:"given_up"`
			Processes []struct{ Calls, Seconds, Overhead float64 }
		}
	}
	said, _, _ := pando("record", "-f", "-o", run, "--json", "--budget", "2M", program, "threads")
	if err := json.Unmarshal([]byte(said[max(strings.Index(said, "{"), 0):]), &outcome); err != nil { // behind what the program says
		t.Fatal(err)
	}
	// 1 to 1,000 ns an event: what a processor can do at all, and what a very busy machine takes.
	if r := &outcome.Recorded; r.Event < 1 || r.Event > 1000 || r.Overhead <= 0 || r.Overhead > 1 || len(r.GivenUp) != 1 || len(r.Processes) != 1 ||
		r.Processes[0].Calls != 40*1001 || r.Processes[0].Overhead != r.Overhead || r.Left != 40*1001-told(t, run, "calls") {
		t.Errorf("pando record says %+v", r)
	}
	if _, said, code := pando("diff", run, all); code == exitOK || !strings.Contains(said, "unlike calls were left out") {
		t.Errorf("diff of unlike traces: code %d, %s", code, said)
	}
	output(t, "diff", run, run)
	output(t, "convert", run, filepath.Join(dir, "coarse.pando"), "--max-error", "1us")
	if got, want := counts(filepath.Join(dir, "coarse.pando")), counts(all); got != want {
		t.Errorf("sums of the coarse file\n%s\nnot\n%s", got, want)
	}
	output(t, "verify", filepath.Join(dir, "coarse.pando"))
	output(t, "convert", run, filepath.Join(dir, "run.otf2"))
	output(t, "convert", filepath.Join(dir, "run.otf2"), filepath.Join(dir, "again.pando"))
	if out := output(t, "info", filepath.Join(dir, "again.pando")); !strings.Contains(out, "PANDO::CALLS_BELOW_NS") {
		t.Errorf("the archive says nothing of calls that were left out:\n%s", out)
	}
}

// Regions that the filter leaves out are in sums alone.
func TestRecordFilters(t *testing.T) {
	program, run := recording(t), filepath.Join(t.TempDir(), "run.pando")
	_, said, code := pando("record", "-o", run, "--budget", "8M", "--filter", "!inner", program, "threads")
	if code != exitOK || !strings.Contains(said, "pando: calls of filtered regions or of pauses were left out") {
		t.Errorf("code %d: %s", code, said)
	}
	if n := told(t, run, "calls"); n != 40 {
		t.Errorf("%v calls", n)
	}
	if out := output(t, "summary", run, "--columns", "region,count", "--sort", "count", "--format", "csv"); !strings.Contains(out, "40000") {
		t.Errorf("sums without the calls that were filtered out:\n%s", out)
	}
}

// A filter file of Score-P is one for --filter, PANDO_FILTER and ctl; errors have the line.
func TestRecordScoreP(t *testing.T) {
	program, dir := recording(t), t.TempDir()
	run, file, bad := filepath.Join(dir, "run.pando"), filepath.Join(dir, "initial_scorep.filt"), filepath.Join(dir, "rules")
	text := "SCOREP_REGION_NAMES_BEGIN\n  EXCLUDE *\n  INCLUDE ou[ot]er # one\nSCOREP_REGION_NAMES_END\n"
	if err := errors.Join(os.WriteFile(file, []byte(text), 0o600), os.WriteFile(bad, []byte("SCOREP_REGION_NAMES_BEGIN\nEXCLUDE [a\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	output(t, "record", "-q", "-o", run, "--budget", "8M", "--filter", file, program, "threads")
	if n := told(t, run, "calls"); n != 40 {
		t.Errorf("%v calls", n)
	}
	t.Setenv("PANDO_FILTER", file)
	output(t, "record", "-q", "-f", "-o", run, "--budget", "8M", program, "threads")
	if n := told(t, run, "calls"); n != 40 {
		t.Errorf("%v calls by the variable", n)
	}
	for filter, says := range map[string]string{
		bad:                                "rules, line 2: ",
		filepath.Join(dir, "none.filt"):    "no such file",
		strings.Repeat("!a_function;", 99): "a filter of 1188 bytes; it may have 1023",
	} {
		if _, said, code := pando("record", "-f", "-o", run, "--filter", filter, program, "exit"); code == exitOK || !strings.Contains(said, says) {
			t.Errorf("%s: code %d, %s", filter, code, said)
		}
	}
}

// The exit code is that of the program, and the signals that pando gets are the program's.
func TestRecordEndsLikeTheProgram(t *testing.T) {
	program, dir := recording(t), t.TempDir()
	for name, c := range map[string]struct {
		script, says string
		code         int
		recorded     bool
	}{
		"fails":         {"$0 exit; exit 7", "exit status 7", 7, true},
		"large code":    {"$0 exit; exit 200", "exit status 200", 200, true},
		"killed":        {"$0 exit; kill -9 $$", "signal: killed", 137, true},
		"records not":   {"exit 0", "recorded nothing", exitBad, false},
		"fails at once": {"exit 7", "exit status 7", 7, false},
		"signal":        {`trap "exit 9" TERM; $0 exit; kill -TERM $PPID; while :; do sleep 0.01; done`, "exit status 9", 9, true},
		"user's signal": {`trap "exit 5" USR1; $0 exit; kill -USR1 $PPID; while :; do sleep 0.01; done`, "exit status 5", 5, true},
	} {
		run := filepath.Join(dir, name+".pando")
		_, said, code := pando("record", "-o", run, "--budget", "1M", "--", "sh", "-c", c.script, program)
		_, err := os.Stat(run)
		if code != c.code || !strings.Contains(said, c.says) || err == nil != c.recorded {
			t.Errorf("%s: code %d, file: %v, %s", name, code, err, said)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*.d")); left != nil {
			t.Errorf("%s: %v is left", name, left)
		}
	}
	for _, args := range [][]string{{"record", program}, {"record", "-o", filepath.Join(dir, "a.pando")}, {"record", "-o", filepath.Join(dir, "a.pando"), "--last", "soon", program}} {
		if _, _, code := pando(args...); code != exitUsage {
			t.Errorf("%v: code %d", args, code)
		}
	}
	if _, said, code := pando("record", "-o", filepath.Join(dir, "a.pando"), filepath.Join(dir, "none")); code == exitOK || !strings.Contains(said, "none") {
		t.Errorf("a program that is not there: code %d, %s", code, said)
	}
	for _, flag := range []string{"--mpi", "--openmp"} {
		if _, said, code := pando("record", "-o", filepath.Join(dir, "a.pando"), flag, filepath.Join(dir, "none.so"), program, "exit"); code != exitIO || !strings.Contains(said, "none.so") {
			t.Errorf("a library that is not there: code %d, %s", code, said)
		}
	}
}

// An OpenMP program that is not changed, from its command to a trace.
func TestRecordOpenMP(t *testing.T) {
	clang, dir := tracetest.Oracle(t, "clang"), t.TempDir()
	tool, program, run := filepath.Join(dir, "tool.so"), filepath.Join(dir, "threads"), filepath.Join(dir, "run.pando")
	if out, err := exec.Command(clang, "-xc", "-fsyntax-only", "../../recorder/ompt/testdata/has_ompt.c").CombinedOutput(); err != nil {
		t.Skipf("LLVM's OpenMP runtime is not installed: %.200s", out)
	}
	for _, args := range [][]string{{"-shared", "-fPIC", "-O1", "-I../../recorder", "-o", tool, "../../recorder/ompt/pando_ompt.c"}, {"-O1", "-fopenmp", "-o", program, "../../recorder/ompt/testdata/threads.c"}} {
		if out, err := exec.Command(clang, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if out := output(t, "record", "-q", "-o", run, "--openmp", tool, program); out != "448500 15 8\n" {
		t.Errorf("the program says %q", out)
	}
	if counts := output(t, "summary", run, "--columns", "region_name,count", "--format", "csv"); !strings.Contains(counts, "omp task,24\n") || !strings.Contains(counts, "omp parallel,6\n") {
		t.Errorf("calls:\n%s", counts)
	}
}

// An MPI program that is not changed, from its command to a trace.
func TestRecordMPI(t *testing.T) {
	for implementation, run := range map[string][]string{"openmpi": {"--oversubscribe"}, "mpich": nil} {
		t.Run(implementation, func(t *testing.T) {
			compiler, launcher := tracetest.Oracle(t, "mpicc."+implementation), tracetest.Oracle(t, "mpirun."+implementation)
			dir := t.TempDir()
			source, library, program := filepath.Join(dir, "pando_mpi.c"), filepath.Join(dir, "lib.so"), filepath.Join(dir, "ring")
			text, err := exec.Command("go", "run", "../../recorder/mpi").Output()
			if err == nil {
				err = os.WriteFile(source, text, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{{"-shared", "-fPIC", "-O1", "-o", library, source}, {"-O1", "-rdynamic", "-I../../recorder", "-o", program, "../../recorder/mpi/testdata/ring.c"}} {
				if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
			}
			t.Setenv("OMPI_ALLOW_RUN_AS_ROOT", "1")
			t.Setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
			file := filepath.Join(dir, "run.pando")
			output(t, append(append([]string{"record", "-o", file, "--budget", "4M", "--mpi", library, "--", launcher}, run...), "-n", "4", program, "ring")...)
			if n := told(t, file, "messages"); n != 4*300 {
				t.Errorf("%v messages", n)
			}
		})
	}
}

// Other calls than the shortest ones may go first: sums are those of all calls all the same, and pando says which calls are missing.
func TestRecordReduces(t *testing.T) {
	program, dir := recording(t), t.TempDir()
	sums := func(file string) string {
		return output(t, "summary", file, "--columns", "region,count", "--sort", "count", "--format", "csv")
	}
	all := filepath.Join(dir, "all.pando")
	output(t, "record", "-q", "-o", all, "--budget", "16M", program, "threads")
	for by, says := range map[string]string{
		"level":             "calls inside others without events inside",
		"class:none; inner": "calls of the regions of the 2 classes that went first, without events inside",
		"occurrence":        "calls of a region from number ",
	} {
		run := filepath.Join(dir, strings.ReplaceAll(by[:5], ":", "")+".pando")
		_, said, code := pando("record", "-o", run, "--budget", "2M", "--reduce", by, program, "threads")
		if code != exitOK || !strings.Contains(said, says) || strings.Contains(said, "classes:") {
			t.Errorf("%s: code %d, %s", by, code, said)
		}
		if kept := told(t, run, "calls"); kept < 40 || kept >= 40*1001 {
			t.Errorf("%s: %v calls", by, kept)
		}
		if got, want := sums(run), sums(all); got != want {
			t.Errorf("%s: sums of\n%s\nnot of\n%s", by, got, want)
		}
		if out := output(t, "info", run); !strings.Contains(out, says) {
			t.Errorf("%s: info says\n%s", by, out)
		}
		output(t, "verify", run)
		reason := map[string]string{"l": "level", "c": "class", "o": "later"}[by[:1]]
		json, text, _ := pando("export", run, "-o", "-", "--format", "chrome")
		if name := "pando.calls_left_out." + reason; !strings.Contains(json, `"`+name+`":`) || !strings.Contains(text, says) || !strings.Contains(text, name) {
			t.Errorf("%s: export says %s, and %.300s", by, text, json)
		}
		otf2 := strings.TrimSuffix(run, ".pando") + "-archive.otf2"
		output(t, "convert", run, otf2)
		output(t, "convert", otf2, run+".again.pando")
		if out := output(t, "info", run+".again.pando"); !strings.Contains(out, "PANDO::CALLS_LEFT_OUT::"+strings.ToUpper(reason)) {
			t.Errorf("%s: the archive says nothing of calls that were left out:\n%s", by, out)
		}
	}
	for _, by := range []string{"size", "class:", "class:paradigm:none", "class:" + strings.Repeat("a;", 17)} {
		if _, said, code := pando("record", "-o", filepath.Join(dir, "no.pando"), "--reduce", by, program, "exit"); code != exitUsage || !strings.Contains(said, "--reduce") {
			t.Errorf("%s: code %d, %s", by, code, said)
		}
	}
}

// Of phases, some stand for the others: sums have all, and pando says how many are not there.
func TestRecordPhases(t *testing.T) {
	program, dir := recording(t), t.TempDir()
	run, all := filepath.Join(dir, "run.pando"), filepath.Join(dir, "all.pando")
	output(t, "record", "-q", "-o", all, "--budget", "16M", program, "threads")
	_, said, code := pando("record", "-o", run, "--budget", "16M", "--phases", "in?er=every:300", program, "threads")
	for _, says := range []string{"pando: 39840 phases with 0 messages and other events were left out", "pando: calls and events in loop phases, of which at least one in 300 was recorded, were left out"} {
		if code != exitOK || !strings.Contains(said, says) {
			t.Errorf("code %d: says not %q\n%s", code, says, said)
		}
	}
	if n := told(t, run, "calls"); n != 40*(1+4) {
		t.Errorf("%v calls", n)
	}
	sums := func(file string) string {
		return output(t, "summary", file, "--columns", "region,count", "--sort", "count", "--format", "csv")
	}
	if got, want := sums(run), sums(all); got != want {
		t.Errorf("sums of\n%s\nnot of\n%s", got, want)
	}
	if out := output(t, "info", run); !strings.Contains(out, "in?er=every:300") || !strings.Contains(out, "at least one in 300") {
		t.Errorf("info says\n%s", out)
	}
	output(t, "verify", run)
	for _, phases := range []string{"inner", "inner=every:0", "=every:3", "inner=every:x", strings.Repeat("a=every:2;", 16)} {
		if _, said, code := pando("record", "-o", filepath.Join(dir, "no.pando"), "--phases", phases, program, "exit"); code != exitUsage || !strings.Contains(said, "--phases") {
			t.Errorf("%s: code %d, %s", phases, code, said)
		}
	}
}
