package shapes_test

import (
	"slices"
	"testing"

	"github.com/pandotrace/pando/analysis/shapes"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
)

// Calls that were delayed in a run are the first unusual ones, each with its rank and time.
func TestPlanted(t *testing.T) {
	tracetest.Planted(t)
	for _, name := range []string{"heat.i", "heat.c"} {
		t.Run(name, func(t *testing.T) {
			var truth struct {
				Clock struct {
					First int64 `json:"first_tick"`
				} `json:"clock"`
				Planted []struct {
					Region  string `json:"region"`
					Calls   int    `json:"calls"`
					Windows []struct{ Rank, Begin, End int64 }
				} `json:"planted"`
			}
			r := stored.Trace(t, tracetest.PlantedDir(t, name, &truth))
			p := truth.Planted[0]
			a, err := shapes.Of(t.Context(), r, r.All(), shapes.Options{Unusual: p.Calls * 3 / 2})
			if err != nil {
				t.Fatal(err)
			}
			found := 0
			for i := range a.Unusual {
				u := &a.Unusual[i]
				t.Logf("%d: %s on %d, %d ticks, usual %d", i, a.Structure(u.Class, 60), u.Location, u.Own, u.Usual)
				if slices.ContainsFunc(p.Windows, func(w struct{ Rank, Begin, End int64 }) bool {
					return a.Classes[u.Class].Region == p.Region && uint64(w.Rank) == u.Location && u.Start-r.Info().First < w.End-truth.Clock.First && u.End-r.Info().First > w.Begin-truth.Clock.First
				}) {
					found++
				}
			}
			if found != p.Calls {
				t.Errorf("%d of %d delayed calls are among the first %d", found, p.Calls, len(a.Unusual))
			}
		})
	}
}
