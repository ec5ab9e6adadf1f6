package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/thrift"
	"github.com/pandotrace/pando/store"
)

const (
	// stopsWithin bounds the work of a verb after a signal: processor time on each processor, which other work on the machine does not lengthen.
	stopsWithin = 50 * time.Millisecond
	// working is the processor time after which a verb is interrupted.
	working = 30 * time.Millisecond
	// clockTick is the unit of times in /proc/PID/stat.
	clockTick = 10 * time.Millisecond
)

// shortOrForOthers are the verbs that have no long work, those whose work ends with the requests of others, and the one that passes signals on.
var shortOrForOthers = []string{"completion", "annotations", "formats", "schema", "help", "version", "serve", "view", "record"}

// A verb that is interrupted in its work stops within 50 ms. Those that write remove what they were at and end with exit code 130; the signal
// ends the others.
func TestEveryVerbStops(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("processor time of other processes is read in /proc")
	}
	dir := t.TempDir()
	large, torn, at := filepath.Join(dir, "large.pando"), filepath.Join(dir, "torn.pando"), func(name string) string { return filepath.Join(dir, name) }
	largeFile(t, large, torn)
	first, second := at("first.pando"), at("second.pando")
	output(t, "convert", large, first, "--to", "50%")
	output(t, "convert", large, second, "--from", "50%")
	lines := map[string][]string{
		"convert":           {"convert", large, at("a.pando")},
		"convert to OTF2":   {"convert", large, at("a.otf2")},
		"convert to Chrome": {"convert", large, at("a.json")},
		"convert a part":    {"convert", large, at("b.pando"), "--from", "10%", "--to", "90%"},
		"window":            {"window", large},
		"window, JSON":      {"window", large, "--json"},
		"events":            {"window", large, "--events"},
		"cat":               {"cat", large},
		"find":              {"find", large, "--after", "0", "--limit", "100000"},
		"longest calls":     {"find", large, "--longest", "5"},
		"verify":            {"verify", large},
		"verify --deep":     {"verify", large, "--deep"},
		"info --bytes":      {"info", large, "--bytes"},
		"info --compaction": {"info", large, "--compaction"},
		"diff":              {"diff", large, large},
		"diff --program":    {"diff", large, large, "--program"},
		"compare":           {"compare", first, second},
		"compare --tables":  {"compare", first, second, "--tables", "aligned_calls", "-o", at("a.parquet")},
		"compare -o":        {"compare", first, second, "-o", at("d.png")},
		"compare alike":     {"compare", first, second, "--similarity"},
		"cluster":           {"cluster", large, "--by", "messages"},
		"tree":              {"tree", first, second},
		"merge":             {"merge", large, large, "-o", at("m.pando")},
		"concat":            {"concat", first, second, "-o", at("c.pando")},
		"recover":           {"recover", torn, at("r.pando")},
		"export":            {"export", large, "--format", "csv", "-o", at("tables")},
		"summary":           {"summary", large, "--from", "10%", "--to", "90%", "--by", "callpath"},
		"timeline":          {"timeline", large, "-o", at("t.png")},
		"timeline, JSON":    {"timeline", large, "--json"},
		"check":             {"check", large},
		"fold":              {"fold", large},
		"hotspots":          {"hotspots", large},
		"hotspots --waits":  {"hotspots", large, "--waits"},
		"critical path":     {"hotspots", large, "--critical-path"},
		"patterns":          {"patterns", large},
		"topologies":        {"topologies", large, "--inferred", "-o", at("p.pando")},
		"query":             {"query", large, "calls", "--by", "name", "--show", "count(),sum(duration)"},
		"shapes":            {"shapes", large},
		"unusual calls":     {"find", large, "--unusual", "5"},
		"cluster by tree":   {"cluster", large, "--by", "tree"},
		"stack":             {"stack", large, "--at", "50%", "--location", "3"},
	}
	for _, c := range newRoot().Commands() {
		if name := c.Name(); c.Runnable() && !slices.Contains(shortOrForOthers, name) && !slices.ContainsFunc(slices.Collect(maps.Values(lines)), func(l []string) bool { return l[0] == name }) {
			t.Errorf("the verb %s is not tested", name)
		}
	}
	stopped := 0
	for name, args := range lines {
		t.Run(name, func(t *testing.T) {
			if interrupted(t, args) {
				stopped++
			}
		})
	}
	if stopped < len(lines)/3 {
		t.Errorf("%d verbs were at work when they were interrupted: this tests little", stopped)
	}
}

// largeFile writes a file on which each verb has work for some tenths of a second, and the same without its end.
func largeFile(t *testing.T, whole, torn string) {
	t.Helper()
	src := tracegen.Ring(8, thrift.Of(2500, 25_000), 1)
	w, err := store.Create(context.Background(), whole, src.Meta(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(store.Copy(t.Context(), w, src, nil), w.Close()); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(torn, file[:len(file)-len(file)/10], 0o600); err != nil {
		t.Fatal(err)
	}
}

// interrupted runs a verb, interrupts it when it has worked for a while, and looks at what it does after that. It returns false if the verb was
// done before.
func interrupted(t *testing.T, args []string) bool {
	cmd, text := start(t, args...)
	for processorTime(cmd.Process.Pid) < working {
		if s := state(cmd.Process.Pid); s == "Z" || s == "" {
			if got := wait(cmd, text); got.code != exitOK {
				t.Errorf("exit code %d, %s", got.code, got.stderr)
			}
			t.Logf("done after %v of processor time", cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
			return false
		}
		time.Sleep(time.Millisecond)
	}
	before, since := processorTime(cmd.Process.Pid), time.Now()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	got := wait(cmd, text)
	took := time.Since(since)
	after := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime() - before
	t.Logf("stopped after %v, %v of processor time", took, after)
	// before is rounded down, user and system time each.
	if most := stopsWithin*time.Duration(runtime.GOMAXPROCS(0)) + 2*clockTick; after > most {
		t.Errorf("worked for %v after it was interrupted, more than %v", after, most)
	}
	status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
	killed := status.Signaled() && status.Signal() == syscall.SIGINT
	if got.code == exitOK { // the signal came when all was done
		return false
	}
	if got.code != exitInterrupted && !killed {
		t.Errorf("exit code %d, %s", got.code, got.stderr)
	}
	return true
}

// processorTime returns the processor time of a process so far, its threads together.
func processorTime(pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), ") ") // behind the name
	fields, sum := strings.Fields(rest), time.Duration(0)
	for _, i := range []int{11, 12} { // utime, stime
		if i < len(fields) {
			n, _ := strconv.Atoi(fields[i])
			sum += time.Duration(n) * clockTick
		}
	}
	return sum
}
