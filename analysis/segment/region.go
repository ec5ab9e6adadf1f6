package segment

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/trace"
)

// region is what the walk has to know of a name.
type region struct {
	waits  bool    // it synchronises
	works  bool    // it works, also where a call around it synchronises
	nested int32   // its number among the names whose calls have others of the name inside, none
	record int32   // the record of its calls, none
	begins []int32 // groups of which it is the first call
	within []int32 // groups that have it in their body
	around []int32 // groups that stand in its calls
}

// tally is what the walk adds up for a name.
type tally struct {
	covered trace.Sum // SOS time of whole calls, the outermost ones of the name
	calls   uint64    // number of these
	special bool      // something of the region is set
}

// none is a number of nothing.
const none = -1

// regions are those of a walk, by name.
type regions struct {
	list   []region
	sums   []tally
	nested int // number of names that are nested
}

// newRegions returns what the definitions say of the names of a forest, whose structure has been read.
func newRegions(f *calltree.Forest, defs *trace.Definitions) *regions {
	r := &regions{list: make([]region, f.Names()), sums: make([]tally, f.Names())}
	byText := map[string]calltree.Name{}
	for n := range r.list {
		r.list[n].nested, r.list[n].record = none, none
		byText[f.NameOf(calltree.Name(n))] = calltree.Name(n)
	}
	for _, id := range defs.Regions() {
		if n, ok := byText[defs.RegionName(id)]; ok && n != 0 {
			class := defs.RegionClass(id)
			r.list[n].waits = r.list[n].waits || class.Synchronises()
			r.list[n].works = r.list[n].works || class.WorksInside()
		}
	}
	return r
}

// nest finds the names that are nested. It looks at each call of the forest.
func (r *regions) nest(f *calltree.Forest) {
	for n := range calltree.Node(f.Len()) {
		if f.IsGroup(n) || f.Name(n) == 0 {
			continue
		}
		if p := &r.list[f.Name(n)]; p.nested == none && callsOf(f, n, f.Name(n)) > 1 {
			p.nested = int32(r.nested)
			r.nested++
		}
	}
}

// callsOf returns how many calls of a name a call has, itself included.
func callsOf(f *calltree.Forest, n calltree.Node, name calltree.Name) uint64 {
	bag := f.Bag(n)
	at, ok := slices.BinarySearchFunc(bag, name, func(b calltree.Surplus, name calltree.Name) int { return cmp.Compare(b.Name, name) })
	if !ok {
		return 0
	}
	return bag[at].Calls
}

// arrange tells the names what the walk has to look for: groups, and calls that are recorded.
func (r *regions) arrange(groups []group) {
	for i := range groups {
		g := &groups[i]
		around, first := &r.list[g.around], &r.list[g.first]
		around.around = append(around.around, int32(i))
		first.begins = append(first.begins, int32(i))
		for _, n := range g.body {
			r.list[n].within = append(r.list[n].within, int32(i))
		}
	}
	for n := range r.list {
		p := &r.list[n]
		r.sums[n].special = p.waits || p.works || p.nested != none || p.record != none || len(p.begins)+len(p.within)+len(p.around) > 0
	}
}

// waits reports whether calls have been met that synchronise.
func (r *regions) waits() bool {
	for n := range r.list {
		if r.list[n].waits && r.sums[n].calls > 0 {
			return true
		}
	}
	return false
}
