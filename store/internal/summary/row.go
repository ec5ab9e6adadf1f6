package summary

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// callCell is what calls of one region on one location add up to.
type callCell struct {
	Region uint32 // its number
	Count  uint64
	// Time is that of all calls, nested that of those within others of the region, below that of all whose enclosing call is
	// one of the region.
	Time, Nested, Below trace.Sum
}

// cellBytes is the memory that a cell takes.
const cellBytes = 64

func (c *callCell) add(o *callCell) {
	c.Count += o.Count
	c.Time, c.Nested, c.Below = c.Time.Plus(o.Time), c.Nested.Plus(o.Nested), c.Below.Plus(o.Below)
}

func (c *callCell) subtract(o *callCell) {
	c.Count -= o.Count
	c.Time, c.Nested, c.Below = c.Time.Minus(o.Time), c.Nested.Minus(o.Nested), c.Below.Minus(o.Below)
}

// callRow holds the cells of one location.
type callRow struct {
	cells []callCell
	found []int32 // by number of region: index of the cell + 1
	order []int32
}

// reset empties the row. It keeps its memory.
func (r *callRow) reset() {
	for i := range r.cells {
		r.found[r.cells[i].Region] = 0
	}
	r.cells = r.cells[:0]
}

// at returns the cell of a region, which is valid until the next call of at.
func (r *callRow) at(region uint32) *callCell {
	if region < uint32(len(r.found)) && r.found[region] > 0 {
		return &r.cells[r.found[region]-1]
	}
	return r.insert(region)
}

func (r *callRow) insert(region uint32) *callCell {
	if n := int(region) + 1 - len(r.found); n > 0 {
		r.found = append(r.found, make([]int32, n)...)
	}
	r.cells = append(r.cells, callCell{Region: region})
	r.found[region] = int32(len(r.cells))
	return &r.cells[len(r.cells)-1]
}

// begin begins with cells of different regions, instead of what there was.
func (r *callRow) begin(cells []callCell) {
	r.reset()
	r.cells = append(r.cells, cells...)
	for i := range cells {
		region := int(cells[i].Region)
		if n := region + 1 - len(r.found); n > 0 {
			r.found = append(r.found, make([]int32, n)...)
		}
		r.found[region] = int32(i + 1)
	}
}

func (r *callRow) add(cells []callCell) {
	for i := range cells {
		r.at(cells[i].Region).add(&cells[i])
	}
}

func (r *callRow) subtract(cells []callCell) {
	for i := range cells {
		r.at(cells[i].Region).subtract(&cells[i])
	}
}

// sorted returns the indices of the cells that are counted, by the rank of their region. They are valid until the next call.
func (r *callRow) sorted(rank []uint32) []int32 {
	r.order = r.order[:0]
	for i := range r.cells {
		if r.cells[i].Count > 0 {
			r.order = append(r.order, int32(i))
		}
	}
	slices.SortFunc(r.order, func(a, b int32) int { return cmp.Compare(rank[r.cells[a].Region], rank[r.cells[b].Region]) })
	return r.order
}

// cellRows are the cells of the locations of a lane that have any, in the order of their places.
type cellRows struct {
	cells  []callCell
	places []uint32
	ends   []int // of each, the end of its cells
}

// add adds the cells of a place.
func (r *cellRows) add(place uint32, cells []callCell) {
	if len(cells) == 0 {
		return
	}
	r.cells = append(r.cells, cells...)
	r.places, r.ends = append(r.places, place), append(r.ends, len(r.cells))
}

// size returns the memory that the cells take.
func (r *cellRows) size() int64 { return int64(100 + cellBytes*len(r.cells) + 12*len(r.places)) }

// placeWalk finds places of a list that is in ascending order. They must be asked for in this order.
type placeWalk struct {
	places []uint32
	next   int
}

func (w *placeWalk) find(place uint32) (i int, ok bool) {
	for w.next < len(w.places) && w.places[w.next] < place {
		w.next++
	}
	return w.next, w.next < len(w.places) && w.places[w.next] == place
}

// rowWalk goes through cells, place by place in ascending order.
type rowWalk struct {
	*cellRows
	walk placeWalk
}

// begin begins to go through the cells.
func (r *cellRows) begin() rowWalk { return rowWalk{r, placeWalk{places: r.places}} }

// at returns the cells of a place.
func (w *rowWalk) at(place uint32) []callCell {
	i, ok := w.walk.find(place)
	if !ok {
		return nil
	}
	begin := 0
	if i > 0 {
		begin = w.ends[i-1]
	}
	return w.cells[begin:w.ends[i]]
}
