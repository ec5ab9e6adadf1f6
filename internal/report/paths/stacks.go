package paths

import (
	"math"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/internal/draw"
	"github.com/pandotrace/pando/internal/stacks"
	"github.com/pandotrace/pando/trace"
)

// Stacks returns a call tree with the times of paths alone and their calls, for the formats of package stacks. There are resolution ticks in
// a second.
func Stacks(p *calltree.Profile, defs *trace.Definitions, resolution uint64) *stacks.Tree {
	tree := &stacks.Tree{
		Columns: []stacks.Column{{Name: "time", Unit: stacks.Nanoseconds}, {Name: "calls", Unit: stacks.Count}}, Kinds: map[string]string{},
	}
	for n := range p.Names.Len() {
		name := calltree.Name(n)
		f, kind := Frame(defs, p.Names.Region(name), p.Names.Text(name))
		tree.Frames = append(tree.Frames, f)
		tree.Kinds[f.Kind] = kind
	}
	time, calls := &tree.Columns[0], &tree.Columns[1]
	for i := range p.Paths {
		at := &p.Paths[i]
		tree.Nodes = append(tree.Nodes, stacks.Node{Parent: at.Parent, Frame: int(at.Name)})
		time.Values = append(time.Values, saturated(at.Exclusive.Nanoseconds(resolution)))
		calls.Values = append(calls.Values, int64(min(at.Calls, math.MaxInt64)))
	}
	return tree
}

// saturated returns a sum as an integer of 64 bits, the largest one if it is larger.
func saturated(s trace.Sum) int64 {
	if s.Cmp(trace.SumOf(math.MaxInt64)) > 0 {
		return math.MaxInt64
	}
	return int64(s.Lo)
}

// Frame returns what formats of stacks say of a region of a name, and the colour of its kind.
func Frame(defs *trace.Definitions, region uint64, name string) (f stacks.Frame, kind string) {
	r, _ := defs.Region(region)
	f = stacks.Frame{Name: name, File: defs.Strings[r.SourceFile]}
	if f.File != "" && r.BeginLine < math.MaxUint32 {
		f.Line = int(r.BeginLine)
	}
	activity := defs.RegionClass(region).Activity
	f.Colour, f.Kind = draw.CSS(draw.RegionColour(f.Name, activity)), activity.String()
	return f, draw.CSS(draw.ActivityColour(activity))
}
