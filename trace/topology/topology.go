package topology

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// Topology is a grid of ranks.
type Topology struct {
	ID uint64
	// Name is what the program calls it, perhaps nothing.
	Name string
	// Communicator is the id of the one whose ranks have coordinates.
	Communicator uint64
	Dimensions   []Dimension
	// Members are in the order of their definitions. Those with another number of coordinates than there are dimensions are left out.
	Members []Member
}

// Dimension is one of the axes of a topology.
type Dimension struct {
	// Name is what the program calls it, perhaps nothing.
	Name string
	Size int64
	// Periodic says that the ends meet.
	Periodic bool
}

// Member is a rank with its place.
type Member struct {
	// Rank is the rank in the communicator of the topology.
	Rank uint64
	// Location is the id of the location that has the rank, Known whether there is one.
	Location uint64
	Known    bool
	// At are the coordinates, one for each dimension.
	At []int64
}

// Of returns the topologies of a trace in the order of their definitions. Of several with an id the first one counts; records whose
// words do not fit are left out.
func Of(defs *trace.Definitions) (list []Topology) {
	dimensions, place := dimensionsOf(defs), map[uint64]int{}
	for _, r := range defs.Log {
		if r.Kind != trace.KindCartTopology || !fits(&r) {
			continue
		}
		w := r.Words
		if _, again := place[w[0]]; again {
			continue
		}
		t := Topology{ID: w[0], Name: defs.Strings[w[1]], Communicator: w[2]}
		for _, id := range w[4:] {
			t.Dimensions = append(t.Dimensions, dimensions[id])
		}
		place[w[0]] = len(list)
		list = append(list, t)
	}
	for _, r := range defs.Log {
		if r.Kind != trace.KindCartCoordinate || !fits(&r) {
			continue
		}
		i, ok := place[r.Words[0]]
		if !ok || len(r.Words[3:]) != len(list[i].Dimensions) {
			continue
		}
		m := Member{Rank: r.Words[1]}
		m.Location, m.Known = defs.RankLocation(list[i].Communicator, m.Rank, trace.Undefined)
		for _, x := range r.Words[3:] {
			m.At = append(m.At, int64(x))
		}
		list[i].Members = append(list[i].Members, m)
	}
	return list
}

func fits(r *trace.Record) bool {
	_, ok := trace.Standard.Spec(r.Kind).Count(r.Words)
	return ok
}

// dimensionsOf returns the dimensions that are defined, by id.
func dimensionsOf(defs *trace.Definitions) map[uint64]Dimension {
	found := map[uint64]Dimension{}
	for _, r := range defs.Log {
		if r.Kind != trace.KindCartDimension || !fits(&r) {
			continue
		}
		if _, again := found[r.Words[0]]; !again {
			found[r.Words[0]] = Dimension{defs.Strings[r.Words[1]], int64(r.Words[2]), r.Words[3] != 0}
		}
	}
	return found
}

// DimensionName returns the name of a dimension: what the program calls it, or else "dimension 0".
func (t *Topology) DimensionName(i int) string {
	if name := t.Dimensions[i].Name; name != "" {
		return name
	}
	return "dimension " + strconv.Itoa(i)
}

// Sizes returns the sizes of the dimensions as "4 x 2".
func (t *Topology) Sizes() string {
	var sizes []string
	for _, d := range t.Dimensions {
		sizes = append(sizes, strconv.FormatInt(d.Size, 10))
	}
	return strings.Join(sizes, " x ")
}

// Title names the topology: "4 x 2 grid halo".
func (t *Topology) Title() string { return strings.TrimSpace(t.Sizes() + " grid " + t.Name) }

// Step returns how far a place is from another one, by dimension. Where ends meet it is the shorter way, and of two that are as long the
// one up.
func (t *Topology) Step(from, to []int64) []int64 {
	step := make([]int64, len(from))
	for d := range from {
		step[d] = to[d] - from[d]
		if size := t.Dimensions[d].Size; t.Dimensions[d].Periodic && size > 0 {
			step[d] = ((step[d] % size) + size) % size
			if step[d] > size/2 {
				step[d] -= size
			}
		}
	}
	return step
}

// Text writes coordinates as "1,0".
func Text(at []int64) string {
	var b []byte
	for i, x := range at {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, x, 10)
	}
	return string(b)
}

// Places finds the coordinates of locations on one topology.
type Places struct {
	Topology  *Topology
	defs      *trace.Definitions
	processes map[uint64][]int64
	locations map[uint64][]int64
}

// Places returns a finder of coordinates. All locations of a process have its place, since the process has the rank.
func (t *Topology) Places(defs *trace.Definitions) *Places {
	p := &Places{t, defs, map[uint64][]int64{}, map[uint64][]int64{}}
	for i := range t.Members {
		m := &t.Members[i]
		if !m.Known {
			continue
		}
		p.locations[m.Location] = m.At
		if process, ok := defs.Process(m.Location); ok && !trace.IsUndefined(process) {
			p.processes[process] = m.At
		}
	}
	return p
}

// At returns the coordinates of a location; ok is false if it has none.
func (p *Places) At(location uint64) (at []int64, ok bool) {
	if at, ok = p.locations[location]; ok {
		return at, true
	}
	if process, known := p.defs.Process(location); known && !trace.IsUndefined(process) {
		at, ok = p.processes[process]
	}
	return at, ok
}

// Compare puts locations in the order of their coordinates, the last one fastest; those without coordinates come last.
func (p *Places) Compare(a, b uint64) int {
	x, ok := p.At(a)
	y, also := p.At(b)
	switch {
	case ok && also:
		return slices.Compare(x, y)
	case ok:
		return -1
	case also:
		return 1
	}
	return 0
}
