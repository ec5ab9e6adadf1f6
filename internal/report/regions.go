package report

import (
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// RegionTime is the time in the calls of a region; Region is null for calls of no region.
type RegionTime struct {
	Region    *uint64   `json:"region"`
	Name      *string   `json:"region_name"`
	Count     uint64    `json:"count"`
	Inclusive trace.Sum `json:"inclusive_ticks"`
	Exclusive trace.Sum `json:"exclusive_ticks"`
}

// AddRegions adds the time in the calls of each region of the whole trace: of the defined ones in the order of their definitions, also
// those without calls, then of others.
func (o *Info) AddRegions() error {
	n := o.trace.names
	summary, err := o.trace.All().Summary(store.SummaryCalls)
	if err != nil {
		return err
	}
	p := newSums(len(n.defs.Regions()), func(id uint64) regionSum { return regionSum{id: id} })
	for i := range n.defs.Log {
		if d := &n.defs.Log[i]; d.Kind == trace.KindRegion && len(d.Words) > 0 {
			p.of(knownRegion(d.Words[0]))
		}
	}
	for i := range summary.Calls {
		c := &summary.Calls[i]
		p.of(knownRegion(c.Region)).add(c)
	}
	o.Regions = make([]RegionTime, len(p.list))
	for i := range p.list {
		sum := &p.list[i]
		t := RegionTime{Count: sum.count, Inclusive: sum.inclusive, Exclusive: sum.exclusive}
		if id := sum.id; id != trace.Undefined {
			t.Region, t.Name = &id, n.jsonName(trace.SpaceRegion, id)
		}
		o.Regions[i] = t
	}
	return nil
}
