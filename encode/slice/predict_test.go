package slice

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/encode/internal/bitio"
	"github.com/pandotrace/pando/encode/predict"
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/trace"
)

// series are values of columns 1 and 2, event by event; the clock goes on by about 1000 ticks.
type series func(r *rand.Rand, i int, t int64) []uint64

// drawn makes slices of a series, on a few locations.
func drawn(next series) []*Draft {
	r := rand.New(rand.NewPCG(1, 1))
	var group []*Draft
	i, t := 0, int64(0)
	for range 3 {
		d := &Draft{}
		for range 4 {
			d.begins = append(d.begins, beginOfRun{raw: len(d.raw)})
			for range 100 {
				t += 900 + r.Int64N(200)
				for column, v := range next(r, i, t) {
					d.raw = append(d.raw, rawValue{value: v, time: t, column: uint32(column + 1)})
				}
				i++
			}
		}
		group = append(group, d)
	}
	return group
}

func TestPredictionsAreChosen(t *testing.T) {
	sum := uint64(0)
	grow := func(n uint64) uint64 { sum += n; return sum }
	double := func(v float64) uint64 { return math.Float64bits(v) }
	few := []uint64{77777, 5, 1 << 40, 123456789}
	for name, test := range map[string]struct {
		next series
		want []predict.Prediction
	}{
		"numbers that stay": {func(*rand.Rand, int, int64) []uint64 { return []uint64{42} }, nil},
		"a sequence":        {func(_ *rand.Rand, i int, _ int64) []uint64 { return []uint64{uint64(i)} }, nil},
		"a random walk":     {func(r *rand.Rand, _ int, _ int64) []uint64 { return []uint64{grow(r.Uint64N(999) - 499)} }, nil},
		"some of a few": {
			func(r *rand.Rand, _ int, _ int64) []uint64 { return []uint64{few[r.IntN(len(few))]} },
			[]predict.Prediction{{Column: 1, Source: predict.FromNothing, Other: 1, Unit: 1, Unsigned: true}},
		},
		"thousands": {
			func(r *rand.Rand, _ int, _ int64) []uint64 { return []uint64{grow(1000 * r.Uint64N(1000))} },
			[]predict.Prediction{{Column: 1, Other: 1, Unit: 1000, Unsigned: true}},
		},
		"thousands, but for a few": {
			func(r *rand.Rand, i int, _ int64) []uint64 {
				return []uint64{grow(1000*r.Uint64N(1000) + uint64(bitio.FromBool(i%150 == 70)))}
			},
			[]predict.Prediction{{Column: 1, Other: 1, Unit: 1000, Unsigned: true}},
		},
		"cycles": {
			func(r *rand.Rand, _ int, now int64) []uint64 { return []uint64{uint64(3*now + r.Int64N(4))} },
			[]predict.Prediction{{Column: 1, Source: predict.FromTime, Other: 1, Unit: 1}},
		},
		"cycles that are left": {
			func(r *rand.Rand, _ int, now int64) []uint64 { return []uint64{1<<50 - uint64(3*now+r.Int64N(4))} },
			[]predict.Prediction{{Column: 1, Source: predict.FromTime, Other: 1, Unit: 1}},
		},
		"one follows the other": {
			func(r *rand.Rand, _ int, _ int64) []uint64 {
				v := grow(r.Uint64N(1 << 30))
				return []uint64{v, v/4 + r.Uint64N(4)}
			},
			[]predict.Prediction{{Column: 1, Other: 1, Unit: 1, Unsigned: true}, {Column: 2, Source: predict.FromColumn, Other: 1, Unit: 1, Unsigned: true}},
		},
		"numbers in turn": {
			func(r *rand.Rand, _ int, _ int64) (v []uint64) {
				for range 2 {
					sum += r.Uint64N(2)
					v = append(v, grow(1))
				}
				return v
			},
			[]predict.Prediction{{Column: 2, Other: 1, Unit: 1}},
		},
		"processor time": {
			func(r *rand.Rand, i int, now int64) []uint64 {
				return []uint64{uint64(float64((now*3/40+r.Int64N(3)))*10.014935 + float64(i/100))}
			},
			[]predict.Prediction{{Column: 1, Source: predict.FromTime, Other: 1, Unit: 1, Period: 1}},
		},
		"megabytes": {
			func(r *rand.Rand, _ int, _ int64) []uint64 {
				return []uint64{double(float64(grow(r.Uint64N(99))) / (1 << 20))}
			},
			[]predict.Prediction{{Column: 1, Other: 1, Unit: 1, Unsigned: true, Divisor: 1 << 20}},
		},
		"watts": {
			func(r *rand.Rand, _ int, _ int64) []uint64 { return []uint64{double(float64(r.IntN(500)-250) / 100)} },
			[]predict.Prediction{{Column: 1, Source: predict.FromNothing, Other: 1, Unit: 1, Divisor: 100}},
		},
	} {
		sum = 0
		group := drawn(test.next)
		infos := []shape.ColumnInfo{{}, {Name: "v", Double: true}, {Name: "v", Double: true}}
		if name == "numbers in turn" {
			infos[2].Kind = trace.KindMetric // of events of another kind
		}
		if name == "processor time" {
			infos[1].Double = false
		}
		plain := codedCost(group, predict.NewSet(3, nil))
		got := choosePredictions(group, 3, infos)
		for i := range got {
			got[i].Rate, got[i].Period = 0, min(got[i].Period, 1)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
		if cost := codedCost(group, predict.NewSet(3, choosePredictions(group, 3, infos))); len(got) > 0 && cost > plain*9/10 {
			t.Errorf("%s: %d bytes with the prediction, %d without", name, cost/bitio.Bit/8, plain/bitio.Bit/8)
		}
	}
}

// codedCost returns about what the values of all columns cost.
func codedCost(group []*Draft, of predict.Set) (cost int64) {
	code(group, of)
	var f column.Fitter
	var codes [3][]uint64
	for _, d := range group {
		for i, r := range d.raw {
			codes[r.column] = append(codes[r.column], d.codes[i])
		}
	}
	for _, c := range codes {
		cost += f.Cost(c)
	}
	return cost
}

// A prediction that some value outside of the sample does not allow is given up, and those that need it.
func TestPredictionsAreGivenUp(t *testing.T) {
	double := func(v float64) uint64 { return math.Float64bits(v) }
	for name, odd := range map[string]uint64{"no number": double(math.NaN()), "a finer one": double(1.0 / 7), "none": double(8)} {
		group := drawn(func(r *rand.Rand, _ int, _ int64) []uint64 { return []uint64{double(float64(r.IntN(100)))} })
		for range 10 { // the sample ends before the odd one
			group[0].raw = append(group[0].raw, group[0].raw...)
		}
		group[0].raw[len(group[0].raw)-1].value = odd
		got := choosePredictions(group, 3, []shape.ColumnInfo{{}, {Double: true}, {}})
		if (len(got) > 0) != (name == "none") {
			t.Errorf("%s: %+v", name, got)
		}
		for _, d := range group {
			if len(d.codes) != len(d.raw) {
				t.Errorf("%s: %d codes of %d values", name, len(d.codes), len(d.raw))
			}
		}
	}
}
