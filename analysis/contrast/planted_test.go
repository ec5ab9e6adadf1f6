package contrast_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/pandotrace/pando/analysis/align"
	"github.com/pandotrace/pando/analysis/contrast"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
)

// planting is what is known of a run with planted differences.
type planting struct {
	Base    string `json:"compare_with"`
	Planted []struct {
		Region     string  `json:"region"`
		Ranks      []int64 `json:"ranks"`
		Iterations []int   `json:"iterations"`
		Calls      uint64  `json:"calls"`
		Excess     int64   `json:"excess_ns_measured"`
	} `json:"planted"`
	Structure struct {
		Equal      bool     `json:"equal"`
		OnlyHere   []string `json:"only_here"`
		OnlyInBase []string `json:"only_in_base"`
		Wrapper    struct {
			Region string `json:"region"`
		} `json:"wrapper"`
		Inserted struct {
			Region     string   `json:"region"`
			Iterations []uint64 `json:"iterations"`
		} `json:"inserted"`
	} `json:"structure_against_base"`
	Against struct {
		Calls     map[string]int64 `json:"calls_minus_base"`
		Exclusive map[string]int64 `json:"exclusive_ns_minus_base"`
	} `json:"against_base"`
}

// plantings calls a test with each run below PANDO_TRACES that has a base, and the comparison of the two.
func plantings(t *testing.T, test func(t *testing.T, p *planting, c *contrast.Comparison)) {
	tested := 0
	for _, plain := range tracetest.Planted(t) {
		p := plantingOf(t, plain)
		if p.Base == "" {
			continue
		}
		tested++
		t.Run(plain, func(t *testing.T) {
			a, b := converted(t, "otf2.planted."+p.Base), converted(t, "otf2.planted."+plain)
			c, err := contrast.Compare(t.Context(), a, b, contrast.Options{Level: align.Tree})
			if err != nil {
				t.Fatal(err)
			}
			test(t, p, c)
		})
	}
	if tested == 0 {
		t.Skip("PANDO_TRACES has no traces with planted differences")
	}
}

// plantingOf returns what is known of a run.
func plantingOf(t *testing.T, name string) *planting {
	t.Helper()
	p := &planting{}
	tracetest.PlantedDir(t, name, p)
	return p
}

// converted returns a trace as a side.
func converted(t *testing.T, name string) contrast.Side {
	t.Helper()
	r := stored.Trace(t, tracetest.Anchor(t, name))
	return contrast.Side{Name: name, Reader: r, Window: r.Window(r.Info().First, r.Info().Last+1)}
}

// Differences by region are, to the tick, those that another program counts.
func TestPlantedSums(t *testing.T) {
	plantings(t, func(t *testing.T, p *planting, c *contrast.Comparison) {
		got := sumsOf(c)
		for region, want := range p.Against.Exclusive {
			if s := got[region]; s.ticks[1]-s.ticks[0] != want || s.ticks[1]-s.ticks[0] != s.plus-s.minus+s.loneTicks[1]-s.loneTicks[0] {
				t.Errorf("%s: %d, not %d, of %+v", region, s.ticks[1]-s.ticks[0], want, s)
			}
		}
		for region, want := range p.Against.Calls {
			if s := got[region]; int64(s.calls[1])-int64(s.calls[0]) != want {
				t.Errorf("%s: %v calls, not %d more", region, s.calls, want)
			}
		}
	})
}

// What was planted comes first among the program's own regions that got slower: region, ranks and first iteration. Where nothing was
// planted, no region of own work is blamed for more than noise.
func TestPlantedFindings(t *testing.T) {
	plantings(t, checkPlanted)
}

// Against the median of two runs of the same program as well; and what differs between these is not told of B.
func TestPlantedAgainstSeveral(t *testing.T) {
	if !slices.Contains(tracetest.LargerOf(t, "otf2"), "otf2.planted.heat.r") {
		t.Skip("PANDO_TRACES has no two runs of heat without changes")
	}
	bases := []contrast.Side{converted(t, "otf2.planted.heat.a"), converted(t, "otf2.planted.heat.r")}
	for _, name := range []string{"heat.b", "heat.c", "heat.i"} {
		t.Run(name, func(t *testing.T) {
			s, err := contrast.CompareSeveral(t.Context(), bases, converted(t, "otf2.planted."+name), contrast.Options{Level: align.Tree})
			if err != nil {
				t.Fatal(err)
			}
			checkPlanted(t, plantingOf(t, name), s.Median)
			for _, f := range s.Median.Findings() {
				if f.StartsMPI && f.Judged != contrast.Noise {
					t.Errorf("%s is blamed, which takes seconds more or less from run to run: %+v", s.Median.Forest.NameOf(f.Name), f.Judged)
				}
			}
		})
	}
}

// checkPlanted holds what a comparison found against what was planted.
func checkPlanted(t *testing.T, p *planting, c *contrast.Comparison) {
	var slower []contrast.Finding
	for _, f := range c.Findings() {
		if f.Own() && f.Judged != contrast.Noise && f.Over > 0 {
			slower = append(slower, f)
		}
	}
	if p.Structure.Equal && len(slower) != len(p.Planted) {
		t.Errorf("%d regions are blamed, %d were planted", len(slower), len(p.Planted))
	}
	for i, planted := range p.Planted {
		f := &slower[i]
		var ranks []int64
		for _, on := range f.On {
			ranks = append(ranks, c.Pairs[on].A.Rank)
		}
		slices.Sort(ranks)
		if name := c.Forest.NameOf(f.Name); name != planted.Region || !slices.Equal(ranks, planted.Ranks) {
			t.Errorf("%s on ranks %v, not %s on %v", name, ranks, planted.Region, planted.Ranks)
		}
		level, _ := f.Since.Place.Iteration()
		if first := f.Since.Place.Before[level]; int(first) != planted.Iterations[0] || f.Since.Calls != planted.Calls/uint64(len(planted.Ranks)) {
			t.Errorf("%d calls since iteration %d, not %d since %d", f.Since.Calls, first, planted.Calls/uint64(len(planted.Ranks)), planted.Iterations[0])
		}
	}
}

