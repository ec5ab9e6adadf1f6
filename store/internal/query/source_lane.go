package query

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/trace"
)

// laneWalk knows how far the streams of a lane are. What none of them needs any longer goes from the cache at once: where files are
// read from begin to end there is nothing in it but what the streams share, as long as they are read in step, and it has room for
// the slice that all lanes are at.
type laneWalk struct {
	r    *read.File
	lane uint32
	open *atomic.Int32 // how many lanes of the source are in the middle

	mu    sync.Mutex
	next  []uint64 // by location of the lane: the first slice that may be needed
	low   uint64   // the least of these
	atLow int      // how many locations are there: a lane may have very many, which are not looked at for each of them
	begun bool     // it counts among those that are in the middle
}

// walk returns the walk of the window through a lane. Locations without events need nothing; others all, until their streams are
// read.
func (w *Window) walk(lane uint32, of []index.LocationInfo, open *atomic.Int32) (*laneWalk, error) {
	its, err := w.Reader.Lane(lane)
	if err != nil {
		return nil, err
	}
	l := &laneWalk{r: w.Reader, lane: lane, open: open}
	for _, location := range its.Locations {
		next := w.Reader.Root().Slices
		if of[location].Events > 0 && w.keeps(location) {
			next = 0
		}
		l.next = append(l.next, next)
	}
	l.low, l.atLow = least(l.next)
	return l, nil
}

// least returns the least of some numbers, and how often it stands there.
func least(numbers []uint64) (low uint64, times int) {
	low = math.MaxUint64
	for _, n := range numbers {
		switch {
		case n < low:
			low, times = n, 1
		case n == low:
			times++
		}
	}
	return low, times
}

// keeps reports whether a location is one of the window's.
func (w *Window) keeps(location uint32) bool { return w.Locations == nil || w.Locations[location] }

// begin says that a location's stream needs the slices from one on, which may have been passed before.
func (l *laneWalk) begin(place int, slice uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if slice != l.next[place] {
		l.next[place] = slice
		l.low, l.atLow = least(l.next)
	}
}

// move says that a location's stream needs nothing before a slice.
func (l *laneWalk) move(place int, slice uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.next[place]
	l.next[place] = slice
	if before > l.low || slice == before {
		return
	}
	if l.atLow--; l.atLow > 0 {
		return
	}
	from := l.low
	l.low, l.atLow = least(l.next)
	for ; from < l.low; from++ {
		Forget(l.r, from, l.lane)
	}
	l.count(l.low < l.r.Root().Slices)
}

// count says whether the lane is in the middle.
func (l *laneWalk) count(middle bool) {
	switch {
	case middle && !l.begun:
		l.open.Add(1)
	case l.begun && !middle:
		l.open.Add(-1)
	}
	l.begun = middle
}

// many reports whether more than PlainLanes lanes are read in step. Then data that a lane needs once per slice is not kept.
func (l *laneWalk) many() bool { return l.open.Load() > PlainLanes }

// Forget takes a slice of a lane from the cache, and behind the last one of a group or an epoch what these share: for those who go
// through all slices of a lane.
func Forget(r *read.File, slice uint64, lane uint32) {
	k := read.SliceKey(slice, lane)
	ref, ok, err := r.Ref(slice, k)
	if err == nil && ok {
		r.Cache().Drop(k.Made(cache.Runs))
		r.Cache().Drop(cache.Key{What: cache.Bytes, Offset: ref.Offset})
	}
	group, ends := r.Root().GroupOf(slice), slice+1 == r.Root().Slices
	if r.Root().GroupOf(slice+1) == group && !ends {
		return
	}
	r.Cache().Drop(cache.Key{What: cache.Statistics, Offset: group, Lane: lane})
	if epoch := r.Root().EpochOf(group); r.Root().EpochOf(group+1) != epoch || ends {
		r.Cache().Drop(cache.Key{What: cache.Dictionary, Offset: epoch, Lane: lane})
	}
}

// laneRuns are the events of a lane in a slice, location by location.
type laneRuns struct {
	locations []uint32 // rising
	runs      []locationRun
}

// locationRun has the events of a location in a slice: as they are, or packed.
type locationRun struct {
	batch  *trace.Batch // nil if they are packed, or if there are none
	at     int          // the next one of the batch
	packed packedRun
}

// locationRunBytes is what a locationRun takes, and the number of its location.
const locationRunBytes = 68

// run returns the events of a location in a slice, none if there are none.
func (l *laneWalk) run(slice uint64, location uint32) (locationRun, error) {
	r, lane := l.r, l.lane
	k := read.SliceKey(slice, lane)
	ref, ok, err := r.Ref(slice, k)
	if err != nil || !ok {
		return locationRun{}, err
	}
	all, err := cache.Get(r.Cache(), k.Made(cache.Runs), func() (*laneRuns, int64, error) {
		if l.many() {
			defer r.Cache().Drop(cache.Key{What: cache.Statistics, Offset: r.Root().GroupOf(slice), Lane: lane})
		}
		return readLaneRuns(r, slice, lane, ref)
	})
	if err != nil {
		return locationRun{}, err
	}
	i, ok := slices.BinarySearch(all.locations, location)
	if !ok {
		return locationRun{}, nil
	}
	return all.runs[i], nil
}

// readLaneRuns decodes a slice block, in memory that is used again but for the result, and tells its size in bytes.
func readLaneRuns(r *read.File, number uint64, lane uint32, ref format.Ref) (*laneRuns, int64, error) {
	e := read.EventRoom.Get().(*slice.Events)
	defer read.EventRoom.Put(e)
	if err := r.DecodeInto(e, number, lane, ref); err != nil {
		return nil, 0, format.At(err, r.Name(), int64(ref.Offset))
	}
	l := &laneRuns{locations: make([]uint32, len(e.Runs))}
	for i := range e.Runs {
		l.locations[i] = e.Runs[i].Location
	}
	runsOf := plainRuns
	if r.LaneCount() > PlainLanes {
		runsOf = packedRuns
	}
	runs, size, err := runsOf(e, r.Meta().Kinds)
	l.runs = runs
	return l, size + int64(locationRunBytes*len(runs)), format.At(err, r.Name(), int64(ref.Offset))
}

// plainRuns returns the events of a lane in a slice as they are, and their size in bytes.
func plainRuns(e *slice.Events, _ *trace.Table) (runs []locationRun, size int64, err error) {
	batches, err := e.TakeBatches()
	runs = make([]locationRun, len(batches))
	for i := range batches {
		runs[i].batch = &batches[i]
		size += batches[i].Memory()
	}
	return runs, size, err
}

// within leaves the events in [from, to) and returns how many these are.
func (l *locationRun) within(from, to int64) int {
	if l.batch == nil {
		l.packed.drop(l.packed.before(from))
		return l.packed.before(to)
	}
	first, end := layout.LowerBound(l.batch.Times, from), layout.LowerBound(l.batch.Times, to)
	l.at = first
	return end - first
}

// take appends the next n events. At least n must be left.
func (l *locationRun) take(b *trace.Batch, n int, table *trace.Table) {
	if l.batch == nil {
		l.packed.take(b, n)
		return
	}
	b.AppendRange(l.batch, l.at, l.at+n, table)
	l.at += n
}
