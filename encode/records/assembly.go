package records

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// Assembly puts the definitions of pages in the order of the log. The zero value is empty.
type Assembly struct {
	stretches [][]trace.Record // of the log, each complete
	settled   uint64           // their records
	pending   []*Definitions   // of the stretch behind them, which is not complete
	held      uint64           // their records
	end       uint64           // of that stretch
}

// Add adds the definitions of a page, which may stand anywhere in the log.
func (a *Assembly) Add(d *Definitions) error {
	for _, p := range d.Places {
		if p.First < a.settled {
			return damaged(p.First)
		}
		a.end = max(a.end, p.First+p.Records)
	}
	a.pending, a.held = append(a.pending, d), a.held+uint64(len(d.Records))
	if a.settled+a.held < a.end {
		return nil
	}
	return a.settle()
}

// settle appends the stretch to the log. It has as many records as places.
func (a *Assembly) settle() error {
	if a.settled+a.held > a.end {
		return damaged(a.end)
	}
	stretch := make([]trace.Record, a.held)
	for _, d := range a.pending {
		rest := d.Records
		for _, p := range d.Places {
			for i := range p.Records {
				at := &stretch[p.First-a.settled+i]
				if at.Kind != 0 { // no kind has the number 0
					return damaged(p.First + i)
				}
				*at = rest[i]
			}
			rest = rest[p.Records:]
		}
	}
	a.stretches, a.settled = append(a.stretches, stretch), a.end
	a.pending, a.held = nil, 0
	return nil
}

// CheckPlaces checks that places, which it sorts, are the whole log.
func CheckPlaces(places []Place) error {
	slices.SortFunc(places, func(a, b Place) int { return cmp.Compare(a.First, b.First) })
	end := uint64(0)
	for _, p := range places {
		if p.First != end {
			return damaged(min(p.First, end))
		}
		end += p.Records
	}
	return nil
}

func damaged(place uint64) error {
	return format.Corruptf(definitionSection, -1, "there are two records, or none, for place %d of the log", place)
}

// Log returns the whole log.
func (a *Assembly) Log() ([]trace.Record, error) {
	switch {
	case len(a.pending) > 0:
		return nil, damaged(a.settled)
	case len(a.stretches) == 1:
		return a.stretches[0], nil
	}
	return slices.Concat(a.stretches...), nil
}

// Part collects definitions of which others of the log are left out, or lost. The zero value is empty.
type Part struct {
	pages [][]placed
}

type placed struct {
	place uint64
	trace.Record
}

// Add adds those definitions of a page whose kind is wanted.
func (p *Part) Add(d *Definitions, wanted func(trace.Kind) bool) {
	page := make([]placed, 0, len(d.Records))
	rest := d.Records
	for _, place := range d.Places {
		for i, r := range rest[:place.Records] {
			if wanted(r.Kind) {
				page = append(page, placed{place.First + uint64(i), r})
			}
		}
		rest = rest[place.Records:]
	}
	p.pages = append(p.pages, page)
}

// Log returns the definitions in the order of the log.
func (p *Part) Log() []trace.Record {
	all := slices.Concat(p.pages...)
	slices.SortStableFunc(all, func(a, b placed) int { return cmp.Compare(a.place, b.place) })
	log := make([]trace.Record, len(all))
	for i := range log {
		log[i] = all[i].Record
	}
	return log
}
