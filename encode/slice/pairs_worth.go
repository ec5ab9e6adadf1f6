package slice

import (
	"slices"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/encode/shape"
)

// A column of readings may do better without pairs: then all of its values stand in the order of events in one context, which is divided
// by the values before (package column). Counters that are read around calls are such: how much one departs from what was expected tells
// more of the next departure than the event before it does.

const (
	// minReadings is the number of values of a column in a group from which on that is tried: a context of fewer values is not divided.
	minReadings = 1024
	// sampledReadings is about how many values of a column are looked at, in whole slices.
	sampledReadings = 1 << 15
)

// readings are the values of a column with pairs that it may not need.
type readings struct {
	first  int // of its pairs, among all
	pairs  int
	values int             // of the group
	taken  int             // of the slices
	slices []sliceReadings // some of the group
}

// sliceReadings are those of a slice, in the order of events.
type sliceReadings struct {
	codes []uint64
	pairs []uint16 // by code: the number of its pair, from 1, or 0
}

// worthPairs returns the pairs without those of columns of readings that take fewer bytes without them. Raw values must be coded.
func worthPairs(group []*Draft, columns int, pairs []Pair, infos []shape.ColumnInfo) []Pair {
	all := readingsOf(group, pairs, infos)
	if len(all) == 0 {
		return pairs
	}
	c := newContexts(columns, pairs)
	for i, d := range group {
		collectReadings(all, i, d, c)
	}
	alone := make([]bool, len(all))
	for i, x := range all {
		alone[i] = x != nil && x.alone()
	}
	return slices.DeleteFunc(pairs, func(p Pair) bool { return int(p.Column) < len(alone) && alone[p.Column] })
}

// readingsOf returns the columns of readings with pairs and enough values, by column; none if there are none.
func readingsOf(group []*Draft, pairs []Pair, infos []shape.ColumnInfo) (columns []*readings) {
	for i, p := range pairs {
		if int(p.Column) >= len(infos) || infos[p.Column].Mode != shape.Predicted || infos[p.Column].Field < 0 {
			continue
		}
		if columns == nil {
			columns = make([]*readings, len(infos))
		}
		if columns[p.Column] == nil {
			columns[p.Column] = &readings{first: i}
		}
		columns[p.Column].pairs++
	}
	if columns == nil {
		return nil
	}
	for _, d := range group {
		for i, key := range d.pairs.keys {
			if c := int(key >> 16); c < len(columns) && columns[c] != nil {
				columns[c].values += d.pairs.counts[i]
			}
		}
	}
	for i, x := range columns {
		if x != nil && x.values < minReadings {
			columns[i] = nil
		}
	}
	return columns
}

// collectReadings adds the values of a slice to the columns that take them.
func collectReadings(columns []*readings, slice int, d *Draft, c *contexts) {
	taking := make([]*sliceReadings, len(columns))
	for i, x := range columns {
		if x != nil && slice%(1+x.values/sampledReadings) == 0 {
			x.slices = append(x.slices, sliceReadings{})
			taking[i] = &x.slices[len(x.slices)-1]
		}
	}
	contextOf := d.pairs.contexts(c)
	for i := range d.raw {
		column := d.raw[i].column
		if int(column) >= len(columns) || taking[column] == nil {
			continue
		}
		pair := uint16(0)
		if context := contextOf[d.rawPairs[i]]; context != column {
			pair = uint16(int(context) - c.columns - columns[column].first + 1)
		}
		x := taking[column]
		x.codes, x.pairs = append(x.codes, d.codes[i]), append(x.pairs, pair)
	}
}

// alone reports whether the values take fewer bytes in one context than in those of the pairs.
func (x *readings) alone() bool {
	for i := range x.slices {
		x.taken += len(x.slices[i].codes)
	}
	return x.taken > 0 && x.cost(1) < x.cost(1+x.pairs)
}

// cost returns about what the values of the group and their model take in a number of contexts, in units of 2^-16 bits.
func (x *readings) cost(contexts int) uint64 {
	b := column.NewBuilder(contexts)
	b.Divide()
	blocks, parts := make([][]uint64, len(x.slices)), make([][]column.Part, len(x.slices))
	for i := range x.slices {
		blocks[i], parts[i] = x.slices[i].arrange(contexts)
		counts := make([]int, contexts)
		for _, p := range parts[i] {
			counts[p.Context] = p.Count
		}
		b.Take(counts, blocks[i])
	}
	m, sum := b.Build(), uint64(0)
	for i := range blocks {
		for _, c := range m.Costs(blocks[i], parts[i]) {
			sum += c
		}
	}
	return uint64(8*len(m.Append(nil)))<<column.CostBits + uint64(float64(sum)*float64(x.values)/float64(x.taken))
}

// arrange puts the values of a number of contexts one context behind the other.
func (s *sliceReadings) arrange(contexts int) (values []uint64, parts []column.Part) {
	if contexts == 1 {
		return s.codes, []column.Part{{Count: len(s.codes)}}
	}
	parts = make([]column.Part, contexts)
	for _, p := range s.pairs {
		parts[p].Count++
	}
	at := 0
	for i := range parts {
		parts[i].Context, parts[i].At = i, at
		at += parts[i].Count
		parts[i].Count = 0
	}
	values = make([]uint64, len(s.codes))
	for i, v := range s.codes {
		p := &parts[s.pairs[i]]
		values[p.At+p.Count] = v
		p.Count++
	}
	return values, parts
}
