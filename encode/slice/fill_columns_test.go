package slice

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/encode/internal/bitio"
	"github.com/pandotrace/pando/encode/predict"
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// drawReadings draws events with values of several metrics, more than a stretch has. Some metrics have events of different numbers of
// values, some events have an attribute.
func drawReadings(r *rand.Rand) *trace.Batch {
	var b trace.Batch
	var before [5]uint64
	now, enters := int64(0), r.IntN(2) == 0
	for range 1 + r.IntN(2*fillEvents+fillEvents/2) {
		now += r.Int64N(1000)
		if enters && r.IntN(3) == 0 {
			b.Append(trace.KindParameterInt, now, 5, uint64(r.IntN(20)))
			continue
		}
		metric := r.Uint64N(4)
		n := 1 + int(metric)
		if metric == 3 {
			n = 1 + r.IntN(4)
		}
		for i := range n {
			before[i] += 8 * r.Uint64N(100)
		}
		b.Append(trace.KindMetric, now, metricWords(metric, before[:n])...)
		if metric == 0 && r.IntN(100) == 0 {
			b.SetAttrs([]trace.Attr{{ID: 2, Type: trace.ValueUint64, Value: r.Uint64N(1000)}})
		}
	}
	return &b
}

// metricWords returns the words of a Metric event of unsigned numbers.
func metricWords(metric uint64, values []uint64) []uint64 {
	words := []uint64{metric, uint64(len(values))}
	for _, v := range values {
		words = append(words, uint64(trace.ValueUint64), v)
	}
	return words
}

// drawPrediction draws a prediction of a column, from others below it.
func drawPrediction(r *rand.Rand, number uint32) predict.Prediction {
	p := predict.Prediction{Column: number, Source: predict.Source(r.IntN(4)), Other: number, Unit: 1, Unsigned: r.IntN(3) == 0}
	if p.Source >= predict.FromTime {
		p.Rate = int64(r.Uint64()) >> r.IntN(64)
	}
	if p.Source == predict.FromColumn || p.Source == predict.FromBefore && r.IntN(2) == 0 {
		p.Other = 1 + uint32(r.IntN(int(number)))
	}
	if p.Source == predict.FromColumn && p.Other == number {
		p.Source = predict.FromTime
	}
	if r.IntN(2) == 0 {
		p.Unit = 1 + r.Uint64N(16)
	}
	if p.Source != predict.FromNothing && !p.Sharing() && r.IntN(3) == 0 {
		p.Unsigned, p.Unit, p.Period = false, 1, 2*column.LatticeUnit+column.Period(r.Uint64N(20*column.LatticeUnit))
	}
	return p
}

// allowed draws predictions of a dictionary's columns, and leaves out what a slice must not have or some value does not allow.
func allowed(r *rand.Rand, s *sliced, d *shape.Dictionary) []predict.Prediction {
	var all []predict.Prediction
	for column := range uint32(d.Columns() - 1) {
		p := drawPrediction(r, column+1)
		one := predict.NewSet(d.Columns(), []predict.Prediction{p})
		if one.Check(d.ColumnInfos()) == "" {
			all = append(all, p)
		}
	}
	for {
		failed := code([]*Draft{&s.draft}, predict.NewSet(d.Columns(), all))
		for _, p := range all { // a column that shares the memory of another must find it there
			if p.Source != predict.FromBefore || p.Sharing() || p.Period > 0 {
				failed = noHost(failed, all, p.Column)
			}
		}
		if len(failed) == 0 {
			return all
		}
		all = slices.DeleteFunc(all, func(p predict.Prediction) bool { return failed[p.Column] })
	}
}

// noHost adds the columns that share the memory of a column to those that failed.
func noHost(failed map[uint32]bool, all []predict.Prediction, column uint32) map[uint32]bool {
	for _, p := range all {
		if p.Sharing() && p.Other == column {
			if failed == nil {
				failed = map[uint32]bool{}
			}
			failed[p.Column] = true
		}
	}
	return failed
}

// Values are filled in column by column as the predictor of writers, which goes from event to event, coded them: whatever predicts
// them, and whatever layouts events have.
func TestValuesAreFilledByColumn(t *testing.T) {
	sources, columned, ordered, lattices := map[predict.Source]int{}, 0, 0, 0
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 5))
		c := &cutter{dictionary: shape.NewDictionary(trace.Standard), kinds: trace.Standard}
		var batches []*trace.Batch
		var ends []int
		for range 3 {
			b := drawReadings(r)
			batches, ends = append(batches, b), append(ends, b.Len())
		}
		s := c.cut(t, 0, batches, make([]int, 3), ends)
		d := c.dictionary
		stats := c.statistics(1, s)
		stats.setPredictions(allowed(r, s, d))
		checkSlice(t, s.block(d, stats), d, stats, s)
		for _, p := range stats.Predictions {
			sources[p.Source]++
			lattices += int(bitio.FromBool(p.Period > 0))
		}
		var fills columnFills
		fills.reset(d, stats.predictions)
		for l := range uint32(d.Layouts()) {
			columned, ordered = columned+len(fills.layout(l).columned), ordered+len(fills.layout(l).ordered)
		}
	}
	t.Logf("predictions by source: %v, %d with a lattice; %d columns, %d by the order of events", sources, lattices, columned, ordered)
	if len(sources) < 4 || lattices < 50 || columned < 300 || ordered < 300 {
		t.Error("this tests little")
	}
}

// A code that stands for no value is refused, and so are numbers that no divisor allows.
func TestFilledValuesRefuse(t *testing.T) {
	c := &cutter{dictionary: shape.NewDictionary(trace.Standard), kinds: trace.Standard}
	var b trace.Batch
	for i := range 40 {
		b.Append(trace.KindMetric, int64(i), metricWords(1, []uint64{uint64(i) << 58})...)
	}
	s := c.cut(t, 0, []*trace.Batch{&b}, []int{0}, []int{40})
	stats := c.statistics(1, s)
	column := c.dictionary.Slots(0)[0].Column
	for _, p := range []predict.Prediction{{Column: column, Other: column, Unit: 1 << 60}, {Column: column, Other: column, Unit: 1, Divisor: 7}} {
		stats.setPredictions(nil)
		block := s.block(c.dictionary, stats)
		stats.setPredictions([]predict.Prediction{p})
		if _, err := decodeBlock(block, c.dictionary, stats, format.Limits{}, noLocation); !format.IsCorrupt(err) {
			t.Errorf("%+v: %v", p, err)
		}
	}
}
