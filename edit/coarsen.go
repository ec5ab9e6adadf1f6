package edit

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// Bounds say how far a trace may be from the one that it is made of.
type Bounds struct {
	// Times is the largest deviation of a time, in ticks; 0 keeps all times.
	Times uint64
	// Counters are the largest deviations of counters, by the names of their metric members.
	Counters []CounterBound
	// Original is the fingerprint of the source if it is known.
	Original []byte
}

// CounterBound is the largest deviation of the values of a counter, in the unit of its values.
type CounterBound struct {
	Name  string
	Bound uint64
}

// Coarsen returns a trace whose times, and values of some counters, lie on grids: every time becomes the middle of its cell of a grid that is the same for
// all locations and begins at tick 0. From that alone follows, without looking at more than one event:
//
//   - no time is further from the original than the bound, and no duration or latency than twice that;
//   - what was not later than another event, on whatever location, is not later now: calls nest, receives come after their sends;
//   - structure, numbers, ids, tags, lengths and the order of the events of a location are those of the original;
//   - to coarsen what is coarse already gives what coarsening the original would have given. The cells must be a multiple for that, it is an
//     error if they are not.
//
// The source's own times, where they deviate from its clock, are dropped. Markers, definitions and statistics stay as they are. Closing the
// result closes src.
func Coarsen(src trace.Source, bounds Bounds) (trace.Source, error) {
	c := &coarse{Source: src, meta: *src.Meta()}
	if c.meta.Loss = nil; src.Meta().Loss != nil {
		l := *src.Meta().Loss
		l.Bounds = slices.Clone(l.Bounds)
		c.meta.Loss = &l
	} else {
		c.meta.Loss = &trace.Loss{Original: bounds.Original}
	}
	if bounds.Times > 0 {
		if err := c.boundTimes(bounds.Times); err != nil {
			return nil, err
		}
	}
	if err := c.boundCounters(bounds.Counters); err != nil {
		return nil, err
	}
	if len(c.meta.Loss.Bounds) == 0 {
		return nil, errors.New("no bounds, nothing to leave out")
	}
	if err := c.meta.Loss.Check(); err != nil {
		return nil, err
	}
	c.timed = timedKinds(c.meta.Table())
	if c.times == nil {
		return c, nil
	}
	var err error
	c.lost, err = newDeviations(src)
	return c, err
}

// coarse is a trace whose values lie on grids.
type coarse struct {
	trace.Source
	meta     trace.Meta
	times    *trace.Bound        // nil if times stay
	counters map[uint64][]uint64 // by metric: the cells of its members, 0 for those that keep their values
	timed    []bool              // by kind: whether it has fields that are times
	lost     *deviations         // nil if times stay
}

// boundTimes gives times a grid. If they have one already, the bound is for both together.
func (c *coarse) boundTimes(most uint64) error {
	b := trace.TimeBound(most)
	if old, ok := c.meta.Loss.Times(); ok {
		switch {
		case old.Cell == 0:
			b.Bound += old.Bound
		case b.Cell%old.Cell != 0:
			below := max(b.Cell/old.Cell, 1) * old.Cell
			return &NestError{Bound: most, Below: below / 2, Above: (b.Cell/old.Cell + 1) * old.Cell / 2, Resolution: c.meta.Resolution}
		}
		c.meta.Loss.Bounds = c.meta.Loss.Bounds[1:]
	}
	c.meta.Loss.Bounds = slices.Insert(c.meta.Loss.Bounds, 0, b)
	c.times = &b
	return nil
}

// NestError says that times are on a grid already whose cells are no parts of those that a bound would have. Bounds are in ticks.
type NestError struct {
	Bound        uint64
	Below, Above uint64 // the nearest bounds that would do
	Resolution   uint64 // ticks per second
}

// Error implements error.
func (e *NestError) Error() string {
	return fmt.Sprintf("times are coarse already, and a bound of %d ticks would cut their cells: %d or %d ticks would do", e.Bound, e.Below, e.Above)
}

// boundCounters gives members of metrics grids.
func (c *coarse) boundCounters(bounds []CounterBound) error {
	if len(bounds) == 0 {
		return nil
	}
	log, err := c.Source.Definitions(0)
	if err != nil {
		return err
	}
	defs := trace.NewDefinitions(log)
	c.counters = map[uint64][]uint64{}
	for _, b := range bounds {
		if b.Bound == 0 || b.Bound >= trace.MaxCell/2 {
			return fmt.Errorf("a bound of %d for the counter %q is not between 1 and 2^59", b.Bound, b.Name)
		}
		if err := c.boundCounter(defs, b); err != nil {
			return err
		}
	}
	slices.SortFunc(c.meta.Loss.Bounds, trace.Bound.Compare)
	return nil
}

// boundCounter gives all members of a name a grid, in all metrics that have them.
func (c *coarse) boundCounter(defs *trace.Definitions, of CounterBound) error {
	cell, found := 2*of.Bound+1, false
	for metric := range defs.Metrics {
		members := defs.MetricMembers(metric)
		for i, id := range members {
			if m, ok := defs.Members[id]; !ok || defs.Name(trace.SpaceString, m.Name) != of.Name {
				continue
			}
			found = true
			if err := c.replace(trace.Bound{Class: trace.LossMetric, Metric: metric, Member: uint64(i), Bound: of.Bound, Cell: cell}); err != nil {
				return fmt.Errorf("counter %q: %w", of.Name, err)
			}
			if c.counters[metric] == nil {
				c.counters[metric] = make([]uint64, len(members))
			}
			c.counters[metric][i] = cell
		}
	}
	if !found {
		return &NoCounterError{Name: of.Name, Known: counterNames(defs)}
	}
	return nil
}

