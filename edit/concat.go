package edit

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/pandotrace/pando/internal/instep"
	"github.com/pandotrace/pando/trace"
	"github.com/pandotrace/pando/trace/annotation"
	"github.com/pandotrace/pando/trace/topology"
)

// Concat joins successive windows of a trace. Their clocks must be the same, and definitions must not contradict each other: the result
// has those of all windows. On each location the events of a window must not come before those of an earlier one; reading them
// fails if they do. What was put in where the trace was cut, see [Cut], is taken out: windows that were cut out of a trace without a gap
// make up the very same trace.
//
// An auxiliary stream is that of the first window that has it, where all that have it are equal, else their records follow each other.
// The sources must stay open until the result is closed, which does not close them.
func Concat(windows ...trace.Source) (trace.Source, error) {
	if len(windows) == 0 {
		return nil, errors.New("no traces to be joined")
	}
	c := &concat{windows: windows, meta: *windows[0].Meta()}
	for i, w := range windows[1:] {
		if err := c.sameClock(w.Meta()); err != nil {
			return nil, fmt.Errorf("trace %d: %w", i+2, err)
		}
		c.meta.History = append(slices.Clip(c.meta.History), w.Meta().History...)
		c.meta.Loss = unitedLoss(c.meta.Loss, w.Meta().Loss)
		c.meta.Annotations = annotation.Join(c.meta.Annotations, w.Meta().Annotations)
	}
	c.infer()
	if err := c.define(); err != nil {
		return nil, err
	}
	if err := c.list(); err != nil {
		return nil, err
	}
	return c, c.inOrder()
}

// infer tells which topologies are inferred.
func (c *concat) infer() {
	ids := map[uint64]bool{}
	for _, w := range c.windows {
		maps.Copy(ids, topology.Inferred(w.Meta().Properties))
	}
	if len(ids) == len(topology.Inferred(c.meta.Properties)) {
		return
	}
	old := func(p trace.Property) bool { return p.Name == topology.InferredName }
	c.meta.Properties = append(slices.DeleteFunc(slices.Clone(c.meta.Properties), old), topology.InferredProperty(ids))
}

type concat struct {
	windows     []trace.Source
	meta        trace.Meta
	definitions []trace.Record
	streams     []trace.StreamInfo
	has         []map[trace.StreamID]bool // by window
}

func (c *concat) sameClock(m *trace.Meta) error {
	switch {
	case m.Resolution != c.meta.Resolution:
		return fmt.Errorf("its clock has %d ticks per second, that of the first one %d", m.Resolution, c.meta.Resolution)
	case m.Epoch != c.meta.Epoch:
		return fmt.Errorf("its times count from tick %d, those of the first one from %d", m.Epoch, c.meta.Epoch)
	case m.Format != c.meta.Format:
		return fmt.Errorf("it came from the format %q, the first one from %q", m.Format, c.meta.Format)
	}
	return nil
}

// define unites the definitions: those of the first window, then what others have besides.
func (c *concat) define() error {
	known, ids := map[string]int{}, map[selfID]int{}
	for i, w := range c.windows {
		defs, err := w.Definitions(0)
		if err != nil {
			return err
		}
		seen := map[string]int{}
		for j := range defs {
			d := &defs[j]
			key := recordKey(d)
			if seen[key]++; seen[key] <= known[key] {
				continue
			}
			known[key] = seen[key]
			if self, ok := selfOf(c.meta.Table(), d); ok {
				if first, defined := ids[self]; defined && first != i {
					return fmt.Errorf("trace %d: it defines %s %d otherwise than trace %d", i+1, d.Kind, self.id, first+1)
				}
				ids[self] = i
			}
			c.definitions = append(c.definitions, *d)
		}
	}
	return nil
}

// locationEvents is the word of a location that says how many events it has, which each window counts for itself.
const locationEvents = 3

// recordKey is the same for definitions that are taken for equal.
func recordKey(d *trace.Record) string {
	b := binary.AppendUvarint(nil, uint64(d.Kind))
	for i, w := range d.Words {
		if d.Kind != trace.KindLocation || i != locationEvents {
			b = binary.AppendUvarint(b, w)
		}
	}
	return string(append(b, d.Text...))
}

// selfID is what a definition defines.
type selfID struct {
	space trace.Space
	id    uint64
}

func selfOf(table *trace.Table, d *trace.Record) (selfID, bool) {
	spec := table.Spec(d.Kind)
	if spec == nil {
		return selfID{}, false
	}
	i := slices.IndexFunc(spec.Fields, func(f trace.Field) bool { return f.Type == trace.TypeSelf })
	if before, _, _ := spec.Shape(); i < 0 || i >= before || i >= len(d.Words) {
		return selfID{}, false
	}
	return selfID{spec.Fields[i].Ref, d.Words[i]}, true
}

