package column

import (
	"cmp"
	"math"
	"slices"

	"github.com/pandotrace/pando/encode/internal/bitio"
)

const (
	// tableCost is what a table takes in the model besides its bins, about.
	tableCost = 6 * bitio.Bit
	// guestCost is what it takes in the model to name a table that another context has.
	guestCost = 8 * bitio.Bit
	// neighbours is how many groups with lower and how many with higher values are tried as hosts, and passed those that are too
	// small.
	neighbours, passed = 16, 512
	// staleness is the part of a group's values that may be new since its bins were fitted.
	staleness = 8
)

// group is contexts that share a table.
type group struct {
	contexts []int
	cells    []cell
	cuts     []uint64 // that no bin may straddle: thresholds, if the values are of a class
	values   int      // in cells
	fresh    int      // of these, values that the bins were not fitted to
	bins     []bin
	prices   []int64   // by bin, the cost of a value
	cost     int64     // of all values and the table
	center   int64     // mean logarithm of the values
	near     [2]*group // those before and behind it in the order of centers; nil at the ends
}

// newGroup makes a group of one context, without bins.
func newGroup(context int, cells []cell, cuts []uint64) *group {
	g := &group{contexts: []int{context}, cells: slices.Clone(cells), cuts: cuts}
	for _, c := range cells {
		g.values += c.n
		g.center += int64(c.n) * bitio.Log2(min(c.first, math.MaxUint64-1)+1)
	}
	g.center /= int64(g.values)
	return g
}

// crowd is the number of groups from which on small ones are joined unseen, by their centers alone.
const crowd = 4 * maxTables

// thin joins small groups with the next ones by center, so that there is no crowd.
func thin(groups []*group) []*group {
	if len(groups) <= crowd {
		return groups
	}
	slices.SortStableFunc(groups, func(a, b *group) int { return cmp.Compare(a.center, b.center) })
	most := (len(groups) + crowd/2 - 1) / (crowd / 2) // that are joined to one
	thinned := groups[:0]
	var last *group // may take others
	for _, g := range groups {
		switch {
		case g.values >= MinPairValues || len(g.cuts) > 0:
			thinned = append(thinned, g)
		case last == nil || len(last.contexts) >= most:
			last = g
			thinned = append(thinned, g)
		default:
			last.take(g)
		}
	}
	return thinned
}

// refit fits the group's bins.
func (f *Fitter) refit(g *group) {
	var cost int64
	g.bins, cost = f.fit(g.cells, g.cuts)
	g.cost = cost + tableCost
	g.fresh = 0
	g.prices = g.prices[:0]
	for _, b := range g.bins {
		g.prices = append(g.prices, bitio.Log2(g.values)-bitio.Log2(mass(b.weight))+int64(b.bits)*bitio.Bit)
	}
}

// share joins groups whose values are alike, small ones first, where that makes values and model smaller, or where there are
// more than maxTables.
func (f *Fitter) share(groups []*group) []*group {
	linkByCenter(groups)
	bySize := slices.Clone(groups)
	slices.SortStableFunc(bySize, func(a, b *group) int { return cmp.Compare(a.values, b.values) })
	excess := len(groups) - maxTables
	for _, g := range bySize {
		if g.fresh > 0 {
			f.refit(g)
		}
		limit := g.cost - guestCost
		if excess > 0 {
			limit = math.MaxInt64
		}
		if len(g.cuts) > 0 {
			continue // bins of others do not end at its cuts
		}
		if h := f.host(g, limit); h != nil {
			f.join(h, g)
			excess--
		}
	}
	groups = slices.DeleteFunc(groups, func(g *group) bool { return g.values == 0 })
	for _, g := range groups {
		if g.fresh > 0 {
			f.refit(g)
		}
	}
	return groups
}

// linkByCenter links groups in the order of their centers.
func linkByCenter(groups []*group) {
	byCenter := slices.Clone(groups)
	slices.SortStableFunc(byCenter, func(a, b *group) int { return cmp.Compare(a.center, b.center) })
	for i := range byCenter {
		if i > 0 {
			byCenter[i].near[0], byCenter[i-1].near[1] = byCenter[i-1], byCenter[i]
		}
	}
}

// unlink takes a group out of the order of centers.
func (g *group) unlink() {
	for i, h := range g.near {
		if h != nil {
			h.near[1-i] = g.near[1-i]
		}
	}
}

// host returns the group, not smaller than g, whose table codes the values of g best, if that costs less than limit.
func (f *Fitter) host(g *group, limit int64) (best *group) {
	f.setLeast(g)
	for side := range g.near {
		left, pass := neighbours, passed
		for h := g.near[side]; h != nil && left > 0 && pass > 0; h = h.near[side] {
			if h.values < g.values {
				pass--
				continue
			}
			left--
			if cost := f.guest(h, g.cells, limit); cost < limit {
				best, limit = h, cost
			}
		}
	}
	return best
}

// setLeast sets f.least: for each cell of g, what this and the following ones cost at least, with any table.
func (f *Fitter) setLeast(g *group) {
	f.least = slices.Grow(f.least[:0], len(g.cells)+1)[:len(g.cells)+1]
	least := int64(0)
	f.least[len(g.cells)] = 0
	for i := len(g.cells) - 1; i >= 0; i-- {
		n := g.cells[i].n
		least += int64(n) * (bitio.Log2(g.values) - bitio.Log2(n))
		f.least[i] = least
	}
}

// guest returns what cells cost with the table of h. When it gets clear that this is not below limit, it returns limit.
func (f *Fitter) guest(h *group, cells []cell, limit int64) int64 {
	cost := int64(0)
	next := 0 // bin
	for i, c := range cells {
		for next < len(h.bins) && h.bins[next].lo <= c.first {
			next++
		}
		if next > 0 && (c.last-h.bins[next-1].lo)>>h.bins[next-1].bits == 0 {
			cost += int64(c.n) * h.prices[next-1]
		} else {
			cost += exceptions(c)
		}
		if cost+f.least[i+1] >= limit {
			return limit
		}
	}
	return cost
}

// take moves the contexts of g to h.
func (h *group) take(g *group) {
	h.contexts = append(h.contexts, g.contexts...)
	h.cells = joinCells(h.cells, g.cells)
	h.values += g.values
	h.fresh += g.values
	g.values = 0
}

// join moves the contexts of g to h, and fits the bins of h again if that has changed it much.
func (f *Fitter) join(h, g *group) {
	h.take(g)
	g.unlink()
	if h.fresh > h.values/staleness {
		f.refit(h)
	}
}

// joinCells returns the cells of both. Those that overlap become one.
func joinCells(a, b []cell) []cell {
	all := make([]cell, 0, len(a)+len(b))
	for len(a) > 0 || len(b) > 0 {
		from := &a
		if len(a) == 0 || len(b) > 0 && b[0].first < a[0].first {
			from = &b
		}
		c := (*from)[0]
		*from = (*from)[1:]
		if p := len(all) - 1; p >= 0 && c.first <= all[p].last {
			all[p].last = max(all[p].last, c.last)
			all[p].n += c.n
			continue
		}
		all = append(all, c)
	}
	return all
}

// MinPairValues is the number of values in a group from which on a pair gets a context of its own.
const MinPairValues = 48
