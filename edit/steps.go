package edit

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/pandotrace/pando/internal/instep"
	"github.com/pandotrace/pando/trace"
)

// RelativeBounds returns bounds for the counters of a trace, by their names: a share, between 0 and 1, of the median of what their values change by from one to the next
// on a location, which is found to 1 %, rounded down. Steps of 0 do not count. Counters that would have a bound of less than 1, that never
// change, or that are coarse already, have none. It reads all events.
func RelativeBounds(ctx context.Context, src trace.Source, share float64) (bounds []CounterBound, err error) {
	log, err := src.Definitions(0)
	if err != nil {
		return nil, err
	}
	s := newSteps(trace.NewDefinitions(log), src.Meta().Loss)
	for _, group := range instep.Groups(src.Streams()) {
		if err := s.read(ctx, src, group); err != nil {
			return nil, err
		}
	}
	for i, name := range s.names {
		if n := uint64(share * float64(s.histograms[i].median())); n > 0 {
			bounds = append(bounds, CounterBound{name, min(n, trace.MaxCell/4)})
		}
	}
	return bounds, nil
}

// steps are what the values of counters change by.
type steps struct {
	names      []string // of counters, sorted
	histograms []stepHistogram
	metrics    trace.Numbers
	counters   [][]int // by number of metric and member: the counter, -1 for none
}

// newSteps lists the counters that have no bound yet.
func newSteps(defs *trace.Definitions, loss *trace.Loss) *steps {
	s := &steps{names: counterNames(defs)}
	if loss != nil {
		for _, b := range loss.Bounds {
			if members := defs.MetricMembers(b.Metric); b.Class == trace.LossMetric && b.Member < uint64(len(members)) {
				coarse := counterName(defs, members[b.Member])
				s.names = slices.DeleteFunc(s.names, func(name string) bool { return name == coarse })
			}
		}
	}
	s.histograms = make([]stepHistogram, len(s.names))
	for metric := range defs.Metrics {
		var counters []int
		for _, id := range defs.MetricMembers(metric) {
			at, ok := slices.BinarySearch(s.names, counterName(defs, id))
			if !ok {
				at = -1
			}
			counters = append(counters, at)
		}
		s.metrics.Add(metric)
		s.counters = append(s.counters, counters)
	}
	return s
}

func counterName(defs *trace.Definitions, member uint64) string {
	return defs.Name(trace.SpaceString, defs.Members[member].Name)
}

// stepStream is the events of a location, with the latest values of its counters.
type stepStream struct {
	trace.Stream
	batch  trace.Batch
	latest [][]value // by number of metric and member
}

// value is a typed value of a counter.
type value struct {
	bits  uint64
	typ   trace.ValueType
	known bool
}

// read reads the streams of a group in step.
func (s *steps) read(ctx context.Context, src trace.Source, group []trace.StreamInfo) error {
	var streams []*stepStream
	defer func() {
		for _, t := range streams {
			t.Close()
		}
	}()
	for _, info := range group {
		if info.Class != trace.StreamEvents {
			continue
		}
		t, err := src.Open(info.StreamID)
		if err != nil {
			return err
		}
		streams = append(streams, &stepStream{Stream: t, latest: make([][]value, len(s.counters))})
	}
	size := instep.BatchSize(len(streams))
	return instep.Run(1, streams, func(t *stepStream) (int64, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		covered, err := trace.Step(t.Stream, &t.batch, size)
		if err == nil {
			s.add(t)
		}
		return covered, err
	})
}

// add adds the steps of a batch.
func (s *steps) add(t *stepStream) {
	for i, k := range t.batch.Kinds {
		if k != trace.KindMetric {
			continue
		}
		w := t.batch.Fields(i)
		n, ok := s.metrics.Of(w[0])
		if !ok {
			continue
		}
		if t.latest[n] == nil {
			t.latest[n] = make([]value, len(s.counters[n]))
		}
		for m := range t.latest[n] {
			if at := 2 + 2*m; at+1 < len(w) && s.counters[n][m] >= 0 {
				now := value{w[at+1], trace.ValueType(w[at]), true}
				s.histograms[s.counters[n][m]].add(stepOf(t.latest[n][m], now))
				t.latest[n][m] = now
			}
		}
	}
}

// stepOf returns the distance of two values, rounded down; 0 if there is none.
func stepOf(a, b value) uint64 {
	switch {
	case !a.known || a.typ != b.typ:
		return 0
	case b.typ.IsFloat():
		if d := math.Abs(b.typ.Float(b.bits) - a.typ.Float(a.bits)); d < 1<<63 {
			return uint64(d)
		}
		return 0
	case b.typ.Compare(a.bits, b.bits) > 0:
		return a.bits - b.bits
	}
	return b.bits - a.bits
}

// stepHistogram counts numbers by their first stepBits bits.
type stepHistogram struct {
	counts []uint64
	all    uint64
}

const stepBits = 7

// add adds a number that is not 0.
func (h *stepHistogram) add(n uint64) {
	if n == 0 {
		return
	}
	if h.counts == nil {
		h.counts = make([]uint64, (65-stepBits)<<stepBits)
	}
	shift := max(bits.Len64(n)-stepBits-1, 0)
	h.counts[shift<<stepBits+int(n>>shift)]++
	h.all++
}

// median returns the median of the numbers, by up to 1 % too small; 0 if there are none.
func (h *stepHistogram) median() uint64 {
	var before uint64
	for i, n := range h.counts {
		if before += n; n > 0 && 2*before >= h.all {
			shift := max(i>>stepBits-1, 0)
			return uint64(i-shift<<stepBits) << shift
		}
	}
	return 0
}
