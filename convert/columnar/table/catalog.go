package table

import (
	"iter"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
	"github.com/pandotrace/pando/trace/annotation"
)

// Catalog holds the definitions of a trace as columns need them: locations and names are found by number, and every name has a code.
// What only one table needs is a [Lookup] in that table's file.
type Catalog struct {
	Definitions *trace.Definitions
	Info        *store.Info
	Locations   []store.LocationInfo
	Kinds       *trace.Table
	Properties  []trace.Property
	Annotations []annotation.Annotation
	first       int64 // time of the first event, in ticks relative to the epoch
	resolution  uint64

	Places    []Place // by index of the location in Locations
	placeByID map[uint64]int32

	locationNames, processNames Names
	Regions, Comms              *IDNames

	lookups []any // by index of the lookup
}

// Place is a location with the values of its columns.
type Place struct {
	ID          uint64
	name        int32
	Process     int64 // id of the location group
	processName int32
	InProcess   bool  // the location has a process, and so a thread
	Thread      int64 // index among the locations of the process
	Rank        int64 // MPI rank of the process, -1 if it has none
	FirstEvent  int64 // number of the location's first event, see [Place.Event]
}

// NewCatalog makes the catalog of a file: it reads the definitions and builds all lookups.
func NewCatalog(r *store.Reader) (*Catalog, error) {
	d, err := r.Definitions()
	if err != nil {
		return nil, err
	}
	x := &Catalog{
		Definitions: d, Info: r.Info(), Kinds: r.Meta().Table(), Properties: r.Meta().Properties, Annotations: r.Meta().Annotations, first: r.Info().First, resolution: r.Meta().Resolution,
	}
	if x.Locations, err = r.Locations(); err != nil {
		return nil, err
	}
	x.addPlaces()
	x.Regions = x.NameAll(trace.SpaceRegion, trace.KindRegion)
	x.Comms = x.NameAll(trace.SpaceComm, trace.KindComm, trace.KindInterComm)
	x.lookups = make([]any, len(lookups))
	for _, l := range lookups {
		l(x)
	}
	return x, nil
}

// addPlaces lists the locations in the order that merged events use.
func (x *Catalog) addPlaces() {
	x.placeByID = make(map[uint64]int32, len(x.Locations))
	event := int64(0)
	ids := make([]uint64, len(x.Locations))
	for i := range x.Locations {
		ids[i] = x.Locations[i].ID
	}
	for i, at := range x.Definitions.Places(ids) {
		p := Place{
			ID: at.Location, name: NoName, processName: NoName, InProcess: at.InProcess, Process: int64(at.Process), Thread: at.Thread, Rank: at.Rank,
			FirstEvent: event,
		}
		p.name = x.locationNames.Add(x.Definitions.Name(trace.SpaceLocation, at.Location))
		if at.InProcess {
			p.processName = x.processNames.Add(x.Definitions.Name(trace.SpaceLocationGroup, at.Process))
		}
		x.Places = append(x.Places, p)
		x.placeByID[at.Location] = int32(i)
		event += int64(x.Locations[i].Events)
	}
}

// NameAll returns the names of all definitions of some kinds.
func (x *Catalog) NameAll(space trace.Space, kinds ...trace.Kind) *IDNames {
	n := &IDNames{codes: map[uint64]int32{}}
	for _, k := range kinds {
		for d := range x.Defined(k) {
			id := d.Words[0]
			n.codes[id] = n.Add(x.Definitions.Name(space, id))
		}
	}
	return n
}

// Place returns a location by its id. The file lists all locations with events, so none is missing.
func (x *Catalog) Place(id uint64) *Place {
	if i, ok := x.placeByID[id]; ok {
		return &x.Places[i]
	}
	return &nowhere
}

var nowhere = Place{name: NoName, processName: NoName, Rank: -1}

// Event returns the number of an event: events are counted location by location, locations in the order of
// [store.Reader.Locations], events in the order of their ordinals. The number does not depend on the
// window.
func (p *Place) Event(ordinal uint64) int64 { return p.FirstEvent + int64(ordinal) }

// Ticks returns a time relative to the trace's first event.
func (x *Catalog) Ticks(t int64) int64 { return t - x.first }

// Reference returns an id of a definition as a number; ok is false for undefined references of 32 and 64 bits.
func Reference(id uint64) (n int64, ok bool) {
	return int64(id), id != trace.Undefined && id != trace.Undefined>>32
}

// Defined yields the definitions of a kind in the order of the log. Of those that share an id, the first counts.
func (x *Catalog) Defined(k trace.Kind) iter.Seq[*trace.Record] {
	return func(yield func(*trace.Record) bool) {
		spec := x.Kinds.Spec(k)
		if spec == nil {
			return
		}
		seen := map[uint64]bool{}
		before, _, _ := spec.Shape()
		self := spec.Field("self")
		if self >= before {
			self = -1
		}
		for i := range x.Definitions.Log {
			r := &x.Definitions.Log[i]
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

// Occur returns a condition for [Table.Occurs]: the trace has records of one of some kinds.
func Occur(kinds ...trace.Kind) func(*Catalog) bool {
	return func(x *Catalog) bool { return x.Info.Has(kinds...) }
}
