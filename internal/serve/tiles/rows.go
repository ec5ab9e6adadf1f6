package tiles

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/pandotrace/pando/internal/draw"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Rows are the rows that a viewer may show: the tree of the system, with locations as leaves, and what is drawn in them.
type Rows struct {
	// FirstTick and Ticks are the time of the trace's first event and the time from there to its last one. Larger numbers than
	// 2^53 are no numbers in JavaScript: the first is a text.
	FirstTick      string `json:"first_tick"`
	Ticks          int64  `json:"duration_ticks"`
	TicksPerSecond uint64 `json:"ticks_per_second"`
	Events         uint64 `json:"events"`
	Unfinished     bool   `json:"unfinished"`
	// Groups are the inner nodes of the tree, parents before children: number 0 is all of the trace.
	Groups []Group `json:"groups"`
	// Locations are in the order of the tree.
	Locations []Location `json:"locations"`
	Regions   []Region   `json:"regions"`
	Counters  []Counter  `json:"counters"`
	Comms     []Named    `json:"communicators"`

	// Tree says what the groups are. Communicators are the trees of communicators that the trace has, told if it is one of them.
	Tree          Tree     `json:"tree"`
	Communicators []string `json:"communicator_trees"`

	lanes   [][]uint64 // ids of the locations of each lane, in the order of tiles
	places  map[uint64]uint32
	row     map[uint64]int // of each location, in Locations
	inGroup [][]uint64     // ids of the locations below each group
}

// Group is an inner node of the tree: a machine, a node, a process.
type Group struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Parent int    `json:"parent"` // -1 of the first
	// From and To are the locations below it: Locations[From:To].
	From int `json:"from"`
	To   int `json:"to"`
}

// Location is a leaf of the tree.
type Location struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Label string `json:"label"` // as people call it, "rank 3 thread 1"
	Rank  int64  `json:"rank"`  // -1 for none
	Group int    `json:"group"`
	Lane  uint32 `json:"lane"`
	Place int    `json:"place"` // its row in tiles of the lane
}

// Region is a function or code block.
type Region struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Colour string `json:"colour"`
}

// Counter is a value that locations record.
type Counter struct {
	Metric string `json:"metric"`
	Member uint64 `json:"member"`
	Name   string `json:"name"`
	Unit   string `json:"unit"`
	// A value times Base to the power of Exponent is in the unit.
	Base     uint64 `json:"base"`
	Exponent int64  `json:"exponent"`
}

// Named is a definition with a name.
type Named struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// NewRows reads the rows of a trace, below groups of a tree.
func NewRows(r *store.Reader, tree Tree) (*Rows, error) {
	d, err := r.Definitions()
	if err != nil {
		return nil, err
	}
	locations, err := r.Locations()
	if err != nil {
		return nil, err
	}
	info := r.Info()
	v := &Rows{
		Tree:      tree,
		FirstTick: strconv.FormatInt(info.First, 10), Ticks: info.Last - info.First, TicksPerSecond: max(1, r.Meta().Resolution), Events: info.Events, Unfinished: r.Unfinished(),
		Locations: []Location{}, Regions: []Region{}, Counters: []Counter{}, Comms: []Named{}, Communicators: []string{}, places: map[uint64]uint32{}, row: map[uint64]int{},
	}
	v.plant(d, locations, tree)
	for i, id := range d.Regions() {
		region := draw.RegionOf(d, id)
		v.places[id] = uint32(i)
		c := region.Colour
		v.Regions = append(v.Regions, Region{number(id), region.Name, region.Activity.String(), fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)})
	}
	v.counters(d)
	for _, id := range sortedKeys(d.Comms) {
		v.Comms = append(v.Comms, Named{number(id), d.Name(trace.SpaceComm, id)})
	}
	return v, nil
}

func number(id uint64) string { return strconv.FormatUint(id, 10) }

func sortedKeys[V any](m map[uint64]V) (keys []uint64) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// branch is a node of the tree while it is planted.
type branch struct {
	Group
	children []*branch
	leaves   []int // places in the list of locations
}

