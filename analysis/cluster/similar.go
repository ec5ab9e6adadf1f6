package cluster

import (
	"math/bits"
	"slices"
)

// bitset is a set of numbers.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) add(n uint32) { b[n/64] |= 1 << (n % 64) }

func (b bitset) has(n uint32) bool { return b[n/64]>>(n%64)&1 == 1 }

// size returns the number of numbers.
func (b bitset) size() (n int) {
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// and returns what two sets have in common.
func (b bitset) and(c bitset) bitset {
	both := make(bitset, len(b))
	for i := range b {
		both[i] = b[i] & c[i]
	}
	return both
}

// less returns what a set has and another one has not.
func (b bitset) less(c bitset) bitset {
	rest := make(bitset, len(b))
	for i := range b {
		rest[i] = b[i] &^ c[i]
	}
	return rest
}

// within reports whether all numbers are in another set.
func (b bitset) within(c bitset) bool {
	for i := range b {
		if b[i]&^c[i] != 0 {
			return false
		}
	}
	return true
}

// list returns the numbers in rising order.
func (b bitset) list() (list []uint32) {
	for i, w := range b {
		for ; w != 0; w &= w - 1 {
			list = append(list, uint32(i*64+bits.TrailingZeros64(w)))
		}
	}
	return list
}

// likeness tells how similar kinds are: Jaccard's index of sets of regions, pairs or call paths, or of the numbers of calls of all regions, where
// the lesser ones are what is common and the greater ones the whole.
type likeness struct {
	sets   []bitset
	counts [][]uint64
}

// likeness returns that of all kinds.
func (c *Clusters) likeness() (*likeness, error) {
	if c.likes != nil {
		return c.likes, nil
	}
	l := &likeness{}
	if c.By.counted() {
		for i := range c.kinds {
			l.counts = append(l.counts, c.kinds[i].counts)
		}
	} else {
		sets, _, err := c.attributes(c.By, c.traits())
		if err != nil {
			return nil, err
		}
		l.sets = sets
	}
	c.likes = l
	return l, nil
}

// of returns how similar two kinds are, from 0 to 1.
func (l *likeness) of(a, b int) float64 {
	if l.sets != nil {
		return jaccard(l.sets[a], l.sets[b])
	}
	return weighted(l.counts[a], l.counts[b])
}

func jaccard(a, b bitset) float64 {
	common, all := 0, 0
	for i := range a {
		common += bits.OnesCount64(a[i] & b[i])
		all += bits.OnesCount64(a[i] | b[i])
	}
	return float64(common) / float64(all)
}

func weighted(a, b []uint64) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	common, all := 0.0, 0.0
	for i, n := range a {
		common += float64(min(n, b[i]))
		all += float64(max(n, b[i]))
	}
	for _, n := range b[len(a):] {
		all += float64(n)
	}
	return common / all
}

// rounding is by how much sums of similarities may differ that are equal but for the order in which they were added up.
const rounding = 1e-9

// medoid returns the kind, of some, that is most similar to all members of these: the first of those.
func (c *Clusters) medoid(kinds []int) (best int) {
	if len(kinds) == 1 {
		return kinds[0]
	}
	most := -1.0
	for _, i := range kinds {
		sum := 0.0
		for _, j := range kinds {
			sum += float64(len(c.kinds[j].members)) * c.likes.of(i, j)
		}
		if sum > most+rounding {
			best, most = i, sum
		}
	}
	return best
}

// merge returns groups of kinds. Of all groups, the two are merged whose least similar kinds are the most similar ones, as long as these are as
// similar as the threshold says; of equal ones the first. So any two locations of a group are so similar.
func (c *Clusters) merge() ([][]int, error) {
	groups := make([][]int, len(c.kinds))
	for i := range groups {
		groups[i] = []int{i}
	}
	if c.Threshold == 0 || len(groups) < 2 {
		return groups, nil
	}
	m, err := c.newMerging(groups)
	if err != nil {
		return nil, err
	}
	for {
		i := m.nearest()
		if i < 0 {
			return m.left(), nil
		}
		m.join(i, m.best[i])
		if err := c.budget.ctx.Err(); err != nil {
			return nil, err
		}
	}
}

// merging is groups that are being merged.
type merging struct {
	threshold float64
	groups    [][]int   // nil where one became part of another
	similar   []float64 // of i < j at j (j-1) / 2 + i
	best      []int     // by group: the most similar one behind it, -1 if none is similar enough
}

func at(i, j int) int { return j*(j-1)/2 + i }

func (c *Clusters) newMerging(groups [][]int) (*merging, error) {
	n := len(groups)
	likes, err := c.likeness()
	if err == nil {
		err = c.budget.check(8 * int64(n) * int64(n-1) / 2)
	}
	if err != nil {
		return nil, err
	}
	m := &merging{threshold: c.Threshold, groups: groups, similar: make([]float64, n*(n-1)/2), best: make([]int, n)}
	for j := range n {
		for i := range j {
			m.similar[at(i, j)] = likes.of(i, j)
		}
		if err := c.budget.ctx.Err(); err != nil {
			return nil, err
		}
	}
	for i := range m.best {
		m.find(i)
	}
	return m, nil
}

// find finds the group behind one that is most similar to it.
func (m *merging) find(i int) {
	m.best[i] = -1
	most := m.threshold
	for j := i + 1; j < len(m.groups); j++ {
		if s := m.similar[at(i, j)]; m.groups[j] != nil && (s > most || s == most && m.best[i] < 0) {
			m.best[i], most = j, s
		}
	}
}

// nearest returns the first group of the two that are most similar, -1 if none are similar enough.
func (m *merging) nearest() int {
	first, most := -1, -1.0
	for i, j := range m.best {
		if m.groups[i] != nil && j >= 0 && m.similar[at(i, j)] > most {
			first, most = i, m.similar[at(i, j)]
		}
	}
	return first
}

// join makes a group a part of one before it.
func (m *merging) join(i, j int) {
	m.groups[i] = append(m.groups[i], m.groups[j]...)
	m.groups[j] = nil
	for k := range m.groups {
		if k == i || m.groups[k] == nil {
			continue
		}
		to := &m.similar[at(min(i, k), max(i, k))]
		*to = min(*to, m.similar[at(min(j, k), max(j, k))])
	}
	for k := range j { // the most similar group lies behind
		if m.groups[k] != nil && (k == i || m.best[k] == i || m.best[k] == j) {
			m.find(k)
		}
	}
}

// left returns the groups that are left, their kinds in rising order.
func (m *merging) left() (groups [][]int) {
	for _, g := range m.groups {
		if g != nil {
			slices.Sort(g)
			groups = append(groups, g)
		}
	}
	return groups
}
