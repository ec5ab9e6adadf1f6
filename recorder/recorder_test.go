package recorder_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pandotrace/pando/convert/recording"
	"github.com/pandotrace/pando/convert/recording/live"
	"github.com/pandotrace/pando/recorder"
	"github.com/pandotrace/pando/trace"
)

// programs is the folder of what is compiled, once for all tests.
var programs string

func TestMain(m *testing.M) {
	var err error
	if programs, err = os.MkdirTemp("", "pando-recorder-"); err != nil {
		panic(err)
	}
	status := m.Run()
	os.RemoveAll(programs)
	os.Exit(status)
}

// built compiles a program; a compiler that is not there skips the test.
func built(t testing.TB, compiler, name string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath(compiler)
	if err != nil {
		t.Skipf("%s is not installed", compiler)
	}
	program := filepath.Join(programs, name)
	if _, err := os.Stat(program); err == nil {
		return program
	}
	flags := []string{"-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", ".", "-o", program, "-pthread"}
	if out, err := exec.Command(path, slices.Concat(flags, args)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// life compiles the program that lives in many ways: strictly, of two files.
func life(t *testing.T) string {
	t.Helper()
	return built(t, "gcc", "life", "-std=c99", "-D_GNU_SOURCE", "testdata/life.c", "testdata/other.c")
}

// command runs a program that records into a folder.
func command(t testing.TB, dir, program string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "PANDO_DIR="+dir, "PANDO_BUDGET=8M")
	return cmd
}

// done runs it to its end, and returns what is in its recording.
func done(t *testing.T, program string, args ...string) *held {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run.d")
	if out, err := command(t, dir, program, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return read(t, filepath.Join(dir, "0.pandorec"))
}

// held is what a recording holds.
type held struct {
	entered, left map[string]int
	profiled      map[string]int
	kinds         map[trace.Kind]int // of all records
	locations     []string
	warnings      string
	loss          *trace.Loss
	paused        int // how often recording was paused
}

func read(t *testing.T, path string) *held {
	t.Helper()
	a, err := recording.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	h := &held{entered: map[string]int{}, left: map[string]int{}, profiled: map[string]int{}, kinds: map[trace.Kind]int{}}
	log, err := a.Definitions(0)
	if err != nil {
		t.Fatal(err)
	}
	definitions := trace.NewDefinitions(log)
	for _, l := range definitions.Locations {
		h.locations = append(h.locations, definitions.Name(trace.SpaceLocation, l.ID))
	}
	for _, info := range a.Streams() {
		h.stream(t, a, info, definitions.RegionName)
	}
	h.warnings, h.loss = fmt.Sprint(a.Warnings()), a.Meta().Loss
	return h
}

func (h *held) stream(t *testing.T, a trace.Source, info trace.StreamInfo, name func(uint64) string) {
	t.Helper()
	s, err := a.Open(info.StreamID)
	if err != nil {
		t.Fatal(err)
	}
	var b trace.Batch
	for {
		if err := s.Next(&b, 1000); err == io.EOF {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		for i, k := range b.Kinds {
			h.kinds[k]++
			w := b.Fields(i)
			switch {
			case info.Class == trace.StreamStatistics:
				h.profiled[name(w[0])] += int(w[1])
			case k == trace.KindEnter:
				h.entered[name(w[0])]++
			case k == trace.KindMeasurementOnOff && w[0] == 2:
				h.paused++
			case k == trace.KindLeave:
				h.left[name(w[0])]++
			}
		}
	}
}

// has wants all calls of a region: recorded, ended, and in the profile.
func (h *held) has(t *testing.T, region string, calls int) {
	t.Helper()
	if h.entered[region] != calls || h.left[region] != calls || h.profiled[region] != calls {
		t.Errorf("%d calls of %s were entered, %d left, %d are in the profile, not %d", h.entered[region], region, h.left[region], h.profiled[region], calls)
	}
}

func TestThreads(t *testing.T) {
	h := done(t, life(t), "threads")
	h.has(t, "outer", 40)
	h.has(t, "inner", 40_000)
	if len(h.locations) != 40 {
		t.Errorf("%d locations: %v", len(h.locations), h.locations)
	}
}

func TestChildRecordsNothing(t *testing.T) {
	h := done(t, life(t), "child")
	h.has(t, "outer", 1)
	h.has(t, "inner", 1000)
}

// A handler that comes in between another event is counted as lost; all others are recorded.
func TestSignals(t *testing.T) {
	h := done(t, life(t), "signals")
	if n := h.entered["handler"]; n == 0 || n != h.left["handler"] || n != h.profiled["handler"] || n > 500+1000 {
		t.Errorf("%d calls of the handler, %d left, %d in the profile", n, h.left["handler"], h.profiled["handler"])
	}
	if n := h.entered["inner"]; n == 0 || n%1000 != 0 {
		t.Errorf("%d calls, which come in thousands", n)
	}
}

func TestEnds(t *testing.T) {
	program := life(t)
	for way, want := range map[string]int{"exit": 5, "quick_exit": 5, "_exit": 5, "exec": 5, "closed": 5, "files": 1} {
		h := done(t, program, way)
		h.has(t, "inner", want)
		if open := way == "_exit" || way == "exec"; open != (h.warnings != "[]") {
			t.Errorf("%s: warnings %s", way, h.warnings)
		}
		if way == "files" {
			h.has(t, "elsewhere", 1)
		}
	}
}

func TestOddPrograms(t *testing.T) {
	h := done(t, life(t), "odd")
	h.has(t, "inner", 256)
	if h.entered["outer"] != 1 || h.left["outer"] != 0 {
		t.Errorf("the open call was entered %d times and left %d times", h.entered["outer"], h.left["outer"])
	}
	for _, what := range []string{"2 ", "44 "} { // leaves without an enter, calls that were too deep
		if !strings.Contains(h.warnings, what) {
			t.Errorf("warnings %s lack %q", h.warnings, what)
		}
	}
}

// Whatever moment a program is killed at, nothing is lost that had left its call. Every third program is paused, resumed and filtered meanwhile, which leaves calls out, but not out of the profile.
func TestKilled(t *testing.T) {
	program, kills, all, whole, paused := life(t), 12, 0, 0, 0
	if os.Getenv("PANDO_SOAK") != "" {
		kills = 1000
	}
	for i := 0; i < kills || paused == 0 && i < 10*kills; i++ { // a machine that does much else may see no request in time
		dir := filepath.Join(t.TempDir(), "run.d")
		after := time.Duration(i%10) * time.Millisecond
		if i%3 == 2 {
			after += 30 * time.Millisecond * time.Duration(1+i/kills) // for some requests
		}
		steered, stop := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(steered)
			steer(dir, i%3 == 2, stop)
		}()
		said := killed(t, command(t, dir, program, "forever"), after)
		close(stop)
		<-steered
		h := read(t, filepath.Join(dir, "0.pandorec"))
		entered, left, profiled := h.entered["inner"], h.left["inner"], h.profiled["inner"]
		if h.loss == nil { // nothing was given up, or left out
			whole++
			if left < said || profiled != left && profiled != left+1 {
				t.Fatalf("%d calls had left; %d left in the trace, %d are in the profile", said, left, profiled)
			}
		}
		paused += h.paused
		// Of the calls that are said to have left, the shortest may be given up, but not left out of the profile.
		if profiled < said || h.entered["outer"] != 1 && (h.paused == 0 || h.entered["outer"] != 0) || h.left["outer"] != 0 || entered != left && entered != left+1 || left > profiled {
			t.Fatalf("%d calls had left; %d were entered and %d left, %d are in the profile", said, entered, left, profiled)
		}
		all += said
		os.RemoveAll(dir)
	}
	if all == 0 || whole == 0 || paused == 0 {
		t.Errorf("%d calls, %d whole recordings, %d pauses", all, whole, paused)
	}
}

// steer asks the program of a folder for all that it can do, again and again, if it is to.
func steer(dir string, on bool, stop chan struct{}) {
	none, rules := "", "!inner"
	for i := 0; on; i++ {
		select {
		case <-stop:
			return
		default:
		}
		request := []live.Request{{Pause: true}, {Resume: true}, {Filter: &rules}, {Filter: &none}}[i%4]
		if list, err := live.Find(dir); err == nil { // it has begun
			ctx, end := context.WithTimeout(context.Background(), 2*time.Millisecond)
			live.Ask(ctx, list[0], request) // an error says that it was killed
			end()
		}
	}
}

// killed kills a program some time after its first line, and returns its last one.
func killed(t *testing.T, cmd *exec.Cmd, after time.Duration) (said int) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for begin := time.Now(); lines.Scan(); {
		if said, err = strconv.Atoi(lines.Text()); err != nil {
			t.Fatal(err)
		}
		if time.Since(begin) >= after {
			cmd.Process.Kill()
		}
	}
	cmd.Wait()
	return said
}

// Without memory for the recording, it does not start, and the reason is said.
func TestNoMemory(t *testing.T) {
	program := life(t)
	cmd := command(t, filepath.Join(t.TempDir(), "run.d"), "sh", "-c", `ulimit -v 300000; exec "$0" exit`, program)
	cmd.Env = append(cmd.Env, "PANDO_BUDGET=1G")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "Cannot allocate memory") {
		t.Errorf("%v, %s", err, out)
	}
}

