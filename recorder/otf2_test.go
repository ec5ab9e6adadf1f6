package recorder_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pandotrace/pando/analysis/equal"
	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/convert/recording"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/trace"
)

// plain is a trace without what an archive that OTF2's writer made cannot have: profiles, and the properties of formats.
type plain struct{ trace.Source }

func (p plain) Meta() *trace.Meta {
	m := *p.Source.Meta()
	m.Properties = nil
	return &m
}

func (p plain) Streams() []trace.StreamInfo {
	return slices.DeleteFunc(p.Source.Streams(), func(s trace.StreamInfo) bool { return s.Class == trace.StreamStatistics })
}

// otf2Library is how the linker finds OTF2's library: Debian has another name for it.
func otf2Library(t *testing.T) string {
	t.Helper()
	tracetest.Oracle(t, "gcc")
	for _, library := range []string{"-lotf2", "-lopen-trace-format2"} {
		cmd := exec.Command("gcc", "-xc", "-o", filepath.Join(t.TempDir(), "a.out"), "-", library)
		if cmd.Stdin, _ = os.Open("testdata/has_otf2.c"); cmd.Run() == nil {
			return library
		}
	}
	t.Skip("OTF2's library is not installed (Debian: libopen-trace-format2-dev)")
	return ""
}

// The header and OTF2's own writer make the same trace of the same events: definitions, events, times to the tick.
func TestLikeOTF2(t *testing.T) {
	program := built(t, "gcc", "otf2", "-std=c99", "-D_GNU_SOURCE", "testdata/otf2.c", otf2Library(t))
	var recorded, written []trace.Source
	for seed := range 8 {
		dir := t.TempDir()
		cmd := command(t, filepath.Join(dir, "run.d"), program, filepath.Join(dir, "archive"), fmt.Sprint(seed), fmt.Sprint(1+seed*1500))
		cmd.Env = append(cmd.Env, "PANDO_RANK=0", "PANDO_RANKS=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		a, err := recording.Open(filepath.Join(dir, "run.d", "0.pandorec"))
		if err != nil {
			t.Fatal(err)
		}
		b, err := otf2.Open(filepath.Join(dir, "archive", "trace.otf2"), otf2.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		recorded, written = append(recorded, plain{a}), append(written, plain{b})
	}
	for i, a := range recorded {
		for k, b := range written {
			r, err := equal.Traces(t.Context(), a, b, nil)
			if err != nil {
				t.Fatal(err)
			}
			if r.Equal != (i == k) {
				t.Errorf("seeds %d and %d: equal %v, first difference %+v", i, k, r.Equal, r.FirstPart())
			}
		}
	}
}
