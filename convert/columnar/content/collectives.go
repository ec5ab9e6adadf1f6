package content

import (
	"slices"

	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/trace"
)

// collective is one collective operation, with its parts that end in the window.
type collective struct {
	series
	number    int64 // among the operations of the series, from 0
	parts     []collectivePart
	size      uint64 // of the communicator; 0 if it is not known
	lastBegin int64  // of the parts that have one
	begun     bool   // one of them has
}

// collectivePart is the part of one location in an operation.
type collectivePart struct {
	at                   *table.Place
	begin, end           int64
	beginEvent, endEvent uint64 // ordinals
	begun                bool   // the begin is known
	rank                 uint64 // in the communicator
	member               bool   // the location has such a rank
	operation, root      uint64
	sent, received       uint64
}

// add adds a part.
func (c *collective) add(p *collectivePart) {
	c.parts = append(c.parts, *p)
	if p.begun && (!c.begun || p.begin > c.lastBegin) {
		c.lastBegin, c.begun = p.begin, true
	}
}

// divide returns the operation, or, if ranks did different ones in the same place, each of them by itself. That of the first part comes first.
func (c *collective) divide() (list []*collective) {
	if !slices.ContainsFunc(c.parts, func(p collectivePart) bool { return p.operation != c.parts[0].operation }) {
		return []*collective{c}
	}
	for i := range c.parts {
		p := &c.parts[i]
		at := slices.IndexFunc(list, func(o *collective) bool { return o.parts[0].operation == p.operation })
		if at < 0 {
			at = len(list)
			list = append(list, &collective{series: c.series, number: c.number, size: c.size})
		}
		list[at].add(p)
	}
	return list
}

// complete reports whether all ranks of the communicator have taken part.
func (c *collective) complete() bool { return c.size > 0 && uint64(len(c.parts)) >= c.size }

// wait returns how long a part waited for the rank that came last, at most its own duration. ok is false if a begin is unknown.
func (c *collective) wait(p *collectivePart) (ticks int64, ok bool) {
	return max(min(c.lastBegin, p.end)-p.begin, 0), p.begun && c.begun
}

// extremes returns the least and the largest value of the parts that have one.
func (c *collective) extremes(of func(*collectivePart) (int64, bool)) (first, last int64, ok bool) {
	for i := range c.parts {
		v, has := of(&c.parts[i])
		if !has {
			continue
		}
		if !ok {
			first, last, ok = v, v, true
		}
		first, last = min(first, v), max(last, v)
	}
	return first, last, ok
}

func partBegin(p *collectivePart) (int64, bool) { return p.begin, p.begun }

func partEnd(p *collectivePart) (int64, bool) { return p.end, true }

func (c *collective) firstBegin() (int64, bool) {
	t, _, ok := c.extremes(partBegin)
	return t, ok
}

func (c *collective) firstEnd() int64 {
	t, _, _ := c.extremes(partEnd)
	return t
}

func (c *collective) lastEnd() int64 {
	_, t, _ := c.extremes(partEnd)
	return t
}

// sum adds up what the parts have.
func (c *collective) sum(of func(*collectivePart) uint64) (n uint64) {
	for i := range c.parts {
		n += of(&c.parts[i])
	}
	return n
}

// latest returns the rank that came last.
func (c *collective) latest() (rank int64, ok bool) {
	for i := range c.parts {
		if p := &c.parts[i]; p.begun && p.member && p.begin == c.lastBegin {
			return int64(p.rank), true
		}
	}
	return 0, false
}

var collectiveKinds = []trace.Kind{
	trace.KindMpiCollectiveBegin, trace.KindMpiCollectiveEnd, trace.KindNonBlockingCollectiveRequest, trace.KindNonBlockingCollectiveComplete,
}

