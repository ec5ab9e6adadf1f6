package trace

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// Pattern selects things by what they are called: a name, a name with * for anything and ? for one character, or an id.
type Pattern struct {
	text string
	glob []rune // folded if case does not matter
	fold bool
	used bool
}

// ParsePatterns reads patterns, which must be UTF-8. With fold, case does not matter.
func ParsePatterns(fold bool, texts []string) ([]Pattern, error) {
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

// letter returns a letter in the form in which it is compared: with fold, letters that differ in case alone have one form.
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

// matches reports whether the pattern matches a name. A byte of the name that is not UTF-8 counts as U+FFFD. After a mismatch, the last *
// takes one more character; earlier ones never need to, so the time is at most the product of both lengths.
func (p *Pattern) matches(name string) bool {
	at, star, resume := 0, -1, 0 // place in the pattern, of its last *, and in the name behind the text of that *
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

// MatchAny reports whether one of the patterns matches one of the names or equals the id, and marks the patterns that do as used.
func MatchAny(patterns []Pattern, id string, names ...string) bool {
	found := false
	for i := range patterns {
		p := &patterns[i]
		if p.text == id || slices.ContainsFunc(names, func(n string) bool { return n != "" && (n == p.text || p.matches(n)) }) {
			p.used, found = true, true
		}
	}
	return found
}

// CheckUsed returns an [UnknownNameError] if one of the patterns has matched nothing. The noun in the error is what; names are those that
// it could have matched.
func CheckUsed(what string, patterns []Pattern, names iter.Seq[string]) error {
	for _, p := range patterns {
		if !p.used {
			return &UnknownNameError{What: what, Name: p.text, Near: Near(p.text, names)}
		}
	}
	return nil
}

// FindLocations returns the ids, among the given ones and in their order, of locations that one of the patterns matches: by the id, the
// label ("rank 3 thread 1", see [Definitions.Places]), the rank ("rank 3", with all its threads), the location's name or its process's name. It is
// an error if a pattern matches none.
func (d *Definitions) FindLocations(ids []uint64, patterns []string) (found []uint64, err error) {
	list, err := ParsePatterns(false, patterns)
	if err != nil {
		return nil, err
	}
	places := d.Places(ids)
	for i := range places {
		p := &places[i]
		id := p.Location
		process, _ := d.Process(id)
		if MatchAny(list, strconv.FormatUint(id, 10), p.Label, p.RankLabel, d.Name(SpaceLocation, id), d.Name(SpaceLocationGroup, process)) {
			found = append(found, id)
		}
	}
	return found, CheckUsed("location", list, d.locationNames(places))
}

// FindRegions returns the ids of regions that one of the patterns matches, by id, name or canonical name, in ascending order. It is an
// error if a pattern matches none.
func (d *Definitions) FindRegions(patterns []string) (found []uint64, err error) {
	list, err := ParsePatterns(false, patterns)
	if err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(slices.Values(d.Regions())) {
		r, _ := d.Region(id)
		if MatchAny(list, strconv.FormatUint(id, 10), d.Strings[r.Name], d.Strings[r.CanonicalName]) {
			found = append(found, id)
		}
	}
	return found, CheckUsed("region", list, d.regionNames)
}

// locationNames yields the names by which locations can be selected.
func (d *Definitions) locationNames(places []Place) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range places {
			p := &places[i]
			process, _ := d.Process(p.Location)
			for _, name := range []string{p.Label, p.RankLabel, d.Name(SpaceLocation, p.Location), d.Name(SpaceLocationGroup, process)} {
				if name != "" && !yield(name) {
					return
				}
			}
		}
	}
}

// regionNames yields the names by which regions can be selected.
func (d *Definitions) regionNames(yield func(string) bool) {
	for _, id := range d.Regions() {
		r, _ := d.Region(id)
		for _, name := range []string{d.Strings[r.Name], d.Strings[r.CanonicalName]} {
			if name != "" && !yield(name) {
				return
			}
		}
	}
}
