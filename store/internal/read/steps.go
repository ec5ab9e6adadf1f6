package read

import (
	"slices"
	"sync"

	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/trace"
)

// CallSteps are the enters and leaves of a lane in a slice: all that call stacks need of its events, in less memory. Where nearly all events
// are such, other events are left among them.
type CallSteps struct {
	Dictionary *shape.Dictionary
	Epoch      uint32
	Meaning    []LeafCall // by leaf
	Runs       []StepRun
	Enters     int
	bytes      int64 // what they take
}

// StepRun is those of one location.
type StepRun struct {
	Location, place uint32
	First           uint64 // ordinal of the location's first event in the slice
	Leaves          []uint32
	at              []uint32 // of each, its place among the location's events in the slice; nil if all events are there
	Times           []int64
	Enters          int           // among the steps
	Pieces          []shape.Token // the shapes of at most PieceEvents events that all events are, those too that are no steps
}

// PieceEvents is the largest number of events of a piece.
const PieceEvents = 1024

// Shared reports whether all events are there, and not only enters and leaves.
func (r *StepRun) Shared() bool { return r.at == nil }

// Ordinal returns the ordinal of a step's event.
func (r *StepRun) Ordinal(step int) uint64 {
	if r.at != nil {
		return r.First + uint64(r.at[step])
	}
	return r.First + uint64(step)
}

// What a step and an event take, in bytes.
const (
	stepBytes  = 16
	eventBytes = 12
)

// noSteps are those of a lane that has no events in a slice.
var noSteps = &CallSteps{}

// CallSteps returns the enters and leaves of a slice, and keeps them.
func (r *File) CallSteps(slice uint64, lane uint32) (*CallSteps, error) {
	k := SliceKey(slice, lane)
	ref, ok, err := r.Ref(slice, k)
	if err != nil || !ok {
		return noSteps, err
	}
	return cache.Get(r.cache, k.Made(cache.CallSteps), func() (*CallSteps, int64, error) {
		s, err := r.makeSteps(slice, lane, ref)
		if err != nil {
			return nil, 0, err
		}
		return s, s.bytes + int64(96*len(s.Runs)+100), nil
	})
}

// StepsOnce returns the enters and leaves of a slice that will not be asked for again soon.
func (r *File) StepsOnce(slice uint64, lane uint32) (*CallSteps, error) {
	k := SliceKey(slice, lane)
	ref, ok, err := r.Ref(slice, k)
	if err != nil || !ok || r.cache.Has(k.Made(cache.CallSteps)) {
		return r.CallSteps(slice, lane)
	}
	return r.makeSteps(slice, lane, ref)
}

// LendSteps calls a function with the enters and leaves of a slice that will not be asked for again soon, among its other events. They are gone when the function
// returns: memory that is used again is not cleared, as that of steps which somebody keeps is.
func (r *File) LendSteps(number uint64, lane uint32, to func(*CallSteps)) error {
	k := SliceKey(number, lane)
	ref, ok, err := r.Ref(number, k)
	if err != nil || !ok || r.cache.Has(k.Made(cache.CallSteps)) {
		s, err := r.CallSteps(number, lane)
		if err == nil {
			to(s)
		}
		return err
	}
	return r.withEvents(number, lane, ref, func(e *slice.Events, _ bool, meaning []LeafCall, its *Lane) {
		s, _ := runsOf(e, meaning, its)
		s.divide(e, e.Leaves, e.Times)
		to(s)
	})
}

func (r *File) makeSteps(number uint64, lane uint32, ref format.Ref) (s *CallSteps, err error) {
	err = r.withEvents(number, lane, ref, func(e *slice.Events, pooled bool, meaning []LeafCall, its *Lane) {
		s = stepsOf(e, pooled, meaning, its)
	})
	return s, err
}

// withEvents calls a function with the events of a slice and what its leaves mean. Those of the pool are given back when it returns.
func (r *File) withEvents(number uint64, lane uint32, ref format.Ref, to func(e *slice.Events, pooled bool, meaning []LeafCall, its *Lane)) error {
	e, pooled, err := r.borrow(number, lane, ref)
	if err != nil {
		return err
	}
	if pooled {
		defer EventRoom.Put(e)
	}
	meaning, err := r.leafCalls(e)
	if err != nil {
		return err
	}
	its, err := r.Lane(lane)
	if err == nil {
		to(e, pooled, meaning, its)
	}
	return err
}

// stepsOf makes steps of events. Those of the pool may give their memory away.
func stepsOf(e *slice.Events, pooled bool, meaning []LeafCall, lane *Lane) *CallSteps {
	s, size := runsOf(e, meaning, lane)
	if stepBytes*size >= eventBytes*len(e.Leaves) {
		s.share(e, pooled)
	} else {
		s.copy(e, size)
	}
	s.setPieces(e)
	return s
}

