package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pandotrace/pando/convert/recording"
	"github.com/pandotrace/pando/convert/recording/live"
	"github.com/pandotrace/pando/trace"
)

// Ranks of an MPI program are paused and resumed from outside, and record nothing in between.
func TestSteered(t *testing.T) {
	for _, m := range implementations {
		t.Run(m.name, func(t *testing.T) {
			lib, program := library(t, m.name, "mpicc", "steered.c", "-D_GNU_SOURCE")
			dir := t.TempDir()
			folder, stop := filepath.Join(dir, "run.d"), filepath.Join(dir, "stop")
			cmd := launch(t, m.name, "env", "LD_PRELOAD="+lib, program, stop)
			cmd.Env = append(cmd.Env, "PANDO_DIR="+folder, "PANDO_BUDGET=8M")
			cmd.Stderr = os.Stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() {
				cmd.Process.Kill()
				cmd.Wait()
			}()
			recording := func(calls uint64, state live.State) []*live.Process {
				t.Helper()
				for begin := time.Now(); time.Since(begin) < 30*time.Second; time.Sleep(5 * time.Millisecond) {
					list, err := live.Find(folder)
					n := 0
					for _, p := range list {
						if p.Calls > calls && p.State == state {
							n++
						}
					}
					if err == nil && n == ranks {
						return list
					}
				}
				t.Fatalf("%d ranks are not %s", ranks, state)
				return nil
			}
			for i, request := range []live.Request{{Pause: true}, {Resume: true}} {
				list := recording([]uint64{20, 20}[i], []live.State{live.Running, live.Paused}[i])
				for _, p := range list {
					ctx, end := context.WithTimeout(t.Context(), 20*time.Second)
					if done, err := live.Ask(ctx, p, request); !done || err != nil {
						t.Fatalf("%s: %t, %v", p.Name(), done, err)
					}
					end()
				}
				recording(list[0].Calls+20, []live.State{live.Paused, live.Running}[i])
			}
			if err := os.WriteFile(stop, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Fatal(err)
			}
			for _, p := range recording(0, live.Closed) {
				checkPaused(t, p)
			}
		})
	}
}

// checkPaused holds that a rank was paused once, and that no call began meanwhile.
func checkPaused(t *testing.T, p *live.Process) {
	t.Helper()
	a, err := recording.Open(p.Path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := a.Open(a.Streams()[0].StreamID)
	if err != nil {
		t.Fatal(err)
	}
	var b trace.Batch
	changes, calls, paused := 0, uint64(0), false
	for s.Next(&b, 1000) == nil {
		for i, k := range b.Kinds {
			switch {
			case k == trace.KindMeasurementOnOff:
				changes, paused = changes+1, b.Fields(i)[0] == 2
			case k == trace.KindEnter && paused:
				t.Fatalf("%s: a call begins in the pause", p.Name())
			case k == trace.KindEnter:
				calls++
			}
		}
	}
	if changes != 2 || paused || calls == 0 || calls+20 > p.Calls {
		t.Errorf("%s: %d changes, %d calls of %d are kept", p.Name(), changes, calls, p.Calls)
	}
}
