package segment_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/analysis/segment"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
)

// plant is a delay that was put into a run.
type plant struct {
	Kind       string  `json:"kind"`
	Region     string  `json:"region"`
	Ranks      []int64 `json:"ranks"`
	Iterations []int64 `json:"iterations"`
	Excess     int64   `json:"excess_ns_measured"`
}

// planted lists runs of a program of 16 or 12 ranks, each of whose iterations is a call of iterate, and in how many findings all that was planted
// has to be. Where nothing was that concerns some ranks alone, none may be named.
var planted = []struct {
	name   string
	within int
}{
	{"heat.a", 0}, {"heat.b", 0}, {"heat.d", 0}, {"heat.f", 0}, {"heat.r", 0}, {"heat.e", 0}, {"heat.c", 1}, {"heat.i", 1}, {"heat.long", 5},
}

// TestPlantedTraces: delays that were planted are found with rank, iterations and function; nobody else is blamed.
func TestPlantedTraces(t *testing.T) {
	tracetest.Planted(t)
	for _, p := range planted {
		t.Run(p.name, func(t *testing.T) {
			var truth struct {
				Planted []plant `json:"planted"`
			}
			r := stored.Trace(t, tracetest.PlantedDir(t, p.name, &truth))
			a, err := segment.Find(t.Context(), r, r.All(), segment.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if c := &a.Candidates[a.Chosen]; c.Title() != "iterate" {
				t.Errorf("segments are %s", c.Title())
			}
			checkPlanted(t, a, truth.Planted, p.within)
		})
	}
}

// checkPlanted checks that the first findings are what was planted.
func checkPlanted(t *testing.T, a *segment.Analysis, plants []plant, within int) {
	found := a.Judge()
	for i := range found {
		if f := &found[i]; within == 0 && f.Kind != segment.Slow {
			t.Errorf("%s is blamed for segments %d to %d", f.Level.Lines[f.Line].Place.Label, f.First, f.Last)
		}
	}
	if within == 0 {
		return
	}
	for _, p := range plants {
		if !slices.ContainsFunc(found[:min(len(found), within)], func(f segment.Finding) bool { return p.is(t, a, &f) }) {
			t.Errorf("%s of %s on ranks %v is not found", p.Kind, p.Region, p.Ranks)
		}
	}
}

// is reports whether a finding is a planted delay. Only every fifth iteration has the call residual, and a segment may be missing at each end.
func (p *plant) is(t *testing.T, a *segment.Analysis, f *segment.Finding) bool {
	parts, err := a.Where(t.Context(), f, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(parts) == 0 || parts[0].Path[len(parts[0].Path)-1] != p.Region {
		return false
	}
	line, all := &f.Level.Lines[f.Line], len(p.Ranks) > 1
	if all != (f.Kind == segment.Slow) || !all && line.Place.Rank != p.Ranks[0] {
		return false
	}
	first, last := p.Iterations[0], p.Iterations[1]
	if name := a.Candidates[f.Level.Candidate].Name; name != "iterate" {
		first, last = (first+4)/5, last/5
	}
	excess := f.Excess
	if all {
		excess *= int64(len(p.Ranks))
	}
	return f.First >= first-1 && f.First <= first+1 && f.Last >= last-1 && f.Last <= last+1 &&
		excess > p.Excess*8/10 && excess < p.Excess*12/10 && strings.HasPrefix(parts[0].Path[0], "main")
}

// In a run of BT, rank 8 stands still for a tenth of a second: in one step, which takes 0.2 ms of its own otherwise.
func TestInterruptionOfBT(t *testing.T) {
	if !slices.Contains(tracetest.LargerOf(t, "otf2"), "otf2.bt.S.16") {
		t.Skip("PANDO_TRACES does not have the trace")
	}
	r := stored.Trace(t, tracetest.Anchor(t, "otf2.bt.S.16"))
	a, err := segment.Find(t.Context(), r, r.All(), segment.Options{})
	if err != nil {
		t.Fatal(err)
	}
	found := a.Judge()
	if len(found) == 0 {
		t.Fatal("nothing is found")
	}
	f := &found[0]
	if rank := f.Level.Lines[f.Line].Place.Rank; rank != 8 || f.First != 32 || f.Last != 32 || f.Own/1e6 != 102 || f.Usual > 3e5 || f.Kind != segment.Interruption {
		t.Errorf("found %s of rank %d in segments %d to %d: %d ns, usually %d", f.Kind, rank, f.First, f.Last, f.Own, f.Usual)
	}
}
