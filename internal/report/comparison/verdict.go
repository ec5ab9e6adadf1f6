package comparison

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pandotrace/pando/analysis/align"
	"github.com/pandotrace/pando/analysis/contrast"
	"github.com/pandotrace/pando/internal/report"
)

var levelNames = []string{"names", "tree", "wrap", "flat"}

// Levels returns the names of the levels of alignment.
func Levels() []string { return slices.Clone(levelNames) }

// States returns the names of the states of events.
func States() (list []string) {
	for s := align.Equal; s <= align.OnlyB; s++ {
		list = append(list, s.String())
	}
	return list
}

// ParseLevel returns the level of a name.
func ParseLevel(name string) (align.Level, error) {
	if n := slices.Index(levelNames, name); n >= 0 {
		return align.Level(n), nil
	}
	return 0, fmt.Errorf("calls are aligned by names, tree, wrap or flat, not by %q", name)
}

// Judge holds a comparison against limits: failed are those that are exceeded, unsure those that are inconclusive, which fail if that is strict.
func Judge(limits []contrast.Limit, s *contrast.Several, strict bool) (failed, unsure []error) {
	for _, l := range limits {
		v := l.Check(s)
		switch err := errors.New(VerdictText(&v)); {
		case v.Outcome == contrast.Beyond, v.Outcome == contrast.Inconclusive && strict:
			failed = append(failed, err)
		case v.Outcome == contrast.Inconclusive:
			unsure = append(unsure, err)
		}
	}
	return failed, unsure
}

// VerdictText says what a check found, in a line.
func VerdictText(v *contrast.Verdict) string {
	var parts []string
	switch {
	case math.IsNaN(v.Value):
	case v.Limit.Of == contrast.OfStructure:
		parts = append(parts, fmt.Sprintf("the similarity is %.4f", v.Value))
	default:
		parts = append(parts, fmt.Sprintf("B takes %+.1f %%", 100*v.Value))
	}
	if v.Why != "" {
		parts = append(parts, v.Why)
	}
	if v.Finding != nil && v.Outcome == contrast.Beyond {
		parts = append(parts, causeText(v))
	}
	if v.Departure != nil {
		parts = append(parts, "least on "+newDeparture(v.Comparison, v.Departure).text())
	}
	outcome := ""
	switch v.Outcome {
	case contrast.Inconclusive:
		outcome = "inconclusive, "
	case contrast.Beyond:
		outcome = "exceeded, "
	}
	return fmt.Sprintf("limit %s: %s%s", v.Limit, outcome, strings.Join(parts, "; "))
}

// causeText names the region with the largest part: call path, location and the first call.
func causeText(v *contrast.Verdict) string {
	r := &Report{TicksPerSecond: v.Comparison.Units, comparison: v.Comparison}
	r.Locations.Pairs = len(v.Comparison.Pairs)
	row := r.row(v.Finding)
	where := r.where(&row)
	if strings.HasPrefix(where, "all ") {
		where += " locations"
	}
	text := fmt.Sprintf("%s in %s on %s", r.signed(row.OverTicks), report.Printable(pathText(row.Path)), where)
	if row.Since != nil {
		text += ", since " + r.sinceText(&row)
	}
	return text
}
