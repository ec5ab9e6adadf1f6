package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pandotrace/pando/convert/recording"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/record"
	"github.com/pandotrace/pando/trace"
)

// Both readers read runs alike whose ranks send messages to each other at random, pause, and leave phases out: each finds the messages of which an end is missing in its own way.
func TestMessagesInPython(t *testing.T) {
	python := tracetest.Oracle(t, "python3")
	seed, dropping, old := rand.Uint64(), 0, 0
	for i := range uint64(30) {
		dir := t.TempDir()
		opt, least := record.Options{Budget: 256 << 10, Phases: "step=every:2"}, 50
		if i%6 == 0 {
			opt, least = record.Options{Budget: 128 << 10, Mode: record.Last}, 20_000
		}
		paths := talking(t, dir, rand.New(rand.NewPCG(seed, i)), opt, least)
		want := shown(t, paths)
		if a, err := recording.Open(paths...); err != nil {
			t.Fatal(err)
		} else {
			has := func(name string) int {
				return len(slices.DeleteFunc(slices.Clone(a.Meta().Properties), func(p trace.Property) bool { return p.Name != name }))
			}
			dropping, old = dropping+has("recording.left_out_partners"), old+has("recording.from")
		}
		args := []string{"../reader.py", "../../v1/registry.md"}
		for _, path := range paths {
			args = append(args, compressed(t, path))
		}
		if out, err := exec.Command(python, args...).CombinedOutput(); err != nil || string(out) != want {
			t.Fatalf("seed %d, %d: Python reads %v\n%s, and Go\n%s", seed, i, err, out, want)
		}
	}
	if dropping < 5 || old == 0 {
		t.Errorf("seed %d: only %d runs have ends whose other end is missing, %d have given up old events", seed, dropping, old)
	}
}

// talking records a run of three ranks, in a communicator whose order is another one, too.
func talking(t *testing.T, dir string, rng *rand.Rand, opt record.Options, least int) (paths []string) {
	t.Helper()
	const ranks = 3
	var recorders [ranks]*record.Recorder
	var locations [ranks]*record.Location
	members := []int{2, 0, 1}
	for rank := range ranks {
		opt.Rank, opt.Ranks, opt.Run = rank, ranks, 3
		r, err := record.Start(dir, opt)
		if err != nil {
			t.Fatal(err)
		}
		r.Comm(4, "turned", members)
		recorders[rank], locations[rank] = r, r.Location("main")
	}
	id := uint64(0)
	open := [ranks]bool{}
	for range least + rng.IntN(300) {
		rank, other := rng.IntN(ranks), rng.IntN(ranks)
		comm, to, from := uint64(0), uint64(other), uint64(rank)
		if rng.IntN(3) == 0 {
			comm, to, from = 4, uint64((other+1)%ranks), uint64((rank+1)%ranks) // places among the members
		}
		if rng.IntN(4) == 0 {
			if open[rank] = !open[rank]; open[rank] {
				locations[rank].Enter(recorders[rank].Region("step"))
			} else {
				locations[rank].Leave()
			}
		}
		id++
		switch l := locations[rank]; rng.IntN(9) {
		case 0, 1:
			l.Event(14, to, comm, 1, id)
			locations[other].Event(18, from, comm, 1, id)
		case 2, 3:
			l.Event(15, to, comm, 1, id, id)
			locations[other].Event(17, 10_000+id)
			step(rng, recorders[other], locations[other])
			locations[other].Event(19, from, comm, 1, id, 10_000+id)
			step(rng, recorders[rank], l)
			l.Event(16, id)
		case 4:
			l.Event(17, id)
			step(rng, recorders[rank], l)
			l.Event(21, id)
		case 5:
			l.Event(85, id)
			step(rng, recorders[rank], l)
			l.Event(86, 0, 0, 0xffffffff, 0, 0, id)
		default:
			step(rng, recorders[rank], l)
		}
	}
	for rank, r := range recorders {
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, filepath.Join(dir, fmt.Sprint(rank, ".pandorec")))
	}
	return paths
}

// step makes a phase, or pauses or resumes; a phase may have another one inside.
func step(rng *rand.Rand, r *record.Recorder, l *record.Location) {
	switch p := rng.IntN(6); {
	case p == 0 && r.Paused():
		r.Resume()
	case p == 0:
		r.Pause()
	case p < 4:
		l.Enter(r.Region("step"))
		if rng.IntN(2) == 0 {
			step(rng, r, l)
		}
		l.Leave()
	}
}

// compressed is a copy of a file for the reader in Python.
func compressed(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(data)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".gz", b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path + ".gz"
}
