package model

import (
	"fmt"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// clocks looks at the offsets that were measured of clocks.
func (f *findings) clocks() {
	for _, s := range f.Auxiliary {
		if s.ID.Class != trace.StreamLocalDefinitions {
			continue
		}
		var used []Record
		for _, r := range s.Records {
			if r.Kind != trace.KindClockOffset {
				continue
			}
			if n := len(used) - 1; n < 0 || r.Words[0] > used[n].Words[0] {
				used = append(used, r)
			} else {
				f.define("offset-out-of-order", "clock of %d, %d", s.ID.Location, r.Words[0])
			}
		}
		for i := 1; i < len(used); i++ {
			elapsed := used[i].Words[0] - used[i-1].Words[0]
			before, after := float64(int64(used[i-1].Words[1])), float64(int64(used[i].Words[1]))
			if after-before > float64(elapsed)*0.1 || before-after > float64(elapsed)*0.1 {
				f.define("clock-drifts", "clock of %d, %d", s.ID.Location, elapsed)
			}
		}
	}
}

// scopes looks at what instances of metrics are about.
func (f *findings) scopes() {
	d := f.Definitions
	for _, r := range d.Log {
		if r.Kind != trace.KindMetricInstance {
			continue
		}
		recorder := slices.IndexFunc(d.Locations, func(l trace.Location) bool { return l.ID == r.Words[2] })
		if recorder < 0 {
			continue
		}
		own, known := f.partOf(d.Locations[recorder].Group), false
		var of []string
		switch r.Words[3] {
		case 0:
			at := slices.IndexFunc(d.Locations, func(l trace.Location) bool { return l.ID == r.Words[4] })
			if known = at >= 0; known {
				of = f.partOf(d.Locations[at].Group)[:1]
			}
		case 1:
			_, known = d.Groups[r.Words[4]]
			of = f.partOf(r.Words[4])[:1]
		case 2:
			_, known = d.TreeNodes[r.Words[4]]
			of = []string{fmt.Sprint("node ", r.Words[4])}
		case 3:
			g, defined := d.GroupLists[r.Words[4]]
			if known = defined && (g.Type == 1 || g.Type == 4); known && slices.Contains(g.Members, r.Words[2]) {
				continue
			}
		}
		if known && !slices.ContainsFunc(of, func(name string) bool { return slices.Contains(own, name) }) {
			f.define("scope-elsewhere", "metric %d", r.Words[0])
		}
	}
}

// partOf names the process of a group of locations, and the nodes above the group.
func (f *findings) partOf(group uint64) []string {
	g := f.Definitions.Groups[group]
	process := group
	if g.Type == 2 {
		process = g.Creator
	}
	names := []string{fmt.Sprint("process ", process)}
	for node := g.Parent; ; {
		n, ok := f.Definitions.TreeNodes[node]
		if name := fmt.Sprint("node ", node); !ok || slices.Contains(names, name) {
			return names
		} else {
			names, node = append(names, name), n.Parent
		}
	}
}
