package model

import (
	"slices"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// LikeCalls are calls whose subtrees look alike.
type LikeCalls struct {
	Shape string
	Calls []trace.Call // by location and ordinal
}

// Shapes divides the calls that lie in a window, begin and end included, into those that look alike: of one name, with calls that look alike directly
// inside, in the order in which each kind of these comes first, most of them at most. What is inside of a call in one of the same name is left out. With levels
// of 1, of the calls inside nothing but names counts; with 0, there is nothing inside.
func (t *Trace) Shapes(w *Window, calls []trace.Call, name func(c *trace.Call) string, most, levels int) map[string]*LikeCalls {
	type id struct{ location, ordinal uint64 }
	inside, all := map[id][]trace.Call{}, map[string]*LikeCalls{}
	calls = slices.Clone(calls)
	slices.SortStableFunc(calls, func(a, b trace.Call) int { return compare(int64(a.Ordinal), int64(b.Ordinal)) })
	for _, c := range calls {
		if c.Parent != trace.Undefined {
			inside[id{c.Location, c.Parent}] = append(inside[id{c.Location, c.Parent}], c)
		}
	}
	var draw func(c *trace.Call, levels int) string
	draw = func(c *trace.Call, levels int) string {
		var kinds []string
		for _, in := range inside[id{c.Location, c.Ordinal}] {
			text := name(&in)
			if levels > 1 && text != name(c) {
				text = draw(&in, levels-1)
			}
			if levels > 0 && !slices.Contains(kinds, text) && len(kinds) < most {
				kinds = append(kinds, text)
			}
		}
		if len(kinds) == 0 {
			return name(c)
		}
		return name(c) + "(" + strings.Join(kinds, " ") + ")"
	}
	for _, c := range calls {
		if c.Flags&trace.CallOpen != 0 || c.Start < w.From || c.End >= w.To {
			continue
		}
		text := draw(&c, levels)
		if all[text] == nil {
			all[text] = &LikeCalls{Shape: text}
		}
		all[text].Calls = append(all[text].Calls, c)
	}
	return all
}
