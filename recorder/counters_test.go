package recorder_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pandotrace/pando/convert/recording"
	"github.com/pandotrace/pando/record"
	"github.com/pandotrace/pando/trace"
)

// grown says how much counters have grown in the calls of regions, by locations; calls are those whose counters were read.
type grown struct {
	by    map[string]int64 // region, counter
	calls map[string]int
}

// counted reads how much counters have grown in calls: what stands before an enter and before its leave.
func counted(t *testing.T, path string) (locations []grown, modes map[uint64]uint64) {
	t.Helper()
	a, err := recording.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	log, err := a.Definitions(0)
	if err != nil {
		t.Fatal(err)
	}
	defs, modes := trace.NewDefinitions(log), map[uint64]uint64{}
	for id, m := range defs.Members {
		modes[id] = m.Mode
	}
	for _, info := range a.Streams() {
		if info.Class != trace.StreamEvents {
			continue
		}
		s, err := a.Open(info.StreamID)
		if err != nil {
			t.Fatal(err)
		}
		g := grown{map[string]int64{}, map[string]int{}}
		now := map[string]int64{}
		var open []map[string]int64
		var b trace.Batch
		for {
			if err := s.Next(&b, 1000); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			for i, k := range b.Kinds {
				switch w := b.Fields(i); k {
				case trace.KindMetric:
					now[defs.Name(trace.SpaceMetricMember, w[0])] = int64(w[3])
				case trace.KindEnter:
					before := map[string]int64{}
					for name, v := range now {
						before[name] = v
					}
					open = append(open, before)
				case trace.KindLeave:
					region := defs.RegionName(w[0])
					for name, v := range now {
						g.by[region+" "+name] += v - open[len(open)-1][name]
					}
					open = open[:len(open)-1]
					g.calls[region]++
				}
			}
		}
		locations = append(locations, g)
	}
	return locations, modes
}

// Counters of the kernel say of each thread what the program is known to do.
func TestCounters(t *testing.T) {
	if err := record.CheckCounters("task-clock,page-faults,context-switches"); err != nil {
		t.Skip(err)
	}
	program := built(t, "gcc", "counters", "-std=c99", "-D_GNU_SOURCE", "testdata/counters.c")
	dir := filepath.Join(t.TempDir(), "run.d")
	cmd := command(t, dir, program)
	cmd.Env = append(cmd.Env, "PANDO_COUNTERS=task-clock, page-faults,context-switches", "PANDO_FILTER=!hidden")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	path := filepath.Join(dir, "0.pandorec")
	list, modes := counted(t, path)
	if len(list) != 2 || len(modes) != 3 {
		t.Fatalf("%d locations, modes %v", len(list), modes)
	}
	for id, mode := range modes {
		if mode != 0 { // accumulated, since the begin
			t.Errorf("metric %d has mode %d", id, mode)
		}
	}
	main, second := list[0].by, list[1].by
	for _, l := range list {
		if ms := l.by["burn task-clock"] / 1e6; ms < 58 || ms > 70 {
			t.Errorf("burning 60 ms took %d ms of processor time", ms)
		}
	}
	if n := main["touch page-faults"]; n < 200 || n > 210 {
		t.Errorf("%d page faults of 200 pages", n)
	}
	if n := main["idle context-switches"]; n < 20 || n > 40 {
		t.Errorf("%d switches in 20 waits", n)
	}
	if ms := main["idle task-clock"] / 1e6; ms > 10 {
		t.Errorf("waiting took %d ms of processor time", ms)
	}
	if n := second["burn page-faults"]; n > 10 || list[0].calls["hidden"] != 0 {
		t.Errorf("%d page faults, %d calls that are filtered out", n, list[0].calls["hidden"])
	}
	h := read(t, path)
	if h.profiled["hidden"] != 100 {
		t.Errorf("%d calls of hidden in the profile", h.profiled["hidden"])
	}
}

// Names that are none, counters that the machine has not, and those that the kernel forbids are refused, alike in C and Go.
func TestCountersRefused(t *testing.T) {
	program := built(t, "gcc", "counters", "-std=c99", "-D_GNU_SOURCE", "testdata/counters.c")
	for names, says := range map[string]string{
		"page-fault":                       "counter page-fault",
		"r":                                "counter r",
		"rx":                               "counter rx",
		strings.Repeat("page-faults,", 9):  "there may be 8 counters",
		strings.Repeat("x", 60):            "counter xxx",
		"instructions":                     "counter instructions: this machine has none",
		"page-faults,instructions,r01c0":   "this machine has none",
		"page-faults,,  ,context-switches": "",
	} {
		cmd := command(t, filepath.Join(t.TempDir(), "run.d"), program)
		cmd.Env = append(cmd.Env, "PANDO_COUNTERS="+names)
		out, err := cmd.CombinedOutput()
		in := record.CheckCounters(names)
		if strings.Contains(says, "machine") && err == nil && in == nil {
			continue // it has them
		}
		if (err == nil) != (says == "") || !strings.Contains(string(out), says) {
			t.Errorf("%q: %v, %s", names, err, out)
		}
		if (in == nil) != (says == "") {
			t.Errorf("%q: %v in Go", names, in)
		}
	}
}

// Without privileges, switches cannot be counted, and others are those of the program itself.
func TestCountersOfUsers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("another user is tried by root")
	}
	if text, err := os.ReadFile("/proc/sys/kernel/perf_event_paranoid"); err != nil || strings.TrimSpace(string(text)) != "2" {
		t.Skipf("perf_event_paranoid is %s, not 2", text)
	}
	program := built(t, "gcc", "counters", "-std=c99", "-D_GNU_SOURCE", "testdata/counters.c")
	dir := t.TempDir()
	copied := filepath.Join(dir, "counters")
	text, err := os.ReadFile(program)
	if err == nil {
		err = os.WriteFile(copied, text, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	for d := dir; d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
		os.Chmod(d, 0o777)
	}
	run := func(names string) (string, error) {
		cmd := exec.Command(copied)
		cmd.Env = append(os.Environ(), "PANDO_DIR="+filepath.Join(dir, names), "PANDO_BUDGET=4M", "PANDO_COUNTERS="+names)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run("page-faults,context-switches"); err == nil || !strings.Contains(out, "counter context-switches: the kernel forbids it, see /proc/sys/kernel/perf_event_paranoid") {
		t.Errorf("%v, %s", err, out)
	}
	if out, err := run("page-faults"); err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	if list, _ := counted(t, filepath.Join(dir, "page-faults", "0.pandorec")); list[0].by["touch page-faults:u"] < 200 {
		t.Errorf("%v", list[0].by)
	}
}
