package recording

import (
	"maps"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// grid is the Cartesian topology of a communicator.
type grid struct {
	sizes    []uint64
	periodic []uint64 // 1 or 0, of each
}

// mostDimensions is the largest number of dimensions of a grid.
const mostDimensions = 64

// readGrid takes the number of dimensions, and of each its size and whether it is periodic.
func readGrid(r *reader) (g grid) {
	n := r.number()
	r.bad = r.bad || n == 0 || n > mostDimensions
	for range n {
		if r.bad {
			break
		}
		g.sizes, g.periodic = append(g.sizes, r.number()), append(g.periodic, r.number())
		r.bad = r.bad || g.periodic[len(g.periodic)-1] > 1
	}
	return g
}

// fits reports whether the grid has a place for each of some ranks, and no others.
func (g *grid) fits(ranks int) bool {
	places := uint64(1)
	for _, size := range g.sizes {
		if size == 0 || size > uint64(ranks)/places {
			return false
		}
		places *= size
	}
	return places == uint64(ranks)
}

// place returns the coordinates of a rank: that of the last dimension changes first.
func (g *grid) place(rank uint64) []uint64 {
	at := make([]uint64, len(g.sizes))
	for i, size := range slices.Backward(g.sizes) {
		at[i] = rank % size
		rank /= size
	}
	return at
}

// defineGrids defines topologies, each with the number and the name of its communicator.
func (d *definitions) defineGrids(warnings *trace.Warnings) {
	dimensions := map[[2]uint64]uint64{} // by size and whether it is periodic
	for _, id := range slices.Sorted(maps.Keys(d.grids)) {
		g, c := d.grids[id], d.comms[id]
		if c == nil || c.inter || !g.fits(len(c.members)) {
			warnings.Add("topology that does not fit its communicator", "communicator %d", id)
			continue
		}
		var of []uint64
		for i, size := range g.sizes {
			key := [2]uint64{size, g.periodic[i]}
			n, ok := dimensions[key]
			if !ok {
				n = uint64(len(dimensions))
				dimensions[key] = n
				d.add(trace.KindCartDimension, n, d.text(""), size, g.periodic[i])
			}
			of = append(of, n)
		}
		d.add(trace.KindCartTopology, slices.Concat([]uint64{id, d.text(c.name), id, uint64(len(of))}, of)...)
		for rank := range uint64(len(c.members)) {
			d.add(trace.KindCartCoordinate, slices.Concat([]uint64{id, rank, uint64(len(of))}, g.place(rank))...)
		}
	}
}
