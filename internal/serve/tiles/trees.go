package tiles

import (
	"cmp"
	"slices"
	"sync"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Tree says what the groups of rows are.
type Tree string

// The trees. BySystem has machines, nodes and processes; ByKind has kinds of locations; ByCommunicator has communicators and processes.
const (
	BySystem       Tree = "system"
	ByKind         Tree = "kind"
	ByCommunicator Tree = "communicator"
)

// TreeNames are the names of all trees.
var TreeNames = []string{string(BySystem), string(ByKind), string(ByCommunicator)}

// Trees are the rows of one trace, by each tree that was asked for. The zero value has none.
type Trees struct {
	mu   sync.Mutex
	rows map[Tree]*Rows
}

// Rows returns the rows of the trace below the groups of a tree. They are read once.
func (t *Trees) Rows(r *store.Reader, tree Tree) (*Rows, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if v := t.rows[tree]; v != nil {
		return v, nil
	}
	v, err := NewRows(r, tree)
	if err != nil {
		return nil, err
	}
	if t.rows == nil {
		t.rows = map[Tree]*Rows{}
	}
	t.rows[tree] = v
	return v, nil
}

// kindNames are those of kinds of locations, as OTF2 numbers them.
var kindNames = map[uint64]string{1: "CPU threads", 2: "accelerator streams", 3: "metrics"}

// kind returns the branch of a location's kind.
func (p *planter) kind(at *trace.Place) *branch {
	kind := uint64(0)
	if i, ok := p.d.LocationIndex(at.Location); ok {
		kind = p.d.Locations[i].Type
	}
	b := p.nodes[kind]
	if b == nil {
		b = &branch{Group: Group{Name: cmp.Or(kindNames[kind], "of kind "+number(kind)), Kind: "kind"}}
		p.nodes[kind] = b
		p.root.children = append(p.root.children, b)
	}
	return b
}

const (
	globalMembers = 1 // flag of groups that list ranks among all processes
	commLocations = 4 // type of the group that lists their locations
)

// member is what communicators consist of: a process, or a location without one.
type member struct {
	id       uint64
	location bool
}

func memberOf(d *trace.Definitions, location uint64) member {
	if id, ok := d.Process(location); ok && !trace.IsUndefined(id) {
		return member{id, false}
	}
	return member{location, true}
}

// owner returns the branch of the innermost communicator that has a location's process, or the process that its accelerator works for.
func (p *planter) owner(at *trace.Place) *branch {
	if !at.InProcess {
		return cmp.Or(p.owners[member{at.Location, true}], p.root)
	}
	return cmp.Or(p.owners[member{at.Process, false}], p.owners[member{p.d.Groups[at.Process].Creator, false}], p.root)
}

// communicators plants the communicators, the largest first, each below the innermost one that has all of its members. One that has the members of
// another one is not planted again, and neither is one that only shares some of them: a row of a grid and a column of it cannot both be groups.
func (p *planter) communicators(places []trace.Place) {
	p.owners = map[member]*branch{}
	there := make(map[member]bool, len(places))
	for i := range places {
		there[memberOf(p.d, places[i].Location)] = true
	}
	sets := map[uint64][]member{}
	for id := range p.d.Comms {
		if list := p.members(id, there); len(list) > 1 {
			sets[id] = list
		}
	}
	ids := sortedKeys(sets)
	slices.SortStableFunc(ids, func(a, b uint64) int { return len(sets[b]) - len(sets[a]) })
	sizes := map[*branch]int{nil: len(there) + 1}
	for _, id := range ids {
		list := sets[id]
		within := p.owners[list[0]]
		if len(list) == sizes[within] || slices.ContainsFunc(list, func(m member) bool { return p.owners[m] != within }) {
			continue
		}
		b := &branch{Group: Group{Name: cmp.Or(p.d.Name(trace.SpaceComm, id), "communicator "+number(id)), Kind: "communicator"}}
		parent := cmp.Or(within, p.root)
		parent.children = append(parent.children, b)
		for _, m := range list {
			p.owners[m] = b
		}
		sizes[b] = len(list)
	}
}

// members returns the members of a communicator that have locations of the trace, each once.
func (p *planter) members(comm uint64, there map[member]bool) (list []member) {
	seen := map[member]bool{}
	c := p.d.Comms[comm]
	g := p.d.GroupLists[c.Group]
	for i := range g.Members {
		rank := uint64(i)
		if g.Flags&globalMembers != 0 && g.Type != commLocations {
			rank = g.Members[i]
		}
		location, ok := p.d.RankLocation(comm, rank, 0)
		if m := memberOf(p.d, location); ok && !c.Inter && there[m] && !seen[m] {
			seen[m] = true
			list = append(list, m)
		}
	}
	return list
}