var _ = table.Declare(30, func() *table.Table {
	return ofCollectives(table.Schema{
		Name:      "collectives",
		Doc:       "One row for each collective operation of MPI, in the order in which they were completed: the parts of all ranks put together, from MpiCollectiveBegin to MpiCollectiveEnd, or of operations that do not block from NonBlockingCollectiveRequest to NonBlockingCollectiveComplete. The n-th part of each rank on a communicator belongs to the n-th operation; those that do not block count by themselves, in the order in which a rank began them. In a window, parts that end in it. Collective operations of one-sided communication (RmaCollectiveEnd) are in the table of events. Barriers and parallel regions of OpenMP are calls of regions, and those of other formats that log only names are so, too.",
		Partition: table.Partitioning{Times: []string{"last_end_ns"}},
	}, slices.Concat(
		operationColumns(func(c *collective) (*collective, *collectivePart) { return c, &c.parts[0] }),
		[]table.ColumnOf[collective]{
			table.Number("ranks", "", "number of ranks whose part is in the table", func(_ *table.Catalog, c *collective) int64 { return int64(len(c.parts)) }).As(table.Repeats),
			table.NumberOrNull("size", "", "number of ranks of the communicator; null if it is not known",
				func(_ *table.Catalog, c *collective) (int64, bool) { return int64(c.size), c.size > 0 }).As(table.Repeats),
			table.Truth("complete", "all ranks' parts are there", func(_ *table.Catalog, c *collective) bool { return c.complete() }),
		},
		table.InstantOrNull("first_begin_", "when the first rank began, since the trace's first event", func(c *collective) (int64, bool) { return c.firstBegin() }),
		table.InstantOrNull("last_begin_", "when the last rank began", func(c *collective) (int64, bool) { return c.lastBegin, c.begun }),
		table.Instant("first_end_", "when the first rank ended", func(c *collective) int64 { return c.firstEnd() }),
		table.Instant("last_end_", "when the last rank ended", func(c *collective) int64 { return c.lastEnd() }),
		table.DurationOrNull("duration_", "last end less first begin", func(c *collective) (int64, bool) { t, ok := c.firstBegin(); return c.lastEnd() - t, ok }),
		table.DurationOrNull("spread_", "last begin less first begin: how far apart the ranks came", func(c *collective) (int64, bool) {
			t, ok := c.firstBegin()
			return c.lastBegin - t, ok
		}),
		table.DurationOrNull("wait_", "sum over the ranks of the time from their begin to the last begin, or to their end if that is earlier", func(c *collective) (ticks int64, ok bool) {
			for i := range c.parts {
				t, has := c.wait(&c.parts[i])
				ticks, ok = ticks+t, ok || has
			}
			return ticks, ok
		}),
		[]table.ColumnOf[collective]{
			table.NumberOrNull("last_rank", "", "the rank in the communicator that began last", func(_ *table.Catalog, c *collective) (int64, bool) { return c.latest() }),
			table.Number("sent_bytes", "bytes", "sum of what the ranks say to have sent", func(_ *table.Catalog, c *collective) int64 {
				return int64(c.sum(func(p *collectivePart) uint64 { return p.sent }))
			}).As(table.Repeats),
			table.Number("received_bytes", "bytes", "sum of what the ranks say to have received", func(_ *table.Catalog, c *collective) int64 {
				return int64(c.sum(func(p *collectivePart) uint64 { return p.received }))
			}).As(table.Repeats),
		},
	), func(c *collective, rows []collective) []collective { return append(rows, *c) })
})

// rankRow is the part of one rank in an operation.
type rankRow struct {
	of   *collective
	part *collectivePart
}

