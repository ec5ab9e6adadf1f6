package store

import (
	"sync"

	"github.com/pandotrace/pando/encode"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// callSteps are the enters and leaves of a lane in a slice: all that call stacks need of its events, in less memory.
type callSteps struct {
	meaning []leafCall // by leaf
	runs    []stepRun
	size    int // steps of all runs
	enters  int // among them
}

// stepRun is those of one location.
type stepRun struct {
	location, place uint32
	first           uint64 // ordinal of the location's first event in the slice
	leaves          []uint32
	at              []uint32 // of each, its place among the location's events in the slice
	times           []int64
}

// stepBytes is the memory that a step takes.
const stepBytes = 16

// noSteps are those of a lane that has no events in a slice.
var noSteps = &callSteps{}

// callSteps returns the enters and leaves of a slice, and keeps them.
func (r *Reader) callSteps(slice uint64, lane uint32) (*callSteps, error) {
	ref, ok, err := r.ref(slice, blockKey{kind: format.BlockSlice, lane: lane, number: slice})
	if err != nil || !ok {
		return noSteps, err
	}
	return cached(r.cache, cacheKey{what: cachedCallSteps, offset: ref.Offset}, func() (*callSteps, int64, error) {
		s, err := r.makeSteps(slice, lane, ref)
		if err != nil {
			return nil, 0, err
		}
		return s, int64(stepBytes*s.size + 96*len(s.runs) + 100), nil
	})
}

// stepsOnce returns the enters and leaves of a slice that will not be asked for again soon.
func (r *Reader) stepsOnce(slice uint64, lane uint32) (*callSteps, error) {
	ref, ok, err := r.ref(slice, blockKey{kind: format.BlockSlice, lane: lane, number: slice})
	if err != nil || !ok || r.cache.has(cacheKey{what: cachedCallSteps, offset: ref.Offset}) {
		return r.callSteps(slice, lane)
	}
	return r.makeSteps(slice, lane, ref)
}

func (r *Reader) makeSteps(slice uint64, lane uint32, ref format.Ref) (*callSteps, error) {
	e, free, err := r.borrow(slice, lane, ref)
	if err != nil {
		return nil, err
	}
	defer free()
	meaning, err := r.leafCalls(e)
	if err != nil {
		return nil, err
	}
	return stepsOf(e, meaning, r.places()), nil
}

func stepsOf(e *encode.Events, meaning []leafCall, places []uint32) *callSteps {
	s := &callSteps{meaning: meaning, runs: make([]stepRun, len(e.Runs))}
	for _, leaf := range e.Leaves {
		switch meaning[leaf].class {
		case encode.Point:
		case encode.Enter, encode.ContextEnter:
			s.enters++
			s.size++
		default:
			s.size++
		}
	}
	leaves, at, times := make([]uint32, 0, s.size), make([]uint32, 0, s.size), make([]int64, 0, s.size)
	next := 0
	for i := range e.Runs {
		run := &e.Runs[i]
		first := len(leaves)
		for j, leaf := range e.Leaves[next : next+run.Events] {
			if meaning[leaf].class != encode.Point {
				leaves, at, times = append(leaves, leaf), append(at, uint32(j)), append(times, e.Times[next+j])
			}
		}
		s.runs[i] = stepRun{run.Location, places[run.Location], run.First, leaves[first:], at[first:], times[first:]}
		next += run.Events
	}
	return s
}

// eventRoom has memory that nobody needs any longer.
var eventRoom = sync.Pool{New: func() any { return new(encode.Events) }}

// borrow returns the events of a slice, which are of use until free is called: those in the cache, or decoded into memory that
// is used again.
func (r *Reader) borrow(slice uint64, lane uint32, ref format.Ref) (e *encode.Events, free func(), err error) {
	if r.cache.has(cacheKey{what: cachedEvents, offset: ref.Offset}) {
		e, err = r.events(slice, lane)
		return e, func() {}, err
	}
	e = eventRoom.Get().(*encode.Events)
	free = func() { eventRoom.Put(e) }
	if err := r.decodeInto(e, slice, lane, ref); err != nil {
		free()
		return nil, nil, format.At(err, r.name, int64(ref.Offset))
	}
	return e, free, nil
}

// leafCall is what a leaf means to call stacks.
type leafCall struct {
	callNumber
	class           encode.Class
	region, context uint64
}

// leafCalls returns what the leaves of a lane in an epoch mean to call stacks.
func (r *Reader) leafCalls(e *encode.Events) ([]leafCall, error) {
	return cached(r.cache, cacheKey{what: cachedLeafCalls, offset: uint64(e.Epoch), lane: e.Lane}, func() ([]leafCall, int64, error) {
		d, err := r.Definitions()
		if err != nil {
			return nil, 0, err
		}
		info := e.Dictionary.Info()
		leaves := make([]leafCall, len(info))
		for i := range info {
			leaves[i] = r.leafCall(d, &info[i])
		}
		return leaves, int64(40 * len(leaves)), nil
	})
}

func (r *Reader) leafCall(d *trace.Definitions, info *encode.LeafInfo) leafCall {
	l := leafCall{class: info.Class}
	k := callKey{key: info.Key}
	switch l.class {
	case encode.Enter, encode.Leave:
	case encode.ContextEnter, encode.ContextLeave:
		k.context = true
	default:
		return leafCall{class: encode.Point}
	}
	l.callNumber = r.numbers.call(d, k)
	l.region, l.context = regionOf(d, k)
	return l
}
