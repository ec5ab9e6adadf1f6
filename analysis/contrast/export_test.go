package contrast

import (
	"cmp"
	"context"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/analysis/memory"
)

// DeepestPath is the depth of the deepest paths; outermost calls have depth 0.
const DeepestPath = deepestPath

// CompareParts compares two windows as where memory is short: some levels of calls, 0 for all, and times in some passes.
func CompareParts(ctx context.Context, a, b Side, opt Options, levels, passes int) (*Comparison, error) {
	opt.Bins, opt.Memory = cmp.Or(opt.Bins, defaultBins), cmp.Or(opt.Memory, memory.Usual)
	c := &Comparison{Forest: calltree.NewForest(), Levels: levels, passes: passes, opt: opt}
	return c, c.compare(ctx, []Side{a, b})
}

// Passes returns in how many passes times were read.
func (c *Comparison) Passes() int { return c.passes }
