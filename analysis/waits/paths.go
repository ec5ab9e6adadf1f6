package waits

import (
	"slices"

	"github.com/pandotrace/pando/trace"
)

// PathID is the number of a call path. Numbers differ from file to file of one trace, the names on a path do not.
type PathID = uint32

// Outside is the path of what lies outside of all calls.
const Outside PathID = 0

// Paths are call paths: the names of the calls that are open, the outermost first.
type Paths struct {
	defs     *trace.Definitions
	list     []path
	names    []string
	numbers  map[string]uint32
	ofRegion map[uint64]uint32
	first    map[string]uint64 // by name: the first region that has it
	many     map[edge]PathID   // children of paths that have many
}

// edge is a path and the name of a child.
type edge struct {
	parent PathID
	name   uint32
}

type path struct {
	parent   PathID
	name     uint32
	depth    uint32
	children []PathID
}

// deepestPath is the number of levels of paths. Calls further in are beside those of the last level.
const deepestPath = 128

// pathBytes is about the memory of a path. Of more than fewChildren, those behind them are looked up.
const (
	pathBytes   = 80
	fewChildren = 16
)

func newPaths(defs *trace.Definitions) *Paths {
	p := &Paths{defs: defs, list: []path{{}}, numbers: map[string]uint32{}, ofRegion: map[uint64]uint32{}, first: map[string]uint64{}, many: map[edge]PathID{}}
	for _, id := range defs.Regions() {
		if name := defs.RegionName(id); p.first[name] == 0 {
			p.first[name] = id + 1
		}
	}
	return p
}

// Names returns the names on a path, the outermost first; an empty list outside of calls.
func (p *Paths) Names(id PathID) []string {
	names := []string{}
	for ; id != Outside; id = p.list[id].parent {
		names = append(names, p.names[p.list[id].name])
	}
	slices.Reverse(names)
	return names
}

// Definitions returns the definitions of the trace.
func (p *Paths) Definitions() *trace.Definitions { return p.defs }

// Region returns the region of the innermost call of a path: the first one that is defined of its name. It is trace.Undefined outside of calls, and
// for calls of no region.
func (p *Paths) Region(id PathID) uint64 { return p.first[p.Name(id)] - 1 }

// Name returns the name of the innermost call of a path, "" outside of calls.
func (p *Paths) Name(id PathID) string {
	if id == Outside {
		return ""
	}
	return p.names[p.list[id].name]
}

// compare orders paths by their names.
func (p *Paths) compare(a, b PathID) int {
	if a == b {
		return 0
	}
	return slices.Compare(p.Names(a), p.Names(b))
}

// name numbers the name of a region.
func (p *Paths) name(region uint64) uint32 {
	n, ok := p.ofRegion[region]
	if !ok {
		n = p.named(p.defs.RegionName(region))
		p.ofRegion[region] = n
	}
	return n
}

// named numbers a name.
func (p *Paths) named(text string) uint32 {
	n, ok := p.numbers[text]
	if !ok {
		n = uint32(len(p.names))
		p.names, p.numbers[text] = append(p.names, text), n
	}
	return n
}

// child returns the path of calls of a name within another path.
func (p *Paths) child(parent PathID, name uint32) PathID {
	if p.list[parent].depth >= deepestPath {
		parent = p.list[parent].parent
	}
	children := p.list[parent].children
	for _, c := range children {
		if p.list[c].name == name {
			return c
		}
	}
	full := len(children) >= fewChildren
	if c, ok := p.many[edge{parent, name}]; full && ok {
		return c
	}
	n := PathID(len(p.list))
	p.list = append(p.list, path{parent: parent, name: name, depth: p.list[parent].depth + 1})
	if full {
		p.many[edge{parent, name}] = n
	} else {
		p.list[parent].children = append(children, n)
	}
	return n
}

func (p *Paths) memory() int64 { return pathBytes * int64(len(p.list)) }
