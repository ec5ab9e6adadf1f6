package clog2

import (
	"math"
	"slices"
	"strconv"

	"github.com/pandotrace/pando/convert/mpe"
	"github.com/pandotrace/pando/trace"
)

// define completes the log of definitions.
func (a *Archive) define() {
	a.describe()
	mpe.DefineLocations(&a.log, a.places, a.host)
	a.defineCategories()
	a.comms.Define(&a.log, a.places)
	a.defineTable()
}

// describe makes the meta data, and the definition of the clock.
func (a *Archive) describe() {
	f := a.files[0]
	a.meta = &trace.Meta{Format: "CLOG-2", Resolution: ticksPerSecond, Properties: slices.Clone(f.values)}
	a.meta.Properties = append(a.meta.Properties, trace.Property{Name: "clog2.files", Value: strconv.Itoa(len(a.files))})
	last := 0.0
	for i := range a.locations {
		last = max(last, a.locations[i].before)
	}
	a.log.Add(trace.KindClockProperties, ticksPerSecond, 0, uint64(math.Ceil(last*ticksPerSecond)), trace.Undefined)
}

// host returns the host of a process.
func (a *Archive) host(process int32) string {
	if name, ok := a.comms.hosts[process]; ok {
		return name
	}
	_, world, _ := a.files[0].world()
	return world.host
}

// defineCategories defines states as regions, and the categories of solo events.
func (a *Archive) defineCategories() {
	mpe.DefineParadigms(&a.log)
	for _, c := range a.registry.list() {
		if c.solo {
			a.log.Add(trace.KindCategory, uint64(c.id), a.log.String(c.title()))
		} else {
			mpe.DefineRegion(&a.log, uint64(c.id), c.title(), c.format, c.state >= 0)
		}
	}
	for _, category := range a.nesting.Crossing() {
		a.warnings.Add("states that do not nest", "%s", a.registry.categories[category].title())
	}
}

// defineTable defines the entries of the files' tables of communicators.
func (a *Archive) defineTable() {
	for _, f := range a.files {
		for i := range f.entries {
			e := &f.entries[i]
			r := trace.Record{Kind: trace.KindMpeCommunicator}
			r.Words = []uint64{uint64(uint32(f.id(e.comm))), uint64(uint32(e.kind)), uint64(int64(e.gid.number)), math.Float64bits(e.gid.time), r.PutText(e.gid.host)}
			a.log.AddRecord(r)
		}
	}
}
