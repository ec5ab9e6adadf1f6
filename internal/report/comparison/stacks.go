package comparison

import (
	"github.com/pandotrace/pando/internal/stacks"
)

// Stacks returns the call paths with the exclusive times of both sides and their differences, for programs that show profiles. The first two
// columns are those that difffolded.pl compares.
func (r *Report) Stacks() *stacks.Tree {
	c := r.comparison
	t := &stacks.Tree{Title: r.A + " and " + r.B, Comments: []string{"A: " + r.A, "B: " + r.B}, Kinds: map[string]string{}}
	frames := map[uint32]int{}
	names := []string{"A", "B", "slower", "faster"}
	columns := make([]stacks.Column, len(names))
	for i, name := range names {
		columns[i] = stacks.Column{Name: name, Unit: stacks.Nanoseconds}
	}
	for i := 1; i < len(c.Paths); i++ {
		p := &c.Paths[i]
		frame, ok := frames[uint32(p.Name)]
		if !ok {
			frame = len(t.Frames)
			frames[uint32(p.Name)] = frame
			t.Frames = append(t.Frames, stacks.Frame{Name: c.Forest.NameOf(p.Name)})
		}
		t.Nodes = append(t.Nodes, stacks.Node{Parent: p.Parent - 1, Frame: frame})
		d := p.Net()
		for k, units := range []int64{p.Ticks[0], p.Ticks[1], max(0, d), max(0, -d)} {
			columns[k].Values = append(columns[k].Values, r.ns(units))
		}
	}
	t.Columns = columns
	return t
}
