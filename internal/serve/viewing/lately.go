package viewing

import (
	"slices"

	"github.com/pandotrace/pando/trace"
)

// lately is the timeline of a lane that was made last, in the tile of an index: groups of some of its locations need not follow them again.
type lately struct {
	ids   []uint64 // of the lane
	index int64
	times *trace.Timeline
}

// isPart reports whether all ids of a list are in another one.
func isPart(some, all []uint64) bool {
	if len(some) > len(all) {
		return false
	}
	has := make(map[uint64]bool, len(all))
	for _, id := range all {
		has[id] = true
	}
	return !slices.ContainsFunc(some, func(id uint64) bool { return !has[id] })
}

// some returns the rows of some locations of the lane, and the regions that they have.
func (l *lately) some(ids []uint64) *trace.Timeline {
	t := l.times
	if len(ids) == len(t.Locations) {
		return t
	}
	chosen := make(map[uint64]bool, len(ids))
	for _, id := range ids {
		chosen[id] = true
	}
	part := &trace.Timeline{From: t.From, To: t.To, Pixels: t.Pixels, Starts: []int{0}, Errors: t.Errors}
	used := make([]bool, len(t.Regions))
	for row, id := range t.Locations {
		if !chosen[id] {
			continue
		}
		part.Locations = append(part.Locations, id)
		for _, c := range t.Cells[t.Starts[row]:t.Starts[row+1]] {
			part.Cells, used[c.Region] = append(part.Cells, c), true
		}
		part.Starts = append(part.Starts, len(part.Cells))
	}
	places := make([]uint32, len(t.Regions))
	for place, id := range t.Regions {
		if used[place] {
			places[place], part.Regions = uint32(len(part.Regions)), append(part.Regions, id)
		}
	}
	for i := range part.Cells {
		part.Cells[i].Region = places[part.Cells[i].Region]
	}
	return part
}
