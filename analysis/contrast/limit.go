package contrast

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Limit is how much a run may differ from others before a check fails.
type Limit struct {
	// Of is what is limited.
	Of LimitOf
	// Region is the name of the region, for OfRegion.
	Region string
	// Bound is the largest share of the time by which B may take longer, or the least similarity.
	Bound float64
	text  string
}

// LimitOf is what a limit is for.
type LimitOf uint8

const (
	// OfTime limits the time in calls of locations with a partner, without those that start and end MPI.
	OfTime LimitOf = iota
	// OfRegion limits the exclusive time of a region, on locations with a partner.
	OfRegion
	// OfStructure limits the similarity of the calls.
	OfStructure
)

// String returns the limit as it was written.
func (l Limit) String() string { return l.text }

var errLimit = errors.New("a limit is 'time 5%', 'region NAME 10%' or 'structure 0.99'")

// ParseLimit reads a limit: "time 5%", "region NAME 10%" or "structure 0.99".
func ParseLimit(text string) (l Limit, err error) {
	l.text = text
	kind, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	rest = strings.TrimSpace(rest)
	switch kind {
	case "time":
	case "region":
		l.Of = OfRegion
		at := strings.LastIndexByte(rest, ' ')
		if at < 0 {
			return l, errLimit
		}
		l.Region, rest = strings.TrimSpace(rest[:at]), rest[at+1:]
	case "structure":
		l.Of = OfStructure
	default:
		return l, errLimit
	}
	percent := strings.HasSuffix(rest, "%")
	if !percent && l.Of != OfStructure {
		return l, errLimit
	}
	l.Bound, err = strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(rest, "%")), 64)
	if percent {
		l.Bound /= 100
	}
	if err != nil || !(l.Bound >= 0) || l.Of == OfStructure && l.Bound > 1 || l.Bound > mostBound {
		return l, errLimit
	}
	return l, nil
}

// mostBound is the largest share that can be a limit: a million times as long.
const mostBound = 1e6

// Outcome is what a check found.
type Outcome uint8

// The outcomes of a check.
const (
	Within Outcome = iota
	Inconclusive
	Beyond
)

// Verdict is the outcome of a check of some comparisons.
type Verdict struct {
	Limit   Limit
	Outcome Outcome
	// Value is what was found: the share by which B takes longer, the median of all comparisons; or the least similarity. NaN if there is nothing to
	// measure.
	Value float64
	// Why says why the check is inconclusive.
	Why string
	// Finding is the region with the largest part of what is beyond, in Comparison; of a limit of structure, Departure is where the calls of the
	// locations that are least alike first differ.
	Finding    *Finding
	Departure  *Departure
	Comparison *Comparison
}

// fewPairs is the number of pairs of calls below which a limit of time is inconclusive.
const fewPairs = 3

// Check holds a comparison against the limit: with one base run, or with several. With several, the median of the calls that belong together counts,
// and a limit that B keeps against some of them is inconclusive.
func (l Limit) Check(s *Several) Verdict {
	v := Verdict{Limit: l, Comparison: s.Median}
	switch {
	case len(s.Median.Pairs) == 0:
		v.Outcome, v.Value, v.Why = Inconclusive, math.NaN(), "no location has a partner"
		return v
	case l.Of == OfRegion && !s.Median.has(l.Region):
		v.Outcome, v.Value, v.Why = Inconclusive, math.NaN(), "neither side has calls of a region of that name"
		return v
	case l.Of == OfStructure:
		return l.checkStructure(s.Runs, v)
	}
	var pairs uint64
	if v.Value, pairs, v.Finding = l.measure(s.Median); v.Value <= l.Bound {
		return v
	}
	v.Outcome = Beyond
	within := 0
	for _, c := range s.Runs {
		if value, _, _ := l.measure(c); value <= l.Bound {
			within++
		}
	}
	switch {
	case pairs < fewPairs:
		v.Outcome, v.Why = Inconclusive, fmt.Sprintf("there are only %d pairs of calls", pairs)
	case within > 0:
		v.Outcome, v.Why = Inconclusive, fmt.Sprintf("against %d of %d base runs it is within the limit", within, len(s.Runs))
	case v.Finding == nil:
		v.Outcome, v.Why = Inconclusive, "no region differs by more than noise"
	}
	return v
}

// has reports whether a side has calls of a region.
func (c *Comparison) has(region string) bool {
	return slices.ContainsFunc(c.Findings(), func(f Finding) bool { return c.Forest.NameOf(f.Name) == region })
}

// measure returns by which share B takes longer on locations with a partner, the number of pairs, and the region with the largest part that is
// more than noise.
func (l Limit) measure(c *Comparison) (value float64, pairs uint64, found *Finding) {
	over, time := 0.0, 0.0
	findings := c.Findings()
	for i := range findings {
		f := &findings[i]
		name := c.Forest.NameOf(f.Name)
		if l.Of == OfRegion && name != l.Region || l.Of == OfTime && f.StartsMPI {
			continue
		}
		over += float64(f.Over)
		time += float64(f.Matched)
		pairs += f.Pairs
		if f.Judged != Noise && f.Over > 0 && (found == nil || better(f, found)) {
			found = f
		}
	}
	if time > 0 {
		value = over / time
	} else if over > 0 {
		value = mostBound
	}
	return value, pairs, found
}

// better reports whether a region is a likelier cause than another one: own work before waiting, more before less.
func better(f, than *Finding) bool {
	if own, other := f.Own(), than.Own(); own != other {
		return own
	}
	return f.Over > than.Over
}

// startsMPI reports whether a region of a name starts or ends MPI.
func startsMPI(name string) bool {
	return name == "MPI_Init" || name == "MPI_Init_thread" || name == "MPI_Finalize"
}

// checkStructure checks the similarity.
func (l Limit) checkStructure(all []*Comparison, v Verdict) Verdict {
	low, high := 1.0, 1.0
	for _, c := range all {
		for i := range c.Pairs {
			high = min(high, c.Pairs[i].Similarity.Highest)
		}
		if s := c.Pairs[c.LeastAlike()].Similarity.Lowest; s < low || c == all[0] {
			low, v.Comparison = s, c
		}
	}
	v.Value = low
	switch {
	case high < l.Bound:
		v.Outcome = Beyond
		if d, ok := v.Comparison.Departure(v.Comparison.LeastAlike()); ok {
			v.Departure = &d
		}
	case low < l.Bound:
		v.Outcome, v.Why = Inconclusive, fmt.Sprintf("the best alignment is not known: the similarity is between %.4f and %.4f", low, high)
	}
	return v
}
