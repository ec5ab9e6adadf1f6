package timeline

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// Runs is a timeline that says a region once which has all the time of several pixels in a row.
type Runs struct {
	// From, To, Pixels, Locations, Regions and Errors are those of a [trace.Timeline].
	From, To  int64
	Pixels    int
	Locations []uint64
	Regions   []uint64
	// Runs are those of the first location, then those of the second one, and so on: Runs[Starts[i]:Starts[i+1]] are those of location i,
	// ordered by pixel, then region. A pixel within a run of several is in no other.
	Runs   []Run
	Starts []int
	Errors []uint64
}

// join puts together what the parts of all lanes came to, in some room if that is large enough.
func (q *timelineQuery) join(plans []*lanePlan, room []trace.TimelineCell) *trace.Timeline {
	t := &trace.Timeline{From: q.w.From, To: max(q.w.To, q.w.From), Pixels: q.raster.Pixels, Starts: []int{0}, Errors: q.errors(plans)}
	j, cells := q.joiner(), slices.Grow(room[:0], pixelsOf(plans))
	for _, l := range rowsOf(plans) {
		t.Locations = append(t.Locations, q.LocationID(l.location))
		j.runs = j.runs[:0]
		j.join(&l)
		cells = q.cells(cells, j.runs)
		t.Starts = append(t.Starts, len(cells))
	}
	regions, places := j.regions()
	for i := range cells {
		cells[i].Region = places[cells[i].Region]
	}
	t.Cells, t.Regions = cells, regions
	return t
}

// joinRuns does the same without dividing runs.
func (q *timelineQuery) joinRuns(plans []*lanePlan, room []Run) *Runs {
	t := &Runs{From: q.w.From, To: max(q.w.To, q.w.From), Pixels: q.raster.Pixels, Starts: []int{0}, Errors: q.errors(plans)}
	j := q.joiner()
	j.runs = room[:0]
	for _, l := range rowsOf(plans) {
		t.Locations = append(t.Locations, q.LocationID(l.location))
		j.join(&l)
		t.Starts = append(t.Starts, len(j.runs))
	}
	regions, places := j.regions()
	for i := range j.runs {
		j.runs[i].Region = places[j.runs[i].Region]
	}
	t.Runs, t.Regions = j.runs, regions
	return t
}

// pixelsOf returns how many cells the parts of plans come to, at most.
func pixelsOf(plans []*lanePlan) (n int) {
	for _, p := range plans {
		for _, part := range p.found {
			for i := range part.runs {
				n += int(part.runs[i].Pixels)
			}
		}
	}
	return n
}

// errors returns for each pixel by how many ticks it may be off.
func (q *timelineQuery) errors(plans []*lanePlan) []uint64 {
	errors := make([]uint64, q.raster.Pixels)
	for _, p := range plans {
		p.errors(errors)
	}
	return errors
}

// cells appends a cell for each pixel of runs.
func (q *timelineQuery) cells(cells []trace.TimelineCell, runs []Run) []trace.TimelineCell {
	for i := range runs {
		r := &runs[i]
		if r.Pixels == 1 {
			cells = append(cells, trace.TimelineCell{Pixel: r.Pixel, Region: r.Region, Ticks: r.Ticks})
			continue
		}
		for pixel, left := r.Pixel, q.raster.Border(int(r.Pixel)); pixel < r.Pixel+r.Pixels; pixel++ {
			right := q.raster.Border(int(pixel) + 1)
			cells = append(cells, trace.TimelineCell{Pixel: pixel, Region: r.Region, Ticks: uint64(right - left)})
			left = right
		}
	}
	return cells
}

// row is a location to be joined.
type row struct {
	location, place uint32
	parts           []partReader // of its lane
}

// rowsOf returns the locations of plans, in their order.
func rowsOf(plans []*lanePlan) (rows []row) {
	for _, p := range plans {
		readers := p.readers()
		for place, l := range p.of.Locations {
			if p.chosen[place] {
				rows = append(rows, row{l, uint32(place), readers})
			}
		}
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(a.location, b.location) })
	return rows
}

// readers returns readers of what the parts came to.
func (p *lanePlan) readers() []partReader {
	readers := make([]partReader, len(p.found))
	for i := range readers {
		readers[i].partRuns = p.found[i]
	}
	return readers
}

// joiner returns one that knows no location yet.
func (q *timelineQuery) joiner() *timelineJoiner {
	ids, rank := q.Numbers.Ranks()
	return &timelineJoiner{ids: ids, rank: rank, ticks: make([]uint64, len(ids)), used: make([]bool, len(ids)), shown: q.shown(ids)}
}

// timelineJoiner adds up the runs of one location after the other, which come in order of pixels. Their regions are ranks.
type timelineJoiner struct {
	ids     []uint64 // of regions, by number
	rank    []uint32
	shown   []bool
	used    []bool   // by rank
	ticks   []uint64 // by number of a region: of the pixel at hand
	touched []uint32
	pixel   uint32
	runs    []Run
}

// join appends the runs of a location.
func (j *timelineJoiner) join(l *row) {
	for i := range l.parts {
		j.add(l.parts[i].of(l.place))
	}
	j.flush()
}

func (j *timelineJoiner) add(runs []Run) {
	for i := range runs {
		r := &runs[i]
		if !j.shown[r.Region] {
			continue
		}
		if r.Pixel != j.pixel {
			j.flush()
			j.pixel = r.Pixel
		}
		if r.Pixels > 1 { // nothing else is in these pixels
			j.used[j.rank[r.Region]] = true
			j.runs = append(j.runs, Run{r.Pixel, r.Pixels, j.rank[r.Region], r.Ticks})
			continue
		}
		if j.ticks[r.Region] == 0 {
			j.touched = append(j.touched, r.Region)
		}
		j.ticks[r.Region] += r.Ticks
	}
}

// flush completes a pixel.
func (j *timelineJoiner) flush() {
	if len(j.touched) > 1 {
		slices.SortFunc(j.touched, func(a, b uint32) int { return int(j.rank[a]) - int(j.rank[b]) })
	}
	for _, region := range j.touched {
		j.used[j.rank[region]] = true
		j.runs = append(j.runs, Run{j.pixel, 1, j.rank[region], j.ticks[region]})
		j.ticks[region] = 0
	}
	j.touched = j.touched[:0]
}

// regions returns the ids of the regions that occurred, in their order, and by rank where each is among them.
func (j *timelineJoiner) regions() (ids []uint64, places []uint32) {
	places, byRank := make([]uint32, len(j.ids)), make([]uint64, len(j.ids))
	for n, id := range j.ids {
		byRank[j.rank[n]] = id
	}
	for rank, used := range j.used {
		if places[rank] = uint32(len(ids)); used {
			ids = append(ids, byRank[rank])
		}
	}
	return ids, places
}
