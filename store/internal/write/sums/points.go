package sums

import (
	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/write/nodes"
)

// points gives what was added up to a node, and forgets it.
func points(p *layout.Points, location uint32, slice uint64, to *nodes.Totals) {
	if len(p.Collectives)+len(p.Samples) == 0 {
		return
	}
	for _, c := range p.Collectives {
		c.Key[0] = uint64(location)
		to.Add(tables.Collectives, to.RunOf(slice, slice), tables.Row{Key: c.Key, Sums: [4]uint64{c.Count, c.Sent.Lo, c.Received.Lo}})
		to.Bad[tables.Collectives] = to.Bad[tables.Collectives] || c.Sent.Hi > 0 || c.Received.Hi > 0
	}
	for _, r := range p.Samples {
		r.Key[0] = uint64(location)
		to.AddSample(slice, &r)
	}
	p.Reset()
}
