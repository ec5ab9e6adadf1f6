package slog2

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/pandotrace/pando/convert/mpe"
	"github.com/pandotrace/pando/trace"
)

// defineCargo defines the attributes that cargo becomes.
func (a *Archive) defineCargo() {
	mpe.DefineAttributes(&a.log)
	next := uint64(mpe.FirstCargoAttr)
	for _, c := range a.inOrder() {
		letters := c.letters[:min(len(c.letters), len(c.labels))]
		c.layout, next = mpe.NewLayout(&a.log, c.labels, letters, next)
	}
}

// inOrder returns the categories in the order of their indices.
func (a *Archive) inOrder() []*category {
	return slices.SortedFunc(slices.Values(a.categories), func(x, y *category) int { return cmp.Compare(x.index, y.index) })
}

// define completes the log of definitions.
func (a *Archive) define() {
	last := 0.0
	for i := range a.locations {
		last = max(last, a.locations[i].before)
	}
	a.log.Add(trace.KindClockProperties, ticksPerSecond, 0, uint64(math.Ceil(last*ticksPerSecond)), trace.Undefined)
	mpe.DefineLocations(&a.log, a.places, func(int32) string { return "" })
	a.defineCategories()
	a.comms.Define(&a.log, a.places)
	for i := range a.maps {
		a.defineMap(uint64(i), &a.maps[i])
	}
}

// defineCategories defines categories as regions, or by their name, as they are used, and as they stand in the file.
func (a *Archive) defineCategories() {
	mpe.DefineParadigms(&a.log)
	for _, c := range a.inOrder() {
		id := uint64(uint32(c.index))
		format := mpe.JoinFormat(c.labels, c.letters)
		if c.isState {
			known := strings.HasPrefix(c.name, "MPI_") || strings.HasPrefix(c.name, "MPE_")
			mpe.DefineRegion(&a.log, id, c.name, format, known)
		}
		if c.isMark {
			a.log.Add(trace.KindCategory, id, a.log.String(c.name))
		}
		if c.listed {
			a.log.AddRecord(c.record(format))
		}
	}
}

// record returns the category's definition as it stands in the file.
func (c *category) record(format string) trace.Record {
	r := trace.Record{Kind: trace.KindSlogCategory}
	r.Words = []uint64{uint64(int64(c.index)), r.PutText(c.name), uint64(uint32(c.topology)), uint64(c.color), uint64(c.modifiable), uint64(c.width),
		r.PutText(format), math.Float64bits(c.inclusive), math.Float64bits(c.exclusive), uint64(c.count), uint64(len(c.methods))}
	r.Words = append(r.Words, words(c.methods)...)
	return r
}

// words returns numbers as words.
func words(list []int32) (all []uint64) {
	for _, n := range list {
		all = append(all, uint64(int64(n)))
	}
	return all
}

// defineMap defines a line map as it stands in the file.
func (a *Archive) defineMap(number uint64, m *lineMap) {
	r := trace.Record{Kind: trace.KindSlogLineMap}
	r.Words = append([]uint64{number, r.PutText(m.title), uint64(len(m.methods))}, words(m.methods)...)
	a.log.AddRecord(r)
	for i, label := range m.columns {
		r := trace.Record{Kind: trace.KindSlogColumn}
		r.Words = []uint64{number, uint64(i), r.PutText(label)}
		a.log.AddRecord(r)
	}
	n := len(m.columns)
	for i, line := range m.lines {
		row := append([]uint64{number, uint64(int64(line)), uint64(n)}, words(m.values[i*n:(i+1)*n])...)
		a.log.Add(trace.KindSlogLine, row...)
	}
}
