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

// The trees. BySystem has machines, nodes and processes; ByKind has kinds of locations; ByCommunicator has communicators and processes. Communicators
// that cut across those of ByCommunicator are in the trees behind it.
const (
	BySystem       Tree = "system"
	ByKind         Tree = "kind"
	ByCommunicator Tree = "communicator"
)

// communicatorTrees are the trees of communicators, those of the largest ones first: a grid of four dimensions has fewer.
var communicatorTrees = []string{string(ByCommunicator), "communicator-2", "communicator-3", "communicator-4", "communicator-5", "communicator-6", "communicator-7", "communicator-8"}

// TreeNames are the names of all trees.
var TreeNames = append([]string{string(BySystem), string(ByKind)}, communicatorTrees...)

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

// communicators plants a tree of communicators, and returns how many trees the trace has. The first one is of the largest communicators; one that shares only some
// members with them, as a column of a grid with its rows, is in the first later tree where it does not. A tree that the trace does not have has no communicators.
func (p *planter) communicators(places []trace.Place, tree int) (trees int) {
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
	p.owners = map[member]*branch{}
	for ; len(ids) > 0 && trees < len(communicatorTrees); trees++ {
		root, owners := &branch{}, map[member]*branch{}
		if trees == tree {
			root, owners = p.root, p.owners
		}
		ids = p.nested(root, ids, sets, owners, len(there))
	}
	return trees
}

// nested plants communicators, which come with the largest first, each below the innermost one that has all of its members, and returns those that share only some members
// with one that is there. One that has the members of another one is not planted again. It sets the innermost communicator of each member.
func (p *planter) nested(root *branch, ids []uint64, sets map[uint64][]member, owners map[member]*branch, all int) (across []uint64) {
	sizes := map[*branch]int{nil: all + 1}
	for _, id := range ids {
		list := sets[id]
		within := owners[list[0]]
		if slices.ContainsFunc(list, func(m member) bool { return owners[m] != within }) {
			across = append(across, id)
			continue
		}
		if len(list) == sizes[within] {
			continue
		}
		b := &branch{Group: Group{Name: cmp.Or(p.d.Name(trace.SpaceComm, id), "communicator "+number(id)), Kind: "communicator"}}
		parent := cmp.Or(within, root)
		parent.children = append(parent.children, b)
		for _, m := range list {
			owners[m] = b
		}
		sizes[b] = len(list)
	}
	return across
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
