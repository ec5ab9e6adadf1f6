package scale

import (
	"errors"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// ids says which definitions each copy of the base's locations has for itself: locations, processes, communicators, their groups,
// and whatever refers to those. The others, such as strings and regions, are common to all.
type ids struct {
	owned map[spaceID]bool
	// steps are what is between the ids of one copy and those of the next, 0 for spaces without ids of their own.
	steps map[trace.Space]uint64
	// comm is the first id for the groups of all processes of a copy, see [definer.everybody].
	comm uint64
}

type spaceID struct {
	space trace.Space
	id    uint64
}

// Values of fields of group definitions and metric instances.
const (
	groupLocations     = 1
	groupCommLocations = 4
	groupCommGroup     = 5

	flagGlobalMembers = 1
)

// scopes are the spaces that the scope of a metric instance is an id of.
var scopes = []trace.Space{trace.SpaceLocation, trace.SpaceLocationGroup, trace.SpaceSystemTreeNode, trace.SpaceGroup}

func (s *ids) owns(space trace.Space, id uint64) bool { return s.owned[spaceID{space, id}] }

// copied returns an id of a copy.
func (s *ids) copied(space trace.Space, id uint64, number int) uint64 {
	if s.owns(space, id) {
		id += uint64(number) * s.steps[space]
	}
	return id
}

// findIDs finds out what copies own.
func (b *Base) findIDs() {
	b.ids = ids{owned: map[spaceID]bool{}, steps: map[trace.Space]uint64{}}
	for _, l := range b.locations {
		b.ids.own(trace.SpaceLocation, l.id)
	}
	for before := -1; before < len(b.ids.owned); { // definitions may refer to later ones
		before = len(b.ids.owned)
		for i := range b.definitions.Log {
			b.ids.add(b.meta.Table(), &b.definitions.Log[i])
		}
	}
	b.ids.comm = b.ids.steps[trace.SpaceGroup]
	for _, r := range b.definitions.Log {
		if r.Kind == trace.KindGroup {
			b.ids.comm = max(b.ids.comm, r.Words[0]+1)
		}
	}
	b.ids.steps[trace.SpaceGroup] = b.ids.comm + uint64(len(b.definitions.GroupLists))
}

func (s *ids) own(space trace.Space, id uint64) {
	s.owned[spaceID{space, id}] = true
	if space == trace.SpaceLocation {
		id &= 1<<32 - 1 // threads of a process differ in the bits above
	}
	s.steps[space] = max(s.steps[space], id+1)
}

// add owns what a definition defines, if it is one that copies own.
func (s *ids) add(table *trace.Table, r *trace.Record) {
	spec := table.Spec(r.Kind)
	if s.isOwned(spec, r) {
		spec.Walk(r.Words, func(_ int, f *trace.Field, word uint64) {
			if f.Type == trace.TypeSelf {
				s.own(f.Ref, word)
			}
		})
	}
}

// isOwned reports whether copies own a definition.
func (s *ids) isOwned(spec *trace.Spec, r *trace.Record) bool {
	switch r.Kind {
	case trace.KindLocation, trace.KindLocationGroup, trace.KindComm, trace.KindInterComm:
		return true
	case trace.KindGroup:
		kind := groupOf(r).Type
		return kind == groupLocations || kind == groupCommGroup
	}
	owned := false
	spec.Walk(r.Words, func(_ int, f *trace.Field, word uint64) {
		owned = owned || f.Type == trace.TypeRef && s.owns(f.Ref, word)
	})
	return owned
}

// groupOf reads the definition of a group. Its members are those of the record.
func groupOf(r *trace.Record) trace.Group {
	w, n := r.Words, r.Words[2]
	return trace.Group{ID: w[0], Name: w[1], Members: w[3 : 3+n], Type: w[3+n], Paradigm: w[4+n], Flags: w[5+n]}
}

var (
	errGlobalRanks = errors.New("the base has communicators of global ranks, which cannot be copied")
	errNoIDs       = errors.New("the base's ids leave no room for so many copies")
)

// checkCopies returns an error if the ids of the copies would overflow.
func (b *Base) checkCopies(copies int) error {
	if copies == 1 {
		return nil
	}
	for _, g := range b.definitions.GroupLists {
		if g.Type == groupCommGroup && g.Flags&flagGlobalMembers != 0 {
			return errGlobalRanks
		}
	}
	for _, step := range b.ids.steps {
		if step*uint64(copies) >= 1<<32 || step >= 1<<32 {
			return errNoIDs
		}
	}
	return nil
}

// processes returns how many members the group has that the ranks of a paradigm's communicators refer to.
func (b *Base) processes(paradigm uint64) uint64 {
	i := slices.IndexFunc(b.definitions.Log, func(r trace.Record) bool {
		return r.Kind == trace.KindGroup && groupOf(&r).Type == groupCommLocations && groupOf(&r).Paradigm == paradigm
	})
	if i < 0 {
		return 0
	}
	return uint64(len(groupOf(&b.definitions.Log[i]).Members))
}