var _ = table.Declare(40, func() *table.Table {
	return ofCollectives(table.Schema{
		Name:      "collective_ranks",
		Doc:       "One row for each rank's part in each operation of the table of collectives, operation by operation.",
		Partition: table.Partitioning{Times: []string{"end_ns"}},
	}, slices.Concat(
		operationColumns(func(r *rankRow) (*collective, *collectivePart) { return r.of, r.part }),
		[]table.ColumnOf[rankRow]{
			table.NumberOrNull("communicator_rank", "", "rank in the communicator", func(_ *table.Catalog, r *rankRow) (int64, bool) { return int64(r.part.rank), r.part.member }).As(table.Repeats),
		},
		table.PlaceColumns("", " that took part", func(r *rankRow) *table.Place { return r.part.at }),
		[]table.ColumnOf[rankRow]{
			table.NumberOrNull("begin_event", "", "number of the begin, as `event` in the table of events", func(_ *table.Catalog, r *rankRow) (int64, bool) {
				return r.part.at.Event(r.part.beginEvent), r.part.begun
			}),
			table.Number("end_event", "", "number of the end", func(_ *table.Catalog, r *rankRow) int64 { return r.part.at.Event(r.part.endEvent) }),
		},
		table.InstantOrNull("begin_", "when the rank began, since the trace's first event; null if no begin was recorded", func(r *rankRow) (int64, bool) { return partBegin(r.part) }),
		table.Instant("end_", "when it ended", func(r *rankRow) int64 { return r.part.end }),
		table.DurationOrNull("duration_", "end less begin", func(r *rankRow) (int64, bool) { return r.part.end - r.part.begin, r.part.begun }),
		table.DurationOrNull("wait_", "from its begin to that of the last rank, or to its end if that is earlier", func(r *rankRow) (int64, bool) { return r.of.wait(r.part) }),
		[]table.ColumnOf[rankRow]{
			table.Number("sent_bytes", "bytes", "bytes sent, as the rank says", func(_ *table.Catalog, r *rankRow) int64 { return int64(r.part.sent) }).As(table.Repeats),
			table.Number("received_bytes", "bytes", "bytes received", func(_ *table.Catalog, r *rankRow) int64 { return int64(r.part.received) }).As(table.Repeats),
		},
	), func(c *collective, rows []rankRow) []rankRow {
		for i := range c.parts {
			rows = append(rows, rankRow{c, &c.parts[i]})
		}
		return rows
	})
})

// operations are the names of collective operations.
var operations = table.NewLookup(func(*table.Catalog) *table.IDNames { return table.EnumNames(trace.EnumCollectiveOp) })

// operationColumns identify the operation of a row.
func operationColumns[R any](of func(*R) (*collective, *collectivePart)) []table.ColumnOf[R] {
	return []table.ColumnOf[R]{
		table.Number("communicator", "", "id of the communicator", func(_ *table.Catalog, r *R) int64 { c, _ := of(r); return int64(c.communicator) }).As(table.Repeats),
		table.Named("communicator_name", "its name", func(x *table.Catalog) *table.Names { return &x.Comms.Names },
			func(x *table.Catalog, r *R) int32 { c, _ := of(r); return x.Comms.Of(c.communicator) }),
		table.Number("number", "", "number of the operation among those of the communicator that block, or among those that do not, from 0: the same in every window",
			func(_ *table.Catalog, r *R) int64 { c, _ := of(r); return c.number }).As(table.Grows),
		table.Truth("blocking", "the operation blocks: ranks wait from begin to end; if not, they need not", func(_ *table.Catalog, r *R) bool { c, _ := of(r); return c.blocks }),
		table.Named("operation", "`BARRIER`, `ALLREDUCE`, ...", func(x *table.Catalog) *table.Names { return &operations.Of(x).Names },
			func(x *table.Catalog, r *R) int32 { _, p := of(r); return operations.Of(x).Of(p.operation) }),
		table.NumberOrNull("root", "", "rank of the root in the communicator; null if the operation has none",
			func(_ *table.Catalog, r *R) (int64, bool) { _, p := of(r); return table.Reference(p.root) }).As(table.Repeats),
	}
}

// ofCollectives is a table whose rows are made of complete operations.
func ofCollectives[R any](t table.Schema, columns []table.ColumnOf[R], rows func(*collective, []R) []R) *table.Table {
	s := table.FromFlow(t, columns, collectiveKinds, collectiveEvents, newGathering(rows))
	s.Occurs = table.Occur(collectiveKinds...)
	return s
}