// setPieces gives each run its pieces.
func (s *CallSteps) setPieces(e *slice.Events) {
	var all []shape.Token
	ends := make([]int, len(s.Runs))
	for i := range s.Runs {
		all = e.Dictionary.Pieces(all, e.Runs[i].Tokens, PieceEvents)
		ends[i] = len(all)
	}
	all, from := slices.Clone(all), 0
	for i, end := range ends {
		s.Runs[i].Pieces, from = all[from:end:end], end
	}
	s.Dictionary, s.Epoch, s.bytes = e.Dictionary, e.Epoch, s.bytes+int64(8*len(all))
}

// runsOf returns the runs of steps without the steps, and how many these are.
func runsOf(e *slice.Events, meaning []LeafCall, lane *Lane) (*CallSteps, int) {
	s := &CallSteps{Meaning: meaning, Runs: make([]StepRun, len(e.Runs))}
	size, leaves := 0, e.Leaves
	for i := range e.Runs {
		run := &e.Runs[i]
		place, _ := lane.Place(run.Location)
		enters := 0
		for _, leaf := range leaves[:run.Events] {
			l := &meaning[leaf]
			enters += int(l.Enter)
			size += int(l.Step)
		}
		leaves, s.Enters = leaves[run.Events:], s.Enters+enters
		s.Runs[i] = StepRun{Location: run.Location, place: place, First: run.First, Enters: enters}
	}
	return s, size
}

// share makes all events steps, in their memory.
func (s *CallSteps) share(e *slice.Events, pooled bool) {
	s.bytes = int64(eventBytes * len(e.Leaves))
	leaves, times := e.Leaves, e.Times
	switch {
	case !pooled:
	case 4*cap(leaves) > 5*len(leaves) || 4*cap(times) > 5*len(times): // it is of a larger slice
		leaves, times = slices.Clone(leaves), slices.Clone(times)
	default:
		e.Leaves, e.Times = nil, nil
	}
	s.divide(e, leaves, times)
}

// divide gives each run its events.
func (s *CallSteps) divide(e *slice.Events, leaves []uint32, times []int64) {
	for i := range s.Runs {
		n := e.Runs[i].Events
		s.Runs[i].Leaves, s.Runs[i].Times = leaves[:n:n], times[:n:n]
		leaves, times = leaves[n:], times[n:]
	}
}

// copy copies some steps, which are those of the events that are enters and leaves.
func (s *CallSteps) copy(e *slice.Events, size int) {
	s.bytes = int64(stepBytes * size)
	leaves, at, times := make([]uint32, size+1), make([]uint32, size+1), make([]int64, size+1) // the last ones are of no step
	n, next := 0, 0
	for i := range s.Runs {
		events := e.Runs[i].Events
		first, when := n, e.Times[next:next+events]
		for j, leaf := range e.Leaves[next : next+events] {
			leaves[n], at[n], times[n] = leaf, uint32(j), when[j] // what is no step is written over
			n += int(s.Meaning[leaf].Step)
		}
		s.Runs[i].Leaves, s.Runs[i].at, s.Runs[i].Times = leaves[first:n], at[first:n], times[first:n]
		next += events
	}
}

// EventRoom has memory that nobody needs any longer.
var EventRoom = sync.Pool{New: func() any { return new(slice.Events) }}

// Borrow returns the events of a slice, which are of use until free is called: those in the cache, or decoded into memory that
// is used again.
func (r *File) Borrow(number uint64, lane uint32, ref format.Ref) (e *slice.Events, free func(), err error) {
	e, pooled, err := r.borrow(number, lane, ref)
	return e, func() {
		if pooled {
			EventRoom.Put(e)
		}
	}, err
}

// borrow is Borrow: events of the pool are to be given back to it.
func (r *File) borrow(number uint64, lane uint32, ref format.Ref) (e *slice.Events, pooled bool, err error) {
	if r.cache.Has(SliceKey(number, lane).Made(cache.Events)) {
		e, err = r.Events(number, lane)
		return e, false, err
	}
	e = EventRoom.Get().(*slice.Events)
	if err := r.DecodeInto(e, number, lane, ref); err != nil {
		EventRoom.Put(e)
		return nil, false, format.At(err, r.name, int64(ref.Offset))
	}
	return e, true, nil
}

// LeafCall is what a leaf means to call stacks.
type LeafCall struct {
	CallNumber
	Class           shape.Class
	Enter, Step     uint8 // 1 for an enter, and for an enter or a leave: sums of these need no branches
	Region, Context uint64
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
	l.Region, l.Context = regionOf(d, k)
	l.Step = 1
	if l.Class == shape.Enter || l.Class == shape.ContextEnter {
		l.Enter = 1
	}
	return l
}
