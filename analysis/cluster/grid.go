package cluster

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/trace"
	"github.com/pandotrace/pando/trace/topology"
)

// grid is an arrangement of ranks: a Cartesian topology that the program has defined, or one that would explain a group.
type grid struct {
	name    string
	sizes   []int64
	open    []bool // by dimension: it has ends
	names   []string
	at      map[int64][]int64 // by rank: coordinates
	guessed bool              // ranks are laid out, the last coordinate runs fastest
	memory  []int64           // of place
}

// place returns the coordinates of a rank, in memory that is used again; ok is false if the rank is not on the grid.
func (g *grid) place(rank int64) (at []int64, ok bool) {
	if !g.guessed {
		at, ok = g.at[rank]
		return at, ok
	}
	for d, n := range slices.Backward(g.sizes) {
		g.memory[d], rank = rank%n, rank/n
	}
	return g.memory, rank == 0
}

// Grid is a position on a grid of ranks.
type Grid struct {
	// Name is the name of the topology. Guessed says that there is none: ranks are taken to be laid out row by row.
	Name    string
	Guessed bool
	Sizes   []int64
	// Position is corner, edge, face, boundary, inner, or [Along]: then the coordinate of a dimension is a number.
	Position   string
	Dimension  int
	Coordinate int64

	dimension string
	grid      *grid
}

// Along is the position of ranks with one coordinate.
const Along = "along"

// positions are those that count the dimensions at whose ends a rank is: by number of dimensions with ends, and by those it is at the end of.
// Where there is one dimension, its ends have another name.
var positions = map[[2]int]string{{2, 2}: "corner", {2, 1}: "edge", {2, 0}: "inner", {3, 3}: "corner", {3, 2}: "edge", {3, 1}: "face", {3, 0}: "inner", {1, 0}: "inner", {1, 1}: "boundary"}

// ends returns the number of dimensions with ends, and of those at whose end a rank is; ok is false for ranks that are not on the grid.
func (g *grid) ends(rank int64) (dimensions, at int, ok bool) {
	place, ok := g.place(rank)
	for d, size := range g.sizes {
		if !ok || !g.open[d] || size < 2 {
			continue
		}
		if dimensions++; place[d] == 0 || place[d] == size-1 {
			at++
		}
	}
	return dimensions, at, ok
}

// holds reports whether a rank is at the position.
func (p *Grid) holds(rank int64) bool {
	if p.Position == Along {
		place, ok := p.grid.place(rank)
		return ok && place[p.Dimension] == p.Coordinate
	}
	dimensions, at, ok := p.grid.ends(rank)
	switch {
	case !ok || dimensions == 0:
		return false
	case p.Position == "boundary":
		return at > 0
	case p.Position == "inner":
		return at == 0
	}
	return positions[[2]int{dimensions, at}] == p.Position
}

// String returns the position in words: "corner ranks of the 4 × 4 grid".
func (p *Grid) String() string {
	var sizes []string
	for _, n := range p.Sizes {
		sizes = append(sizes, strconv.FormatInt(n, 10))
	}
	if p.Guessed {
		return fmt.Sprintf("%s ranks if laid out %s", p.Position, strings.Join(sizes, " × "))
	}
	of := fmt.Sprintf("of the %s grid", strings.Join(sizes, " × "))
	if p.Name != "" {
		of += " " + p.Name
	}
	if p.Position == Along {
		return fmt.Sprintf("ranks with %s = %d %s", p.dimension, p.Coordinate, of)
	}
	return p.Position + " ranks " + of
}

// position returns the position at which some ranks, and no others of all, are.
func (g *grid) position(some, all []int64) (*Grid, bool) {
	if len(some) < leastRepeats && g.guessed {
		return nil, false
	}
	for _, name := range [...]string{"corner", "edge", "face", "boundary", "inner"} {
		if p := g.named(name); p.exact(some, all) {
			return p, true
		}
	}
	place, ok := g.place(some[0])
	if !ok || g.guessed {
		return nil, false
	}
	for d := range g.sizes {
		p := g.named(Along)
		p.Dimension, p.Coordinate, p.dimension = d, place[d], g.names[d]
		if p.exact(some, all) {
			return p, true
		}
	}
	return nil, false
}

func (g *grid) named(position string) *Grid {
	return &Grid{Name: g.name, Guessed: g.guessed, Sizes: g.sizes, Position: position, grid: g}
}

func (p *Grid) exact(some, all []int64) bool {
	r := Ranks{Kind: OnGrid, Grid: p}
	return r.exact(some, all)
}

// gridsOf returns the Cartesian topologies of a trace, in ranks of its processes.
func gridsOf(defs *trace.Definitions, locations []uint64) (list []grid) {
	found := topology.Of(defs)
	if len(found) == 0 {
		return nil
	}
	ranks := map[uint64]int64{}
	for _, p := range defs.Places(locations) {
		ranks[p.Location] = p.Rank
	}
	slices.SortFunc(found, func(a, b topology.Topology) int { return cmp.Compare(a.ID, b.ID) })
	for i := range found {
		t := &found[i]
		g := grid{name: t.Name, at: map[int64][]int64{}}
		for d := range t.Dimensions {
			g.sizes, g.open, g.names = append(g.sizes, t.Dimensions[d].Size), append(g.open, !t.Dimensions[d].Periodic), append(g.names, t.DimensionName(d))
		}
		for _, m := range t.Members {
			if rank, known := ranks[m.Location]; m.Known && known && rank >= 0 {
				g.at[rank] = m.At
			}
		}
		if len(g.at) > 0 {
			list = append(list, g)
		}
	}
	return list
}

// guesses returns grids that ranks could be laid out in, the most square ones first, if the program has defined none.
func (n *naming) guesses(all []int64) []*grid {
	size := int64(len(all))
	if len(n.grids) > 0 || all[0] != 0 || all[size-1] != size-1 {
		return nil
	}
	if n.guessed[size] == nil {
		n.guessed[size] = layouts(size)
	}
	return n.guessed[size]
}

// layouts returns the grids of two dimensions, and the cube, that have a number of places.
func layouts(size int64) (list []*grid) {
	var shapes [][]int64
	for a := int64(2); a*a <= size; a++ {
		switch {
		case a*a == size:
			shapes = append(shapes, []int64{a, a})
		case size%a == 0:
			shapes = append(shapes, []int64{size / a, a}, []int64{a, size / a})
		}
	}
	slices.Reverse(shapes)
	for a := int64(2); a*a*a <= size; a++ {
		if a*a*a == size {
			shapes = append(shapes, []int64{a, a, a})
		}
	}
	for _, sizes := range shapes {
		n := len(sizes)
		list = append(list, &grid{sizes: sizes, open: slices.Repeat([]bool{true}, n), names: make([]string, n), guessed: true, memory: make([]int64, n)})
	}
	return list
}
