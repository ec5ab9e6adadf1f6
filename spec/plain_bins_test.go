package spec

import (
	"maps"
	"slices"
	"testing"
)

// plainBins is a block of bins: ticks by location and region, cell by cell.
type plainBins struct {
	start, end int64
	shift      uint64
	ticks      map[[2]uint64][]uint64
}

// cells returns the bounds of all cells.
func (b *plainBins) cells() (cells [][2]int64) {
	for at := b.start; at < b.end; {
		next := min((at>>b.shift+1)<<b.shift, b.end)
		cells = append(cells, [2]int64{at, next})
		at = next
	}
	return cells
}

// readPlainBins reads the bins of a node and lane.
func readPlainBins(k plainKey, b []byte) *plainBins {
	size := uint64(len(b))
	p := plain{b}
	if p.uvarint() != uint64(k.level) || p.uvarint() != k.number || p.uvarint() != k.lane {
		panic("another node")
	}
	bins := &plainBins{start: int64(p.varint()), ticks: map[[2]uint64][]uint64{}}
	bins.end = bins.start + int64(p.uvarint())
	bins.shift = p.uvarint()
	lines := int(p.uvarint())
	cells := bins.cells()
	if uint64(lines*len(cells)) > 32*size {
		panic("too many lines")
	}
	t := &plainSums{p: p}
	if t.p.byte() == 1 {
		met["model of bins"]++
		m := plain{t.p.bytes()}
		t.model = m.model()
		m.end()
	}
	q := t.block([]int{lines, lines, lines})
	var keys [][2]uint64
	var marks, regions []uint64
	for line := range lines {
		k := [2]uint64{q.next(0), q.next(1)}
		if line > 0 {
			if k[0] == 0 {
				k[1] += keys[line-1][1] + 1
			}
			k[0] += keys[line-1][0]
		}
		keys, marks, regions = append(keys, k), append(marks, q.next(2)), append(regions, k[1])
	}
	q.end()
	slices.Sort(regions)
	regions = slices.Compact(regions)
	classes := max(len(regions), 1)
	q = t.block([]int{0, 0, 0, 1 + 3*classes})
	sizes := []int{0, 0, 0, 0}
	for range 1 + 3*classes {
		sizes = append(sizes, int(q.next(3)))
	}
	q.end()
	q = t.block(sizes)
	t.p.end()
	for first := 0; first < lines; {
		end := first
		for end < lines && keys[end][0] == keys[first][0] {
			end++
		}
		bins.location(q, keys[first:end], marks[first:end], regions, cells)
		first = end
	}
	q.end()
	return bins
}

// location reads the cells of one location.
func (b *plainBins) location(q queue, keys [][2]uint64, marks, regions []uint64, cells [][2]int64) {
	left := make([]uint64, len(cells))
	for i, c := range cells {
		left[i] = uint64(c[1] - c[0])
	}
	some := func(context int, left uint64) uint64 {
		switch v := q.next(context); {
		case v == 0:
			return 0
		case v == 1:
			return left
		case v-1 < left:
			return v - 1
		}
		panic("more than is left")
	}
	var rest [2]uint64
	for line, k := range keys {
		ticks := make([]uint64, len(cells))
		b.ticks[k] = ticks
		if marks[line] == 1 {
			rest = k
			continue
		}
		state := 0
		for i := range cells {
			if left[i] == 0 {
				state = 0
				continue
			}
			ticks[i] = some(5+3*slices.Index(regions, k[1])+state, left[i])
			switch left[i] -= ticks[i]; {
			case ticks[i] == 0:
				state = 0
			case left[i] > 0:
				state = 1
			default:
				state = 2
			}
		}
	}
	for i := range cells {
		if left[i] > 0 {
			idle := some(4, left[i])
			if b.ticks[rest][i] = left[i] - idle; idle > 0 {
				met["time without calls"]++
			}
		}
	}
}

// checkBins compares all bins with what the call stacks say.
func checkBins(t *testing.T, c *plainContents) {
	t.Helper()
	for k, b := range c.file.blocks {
		if k.kind != 16 {
			continue
		}
		met["bins"]++
		got := readPlainBins(k, b)
		width := c.file.fanout
		for range k.level - 1 {
			width *= c.file.fanout
		}
		end := c.end
		if next := (k.number + 1) * width; next < c.file.nSlices {
			end = int64(c.file.slices[next][0])
		}
		if start := int64(c.file.slices[k.number*width][0]); got.start != start || got.end != end {
			t.Errorf("bins of %+v are from %d to %d, the node is from %d to %d", k, got.start, got.end, start, end)
		}
		want := c.bins(k.lane, got.cells())
		if !maps.EqualFunc(want, got.ticks, slices.Equal) {
			t.Errorf("bins of %+v:\n%v, want\n%v", k, got.ticks, want)
		}
	}
}

// bins adds up how long the locations of a lane are in calls of each region.
func (c *plainContents) bins(lane uint64, cells [][2]int64) map[[2]uint64][]uint64 {
	all := map[[2]uint64][]uint64{}
	for _, s := range c.stays {
		if c.file.locations[s.location].lane != lane || s.to <= cells[0][0] || s.from >= cells[len(cells)-1][1] {
			continue
		}
		k := [2]uint64{s.location, s.region}
		if all[k] == nil {
			all[k] = make([]uint64, len(cells))
		}
		for i, cell := range cells {
			all[k][i] += uint64(max(0, min(s.to, cell[1])-max(s.from, cell[0])))
		}
	}
	return all
}
