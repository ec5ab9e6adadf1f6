package query

import (
	"fmt"
	"slices"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Pattern is what people name things by: a name, a name with * and ?, or an id.
type Pattern struct {
	text string
	glob []rune // folded if case does not matter
	fold bool
	used bool
}

// Patterns reads patterns, which must be UTF-8. With fold, case does not matter.
func Patterns(fold bool, texts []string) ([]Pattern, error) {
	var list []Pattern
	for _, text := range texts {
		if !utf8.ValidString(text) {
			return nil, fmt.Errorf("the selector %q is not UTF-8", text)
		}
		p := Pattern{text: text, glob: []rune(text), fold: fold}
		for i, c := range p.glob {
			p.glob[i] = p.letter(c)
		}
		list = append(list, p)
	}
	return list, nil
}

// letter returns what a letter is compared as: of those that differ in case alone, all as the same one.
func (p *Pattern) letter(c rune) rune {
	if !p.fold {
		return c
	}
	least := c
	for next := unicode.SimpleFold(c); next != c; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	return least
}

// matches reports whether a name is as the pattern says. A byte of the name that is not UTF-8 counts as U+FFFD. When a letter does not fit,
// the last * takes one more: earlier ones never need to, so the time is at most the product of both lengths.
func (p *Pattern) matches(name string) bool {
	at, star, resume := 0, -1, 0 // place in the pattern, of its last *, and of the name behind what that takes
	for i := 0; i < len(name); {
		c, size := utf8.DecodeRuneInString(name[i:])
		switch {
		case at < len(p.glob) && p.glob[at] == '*':
			star, resume = at, i
			at++
		case at < len(p.glob) && (p.glob[at] == '?' || p.glob[at] == p.letter(c)):
			at++
			i += size
		case star >= 0:
			_, taken := utf8.DecodeRuneInString(name[resume:])
			resume += taken
			at, i = star+1, resume
		default:
			return false
		}
	}
	for at < len(p.glob) && p.glob[at] == '*' {
		at++
	}
	return at == len(p.glob)
}

// Fits reports whether one of the patterns fits one of the names, or is the id.
func Fits(patterns []Pattern, id string, names ...string) bool {
	found := false
	for i := range patterns {
		p := &patterns[i]
		if p.text == id || slices.ContainsFunc(names, func(n string) bool { return n != "" && (n == p.text || p.matches(n)) }) {
			p.used, found = true, true
		}
	}
	return found
}

// Unused returns an error if one of the patterns fitted nothing.
func Unused(what string, patterns []Pattern) error {
	for _, p := range patterns {
		if !p.used {
			return fmt.Errorf("no %s is called %q", what, p.text)
		}
	}
	return nil
}

// Locations returns the ids of locations that patterns fit, by their names, those of their processes, or labels, which may be nil.
// Each pattern must fit something.
func Locations(d *trace.Definitions, locations []store.LocationInfo, labels map[uint64]string, texts []string) (ids []uint64, err error) {
	patterns, err := Patterns(false, texts)
	if err != nil {
		return nil, err
	}
	for _, l := range locations {
		process, _ := d.Process(l.ID)
		if Fits(patterns, strconv.FormatUint(l.ID, 10), labels[l.ID], d.Name(trace.SpaceLocation, l.ID), d.Name(trace.SpaceLocationGroup, process)) {
			ids = append(ids, l.ID)
		}
	}
	return ids, Unused("location", patterns)
}

// Regions returns the ids of regions that patterns fit, in ascending order. Each pattern must fit something.
func Regions(d *trace.Definitions, texts []string) (ids []uint64, err error) {
	patterns, err := Patterns(false, texts)
	if err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(slices.Values(d.Regions())) {
		r, _ := d.Region(id)
		if Fits(patterns, strconv.FormatUint(id, 10), d.Strings[r.Name], d.Strings[r.CanonicalName]) {
			ids = append(ids, id)
		}
	}
	return ids, Unused("region", patterns)
}
