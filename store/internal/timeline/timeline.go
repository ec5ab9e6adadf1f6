package timeline

import (
	"cmp"
	"iter"
	"math"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/query"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/trace"
)

// MaxPixels is the largest number of pixels of a timeline.
const MaxPixels = 1 << 20

// Options of timelines.
type Options struct {
	// Pixels is the number of parts that the window is divided into, 1 to MaxPixels.
	Pixels int
	// Exact reads all slices of the window: no cell is off, however wide pixels are.
	Exact bool
	// Locations is the greatest number of locations in a timeline, 0 for those of a lane.
	Locations int
	// Lanes is the number of lanes of the window that this one is some locations of, 0 if it is a whole: how wide cells may be depends on it,
	// and parts of a window are to have the cells of the whole.
	Lanes int
}

// Make divides the window into pixels and adds up for each location and pixel the time of each region: only that in which
// the call was the innermost one, so that for each location and region the pixels add up to the exclusive time of
// [Window.Summary]. Where pixels are narrow it reads slices, and is exact. Where they are wide it reads bins, which are histograms
// over cells of some ticks: where cells and borders of pixels do not agree, a cell's time counts evenly on both sides. It is about
// the window's locations and regions; kinds do not matter.
func Make(w *query.Window, pixels int) (*trace.Timeline, error) {
	q, err := newQuery(w, Options{Pixels: pixels})
	if err != nil {
		return nil, err
	}
	plans, err := q.plans(q.lanes)
	if err != nil {
		return nil, err
	}
	return q.join(plans, nil), nil
}

// Each yields what Make returns, but lane by lane: each location is in one of the timelines, with the cells that it has in that of Make.
// Only one of them is in memory at a time: it is valid until the next step. While it is joined and looked at, the parts of the next one are
// worked on.
func Each(w *query.Window, o Options) iter.Seq2[*trace.Timeline, error] {
	return ahead(w, o, func(p *planned, last *trace.Timeline) *trace.Timeline {
		if last == nil {
			return p.query.join(p.plans, nil)
		}
		return p.query.join(p.plans, last.Cells)
	})
}

// EachRuns yields the same without dividing runs of pixels.
func EachRuns(w *query.Window, o Options) iter.Seq2[*Runs, error] {
	return ahead(w, o, func(p *planned, last *Runs) *Runs {
		if last == nil {
			return p.query.joinRuns(p.plans, nil)
		}
		return p.query.joinRuns(p.plans, last.Runs)
	})
}

// ahead yields what is made of one timeline after the other, in the room of the last one, while the next one is worked on.
func ahead[T any](w *query.Window, o Options, made func(p *planned, last *T) *T) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		q, err := newQuery(w, o)
		if err != nil {
			yield(nil, err)
			return
		}
		next, stop := iter.Pull2(q.each(o.Locations))
		defer stop()
		var t *T
		for ahead := start(next); ; {
			p := <-ahead
			if p.err != nil {
				yield(nil, p.err)
			}
			if p.err != nil || p.query == nil {
				return
			}
			ahead = start(next)
			if t = made(&p, t); !yield(t, nil) {
				<-ahead // it reads the file, which may be closed
				return
			}
		}
	}
}

// each yields the queries of which each makes one of the timelines of some locations, and the lanes of each.
func (q *timelineQuery) each(most int) iter.Seq2[*timelineQuery, error] {
	return func(yield func(*timelineQuery, error) bool) {
		for _, lane := range q.lanes {
			windows, err := q.divided(lane, most)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, some := range windows {
				one := *q
				one.w, one.lanes = some, []uint32{lane}
				if !yield(&one, nil) {
					return
				}
			}
		}
	}
}

// planned is a query with what its parts came to; there is none behind the last one.
type planned struct {
	query *timelineQuery
	plans []*lanePlan
	err   error
}

// start carries out the plans of the next query.
func start(next func() (*timelineQuery, error, bool)) <-chan planned {
	done := make(chan planned, 1)
	go func() {
		q, err, ok := next()
		p := planned{query: q, err: err}
		if ok && err == nil {
			p.plans, p.err = q.plans(q.lanes)
		}
		done <- p
	}()
	return done
}

// divided returns windows of the chosen locations of a lane, each of at most a number, 0 for all.
func (q *timelineQuery) divided(lane uint32, most int) (list []*query.Window, err error) {
	its, err := q.Lane(lane)
	if err != nil {
		return nil, err
	}
	var chosen []uint32
	for _, l := range its.Locations {
		if q.w.Locations == nil || q.w.Locations[l] {
			chosen = append(chosen, l)
		}
	}
	if most < 1 || len(chosen) <= most {
		return []*query.Window{q.w}, nil
	}
	for some := range slices.Chunk(chosen, most) {
		locations := make(map[uint32]bool, len(some))
		for _, l := range some {
			locations[l] = true
		}
		list = append(list, q.w.Of(locations))
	}
	return list, nil
}

