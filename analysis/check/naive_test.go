package check_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/analysis/check"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/trace"
)

// each is what is found, a line for each finding, in order.
func each(r *check.Result) (list []string) {
	for i := range r.Findings {
		f := &r.Findings[i]
		where := fmt.Sprintf("event %d of %d at %d", f.At.Ordinal, f.At.Location, f.At.Time)
		if !f.HasEvent {
			where = definition(f)
		}
		list = append(list, fmt.Sprintf("%v %v %s", f.Code, f.Severity, where))
	}
	slices.Sort(list)
	return list
}

// definition names what a finding without an event is about.
func definition(f *check.Finding) string {
	if id, ok := f.Value("topology"); ok {
		rank, _ := f.Value("rank")
		return fmt.Sprintf("topology %d, rank %d", id, rank)
	}
	if f.Code.Rule() == check.Time {
		local, ok := f.Value("local")
		if !ok {
			local, _ = f.Value("elapsed")
		}
		return fmt.Sprintf("clock of %d, %d", f.At.Location, local)
	}
	if id, ok := f.Value("metric"); ok {
		return fmt.Sprintf("metric %d", id)
	}
	space, _ := f.Value("space")
	id, _ := f.Value("id")
	return fmt.Sprintf("space %d, id %d", space, id)
}

// naively is the same of the model.
func naively(t rapid.TB, src trace.Source) (list []string) {
	t.Helper()
	m, err := model.Load(src)
	if err != nil {
		t.Fatal(err)
	}
	severity := map[string]check.Severity{}
	for c := range check.Codes() {
		severity[c.String()] = c.Severity()
	}
	for _, f := range m.Check() {
		s := severity[f.Code]
		if f.Excused {
			s = check.Note
		}
		list = append(list, fmt.Sprintf("%s %v %s", f.Code, s, f.Where))
	}
	slices.Sort(list)
	return list
}

// result is all that is found.
func result(t rapid.TB, src trace.Source) *check.Result {
	t.Helper()
	r, err := check.Of(context.Background(), src, check.Options{Limit: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// without returns the lines of a list that another one lacks, the first ones.
func without(list, other []string) string {
	left := map[string]int{}
	for _, line := range other {
		left[line]++
	}
	var lines []string
	for _, line := range list {
		if left[line]--; left[line] < 0 && len(lines) < 10 {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// checkNaively compares all findings with those of the naive checker.
func checkNaively(t rapid.TB, src trace.Source) (found int) {
	t.Helper()
	want, got := naively(t, src), each(result(t, src))
	if !slices.Equal(got, want) {
		t.Fatalf("found %d, naively %d\nfound, but not naively:\n%s\nnaively alone:\n%s", len(got), len(want), without(got, want), without(want, got))
	}
	return len(got)
}

func TestNaive(t *testing.T) {
	for _, name := range tracetest.Distinct(t) {
		t.Run(name, func(t *testing.T) { checkNaively(t, open(t, tracetest.Anchor(t, name))) })
	}
}

// The naive checker has a whole trace in memory: that of traces of more events than mostNaive is looked at with PANDO_SOAK. 12 million take 15 GB.
const mostNaive = 4_000_000

func TestNaiveOfLarger(t *testing.T) {
	for _, name := range tracetest.Larger(t) {
		t.Run(name, func(t *testing.T) {
			src := open(t, tracetest.Anchor(t, name))
			events := uint64(0)
			for _, s := range src.Streams() {
				events += s.Records
			}
			if events > mostNaive && os.Getenv("PANDO_SOAK") == "" {
				t.Skipf("%d events, and PANDO_SOAK is not set", events)
			}
			checkNaively(t, src)
		})
	}
}

// Random traces, of which most of what can be wrong is wrong.
func TestNaiveOfRandom(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64().Draw(rt, "seed")
		k := tracegen.RandomKnobs(seed)
		k.Length = min(k.Length, 300)
		checkNaively(rt, tracegen.Random(seed, k))
	})
}

// Programs in which several things were broken at once, one after the other.
func TestNaiveOfFaults(t *testing.T) {
	faults, found := tracegen.Faults(), 0
	rapid.Check(t, func(rt *rapid.T) {
		src := tracegen.Program(2*rapid.IntRange(2, 5).Draw(rt, "half the ranks"), rapid.IntRange(9, 16).Draw(rt, "steps"), rapid.Uint64().Draw(rt, "seed"))
		for range rapid.IntRange(1, 4).Draw(rt, "faults") {
			f := rapid.SampledFrom(faults).Draw(rt, "fault")
			f.Break(src, rapid.Uint64().Draw(rt, "seed of the fault"))
		}
		found += checkNaively(rt, src)
	})
	if found == 0 {
		t.Error("nothing is found: the test tells nothing")
	}
}
