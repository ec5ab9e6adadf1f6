package store

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
)

// Timeline says how the locations of a window spent its time, pixel by pixel.
type Timeline struct {
	// From and To are the window, in ticks. Pixel p is the time from the p-th of Pixels borders to the next one, see [Timeline.Pixel].
	From, To int64
	Pixels   int
	// Locations are the ids of the window's locations, in the order of their definitions.
	Locations []uint64
	// Regions are the ids of the regions that occur, in their order.
	Regions []uint64
	// Cells are those of the first location, then those of the second one, and so on: Cells[Starts[i]:Starts[i+1]] are those of
	// location i, ordered by pixel, then region. What they do not have of a pixel is time without any call.
	Cells  []TimelineCell
	Starts []int
	// Errors are for each pixel the ticks that any cell of it may be off: 0 where the pixel's time was read exactly. Sums over
	// all pixels are exact.
	Errors []uint64
}

// TimelineCell is the time that a location spent in a pixel with a call of a region as the innermost one.
type TimelineCell struct {
	Pixel uint32
	// Region is a place in Regions.
	Region uint32
	// Ticks is more than 0, and no more than the pixel has.
	Ticks uint64
}

// Pixel returns the time [from, to) of a pixel, in ticks. It has none if there are more pixels than ticks.
func (t *Timeline) Pixel(p int) (from, to int64) {
	r := raster{t.From, uint64(t.To - t.From), t.Pixels}
	return r.border(p), r.border(p + 1)
}

// MaxPixels is the largest number of pixels of a timeline.
const MaxPixels = 1 << 20

// Timeline divides the window into pixels and adds up for each location and pixel the time of each region: only that in which
// the call was the innermost one, so that for each location and region the pixels add up to the exclusive time of
// [Window.Summary]. Where pixels are narrow it reads slices, and is exact. Where they are wide it reads bins, which are histograms
// over cells of some ticks: where cells and borders of pixels do not agree, a cell's time counts evenly on both sides. It is about
// the window's locations and regions; kinds do not matter.
func (w *Window) Timeline(pixels int) (*Timeline, error) {
	if w.shortest > math.MinInt64 {
		return nil, errors.New("store: there are no timelines of calls of a minimum duration")
	}
	if pixels < 1 || pixels > MaxPixels {
		return nil, fmt.Errorf("store: %d pixels are not between 1 and %d", pixels, MaxPixels)
	}
	q := timelineQuery{Reader: w.reader, w: w, raster: raster{w.from, uint64(max(w.to, w.from) - w.from), pixels}}
	plans, err := q.plans()
	if err != nil {
		return nil, err
	}
	return q.join(plans), nil
}

// timelineQuery is one timeline under way. It is safe for concurrent use.
type timelineQuery struct {
	*Reader
	w      *Window
	raster raster
	// widest is the greatest width of cells in general, blurred the one where else slices would be read; in ticks.
	widest, blurred uint64
}

// lanePlan is what the timeline of a lane is made of: parts in order of time, with what they came to.
type lanePlan struct {
	lane   uint32
	chosen []bool // locations by place
	parts  []timelinePart
	found  []*partCells
}

// plans makes plans of the lanes and carries them out.
func (q *timelineQuery) plans() (plans []*lanePlan, err error) {
	from, to := q.w.from, min(q.w.to, q.info.Last) // nothing goes on behind the last event
	lanes := q.w.lanes()
	for _, lane := range lanes {
		plans = append(plans, &lanePlan{lane: lane, chosen: q.chosen(lane)})
	}
	if q.root.Slices == 0 || from >= to {
		return plans, nil
	}
	q.loadPages(from, to, true)
	first, last, err := q.slices(from, to)
	if err != nil {
		return nil, err
	}
	if q.widest = q.raster.length / uint64(q.raster.pixels); last-first > manyBlocks/uint64(max(len(lanes), 1)) {
		q.blurred = q.widest * maxBlur
	}
	q.blurred = max(q.blurred, q.widest)
	if err := q.readAhead(lanes, from, to); err != nil {
		return nil, err
	}
	for _, p := range plans {
		n := timelinePlanner{timelineQuery: q, lanePlan: p}
		if err := n.node(q.top(), from, to); err != nil {
			return nil, err
		}
	}
	return plans, q.run(plans)
}

// top returns the root of the tree.
func (r *Reader) top() index.Node { return index.Node{Level: r.tree.Levels(r.root.Slices)} }

// chosen says which locations of a lane are those of the window.
func (q *timelineQuery) chosen(lane uint32) []bool {
	chosen := make([]bool, len(q.lanes[lane]))
	for i, l := range q.lanes[lane] {
		chosen[i] = q.w.locations == nil || q.w.locations[l]
	}
	return chosen
}

// timelineTask is a part of a plan.
type timelineTask struct {
	plan *lanePlan
	part int
}

