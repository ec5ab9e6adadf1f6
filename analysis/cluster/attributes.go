package cluster

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/analysis/calltree"
)

// attribute is what a set of a location has: a region, a pair, or a call path.
type attribute struct {
	parent int32 // of a call path: the place of the one around it, -1 if there is none
	caller calltree.Name
	name   calltree.Name
}

// traits returns those of all kinds.
func (c *Clusters) traits() []traits {
	list := make([]traits, len(c.kinds))
	for i := range c.kinds {
		list[i] = c.kinds[i].traits[0]
	}
	return list
}

// attributes returns sets, in numbers of attributes, and these: in the order of their texts.
func (c *Clusters) attributes(by By, of []traits) (sets []bitset, all []attribute, err error) {
	lists := make([][]uint32, len(of))
	switch by {
	case Functions:
		for i := range of {
			lists[i] = c.know.functions.at(c.know.functionsOf(of[i].pairs))
		}
		for n := range c.know.forest.Names() {
			all = append(all, attribute{parent: -1, name: calltree.Name(n)})
		}
	case Pairs:
		for i := range of {
			lists[i] = c.know.pairs.lists.at(of[i].pairs)
		}
		for _, p := range c.know.pairs.list {
			all = append(all, attribute{parent: -1, caller: p.caller, name: p.callee})
		}
	case Contexts:
		if all, err = c.paths(of, lists); err != nil {
			return nil, nil, err
		}
	}
	return c.compact(lists, all)
}

// paths numbers call paths.
func (c *Clusters) paths(of []traits, lists [][]uint32) (all []attribute, err error) {
	numbers := map[uint64]uint32{} // of a path by that around it, plus 1, and its name
	type within struct {
		set  uint32
		path int32
	}
	var open []within
	for i := range of {
		open = append(open, within{of[i].contexts, -1})
		for len(open) > 0 {
			w := open[len(open)-1]
			open = open[:len(open)-1]
			list := c.know.contexts.lists.at(w.set)
			for ; len(list) > 0; list = list[2:] {
				key := pairOf(uint32(w.path+1), list[0])
				n, ok := numbers[key]
				if !ok {
					n = uint32(len(all))
					numbers[key] = n
					all = append(all, attribute{parent: w.path, name: calltree.Name(list[0])})
				}
				lists[i] = append(lists[i], n)
				open = append(open, within{list[1], int32(n)})
			}
			if err := c.budget.check(64*int64(len(all)) + 4*int64(len(lists[i]))); err != nil {
				return nil, err
			}
		}
		slices.Sort(lists[i])
	}
	return all, nil
}

// compact returns the sets of kinds as sets of attributes that some kind has, in the order of their texts, a path behind the one around it.
func (c *Clusters) compact(lists [][]uint32, all []attribute) ([]bitset, []attribute, error) {
	used := newBitset(len(all))
	for _, list := range lists {
		for _, n := range list {
			used.add(n)
		}
	}
	inside := map[int32][]uint32{}
	for _, n := range used.list() {
		inside[all[n].parent] = append(inside[all[n].parent], n)
	}
	for _, list := range inside {
		slices.SortFunc(list, func(a, b uint32) int { return c.compareText(&all[a], &all[b]) })
	}
	numbers, ordered := make([]uint32, len(all)), []attribute(nil)
	open := slices.Clone(inside[-1])
	slices.Reverse(open)
	for len(open) > 0 {
		n := open[len(open)-1]
		open = open[:len(open)-1]
		a := all[n]
		if a.parent >= 0 {
			a.parent = int32(numbers[a.parent])
		}
		numbers[n] = uint32(len(ordered))
		ordered = append(ordered, a)
		for _, m := range slices.Backward(inside[int32(n)]) {
			open = append(open, m)
		}
	}
	if err := c.budget.check(int64(len(lists)) * int64(len(ordered)) / 8); err != nil {
		return nil, nil, err
	}
	sets := make([]bitset, len(lists))
	for i, list := range lists {
		sets[i] = newBitset(len(ordered))
		for _, n := range list {
			sets[i].add(numbers[n])
		}
	}
	return sets, ordered, nil
}

func (c *Clusters) compareText(a, b *attribute) int {
	text := c.know.forest.NameOf
	return cmp.Or(cmp.Compare(text(a.caller), text(b.caller)), cmp.Compare(text(a.name), text(b.name)))
}
