package edit

import (
	"errors"
	"io"
	"slices"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Selection says what to keep of a trace.
type Selection struct {
	// From and To are the bounds [From, To) of the events' times, in ticks relative to the epoch.
	From, To int64
	// Locations are the ids of those whose events are kept, nil for all.
	Locations []uint64
	// Regions are the ids of those whose calls are kept, nil for all. Events other than enters and leaves stay.
	Regions []uint64
	// DropMetrics leaves out the values of counters.
	DropMetrics bool
}

// Cut returns the selected part of a file as a source. What is open where it is cut is put in: enters and leaves of calls, ends of messages,
// and their requests if they do not block, each behind a mark. All else is as [Select] has it. The file must stay open until the source is
// closed, which does not close it.
func Cut(r *store.Reader, s Selection) (trace.Source, error) {
	w := r.Window(s.From, s.To)
	if s.Locations != nil {
		w = w.WithLocations(s.Locations...)
	}
	part, err := newSelected(w.Source(), s)
	if err != nil {
		return nil, err
	}
	c := &cut{selected: part, reader: r}
	c.edges, err = c.findEdges()
	return c, err
}

// cut is a part of a file.
type cut struct {
	*selected
	reader *store.Reader
	edges  map[uint64]*edge // by location
}

// Streams implements trace.Source. Nobody has counted the events.
func (c *cut) Streams() []trace.StreamInfo {
	streams := c.selected.Streams()
	for i := range streams {
		if streams[i].Class == trace.StreamEvents {
			streams[i].Records = 0
		}
	}
	return streams
}

// Open implements trace.Source.
func (c *cut) Open(id trace.StreamID) (trace.Stream, error) {
	body, err := c.selected.Open(id)
	e := c.edges[id.Location]
	if err != nil || id.Class != trace.StreamEvents || e == nil {
		return body, err
	}
	if f, ok := body.(*filter); ok {
		f.stack = slices.Clone(e.open)
	}
	table := c.Meta().Table()
	return &chain{parts: []trace.Stream{&fixed{batch: &e.before, table: table}, body, &fixed{batch: &e.after, table: table}}}, nil
}

// fixed gives the records of a batch as a stream.
type fixed struct {
	batch *trace.Batch
	table *trace.Table
	at    int
}

// Next implements trace.Stream.
func (f *fixed) Next(b *trace.Batch, limit int) error {
	b.Reset(f.batch.Location)
	n := min(limit, f.batch.Len()-f.at)
	if n <= 0 {
		return io.EOF
	}
	b.AppendRange(f.batch, f.at, f.at+n, f.table)
	f.at += n
	return nil
}

// Close implements trace.Stream.
func (f *fixed) Close() error { return nil }

// chain gives the records of several streams, one after the other.
type chain struct{ parts []trace.Stream }

// Next implements trace.Stream.
func (c *chain) Next(b *trace.Batch, limit int) error {
	for {
		err := c.parts[0].Next(b, limit)
		if !errors.Is(err, io.EOF) || len(c.parts) == 1 {
			return err
		}
		if err := c.parts[0].Close(); err != nil {
			return err
		}
		c.parts = c.parts[1:]
	}
}

// Close implements trace.Stream.
func (c *chain) Close() (err error) {
	for _, p := range c.parts {
		err = errors.Join(err, p.Close())
	}
	return err
}