// newQuery checks the options, and decides how wide cells may be.
func newQuery(w *query.Window, o Options) (*timelineQuery, error) {
	if w.Shortest > math.MinInt64 {
		return nil, layout.Invalidf("store: there are no timelines of calls of a minimum duration")
	}
	if o.Pixels < 1 || o.Pixels > MaxPixels {
		return nil, layout.Invalidf("store: %d pixels are not between 1 and %d", o.Pixels, MaxPixels)
	}
	q := &timelineQuery{File: w.Reader, w: w, raster: trace.Raster{From: w.From, Length: uint64(max(w.To, w.From) - w.From), Pixels: o.Pixels}}
	var err error
	if q.lanes, err = w.Lanes(); err != nil || o.Exact {
		return q, err
	}
	q.widest = q.raster.Length / uint64(q.raster.Pixels)
	q.blurred = q.widest
	from, to := w.From, min(w.To, w.Reader.Info().Last)
	if q.Root().Slices == 0 || from >= to {
		return q, nil
	}
	q.LoadPages(from, to, read.Contexts)
	first, last, err := q.Slices(from, to)
	if last-first > ManyBlocks/uint64(max(cmp.Or(o.Lanes, len(q.lanes)), 1)) {
		q.blurred = q.widest * maxBlur
	}
	q.passing = q.passes(last - first)
	return q, err
}

// screenPixels are those of a wide screen, and stepsBytes is what a step takes that is kept.
const screenPixels, stepBytes = 4096, 16

// passes reports whether the calls of a screen with such pixels, of which the window has some slices, are more than half of what the cache keeps: who moves on from here asks
// for them again only when they have made room for others.
func (q *timelineQuery) passes(windowSlices uint64) bool {
	i := q.Info()
	events := windowSlices * i.Events / max(1, i.Slices) / uint64(q.raster.Pixels) * screenPixels
	return min(events, i.Events)*stepBytes > uint64(q.Cache().Budget)/2
}

// timelineQuery is one timeline under way. It is safe for concurrent use.
type timelineQuery struct {
	*read.File
	w      *query.Window
	lanes  []uint32 // of the window
	raster trace.Raster
	// widest is the greatest width of cells in general, blurred the one where else slices would be read; in ticks.
	widest, blurred uint64
	// together adds up the locations of a part, see Sum.
	together bool
	// passing is whether slices will not be asked for again soon.
	passing bool
}

// lanePlan is what the timeline of a lane is made of: parts in order of time, with what they came to.
type lanePlan struct {
	lane   uint32
	of     *read.Lane
	chosen []bool // locations by place
	parts  []timelinePart
	found  []*partRuns
}

// plans makes plans of some lanes and carries them out.
func (q *timelineQuery) plans(lanes []uint32) (plans []*lanePlan, err error) {
	from, to := q.w.From, min(q.w.To, q.Info().Last) // nothing goes on behind the last event
	for _, lane := range lanes {
		its, err := q.Lane(lane)
		if err != nil {
			return nil, err
		}
		plans = append(plans, &lanePlan{lane: lane, of: its, chosen: q.chosen(its)})
	}
	if q.Root().Slices == 0 || from >= to {
		return plans, nil
	}
	if err := q.readAhead(lanes, from, to); err != nil {
		return nil, err
	}
	if q.Far {
		q.fetchBins(plans, from, to)
	}
	for _, p := range plans {
		n := timelinePlanner{timelineQuery: q, lanePlan: p}
		if err := n.node(q.Top(), from, to); err != nil {
			return nil, err
		}
	}
	return plans, q.run(plans)
}

// fetchBins reads the bins that plans ask for and that are not at hand, as often as some show that those of children are needed.
func (q *timelineQuery) fetchBins(plans []*lanePlan, from, to int64) {
	for range read.PlanRounds {
		missing := read.Plan{R: q.File, Noted: map[uint64]bool{}}
		for _, p := range plans {
			n := timelinePlanner{timelineQuery: q, lanePlan: &lanePlan{lane: p.lane}, missing: &missing}
			if err := n.node(q.Top(), from, to); err != nil {
				return // planning meets it again
			}
		}
		if len(missing.Refs) == 0 {
			return
		}
		q.LoadSome(missing.Refs)
	}
}

// chosen says which locations of a lane are those of the window.
func (q *timelineQuery) chosen(lane *read.Lane) []bool {
	chosen := make([]bool, len(lane.Locations))
	for i, l := range lane.Locations {
		chosen[i] = q.w.Locations == nil || q.w.Locations[l]
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
		p.found = make([]*partRuns, len(p.parts))
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
	p := read.Plan{R: q.File, Noted: map[uint64]bool{}}
	limit := q.LoadLimit()
	before := uint64(math.MaxUint64) // the slice that was planned before
	for n = 0; n < len(tasks) && p.Size < limit && p.Err == nil; n++ {
		part, lane := &tasks[n].plan.parts[tasks[n].part], tasks[n].plan.lane
		if part.bins != nil {
			continue
		}
		k := read.SliceKey(part.slice, lane)
		_, ok, err := q.Ref(part.slice, k)
		if err != nil {
			return n, err
		}
		if !ok || !q.Cache().Has(k.Made(cache.CallSteps)) {
			fresh := !q.Share(before, part.slice) || len(p.Lanes) == 0 || p.Lanes[0] != lane
			before, p.Lanes = part.slice, []uint32{lane}
			p.Slice(part.slice, read.Needs{Calls: true}, fresh)
		}
	}
	if len(p.Refs) > 1 {
		q.Load(p.Refs)
	}
	return n, p.Err
}

// shown says which regions are the window's, by number.
func (q *timelineQuery) shown(ids []uint64) []bool {
	shown := make([]bool, len(ids))
	for i, id := range ids {
		shown[i] = q.w.Regions == nil || q.w.Regions[id]
	}
	return shown
}