// Changes of structure are named.
func TestPlantedStructure(t *testing.T) {
	plantings(t, func(t *testing.T, p *planting, c *contrast.Comparison) {
		names := func(side int) (list []string) {
			for _, l := range c.LoneRegions[side] {
				name := c.Forest.NameOf(l.Name)
				if list = append(list, name); l.Wrapper != (name == p.Structure.Wrapper.Region) {
					t.Errorf("%s is a wrapper: %v", name, l.Wrapper)
				}
			}
			slices.Sort(list)
			return list
		}
		slices.Sort(p.Structure.OnlyHere)
		slices.Sort(p.Structure.OnlyInBase)
		if a, b := names(0), names(1); !slices.Equal(a, p.Structure.OnlyInBase) || !slices.Equal(b, p.Structure.OnlyHere) {
			t.Errorf("only in the base %v, only here %v", a, b)
		}
		equal := len(c.Lone[0])+len(c.Lone[1]) == 0
		for i := range c.Pairs {
			equal = equal && c.Pairs[i].Equal()
			if !c.Pairs[i].Cost.Proven() {
				t.Errorf("%s: %v is not proven", c.Pairs[i].A.Label, c.Pairs[i].Cost)
			}
		}
		if equal != p.Structure.Equal {
			t.Errorf("equal: %v", equal)
		}
		if p.Structure.Inserted.Region != "" {
			checkInserted(t, p, c)
		}
	})
}

// checkInserted: calls that were inserted are where locations first differ, and so are those of regions that only these call.
func checkInserted(t *testing.T, p *planting, c *contrast.Comparison) {
	first := p.Structure.Inserted.Iterations[0]
	for i := range c.Pairs {
		d, _ := c.Departure(i)
		place := d.Places[1]
		level, ok := place.Iteration()
		if d.State != align.OnlyB || !ok || c.Forest.NameOf(place.Path[len(place.Path)-1]) != p.Structure.Inserted.Region || place.Before[level] != first {
			t.Errorf("%s departs at %+v, not at %s %d", c.Pairs[i].A.Label, d, p.Structure.Inserted.Region, first)
		}
	}
	blamed := 0
	for _, f := range c.Findings() {
		if f.Judged != contrast.Absent {
			continue
		}
		blamed++
		if f.Since == nil || f.Since.Side != 1 || f.Since.Start <= c.Windows[1][0] || f.Since.End <= f.Since.Start || int(f.Since.Calls) != len(p.Structure.Inserted.Iterations) {
			t.Errorf("%s: since %+v", c.Forest.NameOf(f.Name), f.Since)
		} else if level, _ := f.Since.Place.Iteration(); f.Since.Place.Before[level] != first {
			t.Errorf("%s: since %v, not %d", c.Forest.NameOf(f.Name), f.Since.Place.Before, first)
		}
	}
	if blamed == 0 {
		t.Error("no region is blamed that one side alone has")
	}
}

// sharedSides returns the traces below PANDO_TRACES of all formats; without PANDO_SOAK, smaller ones.
func sharedSides(t *testing.T) (sides []contrast.Side) {
	for _, format := range [][2]string{{"otf2", ".otf2"}, {"otf1", ".otf"}, {"clog2", ".clog2"}, {"slog2", ".slog2"}} {
		for _, name := range tracetest.LargerOf(t, format[0]) {
			for _, path := range tracetest.Files(t, name, format[1]) {
				r := stored.Trace(t, path)
				if r.Info().Events < 300_000 || tracetest.Soaking() {
					sides = append(sides, contrast.Side{Name: path, Reader: r, Window: r.All()})
				}
			}
		}
	}
	return sides
}

// All pairs of traces, whatever they are of and in whatever format they came, obey the law of ticks; without PANDO_SOAK, smaller ones with their
// neighbours, and with those a third of the list further on, which are of another format as a rule.
func TestLawOfTicks(t *testing.T) {
	sides := sharedSides(t)
	pairs := 0
	for i := range sides {
		partners := sides[i:]
		if !tracetest.Soaking() {
			partners = append(slices.Clone(partners[:min(len(partners), 3)]), sides[(i+len(sides)/3)%len(sides)])
		}
		for _, b := range partners {
			c, err := contrast.Compare(t.Context(), sides[i], b, contrast.Options{Level: align.Tree, Match: contrast.ByOrder, Messages: pairs%2 == 1})
			if err != nil {
				t.Fatal(fmt.Errorf("%s and %s: %w", sides[i].Name, b.Name, err))
			}
			pairs++
			for region, s := range sumsOf(c) {
				if s.ticks[1]-s.ticks[0] != s.plus-s.minus+s.loneTicks[1]-s.loneTicks[0] {
					t.Errorf("%s and %s, region %s: %+v", sides[i].Name, b.Name, region, s)
				}
			}
		}
	}
	t.Logf("%d pairs", pairs)
}
