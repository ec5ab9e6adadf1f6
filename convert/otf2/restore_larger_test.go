package otf2

import (
	"bufio"
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/tracetest"
)

// What otf2-print says of all archives below $PANDO_TRACES, and of those that are made of their Pando files, is the same.
func TestRestoreLarger(t *testing.T) {
	names := tracetest.Larger(t)
	program := tracetest.Oracle(t, "otf2-print")
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			anchor := tracetest.Anchor(t, name)
			again := restored(t, pandoOf(t, anchor), WriteOptions{})
			if strings.Contains(name, "allrecords") { // otf2-print gives up on these
				compareDumps(t, again, anchor)
				return
			}
			a, b := startPrinting(t, program, anchor), startPrinting(t, program, again)
			n := compareLinesOf(t, a.lines, b.lines)
			if err := a.Wait(); err != nil {
				t.Error(err)
			}
			if err := b.Wait(); err != nil {
				t.Error(err)
			}
			t.Logf("%d lines", n)
		})
	}
}

// printing is a run of otf2-print.
type printing struct {
	*exec.Cmd
	lines *bufio.Scanner
}

// startPrinting starts otf2-print in the folder of an anchor, so that the path is no part of what it says.
func startPrinting(t *testing.T, program, anchor string) printing {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, "-A", "-M", "-C", filepath.Base(anchor))
	cmd.Dir = filepath.Dir(anchor)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	p := printing{cmd, bufio.NewScanner(out)}
	p.lines.Buffer(nil, 1<<20)
	return p
}

// compareLinesOf compares lines as they come, and returns their number.
func compareLinesOf(t *testing.T, want, got *bufio.Scanner) (n int) {
	t.Helper()
	for want.Scan() {
		if n++; !got.Scan() || !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Fatalf("line %d: %s, want %s", n, got.Text(), want.Text())
		}
	}
	if got.Scan() || n < 100 {
		t.Errorf("%d lines, then %s", n, got.Text())
	}
	for _, s := range []*bufio.Scanner{want, got} {
		if err := s.Err(); err != nil {
			t.Error(err)
		}
	}
	return n
}
