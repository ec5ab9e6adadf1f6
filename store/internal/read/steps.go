package read

import (
	"sync"

	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/trace"
)

// CallSteps are the enters and leaves of a lane in a slice: all that call stacks need of its events, in less memory.
type CallSteps struct {
	Meaning []LeafCall // by leaf
	Runs    []StepRun
	size    int // steps of all runs
	Enters  int // among them
}

// StepRun is those of one location.
type StepRun struct {
	location, place uint32
	first           uint64 // ordinal of the location's first event in the slice
	Leaves          []uint32
	at              []uint32 // of each, its place among the location's events in the slice
	Times           []int64
}

// stepBytes is the memory that a step takes.
const stepBytes = 16

// noSteps are those of a lane that has no events in a slice.
var noSteps = &CallSteps{}

// CallSteps returns the enters and leaves of a slice, and keeps them.
func (r *File) CallSteps(slice uint64, lane uint32) (*CallSteps, error) {
	ref, ok, err := r.Ref(slice, BlockKey{Kind: format.BlockSlice, Lane: lane, Number: slice})
	if err != nil || !ok {
		return noSteps, err
	}
	return cache.Get(r.cache, cache.Key{What: cache.CallSteps, Offset: ref.Offset}, func() (*CallSteps, int64, error) {
		s, err := r.makeSteps(slice, lane, ref)
		if err != nil {
			return nil, 0, err
		}
		return s, int64(stepBytes*s.size + 96*len(s.Runs) + 100), nil
	})
}

// StepsOnce returns the enters and leaves of a slice that will not be asked for again soon.
func (r *File) StepsOnce(slice uint64, lane uint32) (*CallSteps, error) {
	ref, ok, err := r.Ref(slice, BlockKey{Kind: format.BlockSlice, Lane: lane, Number: slice})
	if err != nil || !ok || r.cache.Has(cache.Key{What: cache.CallSteps, Offset: ref.Offset}) {
		return r.CallSteps(slice, lane)
	}
	return r.makeSteps(slice, lane, ref)
}

func (r *File) makeSteps(slice uint64, lane uint32, ref format.Ref) (*CallSteps, error) {
	e, free, err := r.Borrow(slice, lane, ref)
	if err != nil {
		return nil, err
	}
	defer free()
	meaning, err := r.leafCalls(e)
	if err != nil {
		return nil, err
	}
	its, err := r.Lane(lane)
	if err != nil {
		return nil, err
	}
	return stepsOf(e, meaning, its), nil
}

func stepsOf(e *slice.Events, meaning []LeafCall, lane *Lane) *CallSteps {
	s := &CallSteps{Meaning: meaning, Runs: make([]StepRun, len(e.Runs))}
	for _, leaf := range e.Leaves {
		switch meaning[leaf].Class {
		case shape.Point:
		case shape.Enter, shape.ContextEnter:
			s.Enters++
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
			if meaning[leaf].Class != shape.Point {
				leaves, at, times = append(leaves, leaf), append(at, uint32(j)), append(times, e.Times[next+j])
			}
		}
		place, _ := lane.Place(run.Location)
		s.Runs[i] = StepRun{run.Location, place, run.First, leaves[first:], at[first:], times[first:]}
		next += run.Events
	}
	return s
}

// EventRoom has memory that nobody needs any longer.
var EventRoom = sync.Pool{New: func() any { return new(slice.Events) }}

// Borrow returns the events of a slice, which are of use until free is called: those in the cache, or decoded into memory that
// is used again.
func (r *File) Borrow(number uint64, lane uint32, ref format.Ref) (e *slice.Events, free func(), err error) {
	if r.cache.Has(cache.Key{What: cache.Events, Offset: ref.Offset}) {
		e, err = r.Events(number, lane)
		return e, func() {}, err
	}
	e = EventRoom.Get().(*slice.Events)
	free = func() { EventRoom.Put(e) }
	if err := r.DecodeInto(e, number, lane, ref); err != nil {
		free()
		return nil, nil, format.At(err, r.name, int64(ref.Offset))
	}
	return e, free, nil
}

// LeafCall is what a leaf means to call stacks.
type LeafCall struct {
	CallNumber
	Class           shape.Class
	region, context uint64
}

// leafCalls returns what the leaves of a lane in an epoch mean to call stacks.
func (r *File) leafCalls(e *slice.Events) ([]LeafCall, error) {
	return cache.Get(r.cache, cache.Key{What: cache.LeafCalls, Offset: uint64(e.Epoch), Lane: e.Lane}, func() ([]LeafCall, int64, error) {
		d, err := r.View(Contexts)
		if err != nil {
			return nil, 0, err
		}
		info := e.Dictionary.Info()
		leaves := make([]LeafCall, len(info))
		for i := range info {
			leaves[i] = r.leafCall(d, &info[i])
		}
		return leaves, int64(40 * len(leaves)), nil
	})
}

func (r *File) leafCall(d *trace.Definitions, info *shape.LeafInfo) LeafCall {
	l := LeafCall{Class: info.Class}
	k := callKey{key: info.Key}
	switch l.Class {
	case shape.Enter, shape.Leave:
	case shape.ContextEnter, shape.ContextLeave:
		k.context = true
	default:
		return LeafCall{Class: shape.Point}
	}
	l.CallNumber = r.Numbers.call(d, k)
	l.region, l.context = regionOf(d, k)
	return l
}
