package content

import (
	"iter"

	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/store"
)

// Operation is one collective operation of MPI, put together from the parts of all ranks as in the table of collectives.
type Operation struct {
	// Communicator is the id of the communicator.
	Communicator uint64
	// Duration is from the first begin to the last end, in ticks; HasDuration says whether a begin is known.
	Duration    int64
	HasDuration bool
	Parts       []OperationPart
}

// OperationPart is the part of one location in an operation.
type OperationPart struct {
	// Location is the location's id, Kind a value of trace.EnumCollectiveOp.
	Location, Kind uint64
	// Duration is from its begin to its end in ticks, and Wait from its begin to the last begin of all, or to its end if that is earlier;
	// Begun says whether they are known.
	Duration, Wait int64
	Begun          bool
}

// Operations yields the collective operations of a window, in the order in which they were completed: the parts that end in it. An operation is
// valid until the next one.
func Operations(x *table.Catalog, w *store.Window) iter.Seq2[*Operation, error] {
	return func(yield func(*Operation, error) bool) {
		var room Operation
		flow, err := newGathering(func(c *collective, done []*collective) []*collective { return append(done, c) })(x, w)
		if err != nil {
			yield(nil, err)
			return
		}
		give := func(done []*collective) bool {
			for _, c := range done {
				if !yield(room.of(c), nil) {
					return false
				}
			}
			return true
		}
		var done []*collective
		for events, err := range store.Parts(w.WithKinds(collectiveKinds...), store.PartEvents, func(p *store.Part) ([]collectiveEvent, error) { return collectiveEvents(x, p) }) {
			if err == nil {
				done, err = flow.Take(events, done[:0])
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !give(done) {
				return
			}
		}
		give(flow.End(done[:0]))
	}
}

// of fills the operation with another one.
func (o *Operation) of(c *collective) *Operation {
	first, begun := c.firstBegin()
	*o = Operation{Communicator: c.communicator, Duration: c.lastEnd() - first, HasDuration: begun, Parts: o.Parts[:0]}
	for i := range c.parts {
		p := &c.parts[i]
		part := OperationPart{Location: p.at.ID, Kind: p.operation, Duration: p.end - p.begin, Begun: p.begun}
		part.Wait, _ = c.wait(p)
		o.Parts = append(o.Parts, part)
	}
	return o
}
