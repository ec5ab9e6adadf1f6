package findings

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/pandotrace/pando/analysis/check"
	"github.com/pandotrace/pando/trace"
)

// Known are the findings of an earlier report. A condition that a location breaks no more often than then is no news. Numbers and not single events
// are compared, so that a report of one run serves for the next one.
type Known struct{ counts map[knownKey]uint64 }

// knownKey names a condition and a location, empty for definitions.
type knownKey struct{ code, location string }

// ReadKnown reads the JSON of an earlier report.
func ReadKnown(r io.Reader) (*Known, error) {
	var earlier Report
	if err := json.NewDecoder(r).Decode(&earlier); err != nil {
		return nil, fmt.Errorf("not the JSON of an earlier check: %w", err)
	}
	k := &Known{counts: map[knownKey]uint64{}}
	for i := range earlier.Counts {
		c := &earlier.Counts[i]
		key := knownKey{code: c.Code}
		if c.Location != nil {
			key.location = *c.Location
		}
		k.counts[key] += c.Count
	}
	return k, nil
}

// knownHere are the conditions and locations of a trace that are no news.
type knownHere struct {
	all      map[check.Code]map[uint64]bool
	findings uint64
}

// match returns which findings of a trace are no news.
func (k *Known) match(x *check.Result, t *text) (here knownHere) {
	if k == nil {
		return here
	}
	sums := map[check.Code]map[uint64]uint64{}
	for i := range x.Counts {
		c := &x.Counts[i]
		if sums[c.Code] == nil {
			sums[c.Code] = map[uint64]uint64{}
		}
		sums[c.Code][c.Location] += c.N
	}
	here.all = map[check.Code]map[uint64]bool{}
	for code, locations := range sums {
		here.all[code] = map[uint64]bool{}
		for location, n := range locations {
			key := knownKey{code: code.String()}
			if location != trace.Undefined {
				key.location = t.label(location)
			}
			if n <= k.counts[key] {
				here.all[code][location] = true
				here.findings += n
			}
		}
	}
	return here
}

func (k *knownHere) has(code check.Code, location uint64) bool { return k.all[code][location] }
