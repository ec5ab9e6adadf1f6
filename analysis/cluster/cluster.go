package cluster

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/pandotrace/pando/analysis/memory"
	"github.com/pandotrace/pando/encode/content"
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/trace"
)

// Options of [Find]. The zero value means the defaults.
type Options struct {
	By By
	// Threshold merges groups in which any two locations are at least so similar, above 0 and up to 1. 0 merges none.
	Threshold float64
	// Memory bounds the memory for what is known of locations, in bytes. 0 means 256 MiB. Locations that take more are a [MemoryError].
	Memory int64
	// Progress counts events.
	Progress trace.Progress
}

// Clusters are groups of locations that are alike.
type Clusters struct {
	By        By
	Threshold float64
	// Members are all locations with calls, in the order of sides, then of definition. Groups have their numbers.
	Members []Member
	// Spots are where they are, as rules see it.
	Spots []Spot
	// Groups are the largest first, and of equal size the one with the first location.
	Groups []Group
	// Empty are locations that have events and no calls. They are in no group.
	Empty []Member
	// Untold says that there was too little memory to find out what only one group has.
	Untold bool

	sides    []Side
	know     *knowledge
	budget   *budget
	kinds    []kind
	signs    map[sign]int // to numbers of kinds
	variants map[variant]bool
	bags     *lists
	likes    *likeness
	naming   *naming
}

// Member is a location of a side.
type Member struct {
	Side     int // number
	Location uint64
}

// Group is locations that are alike.
type Group struct {
	// Members are numbers of [Clusters].Members, in rising order.
	Members []int
	// Representative is the number of the member that is most similar to all members, the first of those.
	Representative int
	// Calls is the number of calls of the representative, if locations are clustered by calls or what is finer; it saturates.
	Calls uint64
	// Rule is a name of the group, which fits its members alone.
	Rule Rule
	// Only is what all members have, and no location of another group has. Lacks is what all locations of other groups have and no member,
	// if there are at least three groups.
	Only, Lacks Features

	kinds []int // numbers, in rising order
}

// kind is a description that some locations have in common: what is not told apart.
type kind struct {
	members []int
	traits  []traits // different ones: those that count for what is told apart are equal
	counts  []uint64
}

// Find finds groups of locations that are alike, of one window or several. Of the windows' filters, only those of locations count. Values are
// decoded only in slices that a window cuts; by [Messages] all of them, if the peers of messages are values. The work ends with the context.
//
// Up to calls, locations are compared by content. Trees, with or without messages, are compared by their length and by hashes of 2 x 61 bits,
// whose bases are drawn for each process: two that differ, of n calls, have equal ones with a chance of about n/2^121.
func Find(ctx context.Context, sides []Side, opt Options) (*Clusters, error) {
	if opt.Threshold < 0 || opt.Threshold > 1 || opt.Threshold != opt.Threshold {
		return nil, fmt.Errorf("a threshold of %g: similarities are from 0 to 1", opt.Threshold)
	}
	know := newKnowledge(opt.By)
	c := &Clusters{By: opt.By, Threshold: opt.Threshold, know: know, sides: slices.Clone(sides), signs: map[sign]int{}, variants: map[variant]bool{}, bags: newLists()}
	c.budget = &budget{ctx: ctx, know: know, memory: cmp.Or(opt.Memory, memory.Usual)}
	progress := &counter{report: opt.Progress}
	for i := range c.sides {
		all, empty, err := read(ctx, i, c.sides[i], c.budget, progress)
		if err != nil {
			return nil, err
		}
		for j := range all {
			c.gather(&all[j])
		}
		for _, id := range empty {
			c.Empty = append(c.Empty, Member{i, id})
		}
	}
	if err := c.form(); err != nil {
		return nil, err
	}
	if err := c.compare(); err != nil {
		return nil, err
	}
	return c, c.name()
}

// sign is what locations of one kind have in common.
type sign struct {
	set  uint32
	text content.Hash
}

// variant is what locations of a kind may be told apart by otherwise.
type variant struct {
	kind   int
	traits traits
}

// gather puts a location into its kind.
func (c *Clusters) gather(f *found) {
	s := c.signOf(f)
	n, ok := c.signs[s]
	if !ok {
		n = len(c.kinds)
		c.signs[s] = n
		c.kinds = append(c.kinds, kind{counts: f.counts})
	}
	if v := (variant{n, f.traits}); !c.variants[v] {
		c.variants[v] = true
		c.kinds[n].traits = append(c.kinds[n].traits, f.traits)
	}
	c.kinds[n].members = append(c.kinds[n].members, len(c.Members))
	c.Members = append(c.Members, Member{f.side, f.location})
}

func (c *Clusters) signOf(f *found) sign {
	switch c.By {
	case Functions:
		return sign{set: c.know.functionsOf(f.traits.pairs)}
	case Pairs:
		return sign{set: f.traits.pairs}
	case Contexts:
		return sign{set: f.traits.contexts}
	case Calls:
		return sign{set: c.bags.of(halves(f.counts))}
	}
	return sign{text: f.text}
}

// halves returns the halves of numbers, without zeros at the end.
func halves(numbers []uint64) []uint32 {
	for len(numbers) > 0 && numbers[len(numbers)-1] == 0 {
		numbers = numbers[:len(numbers)-1]
	}
	list := make([]uint32, 0, 2*len(numbers))
	for _, n := range numbers {
		list = append(list, uint32(n), uint32(n>>32))
	}
	return list
}

// form makes groups of kinds: one of each, or of several that are similar.
func (c *Clusters) form() error {
	merged, err := c.merge()
	if err != nil {
		return err
	}
	for _, kinds := range merged {
		g := Group{kinds: kinds}
		best := c.medoid(kinds)
		g.Representative = c.kinds[best].members[0]
		for _, n := range c.kinds[best].counts {
			g.Calls = shape.Plus(g.Calls, n)
		}
		for _, n := range kinds {
			g.Members = append(g.Members, c.kinds[n].members...)
		}
		slices.Sort(g.Members)
		c.Groups = append(c.Groups, g)
	}
	slices.SortFunc(c.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(len(b.Members), len(a.Members)), cmp.Compare(a.Members[0], b.Members[0]))
	})
	return nil
}
