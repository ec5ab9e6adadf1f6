package query

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Pattern is what people name things by: a name, a name with * and ?, or an id.
type Pattern struct {
	text string
	glob *regexp.Regexp
	used bool
}

// Patterns reads patterns; flags are those of regular expressions ("i": case does not matter).
func Patterns(flags string, texts []string) []Pattern {
	var list []Pattern
	for _, text := range texts {
		q := regexp.QuoteMeta(text)
		q = strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(q)
		list = append(list, Pattern{text: text, glob: regexp.MustCompile("(?" + flags + "s)^" + q + "$")})
	}
	return list
}

// Fits reports whether one of the patterns fits one of the names, or is the id.
func Fits(patterns []Pattern, id string, names ...string) bool {
	found := false
	for i := range patterns {
		p := &patterns[i]
		if p.text == id || slices.ContainsFunc(names, func(n string) bool { return n != "" && (n == p.text || p.glob.MatchString(n)) }) {
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
	patterns := Patterns("", texts)
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
	patterns := Patterns("", texts)
	for _, id := range slices.Sorted(maps.Keys(d.Regions)) {
		r := d.Regions[id]
		if Fits(patterns, strconv.FormatUint(id, 10), d.Strings[r.Name], d.Strings[r.CanonicalName]) {
			ids = append(ids, id)
		}
	}
	return ids, Unused("region", patterns)
}
