package record

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pandotrace/pando/trace"
)

// victim records calls until it is killed, and says after each thousand how many have left.
func victim(dir string) {
	r, err := Start(dir, Options{Budget: 32 << 20})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	outer, inner := r.Region("outer"), r.Region("inner")
	l := r.Location("main")
	l.Enter(outer)
	for n := 1; ; n++ {
		l.Enter(inner)
		l.Leave()
		if n%1000 == 0 {
			fmt.Println(n)
		}
	}
}

func TestMain(m *testing.M) {
	if dir := os.Getenv("PANDO_RECORD_VICTIM"); dir != "" {
		victim(dir)
	}
	os.Exit(m.Run())
}

// Whatever moment a program is killed at, nothing is lost that had left its call.
func TestKilled(t *testing.T) {
	kills := 20
	if os.Getenv("PANDO_SOAK") != "" {
		kills = 1000
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	for i := range kills {
		calls += killOnce(t, self, filepath.Join(t.TempDir(), fmt.Sprint(i)), time.Duration(i%17)*time.Millisecond)
	}
	if calls == 0 {
		t.Error("no program recorded anything")
	}
}

func killOnce(t *testing.T, self, dir string, after time.Duration) int {
	t.Helper()
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "PANDO_RECORD_VICTIM="+dir)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	said := 0
	lines := bufio.NewScanner(out)
	for begin := time.Now(); lines.Scan(); {
		if n, err := strconv.Atoi(lines.Text()); err == nil {
			said = n
		} else {
			t.Fatal(lines.Text())
		}
		if time.Since(begin) >= after {
			cmd.Process.Kill()
		}
	}
	cmd.Wait()
	list, totals, warnings := held(t, filepath.Join(dir, "0.pandorec"))
	os.RemoveAll(dir)
	entered, left := 0, 0
	for _, h := range list {
		switch {
		case h.words == "[0]" && h.kind == trace.KindLeave:
			t.Fatal("a call has ended that is open")
		case h.words == "[1]" && h.kind == trace.KindEnter:
			entered++
		case h.words == "[1]":
			left++
		}
	}
	profiled := int(totals[1][0])
	if left < said || entered != left && entered != left+1 || profiled != left && profiled != left+1 {
		t.Fatalf("%d calls had left; %d were entered and %d left, %d are in the profile", said, entered, left, profiled)
	}
	for _, w := range warnings {
		if !strings.Contains(w.Kind, "killed") && !strings.Contains(w.Kind, "unknown rate") {
			t.Fatalf("warnings: %v", warnings)
		}
	}
	return left
}

// Snapshots are whole traces, whatever goes on meanwhile.
func TestSnapshots(t *testing.T) {
	for _, mode := range []Mode{Keep, Last} {
		dir := t.TempDir()
		r, err := Start(dir, Options{Budget: 1 << 20, Mode: mode})
		if err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		done := make(chan struct{})
		for i := range 3 {
			group.Go(func() { work(r, fmt.Sprint("worker ", i), done) })
		}
		events := 0
		for i := range 6 {
			path := filepath.Join(dir, fmt.Sprint("snapshot", i))
			time.Sleep(5 * time.Millisecond)
			if err := r.Snapshot(path, time.Duration(i%3)*10*time.Millisecond); err != nil {
				t.Fatal(err)
			}
			events += checkSnapshot(t, path)
		}
		if events == 0 { // one of them may have none: when all calls are shorter than what is kept
			t.Errorf("mode %v: all snapshots are empty", mode)
		}
		close(done)
		group.Wait()
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if err := r.Snapshot(filepath.Join(dir, "late"), 0); !errors.Is(err, ErrClosed) {
			t.Errorf("a snapshot of a closed recorder: %v", err)
		}
	}
}

