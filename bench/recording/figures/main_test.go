package main

import (
	"os"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/tracetest"
)

// The command measures all that it says, and a budget in which nothing is given up keeps all of the time.
func TestFigures(t *testing.T) {
	tracetest.Oracle(t, "gcc")
	if _, err := os.Stat("/usr/include/otf2/otf2.h"); err != nil {
		t.Skip("OTF2's library is not installed (Debian: libopen-trace-format2-dev)")
	}
	t.Chdir("../../..")
	var out strings.Builder
	if err := run(t.Context(), []string{"-batches", "2", "-calls", "21"}, &out); err != nil {
		t.Fatal(err)
	}
	if rows := strings.Count(out.String(), "\n| "); rows != 1+8+6 || strings.Contains(out.String(), " 0.0 |") {
		t.Errorf("%d rows:\n%s", rows, out.String())
	}
	o := &order{work: t.TempDir()}
	replay, err := o.built(t.Context(), "replay")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"amg.8.piece", "ep.S.32"} {
		p, err := load(t.Context(), tracetest.Anchor(t, "otf2."+name), o.work)
		if err != nil || p.calls == 0 {
			t.Fatalf("%d calls, %v", p.calls, err)
		}
		kept, time, err := p.replay(t.Context(), o, replay, 64<<20)
		if err != nil || kept != 1 || time != 1 {
			t.Errorf("%s: %v of the calls and %v of the time are kept, %v", name, kept, time, err)
		}
	}
}
