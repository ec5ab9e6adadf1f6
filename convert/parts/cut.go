package parts

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
// and their requests if they do not block, each behind a mark. Definitions and auxiliary records are kept as they are, so are the ids; locations
// that are not selected have no events. The file must stay open until the source is closed, which does not close it.
func Cut(r *store.Reader, s Selection) (trace.Source, error) {
	w := r.Window(s.From, s.To)
	if s.Locations != nil {
		w = w.WithLocations(s.Locations...)
	}
	c := &cut{Source: w.Source(), reader: r, window: w, selection: s}
	if s.Regions != nil {
		c.regions = map[uint64]bool{}
		for _, id := range s.Regions {
			c.regions[id] = true
		}
	}
	var err error
	if c.definitions, err = r.Definitions(); err == nil {
		c.edges, err = c.findEdges()
	}
	return c, err
}

// cut is a part of a file.
type cut struct {
	trace.Source
	reader      *store.Reader
	window      *store.Window
	selection   Selection
	regions     map[uint64]bool // nil for all
	definitions *trace.Definitions
	edges       map[uint64]*edge // by location
}

// Streams implements trace.Source. Nobody has counted the events.
func (c *cut) Streams() []trace.StreamInfo {
	streams := c.Source.Streams()
	for i := range streams {
		if streams[i].Class == trace.StreamEvents {
			streams[i].Records = 0
		}
	}
	return streams
}

// Open implements trace.Source.
func (c *cut) Open(id trace.StreamID) (trace.Stream, error) {
	body, err := c.Source.Open(id)
	if err != nil || id.Class != trace.StreamEvents {
		return body, err
	}
	if c.regions != nil || c.selection.DropMetrics {
		f := &filter{Stream: body, cut: c}
		if e := c.edges[id.Location]; e != nil {
			f.stack = slices.Clone(e.open)
		}
		body = f
	}
	e := c.edges[id.Location]
	if e == nil {
		return body, nil
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