// Locations that begin while a snapshot is taken are in the next one, and not in this one by halves.
func TestSnapshotsOfNewLocations(t *testing.T) {
	dir := t.TempDir()
	r, err := Start(dir, Options{Budget: 32 << 20})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		region := r.Region("0")
		for i := range 150 {
			l := r.Location(fmt.Sprint("location ", i))
			for range 20 {
				l.Enter(region)
				l.Leave()
			}
		}
		close(done)
	})
	for i, going := 0, true; going; i++ {
		select {
		case <-done:
			going = false
		default:
		}
		path := filepath.Join(dir, fmt.Sprint("snapshot", i))
		if err := r.Snapshot(path, 0); err != nil {
			t.Fatal(err)
		}
		checkSnapshot(t, path)
		os.Remove(path)
	}
	group.Wait()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

// work makes each call of a region number one deeper than its caller's.
func work(r *Recorder, name string, done chan struct{}) {
	ctx := With(context.Background(), r.Location(name))
	levels := []Region{r.Region("0"), r.Region("1"), r.Region("2")}
	var call func(level int)
	call = func(level int) {
		defer In(ctx, levels[level]).End()
		for range 7 {
			if level < 2 {
				call(level + 1)
			}
		}
	}
	for {
		select {
		case <-done:
			return
		default:
			call(0)
		}
	}
}

// checkSnapshot holds a snapshot to what work does: regions lie in each other. It returns the number of its events.
func checkSnapshot(t *testing.T, path string) (events int) {
	t.Helper()
	locations, _, a := heldBy(t, path)
	warnings := a.Warnings()
	for _, w := range warnings {
		if !strings.Contains(w.Kind, "killed") {
			t.Errorf("%s: %s", w.Kind, w.Example)
		}
	}
	for _, list := range locations {
		events += len(list)
		checkNesting(t, list)
	}
	return events
}

func checkNesting(t *testing.T, list []happening) {
	t.Helper()
	var open []string
	for _, h := range list {
		switch n := len(open); {
		case h.kind == trace.KindEnter && n > 0 && open[n-1] >= h.words:
			t.Fatalf("region %s in region %s", h.words, open[n-1])
		case h.kind == trace.KindEnter:
			open = append(open, h.words)
		case n == 0 || open[n-1] != h.words:
			t.Fatalf("region %s ends in %v", h.words, open)
		default:
			open = open[:n-1]
		}
	}
}

// What a program does wrong is counted or refused, and harms nothing.
func TestMisuse(t *testing.T) {
	dir := t.TempDir()
	r, err := Start(dir, Options{Budget: minBudget})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Start(dir, Options{}); err == nil {
		t.Error("two runs record into one folder")
	}
	if _, err := Start(t.TempDir(), Options{Budget: 1}); err == nil {
		t.Error("a budget of one byte")
	}
	if _, err := Start(t.TempDir(), Options{Budget: 1 << 40}); err == nil {
		t.Error("more than the disk holds")
	}
	l := r.Location("main")
	l.Leave()
	for range 10_000 {
		l.Enter(r.Region("deep"))
	}
	for range 10_001 {
		l.Leave()
	}
	l.Enter(12345)
	l.Leave()
	for i := range 100 {
		l := r.Location(fmt.Sprint("location ", i)) // more than there is memory for
		l.Enter(0)
		l.Leave()
		l.Leave()
	}
	r.Close()
	l.Enter(0)
	l.Send(World, 1, 2, 3)
	l.Leave()
	list, totals, _ := held(t, r.Path())
	if n := totals[0][0]; n < maxDepth {
		t.Errorf("%d calls in the profile", n)
	}
	if len(list) == 0 {
		t.Error("nothing was recorded")
	}
}

// Regions from 128 on, and from 16,384 on, take longer records.
func TestManyRegions(t *testing.T) {
	r, err := Start(t.TempDir(), Options{Budget: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	l := r.Location("main")
	for i := range 100_000 {
		l.Enter(r.Region(fmt.Sprint("f", i)))
		l.Leave()
	}
	r.Close()
	list, totals, warnings := held(t, r.Path())
	if len(list) != 200_000 || len(totals) != 100_000 || len(warnings) > 0 {
		t.Errorf("%d events, %d regions, warnings %v", len(list), len(totals), warnings)
	}
}
