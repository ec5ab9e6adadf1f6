package contrast

import (
	"slices"

	"github.com/pandotrace/pando/analysis/calltree"
)

// between is how much base runs differ from the median of the others: what is noise between runs in which nothing was changed.
type between struct {
	bases   int
	spreads map[calltree.Name]*Distribution // of single calls
	total   map[calltree.Name][]int64       // of all calls of a region, in each base run
	parts   map[calltree.Name][][]int64     // the same by pair of locations
}

// finish counts the calls that B lacks, and gives a comparison what was found.
func (m *medians) finish(c *Comparison) {
	bases := len(m.bases)
	b := &between{bases, map[calltree.Name]*Distribution{}, map[calltree.Name][]int64{}, map[calltree.Name][][]int64{}}
	m.lack(&m.apart)
	for path := range m.spreads {
		name := m.paths.list[path].Name
		if b.spreads[name] == nil {
			b.spreads[name] = &Distribution{}
		}
		b.spreads[name].Merge(&m.spreads[path])
	}
	for _, col := range m.columns {
		m.lack(col)
		if col.pair >= 0 {
			c.Pairs[col.pair].cells = col.cells
		}
		for path, nets := range col.nets {
			b.add(m.paths.list[path].Name, col.pair, nets, len(c.Pairs))
		}
	}
	c.Paths, c.Timed, c.between = m.paths.list, true, b
}

// lack counts calls of a column that B lacks: of each path as many, and as long ones, as the median of the base runs has.
func (m *medians) lack(c *column) {
	for path := range c.lone {
		n := &c.lone[path]
		if n.calls == nil {
			continue
		}
		sorted := slices.Sorted(slices.Values(n.exclusive))
		nets := c.net(uint32(path), len(m.bases))
		for i, own := range n.exclusive {
			nets[i] += own - middleWithout(sorted, own)
		}
		calls, exclusive := middle(slices.Sorted(slices.Values(n.calls))), middle(sorted)
		t := &m.paths.list[path].Tally
		t.Calls[0] += uint64(calls)
		t.LoneCalls[0] += uint64(calls)
		t.Ticks[0] += exclusive
		t.LoneTicks[0] += exclusive
		t.Inclusive[0] += middle(slices.Sorted(slices.Values(n.inclusive)))
		if c.pair >= 0 {
			cell := c.cell(uint32(path))
			cell.net, cell.ticks = cell.net-exclusive, cell.ticks+exclusive
		}
	}
}

// add adds differences on a path of a pair of locations, -1 for none.
func (b *between) add(name calltree.Name, pair int, nets []int64, pairs int) {
	if nets == nil {
		return
	}
	if b.total[name] == nil {
		b.total[name], b.parts[name] = make([]int64, b.bases), make([][]int64, pairs)
	}
	for i, n := range nets {
		b.total[name][i] += n
	}
	if pair < 0 {
		return
	}
	if b.parts[name][pair] == nil {
		b.parts[name][pair] = make([]int64, b.bases)
	}
	for i, n := range nets {
		b.parts[name][pair][i] += n
	}
}

// beyondBases is how many times as much as the base runs differ from each other a region has to differ from their median.
const beyondBases = 2

// least returns the least difference of a region that is more than that between base runs.
func (b *between) least(name calltree.Name) int64 {
	if b == nil {
		return 0
	}
	return beyondBases * largestOf(b.total[name])
}

// leastOn returns the same for a pair of locations.
func (b *between) leastOn(name calltree.Name, pair int) int64 {
	if b == nil || b.parts[name] == nil {
		return 0
	}
	return beyondBases * largestOf(b.parts[name][pair])
}

// spike returns the largest difference of a single call of a region between base runs.
func (b *between) spike(name calltree.Name) int64 {
	if b == nil || b.spreads[name] == nil {
		return 0
	}
	return max(-b.spreads[name].low, b.spreads[name].high)
}

// power returns the sum of the squares of the differences of single calls between base runs, divided by their number.
func (b *between) power(name calltree.Name) float64 {
	if b == nil || b.spreads[name] == nil {
		return 0
	}
	return (b.spreads[name].power(true) + b.spreads[name].power(false)) / float64(b.bases)
}

func largestOf(list []int64) (most int64) {
	for _, n := range list {
		most = max(most, magnitude(n))
	}
	return most
}
