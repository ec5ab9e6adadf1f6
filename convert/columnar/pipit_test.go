package columnar

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/tracetest"
)

// TestPipit lets pandas take the table in Pipit's layout, and finds calls in it as Pipit does.
func TestPipit(t *testing.T) {
	python := ""
	tracetest.Oracle(t, "python3")
	for _, p := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(p, "-c", "import pandas").Run() == nil {
			python = p
			break
		}
	}
	if python == "" {
		t.Skip("no python3 that has pandas")
	}
	r := stored(t, bundled(t, "otf2.patched.mg.S.4.unknown-id"))
	files := export(t, r, Options{Format: CSV, Tables: []string{"pipit"}})
	out, err := exec.Command(python, "testdata/pipit.py", files[0].Path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got, want := strings.TrimSpace(string(out)), integer(r.Info().Calls); got != want {
		t.Errorf("pandas found %s calls, want %s", got, want)
	}
}
