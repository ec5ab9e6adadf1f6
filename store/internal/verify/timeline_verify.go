package verify

import (
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/timeline"
)

// bins checks a block of bins: that it can be read, and that its cells are what the slices below the node, or the bins of its
// children, add up to. What makes those unreadable is a problem of theirs.
func (v *verifier) bins(e *index.Entry, payload []byte) error {
	b, err := timeline.ReadBins(v.r, payload)
	if err != nil {
		return err
	}
	if err := v.node(e, b.Node, b.Lane); err != nil {
		return err
	}
	p, err := timeline.PlanCells(v.r, b)
	if err == nil && !p.Same(b) {
		return format.Corruptf("bins block", -1, "the cells of node %d of level %d are not what its slices hold", b.Node.Index, b.Node.Level)
	}
	return nil
}
