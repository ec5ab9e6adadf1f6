package selector

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// selection says which things of a trace are selected: by selectors in order. Each adds what fits it to what is selected, or takes it away
// if ! stands before it. If the first one takes away, all things are selected to begin with. The order counts, as in .gitignore: the last
// selector that fits a thing decides.
type selection []selector

// selector is a name or pattern, an id, a class, or a place.
//
//	MPI_*           a name, where * stands for anything and ? for one character
//	17              an id
//	@mpi/barrier    a class, see [class]
//	rank 0-3        a place, see [coordinate]
//	!@mpi           the same, taken away
//	\@x  \!x  \\x   names that begin with @, ! or \
//
//	@group:2        a set of things that somebody else knows, see [Sets]
//
// Names of classes have no colon and no blank: forms with a blank are free for what else may select things one day.
type selector struct {
	text   string // as it was given
	minus  bool
	name   pattern // of a selector without a class
	id     uint64
	number bool // whether there is an id
	class  class
	set    *set // of a selector of a set
	place  []coordinate
	fault  error // why the name is no place, though it looks like one
	used   bool
}

// Sets knows sets of things: it returns the ids of those that a text stands for, which is what a selector has between @ and its end:
// "group:2".
type Sets func(text string) (ids []uint64, err error)

// set is a set of things.
type set struct {
	text string
	ids  map[uint64]bool
}

// find finds out which things are in the sets of selectors.
func (s selection) find(sets Sets) error {
	for i := range s {
		if s[i].set == nil {
			continue
		}
		ids, err := sets(s[i].set.text)
		if err != nil {
			return fmt.Errorf("the selector %q: %w", s[i].text, err)
		}
		s[i].set.ids = map[uint64]bool{}
		for _, id := range ids {
			s[i].set.ids[id] = true
		}
	}
	return nil
}

// class is what a selector of a class asks for: a family, a role in it, or both. One word alone may be either.
type class struct{ family, role string }

// classes are those that a thing belongs to.
type classes struct{ families, roles []string }

// candidate is a thing that may be selected.
type candidate struct {
	id      uint64
	names   []string
	label   string          // tells its place
	classes func() *classes // is asked only where a selector is a class
}

// parseSelection reads selectors, which must be UTF-8. With fold, case does not matter in names; it never does in classes and places. With
// sets, there are selectors of sets.
func parseSelection(fold, sets bool, texts []string) (selection, error) {
	var s selection
	for _, text := range texts {
		one, err := parseSelector(text, fold, sets)
		if err != nil {
			return nil, fmt.Errorf("the selector %q %w", text, err)
		}
		s = append(s, one)
	}
	return s, nil
}

func parseSelector(text string, fold, sets bool) (s selector, err error) {
	if !utf8.ValidString(text) {
		return s, errors.New("is not UTF-8")
	}
	s.text = text
	rest, minus := strings.CutPrefix(text, "!")
	s.minus = minus
	switch {
	case minus && rest == "":
		return s, errors.New("does not say what is taken away")
	case minus && rest[0] == '!':
		return s, errors.New(`takes away what is taken away: write \! where a name begins with it`)
	case sets && strings.HasPrefix(rest, "@") && strings.Contains(rest, ":"):
		s.set = &set{text: rest[1:]}
		return s, nil
	case rest != "" && rest[0] == '@':
		s.class, err = parseClass(rest[1:])
		return s, err
	}
	if len(rest) > 1 && rest[0] == '\\' && strings.IndexByte(`@!\`, rest[1]) >= 0 {
		s.name = newPattern(rest[1:], fold)
		return s, nil
	}
	s.name = newPattern(rest, fold)
	if id, err := strconv.ParseUint(rest, 10, 64); err == nil && strconv.FormatUint(id, 10) == rest {
		s.id, s.number = id, true
	}
	s.place, s.fault = parsePlaces(rest)
	return s, nil
}

// parseClass reads "mpi", "mpi/barrier" or "/barrier".
func parseClass(text string) (c class, err error) {
	family, role, two := strings.Cut(text, "/")
	switch {
	case family == "" && role == "":
		return c, errors.New("names no class")
	case two && (role == "" || strings.Contains(role, "/")):
		return c, errors.New("is no class: one has the form @family, @family/role or @/role")
	}
	return class{className(family), className(role)}, nil
}

// classSynonyms are other names of classes.
var classSynonyms = map[string]string{
	"point2point": "p2p", "point-to-point": "p2p", "coll-one2all": "one2all", "coll-all2one": "all2one", "coll-all2all": "all2all",
	"measurement-system": "measurement", "i-o": "io", "omp": "openmp", "accelerator": "gpu", "collectives": "collective", "synchronisation": "sync", "synchronization": "sync", "data-transfer": "transfer",
}

// className returns the name of a class in the form in which it is compared.
func className(s string) string {
	s = strings.ReplaceAll(strings.ToLower(s), "_", "-")
	if name, ok := classSynonyms[s]; ok {
		return name
	}
	return s
}

// of reports whether one of the classes is the one asked for.
func (c class) of(all *classes) bool {
	if c.role == "" {
		return slices.Contains(all.families, c.family) || slices.Contains(all.roles, c.family)
	}
	return (c.family == "" || slices.Contains(all.families, c.family)) && slices.Contains(all.roles, c.role)
}

// fits reports whether a thing is one that the selector speaks of.
func (s *selector) fits(c *candidate) bool {
	if s.class != (class{}) {
		return s.class.of(c.classes())
	}
	if s.set != nil {
		return s.set.ids[c.id]
	}
	if s.number && s.id == c.id {
		return true
	}
	return slices.ContainsFunc(c.names, s.name.fits) || len(s.place) > 0 && placeOf(c.label).within(s.place)
}

// takes reports whether a thing is selected, and notes which selectors fit it.
func (s selection) takes(c *candidate) bool {
	taken := len(s) > 0 && s[0].minus
	for i := range s {
		if s[i].fits(c) {
			s[i].used, taken = true, !s[i].minus
		}
	}
	return taken
}
