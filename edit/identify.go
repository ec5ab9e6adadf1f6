package edit

import (
	"errors"
	"io"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// Values of the fields groupType and groupFlags.
const (
	groupCommLocations = 4
	groupCommGroup     = 5
	globalMembers      = 1
)

// member is one of the traces that are merged.
type member struct {
	src         trace.Source
	table       *trace.Table
	definitions *trace.Definitions
	maps        [spaces]idMap
	shared      map[int]bool      // definitions, by their place in the log, that an earlier trace has too
	scale       uint64            // ticks of the merged clock in one of this trace's
	reach       int64             // the latest time, in ticks of this trace, that fits the merged one
	shift       int64             // what is added to times, in ticks of the merged clock
	ranks       map[uint64]uint64 // by paradigm: what is added to ranks among all processes
	global      map[uint64]uint64 // by communicator, as the trace has it: what is added to ranks in it, where that is not 0
	plans       map[trace.Kind][]step
}

func newMember(src trace.Source) (*member, error) {
	log, err := src.Definitions(0)
	if err != nil {
		return nil, err
	}
	t := &member{src: src, table: src.Meta().Table(), definitions: trace.NewDefinitions(log), shared: map[int]bool{}, ranks: map[uint64]uint64{},
		global: map[uint64]uint64{}, plans: map[trace.Kind][]step{}}
	for _, spec := range t.table.All() {
		t.plans[spec.ID] = planOf(spec)
	}
	return t, nil
}

// id returns what an id of this trace is in the merged one. One that nothing defines is undefined there.
func (t *member) id(space trace.Space, id uint64, bits uint8) uint64 {
	undefined := trace.Undefined >> (64 - uint(bits))
	if id == undefined || space == trace.SpaceParadigm {
		return id // paradigms have fixed numbers
	}
	if to, ok := t.maps[space].get(id); ok {
		return to
	}
	return undefined
}

// sharing are kinds of definitions of which equal ones become one; what they refer to stands before.
var sharing = [][]trace.Kind{
	{trace.KindString},
	{trace.KindRegion, trace.KindAttribute, trace.KindMetricMember, trace.KindParameter, trace.KindSourceCodeLocation, trace.KindIoParadigm, trace.KindCategory},
	{trace.KindMetricClass},
}

// identify gives all things their ids.
func (m *merge) identify() error {
	var pool idPool
	known := map[string]uint64{}
	for _, t := range m.members {
		for _, kinds := range sharing {
			if err := t.share(kinds, known, &pool); err != nil {
				return err
			}
		}
		if err := t.number(&pool); err != nil {
			return err
		}
	}
	m.rank()
	return nil
}

// share gives ids to things of some kinds, those of their likes if there are such.
func (t *member) share(kinds []trace.Kind, known map[string]uint64, pool *idPool) error {
	for i := range t.definitions.Log {
		d := &t.definitions.Log[i]
		if !slices.Contains(kinds, d.Kind) {
			continue
		}
		self, ok := selfOf(t.table, d)
		if _, has := t.maps[self.space].get(self.id); !ok || has {
			continue
		}
		like := t.translate(d)
		like.Words[0] = 0
		key := recordKey(&like)
		id, ok := known[key]
		if t.shared[i] = ok; !ok {
			var err error
			if id, err = pool.take(self.space, self.id); err != nil {
				return err
			}
			known[key] = id
		}
		t.maps[self.space].set(self.id, id)
	}
	return nil
}

// number gives ids to all other things, and to locations that only have events.
func (t *member) number(pool *idPool) error {
	var all []selfID
	for i := range t.definitions.Log {
		if self, ok := selfOf(t.table, &t.definitions.Log[i]); ok && self.space != trace.SpaceParadigm {
			all = append(all, self)
		}
	}
	for _, s := range t.src.Streams() {
		if s.Class == trace.StreamEvents {
			all = append(all, selfID{trace.SpaceLocation, s.Location})
		}
	}
	markers, err := t.markers()
	if err != nil {
		return err
	}
	for _, self := range append(all, markers...) {
		if _, has := t.maps[self.space].get(self.id); has {
			continue
		}
		id, err := pool.take(self.space, self.id)
		if err != nil {
			return err
		}
		t.maps[self.space].set(self.id, id)
	}
	return nil
}

// markers lists what the streams of markers define.
func (t *member) markers() (list []selfID, err error) {
	for _, info := range t.src.Streams() {
		if info.Class != trace.StreamMarkers {
			continue
		}
		s, err := t.src.Open(info.StreamID)
		if err != nil {
			return nil, err
		}
		var b trace.Batch
		for err = s.Next(&b, auxiliaryBatch); err == nil; err = s.Next(&b, auxiliaryBatch) {
			for i, k := range b.Kinds {
				if k == trace.KindDefMarker {
					list = append(list, selfID{trace.SpaceMarker, b.Fields(i)[0]})
				}
			}
		}
		if err = errors.Join(err, s.Close()); !errors.Is(err, io.EOF) {
			return nil, err
		}
	}
	return list, nil
}

// rank ranks the processes of all traces together, by paradigm.
func (m *merge) rank() {
	size := map[uint64]uint64{}
	for _, t := range m.members {
		own := map[uint64]uint64{}
		for _, g := range t.commLocations() {
			if _, has := own[g.Paradigm]; !has {
				own[g.Paradigm] = uint64(len(g.Members))
			}
		}
		for paradigm, n := range own {
			t.ranks[paradigm] = size[paradigm]
			size[paradigm] += n
		}
		for id, c := range t.definitions.Comms {
			g := t.definitions.GroupLists[c.Group]
			if add := t.ranks[g.Paradigm]; g.Flags&globalMembers != 0 && g.Type != groupCommLocations && add > 0 {
				t.global[id] = add
			}
		}
	}
}

// commLocations returns the groups of all processes, in the order of their definitions.
func (t *member) commLocations() (list []trace.Group) {
	for i := range t.definitions.Log {
		d := &t.definitions.Log[i]
		if d.Kind != trace.KindGroup {
			continue
		}
		if g, ok := t.definitions.GroupLists[d.Words[0]]; ok && g.Type == groupCommLocations {
			list = append(list, g)
		}
	}
	return list
}
