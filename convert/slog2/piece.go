package slog2

import (
	"cmp"
	"slices"
	"sync"

	"github.com/pandotrace/pando/convert/mpe"
)

// Pieces divide the drawables up, in the order in which they start. They are of leastPiece bytes of the file or more, so that
// there are not more than maxPieces; as many are kept as have cacheBytes.
const (
	leastPiece = 64 << 10
	maxPieces  = 1 << 16
	cacheBytes = 32 << 20
)

// piece is where a piece begins.
type piece struct {
	checkpoint
	later     float64 // none of its drawables and of those of later pieces starts before
	drawables int32
}

// pieceBytes returns the size of pieces in the file.
func (in *input) pieceBytes() int64 { return max(leastPiece, in.size/maxPieces) }

// group is the drawables of a piece, by location. Nobody changes it any more.
type group struct {
	drawables []drawable
	order     []int32 // drawables, location by location
	runs      []run   // by location
}

// run is the drawables of one location in a group: some of its order.
type run struct{ location, from, to int32 }

// of returns the drawables of a location, in order, by their indices.
func (g *group) of(location int32) []int32 {
	i, ok := slices.BinarySearchFunc(g.runs, location, func(r run, l int32) int { return cmp.Compare(r.location, l) })
	if !ok {
		return nil
	}
	return g.order[g.runs[i].from:g.runs[i].to]
}

// cache keeps the pieces that were read last.
type cache struct {
	sync.Mutex
	merger *merger // stands at the begin of piece next
	next   int
	kept   []kept
}

type kept struct {
	piece int
	group *group
}

// piece returns a piece.
func (a *Archive) piece(i int) (*group, error) {
	c := &a.cache
	c.Lock()
	defer c.Unlock()
	if c.kept == nil {
		c.kept = make([]kept, max(16, cacheBytes/a.pieceBytes()))
	}
	slot := &c.kept[i%len(c.kept)]
	if slot.group != nil && slot.piece == i {
		return slot.group, nil
	}
	if c.merger == nil || c.next != i {
		c.merger = newMerger(a.input, a.levels)
		if err := c.merger.resume(a.pieces[i].checkpoint); err != nil {
			c.merger = nil
			return nil, err
		}
	}
	list, err := a.drawables(c.merger, make([]drawable, 0, a.pieces[i].drawables))
	if err != nil {
		c.merger = nil
		return nil, err
	}
	c.next = i + 1
	slot.piece, slot.group = i, a.group(list)
	return slot.group, nil
}

// drawables appends the drawables of the piece that a merger stands at.
func (a *Archive) drawables(m *merger, list []drawable) ([]drawable, error) {
	for size := int64(0); size < a.pieceBytes(); {
		before := len(list)
		var n int64
		var err error
		if list, n, err = m.next(list); err != nil {
			return nil, err
		}
		if n == 0 {
			break
		}
		size += n
		list, err = a.settled(list, before)
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// settled settles the drawables from an index on, and leaves out those without a place.
func (a *Archive) settled(list []drawable, from int) ([]drawable, error) {
	kept := from
	for i := from; i < len(list); i++ {
		if list[i].vertices == 0 {
			continue
		}
		list[kept] = list[i]
		if !a.settle(&list[kept]) {
			return nil, mpe.Corrupt(a.path, list[i].at, "the file changed while it was read")
		}
		kept++
	}
	return list[:kept], nil
}

// locationsOf returns the locations of a drawable; an arrow has two.
func (a *Archive) locationsOf(d *drawable) (first, second int32) {
	first, second = a.lines[d.line].Location, a.lines[d.endLine].Location
	if second == first || d.kind != arrow {
		return first, -1
	}
	return first, second
}

// group puts drawables in the order of their locations.
func (a *Archive) group(list []drawable) *group {
	type entry struct{ location, index int32 }
	var entries []entry
	for i := range list {
		first, second := a.locationsOf(&list[i])
		entries = append(entries, entry{first, int32(i)})
		if second >= 0 {
			entries = append(entries, entry{second, int32(i)})
		}
	}
	slices.SortStableFunc(entries, func(x, y entry) int { return cmp.Compare(x.location, y.location) })
	g := &group{drawables: list, order: make([]int32, len(entries))}
	for i, e := range entries {
		g.order[i] = e.index
		if n := len(g.runs); n == 0 || g.runs[n-1].location != e.location {
			g.runs = append(g.runs, run{location: e.location, from: int32(i)})
		}
		g.runs[len(g.runs)-1].to = int32(i + 1)
	}
	return g
}
