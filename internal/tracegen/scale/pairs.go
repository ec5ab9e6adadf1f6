package scale

import (
	"slices"

	"github.com/pandotrace/pando/trace"
)

// flight is what is under way from one event to another, which ends it.
type flight struct{ a, b eventID }

// eventID is an event of the base: the numbers of location and event.
type eventID struct{ location, event int }

// pairs returns which events of a location belong together: requests, collective operations, parallel regions, whatever
// the table of kinds calls a pair. Calls are not among them, nor are messages.
func (b *Base) pairs(location int) []flight {
	p := pairing{open: map[uint64][]eventID{}, rules: map[trace.Kind][]pairRule{}}
	for _, spec := range b.meta.Table().All() {
		p.rules[spec.ID] = rulesOf(spec)
	}
	events := &b.locations[location].events
	for i, kind := range events.Kinds {
		for _, r := range p.rules[kind] {
			p.event(&r, eventID{location, i}, events.Fields(i))
		}
	}
	return p.flights
}

// pairing pairs events of one location.
type pairing struct {
	rules   map[trace.Kind][]pairRule
	open    map[uint64][]eventID // by hash of family and keys: what is open
	flights []flight
}

// pairRule is a pair of the table with its keys as positions in a record.
type pairRule struct {
	trace.Pair
	keys []int
}

func rulesOf(spec *trace.Spec) (rules []pairRule) {
	for _, p := range spec.Pairs {
		if p.Family == trace.PairCall || p.Family == trace.PairMessage {
			continue
		}
		r := pairRule{Pair: p}
		for _, key := range p.Keys {
			r.keys = append(r.keys, spec.Field(key))
		}
		rules = append(rules, r)
	}
	return rules
}

func (p *pairing) event(r *pairRule, id eventID, words []uint64) {
	key := hash(0, uint64(r.Family))
	for _, k := range r.keys {
		key = hash(key, words[k])
	}
	open := p.open[key]
	switch {
	case !r.Closes:
		p.open[key] = append(open, id)
	case len(open) == 0:
	case r.Rule == trace.InOrder:
		p.flights = append(p.flights, flight{open[0], id})
		p.open[key] = slices.Delete(open, 0, 1)
	default:
		p.flights = append(p.flights, flight{open[len(open)-1], id})
		p.open[key] = open[:len(open)-1]
	}
}
