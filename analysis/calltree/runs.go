package calltree

import (
	"iter"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// EventRun is events of a location, in order, with their times.
type EventRun struct {
	Location uint64 // id
	// Events are what Leaves are numbers of.
	Events []Event
	Leaves []uint32
	Times  []int64 // in ticks
}

// Runs yields what the events of a window's locations do to calls, and when, in the order of slices. A run is valid up to the next one. Of the
// window's filters, only that of locations counts. No value is decoded but times, unless messages are calls and their peers are values.
func (e *Events) Runs(w *store.Window) iter.Seq2[*EventRun, error] {
	if e.steps.vary {
		return e.runsOfValues(w)
	}
	return func(yield func(*EventRun, error) bool) {
		var r EventRun
		for t, err := range w.Times() {
			if err == nil {
				r, err = e.run(t)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(&r, nil) {
				return
			}
		}
	}
}

// run returns what the events of a run do. The error is ErrPeersVary.
func (e *Events) run(t *store.TimeRun) (r EventRun, err error) {
	if r = (EventRun{t.Location, e.Of(t.Shapes), t.Leaves, t.Times}); e.steps.vary {
		err = ErrPeersVary
	}
	return r, err
}

// Kinds returns the kinds of the events that may do something to calls.
func (e *Events) Kinds() []trace.Kind {
	kinds := []trace.Kind{trace.KindEnter, trace.KindLeave, trace.KindCallingContextEnter, trace.KindCallingContextLeave}
	if e.steps.peers != nil {
		kinds = append(kinds, trace.KindMpiSend, trace.KindMpiIsend, trace.KindMpiRecv, trace.KindMpiIrecv)
	}
	return kinds
}

// runsOfValues is Runs by the fields of events.
func (e *Events) runsOfValues(w *store.Window) iter.Seq2[*EventRun, error] {
	w = w.WithKinds(e.Kinds()...)
	return func(yield func(*EventRun, error) bool) {
		var r EventRun
		numbers := map[Event]uint32{}
		for b, err := range w.Batches() {
			if err != nil {
				yield(nil, err)
				return
			}
			r.Location, r.Times, r.Leaves = b.Location, b.Times, r.Leaves[:0]
			for i, kind := range b.Kinds {
				event := e.OfEvent(b.Location, kind, b.Fields(i))
				n, ok := numbers[event]
				if !ok {
					n = uint32(len(r.Events))
					numbers[event] = n
					r.Events = append(r.Events, event)
				}
				r.Leaves = append(r.Leaves, n)
			}
			if !yield(&r, nil) {
				return
			}
		}
	}
}