// A thread that there is no memory for is missing, and the trace says from when on something is. The profile of the other thread goes on.
func TestThreadWithoutMemory(t *testing.T) {
	program, dir := life(t), filepath.Join(t.TempDir(), "run.d")
	if out, err := command(t, dir, program, "memory").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file := filepath.Join(dir, "0.pandorec")
	if h := read(t, file); h.entered["inner"] != 5 || h.profiled["inner"] != 1005 || len(h.locations) != 1 {
		t.Errorf("%d calls, %d in the profile, of %s", h.entered["inner"], h.profiled["inner"], h.locations)
	}
	a, err := recording.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	if p := a.Meta().Properties; !slices.ContainsFunc(p, func(p trace.Property) bool { return p.Name == "recording.to" }) {
		t.Errorf("properties %v", p)
	}
}

// What cannot be recorded is refused, with the reason.
func TestRefused(t *testing.T) {
	program, dir := life(t), t.TempDir()
	full := filepath.Join(dir, "run.d")
	if out, err := command(t, full, program, "exit").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, c := range map[string]struct{ dir, variable, message string }{
		"two runs in one folder": {full, "", "File exists"},
		"no folder":              {filepath.Join(full, "0.pandorec", "x"), "", "Not a directory"},
		"a small budget":         {filepath.Join(dir, "a"), "PANDO_BUDGET=1k", "the budget is a size"},
		"a budget that is none":  {filepath.Join(dir, "b"), "PANDO_BUDGET=much", "the budget is a size"},
		"a full disk":            {filepath.Join(dir, "c"), "PANDO_BUDGET=1024G", "No space left"},
		"a mode":                 {filepath.Join(dir, "d"), "PANDO_MODE=all", "the mode is keep, last or stop"},
		"a rank":                 {filepath.Join(dir, "e"), "PANDO_RANKS=2\x00PANDO_RANK=2", "the rank is not below"},
	} {
		cmd := command(t, c.dir, program, "exit")
		cmd.Env = append(cmd.Env, strings.Split(c.variable, "\x00")...)
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), c.message) {
			t.Errorf("%s: %v, %s", name, err, out)
		}
	}
}

func TestScopes(t *testing.T) {
	h := done(t, built(t, "g++", "scope", "-std=c++11", "testdata/scope.cc"))
	h.has(t, "inside", 2) // one of them is left by an exception
	h.has(t, "main", 1)
}

func TestHeader(t *testing.T) {
	file, err := os.ReadFile("pando_record.h")
	if err != nil || string(file) != recorder.Header {
		t.Error("the header is not the file's text")
	}
}
