package fold

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// By says which locations are folded together.
type By uint8

const (
	// ByProcess folds the threads of a process, and the streams of the accelerators that it uses.
	ByProcess By = iota
	// ByNode folds the locations of a node of the system tree: of the nearest place around a process that has the class "node" or shares
	// memory, else of the place that the process is said to be at.
	ByNode
	// ByDevice folds the streams of an accelerator. Other locations are in no group.
	ByDevice
	// ByAll folds all locations.
	ByAll
)

var byNames = []string{"process", "node", "device", "all"}

// Bys returns the names of all ways to group locations.
func Bys() []string { return slices.Clone(byNames) }

// ParseBy returns the way of a name.
func ParseBy(name string) (By, error) {
	if i := slices.Index(byNames, name); i >= 0 {
		return By(i), nil
	}
	return 0, fmt.Errorf("%q is none of %s", name, strings.Join(byNames, ", "))
}

// String returns the name.
func (b By) String() string { return byNames[b] }

// Group is some locations that become one row.
type Group struct {
	Name string
	// Locations are ids. No location is in two groups.
	Locations []uint64
}

// The reasons why there are no groups of some kind.
var (
	ErrNoLocations = errors.New("no location is selected")
	ErrNoNodes     = errors.New("the trace does not say on which node a process ran")
	ErrNoDevices   = errors.New("no selected location is a stream of an accelerator")
)

// Groups divides locations, in the order in which groups are first met. Locations whose node is not known have a group of their own.
func Groups(d *trace.Definitions, locations []uint64, by By) ([]Group, error) {
	g := grouping{of: map[string]int{}}
	if by == ByNode {
		g.nodes = nodesOf(d)
	}
	for _, p := range d.Places(locations) {
		switch by {
		case ByProcess:
			g.add(processOf(d, &p))
		case ByNode:
			g.add(g.nodeOf(d, &p))
		case ByDevice:
			if p.DeviceLabel != "" {
				g.add(fmt.Sprint(p.Process, " ", p.DeviceLabel), p.DeviceLabel, p.Location)
			}
		case ByAll:
			g.add("", "all", p.Location)
		}
	}
	switch {
	case len(locations) == 0:
		return nil, ErrNoLocations
	case by == ByNode && len(g.list) == 1 && g.list[0].Name == noNode:
		return nil, ErrNoNodes
	case by == ByDevice && len(g.list) == 0:
		return nil, ErrNoDevices
	}
	g.tellApart()
	return g.list, nil
}

// Usual returns the finest way in which groups have more than one location each, on the average: by process, by node, or all.
func Usual(d *trace.Definitions, locations []uint64) By {
	for _, by := range []By{ByProcess, ByNode} {
		if groups, err := Groups(d, locations, by); err == nil && len(groups) < len(locations) && len(groups) > 1 {
			return by
		}
	}
	return ByAll
}

// grouping is groups in the making.
type grouping struct {
	of   map[string]int // places in the list, by what tells groups apart
	keys []string
	list []Group
	// nodes are the places of the system tree that are nodes.
	nodes map[uint64]bool
}

func (g *grouping) add(key, name string, location uint64) {
	at, ok := g.of[key]
	if !ok {
		at = len(g.list)
		g.of[key] = at
		g.list, g.keys = append(g.list, Group{Name: name}), append(g.keys, key)
	}
	g.list[at].Locations = append(g.list[at].Locations, location)
}

// tellApart makes names different that are equal, by the id in their keys.
func (g *grouping) tellApart() {
	count := map[string]int{}
	for i := range g.list {
		count[g.list[i].Name]++
	}
	for i := range g.list {
		if name := g.list[i].Name; count[name] > 1 {
			id, _, _ := strings.Cut(g.keys[i], " ")
			g.list[i].Name = name + " #" + id
		}
	}
}

// processOf returns what tells the process of a place apart, its name, and the location. That of an accelerator is the process that uses it.
func processOf(d *trace.Definitions, p *trace.Place) (key, name string, location uint64) {
	if !p.InProcess {
		return fmt.Sprint(p.Location, " location"), p.Label, p.Location
	}
	id := p.Process
	if creator := d.Groups[id].Creator; p.DeviceLabel != "" && !trace.IsUndefined(creator) {
		if _, ok := d.Groups[creator]; ok {
			id = creator
		}
	}
	name = cmp.Or(p.RankLabel, d.Name(trace.SpaceLocationGroup, id), fmt.Sprint("process ", id))
	return fmt.Sprint(id), name, p.Location
}

const (
	noNode       = "no node"
	nodeClass    = "node"
	sharedMemory = 1 // a value of trace.EnumSystemTreeDomain
	// mostAbove bounds the way up the system tree, which a file may have as a circle.
	mostAbove = 64
)

// nodesOf returns the places of the system tree that are nodes.
func nodesOf(d *trace.Definitions) map[uint64]bool {
	nodes := map[uint64]bool{}
	for id, n := range d.TreeNodes {
		if strings.EqualFold(d.Strings[n.Class], nodeClass) {
			nodes[id] = true
		}
	}
	for i := range d.Log {
		if r := &d.Log[i]; r.Kind == trace.KindSystemTreeNodeDomain && len(r.Words) > 1 && r.Words[1] == sharedMemory {
			nodes[r.Words[0]] = true
		}
	}
	return nodes
}

// nodeOf returns what tells the node of a place apart, its name, and the location.
func (g *grouping) nodeOf(d *trace.Definitions, p *trace.Place) (key, name string, location uint64) {
	group, ok := d.Groups[p.Process]
	if _, known := d.TreeNodes[group.Parent]; ok && !known { // an accelerator is where its process is
		group, ok = d.Groups[group.Creator]
	}
	if _, known := d.TreeNodes[group.Parent]; !p.InProcess || !ok || !known {
		return "", noNode, p.Location
	}
	found := group.Parent
	for id, above := found, 0; above < mostAbove; above++ {
		n, ok := d.TreeNodes[id]
		if !ok {
			break
		}
		if g.nodes[id] {
			found = id
			break
		}
		id = n.Parent
	}
	return fmt.Sprint(found), cmp.Or(d.Name(trace.SpaceSystemTreeNode, found), fmt.Sprint("node ", found)), p.Location
}
