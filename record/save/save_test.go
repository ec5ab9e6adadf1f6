package save_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/pandotrace/pando/record"
	"github.com/pandotrace/pando/record/save"
	"github.com/pandotrace/pando/store"
)

func ExampleCloseTo() {
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	rec, err := record.Start(filepath.Join(dir, "run.d"), record.Options{Budget: 1 << 20})
	if err != nil {
		log.Fatal(err)
	}
	solve, l := rec.Region("solve"), rec.Location("main")
	for range 3 {
		l.Enter(solve)
		l.Leave()
	}
	file := filepath.Join(dir, "run.pando")
	if err := save.CloseTo(context.Background(), rec, file); err != nil {
		log.Fatal(err)
	}
	r, err := store.Open(context.Background(), file, store.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	fmt.Println(r.Info().Calls, "calls")
	// Output: 3 calls
}

// calls counts the calls in a file, and those that are shorter than a duration.
func calls(t *testing.T, path string) (n uint64) {
	t.Helper()
	r, err := store.Open(t.Context(), path, store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	return r.Info().Calls
}

// Snapshots are files while the program goes on, and leave nothing beside them.
func TestSnapshot(t *testing.T) {
	dir := t.TempDir()
	rec, err := record.Start(filepath.Join(dir, "run.d"), record.Options{Budget: 4 << 20, Mode: record.Last})
	if err != nil {
		t.Fatal(err)
	}
	region, l := rec.Region("step"), rec.Location("main")
	for range 100 {
		l.Enter(region)
		l.Leave()
	}
	early := time.Now()
	time.Sleep(300 * time.Millisecond)
	for range 7 {
		l.Enter(region)
		l.Leave()
	}
	out := t.TempDir()
	for name, c := range map[string]struct {
		last bool
		want uint64
	}{"all": {false, 107}, "last": {true, 7}} {
		path := filepath.Join(out, name)
		last := time.Duration(0)
		if c.last {
			last = time.Since(early) - 20*time.Millisecond // however long this takes: the first calls are older, the others younger
		}
		if err := save.Snapshot(t.Context(), rec, path, last); err != nil {
			t.Fatal(err)
		}
		if n := calls(t, path); n != c.want {
			t.Errorf("%s: %d calls, not %d", name, n, c.want)
		}
	}
	if list, err := os.ReadDir(out); err != nil || len(list) != 2 {
		t.Errorf("%v, %v", list, err)
	}
	done := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				l.Enter(region)
				l.Leave()
			}
		}
	})
	for range 3 {
		if err := save.Snapshot(t.Context(), rec, filepath.Join(out, "all"), 0); err != nil {
			t.Fatal(err)
		}
	}
	close(done)
	group.Wait()
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := save.CloseTo(stopped, rec, filepath.Join(out, "no")); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that is done: %v", err)
	}
	if err := save.CloseTo(t.Context(), rec, filepath.Join(out, "end")); err != nil || calls(t, filepath.Join(out, "end")) == 0 {
		t.Errorf("closed again: %v", err)
	}
	if err := save.Snapshot(t.Context(), rec, filepath.Join(out, "late"), 0); !errors.Is(err, record.ErrClosed) {
		t.Errorf("a snapshot of what was closed: %v", err)
	}
	for _, path := range []string{filepath.Join(out, "none", "x"), filepath.Join(out, "late")} {
		if err := save.CloseTo(t.Context(), rec, path); (err == nil) != (filepath.Base(path) == "late") {
			t.Errorf("%s: %v", path, err)
		}
	}
}
