package contrast

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// Differing returns all pairs of locations as places in Pairs: those on which a difference of own work stands out first, then those with the
// largest differences of own work.
func (c *Comparison) Differing() []int {
	findings := c.Findings()
	stands := make([]int64, len(c.Pairs))
	for i := range findings {
		f := &findings[i]
		if f.Judged == Noise || !f.Own() {
			continue
		}
		for n, pair := range f.On {
			if f.Judged == Apart || n == 0 {
				stands[pair] += magnitude(f.Over)
			}
		}
	}
	sums, list := make([]int64, len(c.Pairs)), make([]int, len(c.Pairs))
	for i := range c.Pairs {
		list[i] = i
		for path := range c.Pairs[i].cells {
			if c.activity(c.Paths[path].Name) == trace.ActivityComputation {
				sums[i] += magnitude(c.Pairs[i].cells[path].net)
			}
		}
	}
	slices.SortStableFunc(list, func(x, y int) int {
		return cmp.Or(cmp.Compare(stands[y], stands[x]), cmp.Compare(sums[y], sums[x]))
	})
	return list
}
