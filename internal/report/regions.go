package report

import (
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// RegionTime is the time in the calls of a region; Region is null for calls of no region.
type RegionTime struct {
	Region      *uint64   `json:"region"`
	Name        *string   `json:"region_name"`
	Count       uint64    `json:"count"`
	InclusiveNs trace.Sum `json:"inclusive_ns"`
	Inclusive   trace.Sum `json:"inclusive_ticks"`
	ExclusiveNs trace.Sum `json:"exclusive_ns"`
	Exclusive   trace.Sum `json:"exclusive_ticks"`
}

// AddRegions adds the time in the calls of each region of the whole trace: of the defined ones in the order of their definitions, also
// those without calls, then of others.
func (o *Info) AddRegions() error {
	n := o.trace.names
	summary, err := o.trace.All().Summary(store.SummaryCalls)
	if err != nil {
		return err
	}
	at := make(map[uint64]int, len(n.defs.Regions()))
	of := func(id uint64) *RegionTime {
		i, ok := at[id]
		if !ok {
			i = len(o.Regions)
			at[id] = i
			o.Regions = append(o.Regions, RegionTime{})
			if id != trace.Undefined {
				o.Regions[i].Region, o.Regions[i].Name = &id, n.Optional(trace.SpaceRegion, id)
			}
		}
		return &o.Regions[i]
	}
	for i := range n.defs.Log {
		if d := &n.defs.Log[i]; d.Kind == trace.KindRegion && len(d.Words) > 0 {
			of(knownRegion(d.Words[0]))
		}
	}
	for i := range summary.Calls {
		c := &summary.Calls[i]
		t := of(knownRegion(c.Region))
		t.Count, t.Inclusive, t.Exclusive = t.Count+c.Count, t.Inclusive.Plus(c.Inclusive), t.Exclusive.Plus(c.Exclusive)
	}
	for i := range o.Regions {
		t := &o.Regions[i]
		t.InclusiveNs, t.ExclusiveNs = t.Inclusive.Nanoseconds(o.TicksPerSecond), t.Exclusive.Nanoseconds(o.TicksPerSecond)
	}
	return nil
}

// knownRegion makes one of all references to no region.
func knownRegion(id uint64) uint64 {
	if trace.IsUndefined(id) {
		return trace.Undefined
	}
	return id
}
