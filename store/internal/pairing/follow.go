package pairing

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/trace"
)

// Role is what a kind of events does in a family of pairs.
type Role struct {
	Family trace.PairFamily
	Closes bool
	Rule   trace.PairRule
	keys   []int // fields that must agree
}

// PairKeys is the most fields that the pairs of a kind may have to agree in. Those of a kind with more mean nothing.
const PairKeys = 4

// Roles are what kinds do in the families whose pairs are items.
type Roles struct {
	of  map[trace.Kind][]Role
	low [1 << 10]bool // by kind: whether a registered one has any
}

// NewRoles returns the roles of the kinds of a table: of one family, or of all that are itemized if it is 0.
func NewRoles(table *trace.Table, family trace.PairFamily) *Roles {
	r := &Roles{of: map[trace.Kind][]Role{}}
	for _, spec := range table.All() {
		for i := range spec.Pairs {
			p := &spec.Pairs[i]
			if !p.Family.Itemized() || family != 0 && p.Family != family {
				continue
			}
			role := Role{Family: p.Family, Closes: p.Closes, Rule: p.Rule}
			for _, name := range p.Keys {
				role.keys = append(role.keys, slices.IndexFunc(spec.Fields, func(f trace.Field) bool { return f.Name == name && !f.Repeat }))
			}
			if len(role.keys) > PairKeys || slices.Contains(role.keys, -1) || role.Rule != trace.InOrder && role.Rule != trace.ByKey {
				continue
			}
			r.of[spec.ID] = append(r.of[spec.ID], role)
			if int(spec.ID) < len(r.low) {
				r.low[spec.ID] = true
			}
		}
	}
	return r
}

// Of returns the roles of a kind.
func (r *Roles) Of(k trace.Kind) []Role {
	if int(k) < len(r.low) && !r.low[k] {
		return nil
	}
	return r.of[k]
}

// Kinds returns the kinds that have roles, in rising order.
func (r *Roles) Kinds() (kinds []trace.Kind) {
	for k := range r.of {
		kinds = append(kinds, k)
	}
	slices.Sort(kinds)
	return kinds
}

// RoleEvent is an event in one of its roles.
type RoleEvent struct {
	*Role
	key  [PairKeys]uint64
	Kind trace.Kind
	index.End
}

// NewRoleEvent returns an event, which has some words, in a role. The end's length is the event's kind.
func NewRoleEvent(r *Role, k trace.Kind, words []uint64, e index.End) RoleEvent {
	e.Length = uint64(k)
	event := RoleEvent{Role: r, Kind: k, End: e}
	for i, field := range r.keys {
		if field < len(words) {
			event.key[i] = words[field]
		}
	}
	return event
}

// Compare orders events of a slice as they are paired.
func (e *RoleEvent) Compare(o *RoleEvent) int {
	return cmp.Or(cmp.Compare(e.Time, o.Time), cmp.Compare(e.Location, o.Location), cmp.Compare(e.Ordinal, o.Ordinal), cmp.Compare(e.Family, o.Family))
}

// openKey is what two events that belong together agree in.
type openKey struct {
	family  trace.PairFamily
	process ProcessID // of the process scope; of the location scope, the number of the location
	keys    int       // how many fields agree: a lock of OpenMP has one, one of threads has two
	key     [PairKeys]uint64
}

// OpenPairs are opening events that are not closed yet.
type OpenPairs struct {
	Process func(location uint32) ProcessID
	open    map[openKey][]index.End
}

func (o *OpenPairs) keyOf(e *RoleEvent) openKey {
	k := openKey{family: e.Family, keys: len(e.keys), key: e.key}
	switch e.Family.Scope() {
	case trace.LocationScope:
		k.process = ProcessID{Location: true, Id: uint64(e.Location)}
	case trace.ProcessScope:
		k.process = o.Process(e.Location)
	}
	return k
}

// Add takes an event. If that closes a pair, it returns the end that opened it.
func (o *OpenPairs) Add(e *RoleEvent) (open index.End, ok bool) {
	k := o.keyOf(e)
	ends := o.open[k]
	if !e.Closes {
		if o.open == nil {
			o.open = map[openKey][]index.End{}
		}
		o.open[k] = append(ends, e.End)
		return open, false
	}
	n := len(ends)
	if n == 0 {
		return open, false
	}
	if e.Rule == trace.ByKey {
		open, ends = ends[n-1], ends[:n-1]
	} else {
		open, ends = ends[0], ends[1:]
	}
	if len(ends) == 0 {
		delete(o.open, k)
	} else {
		o.open[k] = ends
	}
	return open, true
}

// Item returns a pair as it stands among the items of a node.
func Item(f trace.PairFamily, open, closing index.End) index.Message {
	return index.Message{Send: open, Receive: closing, Communicator: uint64(f)}
}

// Left returns the pairs that are not closed, in the order of location and ordinal, without their closing ends.
func (o *OpenPairs) Left() (all []index.Message) {
	for k, ends := range o.open {
		for _, e := range ends {
			all = append(all, Item(k.family, e, index.End{Location: e.Location}))
		}
	}
	slices.SortFunc(all, func(a, b index.Message) int {
		return cmp.Or(cmp.Compare(a.Send.Location, b.Send.Location), cmp.Compare(a.Send.Ordinal, b.Send.Ordinal), cmp.Compare(a.Communicator, b.Communicator))
	})
	return all
}
