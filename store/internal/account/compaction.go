package account

import (
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/trace"
)

// Graph counts the parts of a graph of calls.
type Graph struct {
	// Nodes are calls, or shapes that stand for calls, and the roots under which the calls of the locations hang.
	Nodes uint64
	// Edges lead from a call or root to a call in it.
	Edges uint64
	// Messages are ends of messages: edges from a call or root to a send or receive in it.
	Messages uint64
}

// Sum returns the number of all parts.
func (g Graph) Sum() uint64 { return g.Nodes + g.Edges + g.Messages }

// Compaction compares the call trees of a trace with the graph that the file holds in their place. docs/compaction.md
// says which rules it counts by, and why.
type Compaction struct {
	// Before is the call trees of all locations: a node for each call and each location with events, an edge for each
	// call, and an end of a message for each send and receive, matched or not.
	Before Graph
	// Roots are the locations with events; they are nodes before and after.
	Roots uint64
	// Dictionaries is the graph of shapes, of all epochs and lanes. A shape is a node if it holds a call or an end of a
	// message, and a counted edge belongs to what the child holds: to Edges if that is a call, else to Messages.
	Dictionaries Graph
	// Tokens are counted edges, too, from a location in one slice to a shape.
	Tokens Graph
	// SpanningMessages are written out, both ends, besides what the slices hold of them.
	SpanningMessages uint64
	// SpanningCalls are written out as well; they are an index, and the same calls are tokens of slices.
	SpanningCalls uint64
	// TreeBytes is what the call trees take in memory, uncompressed: see CallBytes.
	TreeBytes uint64
	// GraphBytes is what stands in their place: the blocks of dictionaries, models and slices.
	GraphBytes uint64
}

// The sizes of an uncompressed call graph in memory.
const (
	// CallBytes is the size of a call or root: pointer to it 8, region 4, number of children 4, begin 8, duration 8.
	CallBytes = 32
	// EventBytes is the size of any other event without its fields: pointer to it 8, time 8.
	EventBytes = 16
	// FieldBytes is the size of a field.
	FieldBytes = 8
)

// After returns the graph that the file holds. A spanning message counts as two more ends.
func (c *Compaction) After() Graph {
	d, t := &c.Dictionaries, &c.Tokens
	return Graph{
		Nodes:    c.Roots + d.Nodes,
		Edges:    d.Edges + t.Edges,
		Messages: d.Messages + t.Messages + 2*c.SpanningMessages,
	}
}

// MeasureCompaction reads the whole file, block by block, and counts. progress counts
// bytes read.
func MeasureCompaction(r *read.File, progress trace.Progress) (*Compaction, error) {
	r = r.Along()
	c := counter{r: r, lanes: map[uint32]*laneShapes{}}
	if err := c.before(); err != nil {
		return nil, err
	}
	if err := r.Walk(progress, c.block); err != nil {
		return nil, err
	}
	return &c.Compaction, nil
}

// counter counts what a file holds.
type counter struct {
	Compaction
	r     *read.File
	lanes map[uint32]*laneShapes
}

// laneShapes says what the shapes of a lane hold, in the epoch of the latest slice.
type laneShapes struct {
	epoch uint32
	holds []holding
}

// holding says what a shape holds.
type holding uint8

const (
	holdsCall holding = 1 << iota
	holdsEnd
)

// before counts what the totals say.
func (c *counter) before() error {
	locations, err := c.r.Locations()
	if err != nil {
		return err
	}
	for i := range locations {
		if locations[i].Events > 0 {
			c.Roots++
		}
	}
	b := &c.Before
	b.Nodes, b.Edges = c.r.Info().Calls+c.Roots, c.r.Info().Calls
	c.TreeBytes = CallBytes * b.Nodes
	for _, k := range c.r.Info().Kinds {
		switch k.Kind {
		case trace.KindEnter, trace.KindLeave, trace.KindCallingContextEnter, trace.KindCallingContextLeave:
			continue
		case trace.KindMpiSend, trace.KindMpiIsend, trace.KindMpiRecv, trace.KindMpiIrecv:
			b.Messages += k.Count
		}
		if spec := c.r.Meta().Kinds.Spec(k.Kind); spec != nil && k.Kind.IsEvent() {
			c.TreeBytes += k.Count * (EventBytes + FieldBytes*uint64(len(spec.Fields)))
		}
	}
	return nil
}

func (c *counter) block(f *format.Frame, ref format.Ref) error {
	switch f.Kind {
	case format.BlockDictionary, format.BlockModel:
		c.GraphBytes += uint64(ref.Length)
	case format.BlockSlice:
		c.GraphBytes += uint64(ref.Length)
		return c.slice(ref)
	case format.BlockCalls:
		b, err := c.r.OpenCalls(ref)
		if err == nil {
			c.SpanningCalls += uint64(b.Items)
		}
		return err
	case format.BlockMessages:
		b, err := c.r.OpenMessages(ref)
		if err == nil {
			c.SpanningMessages += uint64(b.Items)
		}
		return err
	}
	return nil
}

func (c *counter) slice(ref format.Ref) error {
	e, err := c.r.DecodeAt(ref)
	if err != nil {
		return err
	}
	l := c.lanes[e.Lane]
	if l == nil || l.epoch != e.Epoch {
		l = &laneShapes{epoch: e.Epoch, holds: c.dictionary(e.Dictionary)}
		c.lanes[e.Lane] = l
	}
	for i := range e.Runs {
		c.Tokens.count(e.Runs[i].Tokens, l.holds)
	}
	return nil
}

// dictionary counts the shapes of a dictionary, and returns what each holds. Children stand before their parents.
func (c *counter) dictionary(d *shape.Dictionary) []holding {
	holds := make([]holding, d.Len())
	for i := range holds {
		if leaf := d.Leaf(uint32(i)); leaf != nil {
			holds[i] = holdingOf(leaf.Class)
		}
		edges := d.EdgesOf(uint32(i))
		for _, e := range edges {
			holds[i] |= holds[e.Shape]
		}
		c.Dictionaries.count(edges, holds)
		if holds[i] != 0 {
			c.Dictionaries.Nodes++
		}
	}
	return holds
}

func holdingOf(c shape.Class) holding {
	switch c {
	case shape.Enter, shape.ContextEnter:
		return holdsCall
	case shape.Send, shape.Receive:
		return holdsEnd
	}
	return 0
}

// count adds counted edges.
func (g *Graph) count(edges []shape.Edge, holds []holding) {
	for _, e := range edges {
		switch h := holds[e.Shape]; {
		case h&holdsCall != 0:
			g.Edges++
		case h != 0:
			g.Messages++
		}
	}
}