// run carries out plans on all processors. What they need is read before, in rounds.
func (q *timelineQuery) run(plans []*lanePlan) error {
	var tasks []timelineTask
	for _, p := range plans {
		p.found = make([]*partCells, len(p.parts))
		for i := range p.parts {
			tasks = append(tasks, timelineTask{p, i})
		}
	}
	for len(tasks) > 0 {
		n, err := q.read(tasks)
		if err != nil {
			return err
		}
		var group errgroup.Group
		group.SetLimit(runtime.GOMAXPROCS(0))
		for _, t := range tasks[:n] {
			group.Go(func() (err error) {
				t.plan.found[t.part], err = q.part(t.plan, &t.plan.parts[t.part])
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
		tasks = tasks[n:]
	}
	return nil
}

// read reads what some of the first parts need, and returns their number.
func (q *timelineQuery) read(tasks []timelineTask) (n int, err error) {
	p := plan{r: q.Reader}
	limit := max(minChunkBytes, min(chunkBytes, q.cache.budget/8))
	group := uint64(math.MaxUint64)
	for n = 0; n < len(tasks) && p.size < limit && p.err == nil; n++ {
		part, lane := &tasks[n].plan.parts[tasks[n].part], tasks[n].plan.lane
		if part.bins != nil {
			continue
		}
		ref, ok, err := q.ref(part.slice, blockKey{kind: format.BlockSlice, lane: lane, number: part.slice})
		if err != nil {
			return n, err
		}
		if !ok || !q.cache.has(cacheKey{what: cachedCallSteps, offset: ref.Offset}) {
			fresh := part.slice/q.root.Fanout != group || len(p.lanes) == 0 || p.lanes[0] != lane
			group, p.lanes = part.slice/q.root.Fanout, []uint32{lane}
			p.slice(part.slice, needs{calls: true}, fresh)
		}
	}
	if len(p.refs) > 1 {
		q.load(p.refs)
	}
	return n, p.err
}

// join puts together what the parts of all lanes came to.
func (q *timelineQuery) join(plans []*lanePlan) *Timeline {
	t := &Timeline{From: q.w.from, To: max(q.w.to, q.w.from), Pixels: q.raster.pixels, Starts: []int{0}, Errors: make([]uint64, q.raster.pixels)}
	readers, order := map[uint32][]partReader{}, []uint32{}
	for _, p := range plans {
		p.errors(t.Errors)
		readers[p.lane] = p.readers()
		for place, l := range q.lanes[p.lane] {
			if p.chosen[place] {
				order = append(order, l)
			}
		}
	}
	slices.Sort(order)
	places := q.places()
	ids, rank := q.numbers.ranks()
	j := timelineJoiner{rank: rank, ticks: make([]uint64, len(ids)), shown: q.shown(ids)}
	for _, l := range order {
		info := &q.info.Locations[l]
		t.Locations = append(t.Locations, info.ID)
		parts := readers[info.Lane]
		for i := range parts {
			j.add(parts[i].of(places[l]))
		}
		j.flush()
		t.Starts = append(t.Starts, len(j.cells))
	}
	t.Cells = j.cells
	t.nameRegions(ids, rank)
	return t
}

// readers returns readers of what the parts came to.
func (p *lanePlan) readers() []partReader {
	readers := make([]partReader, len(p.found))
	for i := range readers {
		readers[i].partCells = p.found[i]
	}
	return readers
}

// shown says which regions are the window's, by number.
func (q *timelineQuery) shown(ids []uint64) []bool {
	shown := make([]bool, len(ids))
	for i, id := range ids {
		shown[i] = q.w.regions == nil || q.w.regions[id]
	}
	return shown
}

// nameRegions turns ranks of regions into places among those that occur.
func (t *Timeline) nameRegions(ids []uint64, rank []uint32) {
	places, byRank := make([]uint32, len(ids)), make([]uint64, len(ids))
	for n, id := range ids {
		byRank[rank[n]] = id
	}
	for i := range t.Cells {
		places[t.Cells[i].Region] = 1
	}
	for r, used := range places {
		if places[r] = uint32(len(t.Regions)); used > 0 {
			t.Regions = append(t.Regions, byRank[r])
		}
	}
	for i := range t.Cells {
		t.Cells[i].Region = places[t.Cells[i].Region]
	}
}

// timelineJoiner adds up the cells of one location after the other, which come in order of pixels.
type timelineJoiner struct {
	rank    []uint32
	shown   []bool
	ticks   []uint64 // by number of a region: of the pixel at hand
	touched []uint32
	pixel   uint32
	cells   []TimelineCell
}

func (j *timelineJoiner) add(cells []partCell) {
	for i := range cells {
		c := &cells[i]
		if !j.shown[c.region] {
			continue
		}
		if c.pixel != j.pixel {
			j.flush()
			j.pixel = c.pixel
		}
		if j.ticks[c.region] == 0 {
			j.touched = append(j.touched, c.region)
		}
		j.ticks[c.region] += c.ticks
	}
}

// flush completes a pixel.
func (j *timelineJoiner) flush() {
	if len(j.touched) > 1 {
		slices.SortFunc(j.touched, func(a, b uint32) int { return int(j.rank[a]) - int(j.rank[b]) })
	}
	for _, region := range j.touched {
		j.cells = append(j.cells, TimelineCell{j.pixel, j.rank[region], j.ticks[region]})
		j.ticks[region] = 0
	}
	j.touched = j.touched[:0]
}
