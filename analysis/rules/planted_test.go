package rules_test

import (
	"context"
	"testing"

	"github.com/pandotrace/pando/analysis/rules"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
)

// planting is what is known of the interruptions of a planted trace, in ticks of the archive.
type planting struct {
	Planted []struct {
		Kind    string
		Region  string
		Windows []struct {
			Rank       int64
			Begin, End int64
		}
	}
}

// A rule on how long a region may take finds the interruption that was planted, and nothing in the trace without it.
func TestPlantedInterruption(t *testing.T) {
	var p planting
	r := stored.Trace(t, tracetest.PlantedDir(t, "heat.i", &p))
	if len(p.Planted) != 1 || p.Planted[0].Kind != "interruption" || len(p.Planted[0].Windows) != 1 {
		t.Fatalf("planted are %+v", p.Planted)
	}
	at := p.Planted[0].Windows[0]
	rule, err := rules.Parse(`calls: region != "` + p.Planted[0].Region + `" || duration < 10ms`)
	if err != nil {
		t.Fatal(err)
	}
	list := []*rules.Rule{rule}
	got, err := rules.Find(t.Context(), r, r.All(), list, rules.Options{})
	if err != nil || len(got.Findings) != 1 || len(got.Counts) != 1 || got.Counts[0].N != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	f := got.Findings[0]
	begin := r.Meta().SourceTime(f.Time).Int64()
	if int64(f.Location) != at.Rank || begin > at.Begin || begin+f.Values[1].Int < at.End {
		t.Errorf("found on location %d from %d on, planted on rank %d from %d to %d", f.Location, begin, at.Rank, at.Begin, at.End)
	}
	if len(f.Stack) == 0 || len(f.Values) != 2 || f.Values[0].Text != p.Planted[0].Region || f.Values[1].Int < 25_000_000 {
		t.Errorf("the finding is %+v", f)
	}
	var other planting
	base := stored.Trace(t, tracetest.PlantedDir(t, "heat.a", &other))
	if got, err := rules.Find(t.Context(), base, base.All(), list, rules.Options{}); err != nil || len(got.Counts) != 0 {
		t.Errorf("without it: %+v, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := rules.Find(ctx, r, r.All(), list, rules.Options{}); err == nil {
		t.Error("the work does not end with its context")
	}
}
