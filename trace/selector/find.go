package selector

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// Locations returns the ids, among the given ones and in their order, of locations that selectors select: by the id, the label, the name, the
// name of the process, by the place that the label tells ("rank 0-3"), or by class. It is an error if a selector fits none, unless it takes
// away a class, and if none is left.
func Locations(d *trace.Definitions, ids []uint64, selectors []string) (found []uint64, err error) {
	return LocationsAndSets(d, ids, selectors, noSets)
}

// LocationsAndSets is like [Locations], with selectors of sets of locations.
func LocationsAndSets(d *trace.Definitions, ids []uint64, selectors []string, sets Sets) (found []uint64, err error) {
	return find("location", knownLocations, selectors, false, sets, locationsOf(d, ids))
}

// noSets knows no sets.
func noSets(string) ([]uint64, error) {
	return nil, errors.New("groups of locations are those of a Pando file")
}

// locationsOf yields locations.
func locationsOf(d *trace.Definitions, ids []uint64) iter.Seq[*candidate] {
	return func(yield func(*candidate) bool) {
		var c candidate
		c.classes = func() *classes { return locationClass(d, c.id) }
		for _, p := range d.Places(ids) {
			process, _ := d.Process(p.Location)
			c.id, c.label = p.Location, p.Label
			c.names = append(c.names[:0], p.Label, p.RankLabel, d.Name(trace.SpaceLocation, c.id), d.Name(trace.SpaceLocationGroup, process))
			if !yield(&c) {
				return
			}
		}
	}
}

// Regions returns the ids of regions that selectors select, by id, name, canonical name or class, in ascending order. It is an error if a
// selector fits none, unless it takes away a class, and if none is left.
func Regions(d *trace.Definitions, selectors []string) (found []uint64, err error) {
	return find("region", knownRegions, selectors, false, nil, regionsOf(d))
}

// regionsOf yields all regions.
func regionsOf(d *trace.Definitions) iter.Seq[*candidate] {
	return func(yield func(*candidate) bool) {
		var c candidate
		made := map[trace.RegionClass]*classes{}
		c.classes = func() *classes {
			class := d.RegionClass(c.id)
			if made[class] == nil {
				made[class] = regionClass(class)
			}
			return made[class]
		}
		for _, id := range slices.Sorted(slices.Values(d.Regions())) {
			r, _ := d.Region(id)
			c.id, c.names = id, append(c.names[:0], d.Strings[r.Name], d.Strings[r.CanonicalName])
			if !yield(&c) {
				return
			}
		}
	}
}

// Kinds returns the kinds of a table that selectors select, by name, number or class, in the order of their numbers: also kinds of which a
// trace has no record. Case does not matter. It is an error if a selector fits none, unless it takes away a class, and if none is left.
func Kinds(table *trace.Table, selectors []string) (found []trace.Kind, err error) {
	ids, err := find("kind of event", knownKinds, selectors, true, nil, func(yield func(*candidate) bool) {
		var c candidate
		c.classes = func() *classes { return kindClass(c.names[0]) }
		for _, s := range table.All() {
			c.id, c.names = uint64(s.ID), append(c.names[:0], s.Name)
			if !yield(&c) {
				return
			}
		}
	})
	for _, id := range ids {
		found = append(found, trace.Kind(id))
	}
	return found, err
}

