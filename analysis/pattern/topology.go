package pattern

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/pandotrace/pando/trace"
	"github.com/pandotrace/pando/trace/topology"
)

// ErrNoCommunicator says that no communicator has all ranks, in their order.
var ErrNoCommunicator = errors.New("no communicator has all ranks of MPI in their order")

// NoGridError says that ranks of a pattern have no coordinates.
type NoGridError struct{ Class Class }

// Error says which pattern it is.
func (e *NoGridError) Error() string {
	if e.Class == Silent {
		return "there are no messages, from which coordinates could be inferred"
	}
	return fmt.Sprintf("the pattern of the messages is %s: only ranks of a line, ring, grid or torus have coordinates", e.Class)
}

// Topology returns a pattern as the Cartesian topology of a communicator with all ranks. Dimensions are in the order of the pattern: along the first one, ranks
// follow each other. It has neither id nor name. The error is a [NoGridError] for patterns of other classes, and [ErrNoCommunicator] if there is none.
func (f *Finder) Topology(p *Pattern) (*topology.Topology, error) {
	switch {
	case len(p.Sizes) == 0:
		return nil, &NoGridError{p.Class}
	case p.Topology != nil:
		return p.Topology, nil
	}
	comm, ok := f.communicator()
	if !ok {
		return nil, ErrNoCommunicator
	}
	t := &topology.Topology{Communicator: comm}
	for d, n := range p.Sizes {
		t.Dimensions = append(t.Dimensions, topology.Dimension{Name: axisName(d), Size: int64(n), Periodic: p.Wraps[d]})
	}
	for rank := range f.n {
		m := topology.Member{Rank: uint64(rank)}
		m.Location, m.Known = f.definitions.RankLocation(comm, m.Rank, trace.Undefined)
		for rest, d := rank, 0; d < len(p.Sizes); d++ {
			m.At = append(m.At, int64(rest%p.Sizes[d]))
			rest /= p.Sizes[d]
		}
		t.Members = append(t.Members, m)
	}
	return t, nil
}

// axisName is the name of a dimension, which programs are free to choose.
func axisName(d int) string {
	if names := "xyz"; d < len(names) {
		return names[d : d+1]
	}
	return fmt.Sprintf("axis %d", d)
}

// communicator returns the least id of a communicator of which each rank is that of MPI.
func (f *Finder) communicator() (id uint64, ok bool) {
	for _, id := range slices.Sorted(maps.Keys(f.definitions.Comms)) {
		if f.hasAll(id) {
			return id, true
		}
	}
	return 0, false
}

func (f *Finder) hasAll(comm uint64) bool {
	if f.definitions.Comms[comm].Inter {
		return false
	}
	for rank := range f.n {
		location, ok := f.definitions.RankLocation(comm, uint64(rank), trace.Undefined)
		if is, ranked := f.ranks[location]; !ok || !ranked || is != rank {
			return false
		}
	}
	_, more := f.definitions.RankLocation(comm, uint64(f.n), trace.Undefined)
	return !more
}
