package paths

import (
	"fmt"
	"image/color"
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
		f, activity := frameOf(defs, p.Names, calltree.Name(n))
		tree.Frames = append(tree.Frames, f)
		tree.Kinds[f.Kind] = css(draw.ActivityColour(activity))
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

// frameOf returns what formats of stacks say of a region, and its activity.
func frameOf(defs *trace.Definitions, names *calltree.Names, n calltree.Name) (stacks.Frame, trace.Activity) {
	r, _ := defs.Region(names.Region(n))
	f := stacks.Frame{Name: names.Text(n), File: defs.Strings[r.SourceFile]}
	if f.File != "" && r.BeginLine < math.MaxUint32 {
		f.Line = int(r.BeginLine)
	}
	activity := defs.RegionClass(names.Region(n)).Activity
	f.Colour, f.Kind = css(draw.RegionColour(f.Name, activity)), activity.String()
	return f, activity
}

// css returns a colour as CSS has it.
func css(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