// find returns the ids of the candidates that are selected. known lists all classes of such things.
func find(what string, known func() *classes, selectors []string, fold bool, sets Sets, all iter.Seq[*candidate]) (found []uint64, err error) {
	list, err := parseSelection(fold, sets != nil, selectors)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	if err := list.find(sets); err != nil {
		return nil, err
	}
	for c := range all {
		if list.takes(c) {
			found = append(found, c.id)
		}
	}
	for i := range list {
		if err := list[i].check(what, known, all); err != nil {
			return nil, err
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no %s is left: %s takes the last away", what, strings.Join(selectors, ", then "))
	}
	return found, nil
}

// check returns an error if nothing fits the selector.
func (s *selector) check(what string, known func() *classes, all iter.Seq[*candidate]) error {
	switch {
	case s.class != (class{}):
		if s.used {
			return nil
		}
		return s.checkClass(what, known(), all)
	case s.set != nil:
		if len(s.set.ids) > 0 && !s.used {
			return fmt.Errorf("no %s of %q is in the trace", what, s.text)
		}
		return nil
	case s.used:
		if rest := unused(s.place); rest != "" {
			return fmt.Errorf("no %s is %s, which %q asks for", what, rest, s.text)
		}
		return nil
	case s.fault != nil:
		return fmt.Errorf("no %s is called %q: %w", what, s.text, s.fault)
	case s.number:
		return fmt.Errorf("no %s has the id %d, and none is called so", what, s.id)
	}
	return s.unknown(what, all)
}

// unknown says that nothing has a name.
func (s *selector) unknown(what string, all iter.Seq[*candidate]) error {
	e := &trace.UnknownNameError{What: what, Name: s.name.text}
	names := func(yield func(string) bool) {
		for c := range all {
			for _, name := range c.names {
				if name != "" && !yield(name) {
					return
				}
			}
		}
	}
	if literal := newPattern("!"+s.name.text, s.name.fold); s.minus {
		for name := range names {
			if literal.fits(name) {
				e.Near = []string{`\` + s.text}
				return e
			}
		}
	}
	e.Near = trace.Near(s.name.text, names)
	return e
}

// checkClass says that nothing is of a class. To take away a class that the trace does not have is no mistake.
func (s *selector) checkClass(what string, known *classes, all iter.Seq[*candidate]) error {
	unknown := !s.class.of(known)
	if s.minus && !unknown {
		return nil
	}
	there := classesOf(all)
	text := "@" + strings.TrimPrefix(strings.TrimPrefix(s.text, "!"), "@")
	if !unknown {
		return fmt.Errorf("no %s is of the class %s; there are %s", what, text, there.list())
	}
	near := trace.Near(s.class.String(), slices.Values(s.class.like(known)))
	if len(near) == 0 {
		return fmt.Errorf("there is no class %s; there are %s", text, there.list())
	}
	return fmt.Errorf("there is no class %s%s There are %s", text, trace.DidYouMean(near), there.list())
}

// like returns the known classes of the form of an unknown one: single words, roles of a family that is known, or a role of all families.
func (c class) like(known *classes) (list []string) {
	switch {
	case c.role == "":
		list = append(slices.Clone(known.families), known.roles...)
	case c.family == "" || slices.Contains(known.families, c.family):
		for _, role := range known.roles {
			list = append(list, c.family+"/"+role)
		}
	default:
		for _, family := range known.families {
			list = append(list, family+"/"+c.role)
		}
	}
	for i := range list {
		list[i] = "@" + list[i]
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// String returns the class as it is written.
func (c class) String() string {
	if c.role == "" {
		return "@" + c.family
	}
	return "@" + c.family + "/" + c.role
}

// list names all classes: families, then roles.
func (c *classes) list() string { return strings.Join(c.selectors(), ", ") }

// selectors returns the selectors of the classes: of families, then of roles.
func (c *classes) selectors() (words []string) {
	for _, family := range c.families {
		words = append(words, "@"+family)
	}
	for _, role := range c.roles {
		words = append(words, "@/"+role)
	}
	return words
}

// insert puts a text into a sorted list that lacks it.
func insert(list []string, s string) []string {
	at, there := slices.BinarySearch(list, s)
	if there {
		return list
	}
	return slices.Insert(list, at, s)
}

// RegionClasses returns the selectors of all classes that regions of a trace belong to.
func RegionClasses(d *trace.Definitions) []string { return classesOf(regionsOf(d)).selectors() }

// LocationClasses returns the selectors of all classes that locations belong to.
func LocationClasses(d *trace.Definitions, ids []uint64) []string {
	return classesOf(locationsOf(d, ids)).selectors()
}

// KindClasses returns the selectors of all classes of kinds.
func KindClasses() []string { return knownKinds().selectors() }

// classesOf returns all classes of some things.
func classesOf(all iter.Seq[*candidate]) *classes {
	there := &classes{}
	for c := range all {
		there.add(c.classes())
	}
	return there
}
