package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pandotrace/pando/bench/hostile/attack"
	"github.com/pandotrace/pando/internal/tracetest"
)

// asProgram makes the test binary behave as the program.
const asProgram = "PANDO_TEST_AS_PROGRAM"

func init() {
	if os.Getenv(asProgram) != "" {
		main()
	}
}

// alone says that a test has a process of its own.
const alone = "PANDO_TEST_ALONE"

// inOwnProcess runs a test in a new process, and reports whether this is that process. Linux counts the memory of the process that starts
// a program as the program's own, and other tests take much.
func inOwnProcess(t *testing.T) bool {
	t.Helper()
	if os.Getenv(alone) != "" {
		return true
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), alone+"=1")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("in a process of its own: %v\n%s", err, out)
	}
	return false
}

// Some inputs of each kind of bench/hostile are answered or refused as they have to be; make soak tries them all.
func TestHostileInputs(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	results, err := attack.Run(attack.Options{
		Program: []string{self}, Env: []string{asProgram + "=1"}, Seed: 1, Share: 0.004, Work: t.TempDir(), Workers: 2,
		Vectors: filepath.Join("..", "..", "spec", "v1", "vectors"),
		Unpack:  func(name string) (string, error) { return tracetest.Dir(t, name), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	inputs := 0
	for _, r := range results {
		inputs += r.Inputs
		for _, w := range r.Wrong {
			t.Errorf("%s, number %d: %s: %s", w.Kind, w.Number, w.Command, w.What)
		}
	}
	if len(results) < 30 || inputs < 60 {
		t.Errorf("only %d inputs of %d kinds", inputs, len(results))
	}
}
