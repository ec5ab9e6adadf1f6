package comparison

import (
	"fmt"
	"strings"

	"github.com/pandotrace/pando/analysis/contrast"
	"github.com/pandotrace/pando/internal/report"
)

// Flags are the options of a comparison as texts, as the program and the server have them.
type Flags struct {
	// Match and Level are names of Matches and Levels.
	Match, Level string
	// Through are regions, Rename pairs OLD=NEW of names, Limits what ParseLimit of package contrast reads.
	Through, Rename, Limits []string
	// Counters are names of counters.
	Counters []string
	// With names what is compared beside calls: WithMessages.
	With []string
	// Nested leaves recursions as they are, Structure compares no times.
	Nested, Structure bool
}

// WithMessages makes sends and receives calls of a comparison, see [contrast.Options].
const WithMessages = "messages"

// Parse returns the options, and the limits to check.
func (f *Flags) Parse() (opt contrast.Options, limits []contrast.Limit, err error) {
	opt = contrast.Options{Through: f.Through, Counters: f.Counters, Nested: f.Nested, StructureOnly: f.Structure}
	if opt.Match, err = contrast.ParseMatch(f.Match); err != nil {
		return opt, nil, err
	}
	if opt.Level, err = ParseLevel(f.Level); err != nil {
		return opt, nil, err
	}
	if opt.Rename, err = Renames(f.Rename); err != nil {
		return opt, nil, fmt.Errorf("--%w", err)
	}
	for _, what := range f.With {
		if what != WithMessages {
			return opt, nil, fmt.Errorf("what is compared beside calls is %s, not %q", WithMessages, what)
		}
		opt.Messages = true
	}
	for _, text := range f.Limits {
		l, err := contrast.ParseLimit(text)
		if err != nil {
			return opt, nil, fmt.Errorf("--fail-if %q: %w", text, err)
		}
		if limits = append(limits, l); f.Structure && l.Of != contrast.OfStructure {
			return opt, nil, fmt.Errorf("--structure compares no times, which --fail-if %q needs", text)
		}
	}
	return opt, limits, nil
}

// Renames returns the other names of regions that pairs OLD=NEW say.
func Renames(pairs []string) (map[string]string, error) {
	names := map[string]string{}
	for _, text := range pairs {
		from, to, ok := strings.Cut(text, "=")
		if !ok || from == "" || to == "" {
			return nil, fmt.Errorf("rename %q is not OLD=NEW", text)
		}
		names[from] = to
	}
	return names, nil
}

// PartOf returns the part of a time that is for a side: of "a:10s,b:12s" one of the two, else the whole.
func PartOf(text string, side int) string {
	prefixes, apart := [2]string{"a:", "b:"}, false
	for _, p := range strings.Split(text, ",") {
		p = strings.TrimSpace(p)
		if rest, ok := strings.CutPrefix(p, prefixes[side]); ok {
			return rest
		}
		apart = apart || strings.HasPrefix(p, prefixes[1-side])
	}
	if apart {
		return ""
	}
	return text
}

// RankPairs returns the pair of locations that two ranks name, or two selectors of locations.
func RankPairs(text string, a, b *report.Trace) ([][2]uint64, error) {
	names := strings.Split(text, ",")
	if len(names) != 2 {
		return nil, fmt.Errorf("--ranks %s is not two ranks", text)
	}
	var pair [2]uint64
	for i, f := range []*report.Trace{a, b} {
		name := strings.TrimSpace(names[i])
		if strings.Trim(name, "0123456789") == "" {
			name = "rank " + name
		}
		ids, err := f.FindLocations([]string{name})
		if err != nil {
			return nil, err
		}
		if len(ids) != 1 {
			return nil, fmt.Errorf("--ranks: %s are %d locations; name one of them, as in 'rank 0 thread 1'", name, len(ids))
		}
		pair[i] = ids[0]
	}
	return [][2]uint64{pair}, nil
}
