package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/pandotrace/pando/internal/report"
)

// TestFlippedByteIsToldOnce flips a byte at places all over a file, and all over the directory at its end: each is one problem, whether or not
// several checks meet it.
func TestFlippedByteIsToldOnce(t *testing.T) {
	whole, err := os.ReadFile(converted(t, "otf2.mg.S.8.snapmark"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "bad.pando")
	const apart, directory, apartThere = 800, 900, 29
	for at := 0; at < len(whole); {
		whole[at] ^= 0x41
		if err := os.WriteFile(path, whole, 0o666); err != nil {
			t.Fatal(err)
		}
		whole[at] ^= 0x41
		stdout, stderr, code := pando("verify", path, "--json")
		var verdict report.Verdict
		if err := json.Unmarshal([]byte(stdout), &verdict); err != nil {
			t.Fatal(err)
		}
		if code != exitBad || len(verdict.Problems) != 1 {
			t.Errorf("byte %d of %d: exit code %d, %s%s", at, len(whole), code, stdout, stderr)
		}
		if at += apartThere; at < len(whole)-directory {
			at += apart - apartThere
		}
	}
}