// NoCounterError says that there is no counter of a name, and which there are.
type NoCounterError struct {
	Name  string
	Known []string
}

// Error implements error.
func (e *NoCounterError) Error() string { return fmt.Sprintf("the trace has no counter %q", e.Name) }

func counterNames(defs *trace.Definitions) (names []string) {
	for _, m := range defs.Members {
		names = append(names, defs.Name(trace.SpaceString, m.Name))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// replace sets the bound of a column.
func (c *coarse) replace(b trace.Bound) error {
	list := c.meta.Loss.Bounds
	for i := range list {
		if list[i].Compare(b) != 0 {
			continue
		}
		if old := list[i].Cell; old == 0 || b.Cell%old != 0 { // nearest multiples: only those of odd multiples nest, and cells are odd
			return fmt.Errorf("its values are coarse already, in cells of %d: a bound of %d does not fit them", old, b.Bound)
		}
		list[i] = b
		return nil
	}
	c.meta.Loss.Bounds = append(list, b)
	return nil
}

// timedKinds lists the kinds that have times among their fields.
func timedKinds(table *trace.Table) (timed []bool) {
	for _, s := range table.All() {
		if slices.ContainsFunc(s.Fields, func(f trace.Field) bool { return f.Type == trace.TypeTime }) {
			timed = append(timed, make([]bool, max(0, int(s.ID)+1-len(timed)))...)
			timed[s.ID] = true
		}
	}
	return timed
}

// Meta implements trace.Source.
func (c *coarse) Meta() *trace.Meta { return &c.meta }

// DefinitionsPart implements trace.PartialDefiner.
func (c *coarse) DefinitionsPart(from, max int) ([]trace.Record, error) {
	return trace.DefinitionsPart(c.Source, from, max)
}

// Open implements trace.Source.
func (c *coarse) Open(id trace.StreamID) (trace.Stream, error) {
	s, err := c.Source.Open(id)
	if err != nil || id.Class != trace.StreamEvents && id.Class != trace.StreamSnapshots {
		return s, err
	}
	t := &coarseStream{Stream: s, of: c}
	if c.lost != nil && id.Class == trace.StreamEvents {
		t.calls = c.lost.walk(id.Location)
	}
	return t, nil
}

// Deviations implements trace.Deviant.
func (c *coarse) Deviations() (list []trace.CallDeviation, known bool) {
	if c.Source.Meta().Loss.Deviates() {
		if list, known = trace.DeviationsOf(c.Source); !known {
			return nil, false
		}
	}
	if c.times == nil {
		return list, known
	}
	more, known := c.lost.sum(c.Source, *c.times)
	if !known {
		return nil, false
	}
	return addDeviations(list, more), true
}

// coarseStream is a stream of a coarse trace.
type coarseStream struct {
	trace.Stream
	of    *coarse
	calls *callWalk // nil if it has none, or times stay
	was   []int64   // times of a batch before they are rounded
}

// Next implements trace.Stream.
func (s *coarseStream) Next(b *trace.Batch, limit int) error {
	err := s.Stream.Next(b, limit)
	s.round(b)
	s.end(err)
	return err
}

// Step implements trace.Stepper.
func (s *coarseStream) Step(b *trace.Batch, limit int) (covered int64, err error) {
	covered, err = trace.Step(s.Stream, b, limit)
	s.round(b)
	s.end(err)
	if s.of.times != nil && trace.InReach(covered) {
		covered = s.of.times.Round(covered)
	}
	return covered, err
}

// end takes note of the end of the stream.
func (s *coarseStream) end(err error) {
	if s.calls != nil && errors.Is(err, io.EOF) {
		s.calls.ended = true
	}
}

// round puts the values of a batch on their grids.
func (s *coarseStream) round(b *trace.Batch) {
	if s.of.times != nil {
		b.Residuals = b.Residuals[:0]
		s.was = append(s.was[:0], b.Times...)
		s.of.times.RoundAll(b.Times)
		if s.calls != nil {
			s.calls.add(b, s.was)
		}
		for i, k := range b.Kinds {
			if int(k) < len(s.of.timed) && s.of.timed[k] {
				s.of.roundFields(k, b.Fields(i))
			}
		}
	}
	if s.of.counters == nil {
		return
	}
	for i, k := range b.Kinds {
		switch w := b.Fields(i); {
		case k == trace.KindMetric && len(w) > 2:
			s.of.roundCounters(w[0], w[2:])
		case k == trace.KindSnapshotMetric && len(w) > 3:
			s.of.roundCounters(w[1], w[3:])
		}
	}
}

// roundFields rounds the times among the fields of an event or snapshot. What its source had as time there besides is dropped.
func (c *coarse) roundFields(k trace.Kind, words []uint64) {
	spec := c.meta.Table().Spec(k)
	spec.Walk(words, func(i int, f *trace.Field, w uint64) {
		switch {
		case f.Type == trace.TypeTime && trace.InReach(int64(w)):
			words[i] = uint64(c.times.Round(int64(w)))
		case k == trace.KindBufferFlush && f.Type == trace.TypeSigned: // the residual of its time
			words[i] = 0
		}
	})
}

// roundCounters rounds the values of a metric, which stand behind their types.
func (c *coarse) roundCounters(metric uint64, words []uint64) {
	for i, cell := range c.counters[metric] {
		if at := 2*i + 1; cell > 0 && at < len(words) {
			words[at] = nearest(trace.ValueType(words[at-1]), words[at], cell)
		}
	}
}