// list lists the streams of all windows.
func (c *concat) list() error {
	for _, w := range c.windows {
		has := map[trace.StreamID]bool{}
		for _, s := range w.Streams() {
			known := slices.ContainsFunc(c.has, func(m map[trace.StreamID]bool) bool { return m[s.StreamID] })
			if has[s.StreamID] = true; !known {
				s.Records = 0
				c.streams = append(c.streams, s)
			}
		}
		c.has = append(c.has, has)
	}
	return nil
}

// inOrder returns an error if the first location with events in several windows has them in another order than that of the windows, before all is read. [behind] finds what else is out of order.
func (c *concat) inOrder() error {
	for _, info := range c.streams {
		if info.Class != trace.StreamEvents {
			continue
		}
		if with, err := c.begins(info.StreamID); err != nil || with > 1 {
			return err
		}
	}
	return nil
}

// begins returns how many windows have events of a location, and an error if one begins before an earlier window does.
func (c *concat) begins(id trace.StreamID) (with int, err error) {
	latest := int64(math.MinInt64)
	for i, w := range c.windows {
		if !c.has[i][id] {
			continue
		}
		first, ok, err := instep.FirstOf(w, id)
		switch {
		case err != nil:
			return with, fmt.Errorf("trace %d: %w", i+1, err)
		case !ok:
		case first < latest:
			return with, outOfOrder(i, id.Location, first, latest)
		default:
			latest, with = first, with+1
		}
	}
	return with, nil
}

func outOfOrder(window int, location uint64, at, earlier int64) error {
	return fmt.Errorf("trace %d: an event of location %d is at tick %d, and one of an earlier trace at %d: traces are named in the order of their times, and do not overlap",
		window+1, location, at, earlier)
}

// Meta implements trace.Source.
func (c *concat) Meta() *trace.Meta { return &c.meta }

// Definitions implements trace.Source.
func (c *concat) Definitions(from int) ([]trace.Record, error) {
	return c.definitions[min(from, len(c.definitions)):], nil
}

// Streams implements trace.Source.
func (c *concat) Streams() []trace.StreamInfo { return slices.Clone(c.streams) }

// Warnings implements trace.Source.
func (c *concat) Warnings() (all []trace.Warning) {
	for _, w := range c.windows {
		all = append(all, w.Warnings()...)
	}
	return all
}

// Close implements trace.Source.
func (c *concat) Close() error { return nil }

// Open implements trace.Source.
func (c *concat) Open(id trace.StreamID) (trace.Stream, error) {
	var with []int // windows that have the stream
	for i := range c.windows {
		if c.has[i][id] {
			with = append(with, i)
		}
	}
	if id.Class != trace.StreamEvents && len(with) > 1 {
		if same, err := c.equal(id, with); err != nil {
			return nil, err
		} else if same {
			with = with[:1]
		}
	}
	joined, latest := &chain{}, int64(math.MinInt64)
	for _, i := range with {
		s, err := c.windows[i].Open(id)
		if err != nil {
			return nil, errors.Join(err, joined.Close())
		}
		if id.Class == trace.StreamEvents {
			s = &uncut{Stream: s, table: c.meta.Table(), first: i == 0, last: i == len(c.windows)-1}
			s = &behind{Stream: s, window: i, latest: &latest}
		}
		joined.parts = append(joined.parts, s)
	}
	return joined, nil
}

// behind is the events of a location in a window. They must not come before those of earlier windows.
type behind struct {
	trace.Stream
	window int
	latest *int64 // the time of the last event so far
}

// Next implements trace.Stream.
func (s *behind) Next(b *trace.Batch, limit int) error {
	err := s.Stream.Next(b, limit)
	if n := b.Len(); err == nil && n > 0 {
		if b.Times[0] < *s.latest {
			return outOfOrder(s.window, b.Location, b.Times[0], *s.latest)
		}
		*s.latest = b.Times[n-1]
	}
	return err
}

// equal reports whether a stream is the same in all windows that have it.
func (c *concat) equal(id trace.StreamID, with []int) (bool, error) {
	var sums [][]byte
	for _, i := range with {
		s, err := c.windows[i].Open(id)
		if err != nil {
			return false, err
		}
		sum, err := sumOf(c.windows[i].Meta(), s)
		if err = errors.Join(err, s.Close()); err != nil {
			return false, err
		}
		sums = append(sums, sum[:])
	}
	return len(slices.CompactFunc(sums, bytes.Equal)) == 1, nil
}