// plant makes the tree: nodes of the system, processes, and locations. A process with one location is no node of its own.
func (v *Rows) plant(d *trace.Definitions, locations []store.LocationInfo, tree Tree) {
	ids := make([]uint64, len(locations))
	for i := range locations {
		ids[i] = locations[i].ID
	}
	p := planter{d: d, root: &branch{Group: Group{Name: "all", Kind: "trace", Parent: -1}}, nodes: map[uint64]*branch{}, processes: map[uint64]*branch{}}
	places := d.Places(ids)
	of := p.process
	if by := slices.Index(communicatorTrees, string(tree)); by >= 0 {
		v.Communicators = communicatorTrees[:p.communicators(places, by)]
	} else if tree == ByKind {
		of = p.kind
	}
	for i := range places {
		b := of(&places[i])
		b.leaves = append(b.leaves, i)
	}
	v.lanes = [][]uint64{}
	inLane := make([]int, len(ids))
	for i := range locations {
		lane := int(locations[i].Lane)
		for len(v.lanes) <= lane {
			v.lanes = append(v.lanes, nil)
		}
		inLane[i] = len(v.lanes[lane])
		v.lanes[lane] = append(v.lanes[lane], ids[i])
	}
	root := p.root
	for len(root.leaves) == 0 && len(root.children) == 1 && len(root.children[0].children) > 0 { // one machine is all
		root = root.children[0]
	}
	v.walk(root, -1, func(leaf, group int) {
		name := d.Name(trace.SpaceLocation, ids[leaf])
		v.row[ids[leaf]] = len(v.Locations)
		v.Locations = append(v.Locations, Location{number(ids[leaf]), name, places[leaf].Label, places[leaf].Rank, group, locations[leaf].Lane, inLane[leaf]})
	})
	inOrder := make([]uint64, len(ids))
	for id, row := range v.row {
		inOrder[row] = id
	}
	for _, g := range v.Groups {
		v.inGroup = append(v.inGroup, inOrder[g.From:g.To])
	}
}

// planter makes branches as they are met.
type planter struct {
	d         *trace.Definitions
	root      *branch
	nodes     map[uint64]*branch // of the system tree; in others by what their groups are
	processes map[uint64]*branch
	owners    map[member]*branch // of the communicators' tree: the innermost one of each member
}

func (p *planter) process(at *trace.Place) *branch {
	if !at.InProcess {
		return p.owner(at)
	}
	b := p.processes[at.Process]
	if b == nil {
		g := p.d.Groups[at.Process]
		b = &branch{Group: Group{Name: cmp.Or(at.RankLabel, p.d.Name(trace.SpaceLocationGroup, at.Process), "process "+number(at.Process)), Kind: "process"}}
		p.processes[at.Process] = b
		parent := p.owner(at)
		if p.owners == nil {
			parent = p.node(g.Parent, 0)
		}
		parent.children = append(parent.children, b)
	}
	return b
}

// deepest bounds the depth of the tree: a file may claim that nodes are their own parents.
const deepest = 64

func (p *planter) node(id uint64, depth int) *branch {
	n, ok := p.d.TreeNodes[id]
	if !ok || depth > deepest {
		return p.root
	}
	b := p.nodes[id]
	if b == nil {
		b = &branch{Group: Group{Name: cmp.Or(p.d.Name(trace.SpaceSystemTreeNode, id), "node "+number(id)), Kind: cmp.Or(p.d.Strings[n.Class], "node")}}
		p.nodes[id] = b
		parent := p.root
		if n.Parent != id {
			parent = p.node(n.Parent, depth+1)
		}
		if p.nodes[id] == b {
			parent.children = append(parent.children, b)
		}
	}
	return b
}

// walk numbers the branches in their order, and calls leaf with each location. A branch below which is nothing but another one, or one location,
// is left out.
func (v *Rows) walk(b *branch, parent int, leaf func(leaf, group int)) {
	for parent >= 0 && len(b.children) == 1 && len(b.leaves) == 0 {
		b = b.children[0]
	}
	at := parent
	if parent < 0 || len(b.children)+len(b.leaves) > 1 {
		at = len(v.Groups)
		b.Parent, b.From = parent, len(v.Locations)
		v.Groups = append(v.Groups, b.Group)
	}
	for _, l := range b.leaves {
		leaf(l, at)
	}
	for _, c := range b.children {
		v.walk(c, at, leaf)
	}
	if at != parent {
		v.Groups[at].To = len(v.Locations)
	}
}

// counters lists what metrics count, class by class.
func (v *Rows) counters(d *trace.Definitions) {
	for _, id := range sortedKeys(d.Metrics) {
		for i, member := range d.MetricMembers(id) {
			m := d.Members[member]
			v.Counters = append(v.Counters, Counter{number(id), uint64(i), cmp.Or(d.Strings[m.Name], "counter "+number(member)), d.Strings[m.Unit], m.BaseNumber(), m.Exponent})
		}
	}
}

// Lane returns the ids of the locations of a lane, in the order of its rows; ok is false if there is none.
func (v *Rows) Lane(lane uint32) (ids []uint64, ok bool) {
	if int(lane) >= len(v.lanes) {
		return nil, false
	}
	return v.lanes[lane], true
}

// InGroup returns the ids of the locations of a group; ok is false if there is none.
func (v *Rows) InGroup(group uint32) (ids []uint64, ok bool) {
	if int(group) >= len(v.inGroup) {
		return nil, false
	}
	return v.inGroup[group], true
}

// Row returns the place of a location among all.
func (v *Rows) Row(location uint64) int { return v.row[location] }
