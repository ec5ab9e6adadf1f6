package contrast_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/analysis/align"
	"github.com/pandotrace/pando/analysis/contrast"
)

// naivePlace returns the place of the call that an event is of: for each level of its path, how many calls of this level's path are before, and in all.
func naivePlace(s *subject, n *naive, event uint64) (path []string, before, calls []uint64) {
	type level struct {
		path   string
		before uint64
	}
	var open, found []level
	seen := map[string]uint64{}
	for i, e := range n.events {
		switch {
		case e.call < 0:
		case e.enter:
			around := ""
			if len(open) > 0 {
				around = open[len(open)-1].path
			}
			key := around + " > " + s.model.RegionName(s.calls[e.call].Region)
			open = append(open, level{key, seen[key]})
			seen[key]++
		}
		if uint64(i) == event {
			found = slices.Clone(open)
		}
		if e.call >= 0 && !e.enter {
			open = open[:len(open)-1]
		}
	}
	for _, l := range found {
		path = append(path, l.path[strings.LastIndex(l.path, " > ")+3:])
		before, calls = append(before, l.before), append(calls, seen[l.path])
	}
	return path, before, calls
}

// The first difference is that of the segments, and its place is the one that counting calls gives, whichever side is called A.
func TestDepartures(t *testing.T) {
	found := map[align.State]bool{}
	rapid.Check(t, func(f *rapid.T) {
		a, b := drawPair(f)
		nested := rapid.Bool().Draw(f, "nested")
		opt := contrast.Options{Level: rapid.SampledFrom([]align.Level{align.Tree, align.Wrap}).Draw(f, "level"), Nested: nested}
		checkDepartures(f, a, b, opt, found)
		checkDepartures(f, b, a, opt, found)
	})
	if !found[align.OnlyA] || !found[align.OnlyB] {
		t.Errorf("only %v were found", found)
	}
}

// checkDepartures compares two runs, and notes how they depart.
func checkDepartures(f *rapid.T, a, b *subject, opt contrast.Options, found map[align.State]bool) {
	c := compare(f, a, b, opt)
	wrappers := map[string]bool{}
	for _, side := range c.LoneRegions {
		for _, l := range side {
			wrappers[c.Forest.NameOf(l.Name)] = l.Wrapper
		}
	}
	for i := range c.Pairs {
		p := &c.Pairs[i]
		d, ok := c.Departure(i)
		if ok == p.Equal() {
			f.Fatalf("%s departs: %v, of cost %v", p.A.Label, ok, p.Cost)
		}
		if !ok {
			continue
		}
		found[d.State] = true
		first := p.Segments[slices.IndexFunc(p.Segments, func(s align.Segment) bool { return s.State != align.Equal })]
		for side, s := range [2]*subject{a, b} {
			got := d.Places[side]
			if d.State == [2]align.State{align.OnlyB, align.OnlyA}[side] {
				if got.Path != nil {
					f.Fatalf("a side that lacks the call has it at %v", got)
				}
				continue
			}
			n := s.naiveOf([2]uint64{p.A.Location, p.B.Location}[side], wrappers, !opt.Nested)
			path, before, calls := naivePlace(s, n, [2]uint64{first.A, first.B}[side])
			var names []string
			for _, name := range got.Path {
				names = append(names, c.Forest.NameOf(name))
			}
			if !slices.Equal(names, path) || !slices.Equal(got.Before, before) || !slices.Equal(got.Calls, calls) {
				f.Fatalf("event %+v of side %d: %v %v %v, not %v %v %v", first, side, names, got.Before, got.Calls, path, before, calls)
			}
		}
	}
}
