package record

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pandotrace/pando/trace"
)

// Locations that record meanwhile are paused and resumed, each tells so, and what is recorded stays whole.
func TestSteeredMeanwhile(t *testing.T) {
	r, err := Start(t.TempDir(), Options{Budget: 8 << 20})
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	done := make(chan struct{})
	const workers, pauses = 4, 10
	for i := range workers {
		group.Go(func() { work(r, fmt.Sprint("worker ", i), done) })
	}
	// untilPaused waits until a number of workers have told that they are paused.
	untilPaused := func(n int) {
		paused := func() int { r.control.mu.Lock(); defer r.control.mu.Unlock(); return r.control.untold }
		for begin := time.Now(); paused() != n && time.Since(begin) < 10*time.Second; {
			time.Sleep(time.Millisecond)
		}
	}
	for i := range pauses {
		r.Pause()
		if time.Sleep(time.Millisecond); i == 0 {
			untilPaused(workers) // some may not have run meanwhile
		}
		if !r.Paused() {
			t.Error("it is not paused")
		}
		r.Resume()
		if err := r.SetFilter([]string{"!1", ""}[i%2]); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
	untilPaused(0)
	if word := atomic.LoadUint32(r.control.attention); word != 0 {
		t.Errorf("when all is as at the begin, attention is %d", word)
	}
	close(done)
	group.Wait()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	locations, _, _ := heldBy(t, r.Path())
	for _, list := range locations[:workers] {
		var calls []happening
		offs, paused := 0, false
		for _, h := range list {
			switch {
			case h.kind != trace.KindMeasurementOnOff:
				calls = append(calls, h)
				if paused && h.kind == trace.KindEnter {
					t.Fatal("a call begins in a pause")
				}
			case (h.words == "[2]") == paused:
				t.Fatal("a location is paused twice, or resumed twice")
			default:
				offs, paused = offs+1, !paused
			}
		}
		if offs == 0 || offs%2 != 0 {
			t.Errorf("%d changes", offs)
		}
		checkNesting(t, calls)
	}
}

func TestFiltersThatDoNotFit(t *testing.T) {
	r, err := Start(t.TempDir(), Options{Budget: minBudget})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, rules := range []string{"!a\x00b", string(make([]byte, maxFilter))} {
		if err := r.SetFilter(rules); err == nil {
			t.Errorf("rules of %d bytes", len(rules))
		}
	}
	long := fmt.Sprintf("!%0*d", maxFilter-2, 0)
	if err := r.SetFilter(long); err != nil {
		t.Error(err)
	}
	if err := r.SetFilter(long + "0"); err == nil {
		t.Error("a byte too much")
	}
}
