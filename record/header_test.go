package record

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// player compiles the program that plays scripts through the header in C.
func player(t *testing.T) string {
	t.Helper()
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("gcc is not installed: the recorder in C is not compared with this one")
	}
	program := filepath.Join(t.TempDir(), "script")
	cmd := exec.Command(gcc, "-std=gnu99", "-O2", "-Wall", "-Wextra", "-Werror", "-I", "../recorder", "-o", program, "testdata/script.c", "-pthread")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// scripted is a run that is written down.
type scripted struct {
	*run
	script bytes.Buffer
}

func (x *scripted) line(what string, of ...any) {
	fmt.Fprintln(&x.script, append(append([]any{what}, of...), x.clock)...)
}

// unlike are the parts of the head in which two recordings of the same events differ: process, clocks that were compared, end, and program.
var unlike = [][2]int{{atProcess, 4}, {atStartPair, atNoMetrics - atStartPair}, {atUntil, 8}, {atProgram, programSize}}

func masked(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range unlike {
		clear(b[part[0] : part[0]+part[1]])
	}
	return b
}

// The recorder in C and this one write the same bytes, whatever is recorded and given up.
func TestHeaderWritesTheSame(t *testing.T) {
	program, runs, reduced := player(t), 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		seed := rapid.Uint64().Draw(rt, "seed")
		budget := rapid.IntRange(minBudget, 1<<20).Draw(rt, "budget")
		events := rapid.IntRange(0, 30_000).Draw(rt, "events")
		mode := rapid.SampledFrom([]Mode{Keep, Last, Stop}).Draw(rt, "mode")
		sends := rapid.SampledFrom([]float64{0, 0.001, 0.2}).Draw(rt, "sends")
		by := rapid.SampledFrom([]Reduction{Duration, Level, Occurrence, Classes(" region 2", "paradigm:mpi", " *5; paradigm:01")}).Draw(rt, "by")
		phases := rapid.SampledFrom(rhythms).Draw(rt, "phases")
		others := rapid.SampledFrom([]int{0, 125}).Draw(rt, "others") // with 125, some regions have one byte, and some two
		dir := t.TempDir()
		x := &scripted{run: startBehind(t, filepath.Join(dir, "go"), Options{Budget: budget, Mode: mode, By: by, Phases: phases.rules}, others)}
		x.deepest = 250
		x.every = phases.every
		x.note, x.steers = x.line, rapid.SampledFrom([]float64{0, 0.001, 0.02}).Draw(rt, "steers")
		rng := rand.New(rand.NewPCG(seed, 1))
		for range events {
			x.act(rng, sends, 0.05)
		}
		if g := x.r.GivenUp(); g != (GivenUp{}) {
			reduced++
		}
		if err := x.r.Close(); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(program, filepath.Join(dir, "c"), strconv.Itoa(budget), strconv.Itoa(int(mode)), string(by), string(phases.rules), strconv.Itoa(others))
		cmd.Stdin = &x.script
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		ours, other := masked(t, x.r.Path()), masked(t, filepath.Join(dir, "c", "0.pandorec"))
		if len(ours) != len(other) {
			t.Fatalf("%d bytes, not %d", len(other), len(ours))
		}
		for i := range ours {
			if ours[i] != other[i] {
				t.Fatalf("byte %d is %#x, not %#x", i, other[i], ours[i])
			}
		}
	})
	if reduced < runs/10 { // about half of them do
		t.Errorf("only %d runs of %d gave something up", reduced, runs)
	}
}
