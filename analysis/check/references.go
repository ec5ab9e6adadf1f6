package check

import (
	"maps"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// knownIDs are the ids that are defined, and those that were missed.
type knownIDs struct {
	table  *trace.Table
	spaces [256]idSet
	missed map[spaceID]*miss
}

type spaceID struct {
	space trace.Space
	id    uint64
}

// miss is an id that was not defined when an event referred to it. Some formats define late, so it is looked at again in the end.
type miss struct {
	first  Place
	events uint64
}

func newKnownIDs(t *trace.Table) *knownIDs { return &knownIDs{table: t, missed: map[spaceID]*miss{}} }

// idSet is a set of ids: a bit for each small one, a map for the others.
type idSet struct {
	bits   []uint64
	others map[uint64]bool
}

// smallIDs is the number of ids that have a bit.
const smallIDs = 1 << 20

func (s *idSet) has(id uint64) bool {
	if word := id / 64; word < uint64(len(s.bits)) {
		return s.bits[word]>>(id%64)&1 != 0
	}
	return s.others[id]
}

// add adds an id, and reports whether it was there.
func (s *idSet) add(id uint64) (before bool) {
	if before = s.has(id); before {
		return true
	}
	if id >= smallIDs {
		if s.others == nil {
			s.others = map[uint64]bool{}
		}
		s.others[id] = true
		return false
	}
	for uint64(len(s.bits)) <= id/64 {
		s.bits = append(s.bits, 0)
	}
	s.bits[id/64] |= 1 << (id % 64)
	return false
}

// add takes up definitions.
func (k *knownIDs) add(log []trace.Record, l *ledger) {
	for i := range log {
		d := &log[i]
		s := k.table.Spec(d.Kind)
		if s == nil {
			continue
		}
		s.Walk(d.Words, func(_ int, f *trace.Field, word uint64) {
			if f.Type == trace.TypeSelf && k.spaces[f.Ref].add(word) {
				l.define(DefinedTwice, Value{"space", Space, uint64(f.Ref)}, Value{"id", Plain, word})
			}
		})
	}
}

func (k *knownIDs) has(space trace.Space, id uint64) bool { return k.spaces[space].has(id) }

// lacks reports whether a word names what is not defined so far.
func (k *knownIDs) lacks(r reference, word uint64) bool {
	return word != r.undefined && !k.has(r.space, word)
}

// miss notes that an event refers to an id that is not defined so far.
func (k *knownIDs) miss(space trace.Space, id uint64, at Place) {
	m := k.missed[spaceID{space, id}]
	if m == nil {
		m = &miss{first: at}
		k.missed[spaceID{space, id}] = m
	}
	if m.events++; at.compare(&m.first) < 0 {
		m.first = at
	}
}

// referencesOf returns the words of a kind that name definitions, but for members of a repeated group. Paradigms are names that need no
// definition.
func referencesOf(s *trace.Spec) (list []reference) {
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.Repeat {
			break
		}
		if f.Type == trace.TypeRef && f.Ref != trace.SpaceParadigm {
			list = append(list, reference{uint32(i), f.Ref, trace.Undefined >> (64 - f.Bits)})
		}
	}
	return list
}

// checkDefinitions checks what can be said when all is read.
func (c *checker) checkDefinitions() {
	for id, m := range c.known.missed {
		if !c.known.has(id.space, id.id) {
			c.ledger.add(Undefined, Undefined.Severity(), m.first, Value{"space", Space, uint64(id.space)}, Value{"id", Plain, id.id},
				Value{"events", Plain, m.events})
		}
	}
	for i := range c.defs.Log {
		c.checkDefinition(&c.defs.Log[i])
	}
	c.checkTopologies()
	c.checkScopes()
}

// checkDefinition checks what a definition refers to.
func (c *checker) checkDefinition(d *trace.Record) {
	s := c.table.Spec(d.Kind)
	if s == nil {
		return
	}
	s.WalkIDs(d.Words, func(_ int, f *trace.Field, space trace.Space, word uint64) {
		if f.Type != trace.TypeSelf && space != trace.SpaceNone && space != trace.SpaceParadigm && !f.Undefined(word) && !c.known.has(space, word) {
			c.ledger.define(Undefined, Value{"space", Space, uint64(space)}, Value{"id", Plain, word}, Value{"kind", Kind, uint64(d.Kind)})
		}
	})
}

// grid is a Cartesian topology.
type grid struct {
	id, comm uint64
	sizes    []uint64
	taken    map[string]uint64 // rank by coordinates
	placed   map[uint64]bool   // ranks
}

// checkTopologies checks the coordinates of ranks.
func (c *checker) checkTopologies() {
	sizes, grids := map[uint64]uint64{}, map[uint64]*grid{}
	each := func(kind trace.Kind, do func(w []uint64)) {
		for i := range c.defs.Log {
			if c.defs.Log[i].Kind == kind {
				do(c.defs.Log[i].Words)
			}
		}
	}
	each(trace.KindCartDimension, func(w []uint64) { sizes[w[0]] = w[2] })
	each(trace.KindCartTopology, func(w []uint64) {
		g := &grid{id: w[0], comm: w[2], taken: map[string]uint64{}, placed: map[uint64]bool{}}
		for _, d := range w[4:] {
			g.sizes = append(g.sizes, sizes[d])
		}
		grids[g.id] = g
	})
	each(trace.KindCartCoordinate, func(w []uint64) {
		if g := grids[w[0]]; g != nil {
			c.coordinates(g, w[1], w[3:])
		}
	})
	for _, id := range slices.Sorted(maps.Keys(grids)) {
		c.unplaced(grids[id])
	}
}

// coordinates checks those of a rank.
func (c *checker) coordinates(g *grid, rank uint64, at []uint64) {
	values := []Value{{"topology", Plain, g.id}, {"rank", Rank, rank}}
	key := make([]byte, 0, 4*len(at))
	for i, v := range at {
		if i >= len(g.sizes) || v >= g.sizes[i] {
			c.ledger.define(OutsideGrid, values...)
			return
		}
		key = append(key, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
	}
	if len(at) != len(g.sizes) {
		c.ledger.define(OutsideGrid, values...)
		return
	}
	if other, ok := g.taken[string(key)]; ok {
		c.ledger.define(CoordinatesTwice, append(values, Value{"other", Rank, other})...)
	}
	g.taken[string(key)], g.placed[rank] = rank, true
}

// unplaced notes the ranks without coordinates.
func (c *checker) unplaced(g *grid) {
	comm, ok := c.defs.Comms[g.comm]
	if !ok || len(g.placed) == 0 {
		return
	}
	for rank := range uint64(len(c.defs.GroupLists[comm.Group].Members)) {
		if !g.placed[rank] {
			c.ledger.define(NoCoordinates, Value{"topology", Plain, g.id}, Value{"rank", Rank, rank})
		}
	}
}
