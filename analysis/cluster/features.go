package cluster

import (
	"cmp"
	"errors"
	"slices"

	"github.com/pandotrace/pando/analysis/calltree"
)

// Features are what calls have, by the names of regions.
type Features struct {
	Functions []string
	Pairs     []Pair
	// Contexts are call paths, the outermost call first; of those inside of each other, only the outermost are listed.
	Contexts [][]string
	// Counts are how often regions are called.
	Counts []Count
}

// Pair is a region and what it calls. The caller of what no call is around is empty.
type Pair struct{ Caller, Callee string }

// Count is a number of calls of a region.
type Count struct {
	Region string
	Calls  uint64
}

// compare finds out what each group has that the others lack, and the other way round.
func (c *Clusters) compare() error {
	if len(c.Groups) < 2 {
		return nil
	}
	for _, by := range []By{Functions, Pairs, Contexts} {
		if by == Contexts && c.By != Contexts {
			continue
		}
		err := c.contrast(by)
		var full *MemoryError
		if errors.As(err, &full) {
			c.Untold = true
		} else if err != nil {
			return err
		}
	}
	if c.By.counted() {
		return c.contrastCounts()
	}
	return nil
}

// contrast compares groups by attributes.
func (c *Clusters) contrast(by By) error {
	var of []traits
	numbers := map[traits]int{}
	groups := make([][]int, len(c.Groups)) // numbers of their traits
	for i := range c.Groups {
		for _, k := range c.Groups[i].kinds {
			for _, t := range c.kinds[k].traits {
				if _, ok := numbers[t]; !ok {
					numbers[t] = len(of)
					of = append(of, t)
				}
				groups[i] = append(groups[i], numbers[t])
			}
		}
	}
	sets, all, err := c.attributes(by, of)
	if err != nil {
		return err
	}
	some, each := make([]bitset, len(c.Groups)), make([]bitset, len(c.Groups))
	inSome, inEach := make([]int, len(all)), make([]int, len(all))
	if err := c.budget.check(int64(len(c.Groups)) * int64(len(all)) / 4); err != nil {
		return err
	}
	for i := range c.Groups {
		some[i], each[i] = around(sets, groups[i])
		for _, n := range some[i].list() {
			inSome[n]++
		}
		for _, n := range each[i].list() {
			inEach[n]++
		}
	}
	once, elsewhere := counted(inSome, 1), counted(inEach, len(c.Groups)-1)
	for i := range c.Groups {
		if err := c.budget.ctx.Err(); err != nil {
			return err
		}
		c.tell(&c.Groups[i].Only, by, all, each[i].and(once))
		if len(c.Groups) > 2 {
			c.tell(&c.Groups[i].Lacks, by, all, elsewhere.less(some[i]))
		}
	}
	return nil
}

// counted returns the numbers that were counted so often.
func counted(counts []int, times int) bitset {
	b := newBitset(len(counts))
	for n, count := range counts {
		if count == times {
			b.add(uint32(n))
		}
	}
	return b
}

// tell adds attributes to features.
func (c *Clusters) tell(f *Features, by By, all []attribute, of bitset) {
	text := c.know.forest.NameOf
	for _, n := range of.list() {
		a := &all[n]
		switch {
		case by == Functions:
			f.Functions = append(f.Functions, text(a.name))
		case by == Pairs:
			f.Pairs = append(f.Pairs, Pair{text(a.caller), text(a.name)})
		case a.parent < 0 || !of.has(uint32(a.parent)):
			f.Contexts = append(f.Contexts, c.pathOf(all, n))
		}
	}
}

// pathOf returns the names of a call path.
func (c *Clusters) pathOf(all []attribute, n uint32) (path []string) {
	for at := int32(n); at >= 0; at = all[at].parent {
		path = append(path, c.know.forest.NameOf(all[at].name))
	}
	slices.Reverse(path)
	return path
}

// around returns the union and the intersection of some sets.
func around(sets []bitset, some []int) (union, common bitset) {
	union, common = slices.Clone(sets[some[0]]), slices.Clone(sets[some[0]])
	for _, k := range some[1:] {
		for i, w := range sets[k] {
			union[i] |= w
			common[i] &= w
		}
	}
	return union, common
}

// contrastCounts finds out which regions the members of each group call so often as no location of another group does.
func (c *Clusters) contrastCounts() error {
	for name := range c.know.forest.Names() {
		if err := c.budget.ctx.Err(); err != nil {
			return err
		}
		groups := map[uint64]int{} // by number of calls
		all := make([]uint64, len(c.Groups))
		same := make([]bool, len(c.Groups))
		for i := range c.Groups {
			seen := map[uint64]bool{}
			for _, k := range c.Groups[i].kinds {
				all[i] = c.kinds[k].calls(name)
				seen[all[i]] = true
			}
			same[i] = len(seen) == 1
			for n := range seen {
				groups[n]++
			}
		}
		for i := range c.Groups {
			if same[i] && groups[all[i]] == 1 {
				g := &c.Groups[i]
				g.Only.Counts = append(g.Only.Counts, Count{c.know.forest.NameOf(calltree.Name(name)), all[i]})
			}
		}
	}
	for i := range c.Groups {
		slices.SortFunc(c.Groups[i].Only.Counts, func(a, b Count) int { return cmp.Compare(a.Region, b.Region) })
	}
	return nil
}

// calls returns how often a name is called.
func (k *kind) calls(name int) uint64 {
	if name >= len(k.counts) {
		return 0
	}
	return k.counts[name]
}
