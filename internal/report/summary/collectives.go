package summary

import (
	"slices"

	"github.com/pandotrace/pando/convert/columnar/content"
	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/trace"
)

// collectiveKey is a kind of operation on a communicator.
type collectiveKey struct{ operation, communicator uint64 }

// collectiveSum is what collective operations of a kind on a communicator add up to.
type collectiveSum struct {
	collectiveKey
	count          uint64
	sent, received trace.Sum
	// Times are those of operations, each as a whole; members those of each location in it.
	times, members report.Spread
	wait           trace.Sum
}

func (c *collectiveSum) add(t *trace.CollectiveTotals) {
	c.count, c.sent, c.received = c.count+t.Count, c.sent.Plus(t.Sent), c.received.Plus(t.Received)
}

// collectiveRows adds up collective operations by their kind and communicator.
func collectiveRows(s *summed) (rows, error) {
	type row = collectiveSum
	by := newSums(0, func(k collectiveKey) row { return row{collectiveKey: k} })
	all := &row{}
	for i := range s.Collectives {
		c := &s.Collectives[i]
		by.of(collectiveKey{c.Operation, c.Communicator}).add(c)
		all.add(c)
	}
	if s.timed && !s.none {
		if err := s.addOperations(by, all); err != nil {
			return nil, err
		}
	}
	operation := func(r *row) string { return trace.EnumCollectiveOp.Format(r.operation) }
	columns := []column[*row]{
		count("count", "count", "number of operations that end in the window, each counted on every location", func(r *row) uint64 { return r.count }),
		byteSum("sent", "sent_bytes", "bytes that the locations say to have sent", func(r *row) trace.Sum { return r.sent }),
		byteSum("received", "received_bytes", "bytes that they say to have received", func(r *row) trace.Sum { return r.received }),
	}
	if s.timed {
		columns = slices.Concat(columns, with("times", count("operations", "operations", "number of operations, each counted once, with all its locations", func(r *row) uint64 { return r.times.Count })),
			with("times", spreadColumns(s.clock, "duration", "from the first begin of a location to the last end", true, func(r *row) *report.Spread { return &r.times })...),
			with("times", spreadColumns(s.clock, "member", "from begin to end of each location", false, func(r *row) *report.Spread { return &r.members })...),
			with("times", tickSum("waiting", "wait", "time that locations waited for the last one to begin, added up", s.clock, func(r *row) trace.Sum { return r.wait })...))
	}
	return &rowsOf[*row]{order: "count", rows: pointers(by.list), total: all, columns: append(columns,
		column[*row]{Column: Column{Name: "operation", Type: "string", Doc: "BARRIER, ALLREDUCE, ...; a number if it has no name"}, head: "operation", key: true, fixed: true,
			value: func(r *row) value { return textValue(operation(r)) }, text: func(r *row) string { return report.Cell(operation(r)) }},
		id("communicator", "id of the communicator", func(r *row) uint64 { return r.communicator }),
		named("communicator", "communicator_name", "its name", func(r *row) *string { return s.names.Optional(trace.SpaceComm, r.communicator) },
			func(r *row) string { return s.names.Plain(trace.SpaceComm, r.communicator) }),
	)}, nil
}

// addOperations adds the times of operations, of which each is put together from its members.
func (s *summed) addOperations(by *sums[collectiveKey, collectiveSum], all *collectiveSum) error {
	x, err := table.NewCatalog(s.trace.Reader)
	if err != nil {
		return err
	}
	for o, err := range content.Operations(x, s.window) {
		if err != nil {
			return err
		}
		sum := by.of(collectiveKey{o.Parts[0].Kind, o.Communicator})
		sum.addOperation(o)
		all.addOperation(o)
	}
	return nil
}

// addOperation adds the times of an operation.
func (c *collectiveSum) addOperation(o *content.Operation) {
	if o.HasDuration {
		c.times.Add(o.Duration)
	}
	for i := range o.Parts {
		if p := &o.Parts[i]; p.Begun {
			c.members.Add(p.Duration)
			c.wait = c.wait.Plus(trace.SumOf(p.Wait))
		}
	}
}
