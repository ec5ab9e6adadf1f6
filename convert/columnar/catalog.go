package columnar

import (
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// catalog is what the definitions say, in the form that columns need: looked up by number, every name known.
type catalog struct {
	definitions *trace.Definitions
	info        *store.Info
	kinds       *trace.Table
	first       int64 // time of the first event, in ticks relative to the epoch
	resolution  uint64

	places      []place // by index of the location in info.Locations
	placeByID   map[uint64]int32
	regionCodes map[uint64]int32
	commCodes   map[uint64]int32
	layouts     []*layout // by kind of event
	metrics     map[uint64]*metric

	locationNames, processNames, regionNames, commNames, kindNames names
	metricNames, unitNames, typeNames                              names

	parameterCodes, collectiveCodes, fileCodes, handleCodes          map[uint64]int32
	parameterNames, collectiveNames, fileNames, handleNames, ioNames names
	handleFiles                                                      map[uint64]uint64 // by handle
	pipitNames                                                       names
	pipitKind                                                        []int32 // by code of a kind's name: its code in pipitNames
}

// place is a location with what tables say of it.
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
	x.regionCodes = x.nameAll(&x.regionNames, trace.SpaceRegion, trace.KindRegion)
	x.commCodes = x.nameAll(&x.commNames, trace.SpaceComm, trace.KindComm, trace.KindInterComm)
	x.addLayouts()
	x.addMetrics()
	x.parameterCodes = x.nameAll(&x.parameterNames, trace.SpaceParameter, trace.KindParameter)
	x.collectiveCodes = addEnum(&x.collectiveNames, trace.EnumCollectiveOp)
	x.addIoNames()
	x.addPipitNames()
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

// nameAll returns the codes of the names of all definitions of some kinds, by id.
func (x *catalog) nameAll(n *names, space trace.Space, kinds ...trace.Kind) map[uint64]int32 {
	codes := map[uint64]int32{}
	for _, k := range kinds {
		for d := range x.defined(k) {
			id := d.Words[0]
			codes[id] = n.add(x.definitions.Name(space, id))
		}
	}
	return codes
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

func (x *catalog) regionName(id uint64) int32 { return codeOf(x.regionCodes, id) }

func (x *catalog) commName(id uint64) int32 { return codeOf(x.commCodes, id) }

func codeOf(codes map[uint64]int32, id uint64) int32 {
	if c, ok := codes[id]; ok {
		return c
	}
	return noName
}

// reference returns an id of a definition as a number; ok is false for undefined references of 32 and 64 bits.
func reference(id uint64) (n int64, ok bool) {
	return int64(id), id != trace.Undefined && id != trace.Undefined>>32
}

// placeColumns are the columns that say where something happened.
func placeColumns[R any](prefix, subject string, at func(*R) *place) []column[R] {
	return []column[R]{
		number(prefix+"location", "", "id of the location"+subject,
			func(_ *catalog, r *R) int64 { return int64(at(r).id) }).like(repeats),
		named(prefix+"location_name", "its name",
			func(x *catalog) *names { return &x.locationNames }, func(_ *catalog, r *R) int32 { return at(r).name }),
		numberOrNull(prefix+"process", "", "id of the location group that the location belongs to",
			func(_ *catalog, r *R) (int64, bool) { return at(r).process, at(r).inProcess }).like(repeats),
		named(prefix+"process_name", "its name",
			func(x *catalog) *names { return &x.processNames }, func(_ *catalog, r *R) int32 { return at(r).processName }),
		numberOrNull(prefix+"thread", "", "index of the location among those of its process, from 0",
			func(_ *catalog, r *R) (int64, bool) { return at(r).thread, at(r).inProcess }).like(repeats),
		numberOrNull(prefix+"rank", "", "MPI rank of the process in the group of all MPI locations (COMM_WORLD, as a rule)",
			func(_ *catalog, r *R) (int64, bool) { return at(r).rank, at(r).rank >= 0 }).like(repeats),
	}
}
