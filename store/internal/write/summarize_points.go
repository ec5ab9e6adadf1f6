package write

import (
	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/store/internal/layout"
)

// end gives what was added up to a node, and forgets it.
func end(p *layout.Points, location uint32, slice uint64, to *nodeTotals) {
	if len(p.Collectives)+len(p.Samples) == 0 {
		return
	}
	for _, c := range p.Collectives {
		c.Key[0] = uint64(location)
		to.add(tables.Collectives, to.runOf(slice, slice), tables.Row{Key: c.Key, Sums: [4]uint64{c.Count, c.Sent.Lo, c.Received.Lo}})
		to.bad[tables.Collectives] = to.bad[tables.Collectives] || c.Sent.Hi > 0 || c.Received.Hi > 0
	}
	for _, r := range p.Samples {
		r.Key[0] = uint64(location)
		to.samples.add(slice, &r)
	}
	p.Reset()
}
