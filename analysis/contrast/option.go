package contrast

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// OptionError says that an option names what neither side has.
type OptionError struct{ Option, Value, Reason string }

// Error implements error.
func (e *OptionError) Error() string { return fmt.Sprintf("%s %q: %s", e.Option, e.Value, e.Reason) }

// checkNames refuses names of regions in options that no side has: somebody has mistyped them, or compares the wrong runs.
func (c *Comparison) checkNames() error {
	if len(c.opt.Through) == 0 && len(c.opt.Rename) == 0 {
		return nil
	}
	known := map[string]bool{}
	for _, s := range c.sources {
		for _, id := range s.defs.Regions() {
			known[s.defs.RegionName(id)] = true
		}
	}
	unknown := func(option, name string) error {
		near := trace.DidYouMean(trace.Near(name, maps.Keys(known)))
		return &OptionError{option, name, fmt.Sprintf("neither %s nor %s has a region of this name%s", c.Names[0], c.Names[1], near)}
	}
	for _, old := range slices.Sorted(maps.Keys(c.opt.Rename)) {
		if !known[old] {
			return unknown("rename", old)
		}
	}
	for _, name := range c.opt.Rename {
		known[name] = true
	}
	for _, name := range c.opt.Through {
		if !known[name] {
			return unknown("through", name)
		}
	}
	return nil
}
