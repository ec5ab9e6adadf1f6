package findings

import (
	"encoding/json"
	"fmt"
	"io"
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
		if c.Location == nil && c.LocationID != nil {
			return nil, fmt.Errorf("the JSON of a check by another version of pando: the count of %s on location %d has no location_label", c.Code, *c.LocationID)
		}
		k.counts[keyOf(c.Code, c.Location)] += c.Count
	}
	return k, nil
}

// knownHere are the conditions and locations of a trace that are no news.
type knownHere struct {
	all      map[knownKey]bool
	findings uint64
}

func keyOf(code string, location *string) knownKey {
	key := knownKey{code: code}
	if location != nil {
		key.location = *location
	}
	return key
}

// match returns which findings of a trace are no news.
func (k *Known) match(all *found) (here knownHere) {
	if k == nil {
		return here
	}
	sums := map[knownKey]uint64{}
	for i := range all.counts {
		c := &all.counts[i]
		sums[keyOf(c.Code, c.Location)] += c.Count
	}
	here.all = map[knownKey]bool{}
	for key, n := range sums {
		if n <= k.counts[key] {
			here.all[key] = true
			here.findings += n
		}
	}
	return here
}

func (k *knownHere) has(code string, location *string) bool { return k.all[keyOf(code, location)] }
