package summary

import (
	"github.com/pandotrace/pando/trace"
	"github.com/pandotrace/pando/trace/topology"
)

// place returns the coordinates of locations on the topology with most of them, nil if there is none.
func (s *summed) place() *topology.Places {
	t, err := topology.Choose(s.names.Definitions(), "")
	if err != nil {
		return nil
	}
	return t.Places(s.names.Definitions())
}

// at returns the coordinates of a location, none if it has none.
func (s *summed) at(location uint64) (at []int64) {
	if p := s.places(); p != nil {
		at, _ = p.At(location)
	}
	return at
}

// placed adds the coordinates of a location to what text calls it.
func (s *summed) placed(label string, location uint64) string {
	if at := s.at(location); at != nil {
		return label + " (" + topology.Text(at) + ")"
	}
	return label
}

// placeValue is the value of coordinates, which are ordered as numbers.
func placeValue(at []int64) value {
	if at == nil {
		return value{}
	}
	v := textValue(topology.Text(at))
	for _, x := range at {
		v.list = append(v.list, uint64(x)^1<<63) // so that negative ones come first
	}
	return v
}

// coordinateColumn is a column of coordinates. Text has them behind the names of locations.
func coordinateColumn[R comparable](s *summed, prefix string, of func(R) uint64) column[R] {
	return column[R]{
		Column: Column{Name: prefix + "coordinates", Type: "string", Null: true, Doc: "its coordinates on the Cartesian topology with most ranks: 1,0; null if it has none"}, fixed: true,
		value: func(r R) value { return placeValue(s.at(of(r))) },
	}
}

// places are the columns of a location that does something ("that sent"): its id, its name as its definition says, its rank, its thread and its coordinates.
// Text has its label.
func places[R comparable](s *summed, head, prefix, does string, of func(R) uint64) []column[R] {
	n := s.names
	at := func(r R) *trace.Place { return n.Place(of(r)) }
	location := id(prefix+"location", "id of the location"+does, of)
	location.Null = false
	return []column[R]{
		location,
		named(head, prefix+"location_name", "its name", func(r R) *string { return n.Optional(trace.SpaceLocation, of(r)) }, func(r R) string { return s.placed(n.Location(of(r)), of(r)) }),
		number(prefix+"rank", "its MPI rank", func(r R) (int64, bool) { p := at(r); return rankOf(p), p != nil && p.Rank >= 0 }),
		number(prefix+"thread", "index of the location among those of its process, from 0", func(r R) (int64, bool) {
			if p := at(r); p != nil && p.InProcess {
				return p.Thread, true
			}
			return 0, false
		}),
		coordinateColumn(s, prefix, of),
	}
}
