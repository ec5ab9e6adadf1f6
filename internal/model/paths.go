package model

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/pandotrace/pando/trace"
)

// CallPath is what the calls of a location on one call path add up to in a window.
type CallPath struct {
	Location uint64
	// Path are the names of the calls, the outermost first.
	Path  []string
	Calls uint64 // that overlap the window
	// Exclusive is the time in calls of the path and not in calls within these, Inclusive the exclusive time of all paths that begin
	// with this one, in ticks.
	Inclusive, Exclusive int64
}

// CallPaths adds up calls by their paths, in order of locations, then of paths. Filters of the window other than locations do not count. A
// call of a name that is on a path of at least depth names already has the part of the path that ends with the last such name. A path that no
// call of the window has, and whose inclusive time is 0, may be among them.
func (t *Trace) CallPaths(w *Window, calls []trace.Call, depth int) []CallPath {
	paths, inside := map[EventID][]string{}, map[EventID]int64{}
	for i := range calls {
		c := &calls[i]
		id, parent := EventID{c.Location, c.Ordinal}, EventID{c.Location, c.Parent}
		paths[id] = extend(paths[parent], t.RegionName(c.Region), depth)
		inside[id] += clipped(c, w.From, w.To)
		if c.Parent != trace.Undefined {
			inside[parent] -= clipped(c, w.From, w.To)
		}
	}
	var all []CallPath
	for i := range calls {
		c := &calls[i]
		if !passes(w.Locations, c.Location) {
			continue
		}
		id := EventID{c.Location, c.Ordinal}
		at := slices.IndexFunc(all, func(p CallPath) bool { return p.Location == c.Location && slices.Equal(p.Path, paths[id]) })
		if at < 0 {
			at, all = len(all), append(all, CallPath{Location: c.Location, Path: paths[id]})
		}
		if w.HasCall(c) {
			all[at].Calls++
		}
		all[at].Exclusive += inside[id]
	}
	for i := range all {
		for _, p := range all {
			if p.Location == all[i].Location && len(p.Path) >= len(all[i].Path) && slices.Equal(p.Path[:len(all[i].Path)], all[i].Path) {
				all[i].Inclusive += p.Exclusive
			}
		}
	}
	order := t.order()
	slices.SortFunc(all, func(a, b CallPath) int {
		return cmp.Or(cmp.Compare(order[a.Location], order[b.Location]), slices.Compare(a.Path, b.Path))
	})
	return all
}

// extend returns a path with a call more.
func extend(path []string, name string, depth int) []string {
	if len(path) >= depth {
		for n := len(path); n > 0; n-- {
			if path[n-1] == name {
				return path[:n]
			}
		}
	}
	return append(slices.Clone(path), name)
}

// RegionName returns the canonical name of a region, else its name, else #id, and "no region" for the undefined one.
func (t *Trace) RegionName(id uint64) string {
	if name, ok := t.messages[id]; ok {
		return name
	}
	if id == trace.Undefined || id == trace.Undefined>>32 {
		return "no region"
	}
	if r, ok := t.Definitions.Region(id); ok {
		if name := t.Definitions.Strings[r.CanonicalName]; name != "" {
			return name
		}
		if name := t.Definitions.Strings[r.Name]; name != "" {
			return name
		}
	}
	return "#" + strconv.FormatUint(id, 10)
}
