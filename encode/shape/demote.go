package shape

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// A structural field that takes a new value at nearly every event, the number of an iteration used as a message's tag for one, makes
// each call around it a shape of its own. From the next epoch on it is demoted to a value, if the dictionary will lose more than the
// field's column takes.

// FieldRef names a field of a kind of events.
type FieldRef struct {
	Kind  trace.Kind
	Field uint16 // its number, from 0
}

// mayDemote reports whether a structural field can be a value. A key cannot: it decides about columns. Neither can the number
// of repetitions, the type of what follows, or the communicator of a peer, by which that may be relative.
func (p *plan) mayDemote(field int) bool {
	if field >= len(p.structural) || !p.structural[field] {
		return false
	}
	f := &p.spec.Fields[field]
	return !f.Key && f.Type != trace.TypeCount && f.Type != trace.TypeCode && !(p.spec.HasPeer() && field == communicatorField)
}

// communicatorField is that of kinds with a peer.
const communicatorField = 1

// Demote makes a structural field a value. It comes before all events. It reports false for a field that cannot be one.
func (d *Dictionary) Demote(f FieldRef) bool {
	p, err := d.plan(f.Kind)
	if err != nil || !p.mayDemote(int(f.Field)) {
		return false
	}
	p.structural[f.Field], p.allStructural = false, false
	d.demoted = append(d.demoted, f)
	slices.SortFunc(d.demoted, func(a, b FieldRef) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Field, b.Field)) })
	return true
}

// Demoted lists the fields that are demoted, by kind and number.
func (d *Dictionary) Demoted() []FieldRef { return d.demoted }

const (
	// fewLeaves is a number of leaves of a kind that does no harm.
	fewLeaves = 32
	// fewBytes is a size of dictionaries that does no harm.
	fewBytes = 1 << 10
	// worthwhile is the part of the cost that a demotion must save. Where it saves less, values cost more than thought.
	worthwhile = 16
)

// Demotions returns the fields that are better values than a part of the structure, after the dictionary was used by a number of
// locations. bytes is the size of its pages.
func (d *Dictionary) Demotions(u *Usage, bytes, locations int) []FieldRef {
	if bytes < fewBytes {
		return nil
	}
	candidates := d.candidates()
	if len(candidates) == 0 {
		return nil // all leaves are alike but for keys: there may be very many
	}
	c := newCollapse(d, u, bytes, locations)
	for now := c.cost(FieldRef{}); ; {
		best, least := FieldRef{}, now-now/worthwhile
		for _, f := range candidates {
			if cost := c.cost(f) + c.column(f); cost < least {
				best, least = f, cost
			}
		}
		if best == (FieldRef{}) {
			return c.demoted
		}
		c.demoted = append(c.demoted, best)
		candidates = slices.DeleteFunc(candidates, func(f FieldRef) bool { return f == best })
		now = c.cost(FieldRef{})
	}
}

// candidates lists the fields that may be demoted, of kinds with many leaves.
func (d *Dictionary) candidates() (list []FieldRef) {
	leaves := map[trace.Kind]int{}
	for _, l := range d.Info() {
		k := l.Kind
		if leaves[k]++; leaves[k] != fewLeaves {
			continue
		}
		for f := range d.plans[k].structural {
			if d.plans[k].mayDemote(f) {
				list = append(list, FieldRef{k, uint16(f)})
			}
		}
	}
	return list
}
