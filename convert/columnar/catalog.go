package columnar

import (
	"iter"
	"slices"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// catalog holds the definitions of a trace as columns need them: locations and names are found by number, and every name has a code.
// What only one table needs is a [lookup] in that table's file.
type catalog struct {
	definitions *trace.Definitions
	info        *store.Info
	kinds       *trace.Table
	first       int64 // time of the first event, in ticks relative to the epoch
	resolution  uint64

	places    []place // by index of the location in info.Locations
	placeByID map[uint64]int32

	locationNames, processNames names
	regions, comms              *idNames

	lookups []any // by index of the lookup
}

// place is a location with the values of its columns.
type place struct {
	id          uint64
	name        int32
	process     int64 // id of the location group
	processName int32
	inProcess   bool  // the location has a process, and so a thread
	thread      int64 // index among the locations of the process
	rank        int64 // MPI rank of the process, -1 if it has none
	firstEvent  int64 // number of the location's first event, see [place.event]
}

func newCatalog(r *store.Reader) (*catalog, error) {
	d, err := r.Definitions()
	if err != nil {
		return nil, err
	}
	x := &catalog{
		definitions: d, info: r.Info(), kinds: r.Meta().Table(), first: r.Info().First, resolution: r.Meta().Resolution,
	}
	x.addPlaces()
	x.regions = x.nameAll(trace.SpaceRegion, trace.KindRegion)
	x.comms = x.nameAll(trace.SpaceComm, trace.KindComm, trace.KindInterComm)
	x.lookups = make([]any, len(lookups))
	for _, l := range lookups {
		l(x)
	}
	return x, nil
}

// addPlaces lists the locations in the order that merged events use.
func (x *catalog) addPlaces() {
	ranks := x.ranks()
	threads := map[uint64]int64{}
	x.placeByID = make(map[uint64]int32, len(x.info.Locations))
	event := int64(0)
	for i, l := range x.info.Locations {
		p := place{id: l.ID, name: noName, processName: noName, rank: -1, firstEvent: event}
		p.name = x.locationNames.add(x.definitions.Name(trace.SpaceLocation, l.ID))
		if group, ok := x.process(l.ID); ok {
			p.inProcess, p.process, p.thread = true, int64(group), threads[group]
			p.processName = x.processNames.add(x.definitions.Name(trace.SpaceLocationGroup, group))
			threads[group]++
			if rank, ok := ranks[group]; ok {
				p.rank = rank
			}
		}
		x.places = append(x.places, p)
		x.placeByID[l.ID] = int32(i)
		event += int64(l.Events)
	}
}

// Values of the fields groupType and paradigm of groups.
const (
	groupCommLocations = 4
	paradigmMPI        = 4
)

// ranks returns the MPI rank of each process: its place in the group of all locations that take part in MPI.
func (x *catalog) ranks() map[uint64]int64 {
	ranks := map[uint64]int64{}
	for i := range x.definitions.Log {
		r := &x.definitions.Log[i]
		if r.Kind != trace.KindGroup || len(r.Words) == 0 {
			continue
		}
		g := x.definitions.GroupLists[r.Words[0]]
		if g.Type != groupCommLocations || g.Paradigm != paradigmMPI {
			continue
		}
		for rank, location := range g.Members {
			if process, ok := x.process(location); ok {
				ranks[process] = int64(rank)
			}
		}
		break
	}
	return ranks
}

// process returns the process of a location; ok is false for a location that is not defined, or defined without one.
func (x *catalog) process(location uint64) (id uint64, ok bool) {
	id, ok = x.definitions.Process(location)
	_, defined := reference(id)
	return id, ok && defined
}

// nameAll returns the names of all definitions of some kinds.
func (x *catalog) nameAll(space trace.Space, kinds ...trace.Kind) *idNames {
	n := &idNames{codes: map[uint64]int32{}}
	for _, k := range kinds {
		for d := range x.defined(k) {
			id := d.Words[0]
			n.codes[id] = n.add(x.definitions.Name(space, id))
		}
	}
	return n
}

// place returns a location by its id. The file lists all that have events, so none is missing.
func (x *catalog) place(id uint64) *place {
	if i, ok := x.placeByID[id]; ok {
		return &x.places[i]
	}
	return &nowhere
}

var nowhere = place{name: noName, processName: noName, rank: -1}

// event returns the number of an event: events are counted location by location, locations in the order of
// [store.Info.Locations], events in the order of their ordinals. The number is the same whatever part of the file is
// looked at.
func (p *place) event(ordinal uint64) int64 { return p.firstEvent + int64(ordinal) }

// ticks returns a time relative to the trace's first event.
func (x *catalog) ticks(t int64) int64 { return t - x.first }

// reference returns an id of a definition as a number; ok is false for undefined references of 32 and 64 bits.
func reference(id uint64) (n int64, ok bool) {
	return int64(id), id != trace.Undefined && id != trace.Undefined>>32
}

// defined yields the definitions of a kind in the order of the log. Of those that share an id, the first counts.
func (x *catalog) defined(k trace.Kind) iter.Seq[*trace.Record] {
	return func(yield func(*trace.Record) bool) {
		spec := x.kinds.Spec(k)
		if spec == nil {
			return
		}
		seen := map[uint64]bool{}
		before, _, _ := spec.Shape()
		self := spec.Field("self")
		if self >= before {
			self = -1
		}
		for i := range x.definitions.Log {
			r := &x.definitions.Log[i]
			if r.Kind != k {
				continue
			}
			if _, ok := spec.Count(r.Words); !ok || self >= 0 && seen[r.Words[self]] {
				continue
			}
			if self >= 0 {
				seen[r.Words[self]] = true
			}
			if !yield(r) {
				return
			}
		}
	}
}

// occur reports whether a trace has records of one of some kinds.
func occur(kinds ...trace.Kind) func(*catalog) bool {
	return func(x *catalog) bool {
		return slices.ContainsFunc(x.info.Kinds, func(k store.KindCount) bool { return k.Count > 0 && slices.Contains(kinds, k.Kind) })
	}
}
