package verify

import (
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// grid holds times against the grid that the trace is said to have. Events that were put in where it was cut stand elsewhere, each behind a mark.
type grid struct {
	of    trace.Bound
	known bool
	cut   map[uint64]bool // locations whose latest event is a mark
}

func newGrid(loss *trace.Loss) grid {
	of, ok := loss.Times()
	return grid{of, ok && of.Cell > 0, map[uint64]bool{}}
}

// check returns an error for the first event of a batch that is not on the grid.
func (g *grid) check(b *trace.Batch) error {
	if !g.known {
		return nil
	}
	cut := g.cut[b.Location]
	for i, t := range b.Times {
		mark := b.Kinds[i] == trace.KindCutBefore || b.Kinds[i] == trace.KindCutAfter
		if !mark && !cut && !g.of.Has(t) {
			return format.Corruptf("slice block", -1, "location %d has an event at %d, which is not on the grid of %d + k · %d that the meta block declares", b.Location, t, g.of.Offset, g.of.Cell)
		}
		cut = mark
	}
	g.cut[b.Location] = cut
	return nil
}
