package align

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/tracetest"
)

// nested returns a tree as JSON has it.
func (t *tree) nested() []any {
	inside := []any{}
	for _, c := range t.inside {
		inside = append(inside, c.nested())
	}
	return []any{t.name, inside}
}

// The edit distance of trees without any restriction, as a library of Python finds it, is never above that of a level, and equal to it for
// some.
func TestUnrestrictedDistance(t *testing.T) {
	if exec.Command(tracetest.Oracle(t, "python3"), "-c", "import zss").Run() != nil {
		t.Skip("no python3 that has zss (PyPI)")
	}
	var input bytes.Buffer
	var trees [][2]*tree
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 3))
		a := randomTree(r, 1+r.IntN(14))
		b := randomTree(r, 1+r.IntN(14))
		if r.IntN(2) == 0 {
			b = changed(r, changed(r, a))
		}
		trees = append(trees, [2]*tree{a, b})
		line, err := json.Marshal([]any{a.nested(), b.nested()})
		if err != nil {
			t.Fatal(err)
		}
		input.Write(append(line, '\n'))
	}
	cmd := exec.Command("python3", "testdata/distance.py")
	cmd.Stdin = &input
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	equal := [2]int{}
	lines := strings.Fields(string(out))
	if len(lines) != len(trees) {
		t.Fatalf("%d distances of %d pairs", len(lines), len(trees))
	}
	for i, line := range lines {
		distance, err := strconv.ParseUint(line, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		for k, level := range []Level{Tree, Wrap} {
			c := costOf(t, level, trees[i][0], trees[i][1])
			if c < distance {
				t.Errorf("pair %d: level %d costs %d, below the distance %d", i, level, c, distance)
			}
			if c == distance {
				equal[k]++
			}
		}
	}
	t.Logf("equal for tree in %d, for wrap in %d of %d pairs", equal[0], equal[1], len(trees))
	if equal[1] < len(trees)/3 || equal[0] > equal[1] {
		t.Errorf("equal for tree in %d, for wrap in %d pairs", equal[0], equal[1])
	}
}
