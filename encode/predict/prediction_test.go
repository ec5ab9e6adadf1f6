package predict

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/encode/internal/encodetest"
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/format"
)

// drawPredictions draws predictions for columns 1 to n-1, and one of residuals.
func drawPredictions(r *rand.Rand, n int) []Prediction {
	var all []Prediction
	hosts := []uint32{}
	for column := range uint32(n) {
		p := Prediction{Column: column, Source: Source(r.IntN(4)), Other: column, Unit: 1, Unsigned: r.IntN(3) == 0}
		if p.Source == FromColumn && column < 2 {
			p.Source = FromTime
		}
		if p.Source >= FromTime {
			p.Rate = int64(r.Uint64()) >> r.IntN(64)
		}
		if p.Source == FromColumn {
			p.Other = 1 + uint32(r.IntN(int(column)-1))
			if at := slices.IndexFunc(all, func(q Prediction) bool { return q.Column == p.Other }); at >= 0 && all[at].Sharing() {
				p.Other = all[at].Other // it has no memory of its own
			}
		}
		if p.Source != FromNothing && column > 0 && r.IntN(3) == 0 {
			p.Unsigned, p.Period = false, drawPeriod(r, 30)
			all = append(all, p)
			continue
		}
		if p.Source == FromBefore && len(hosts) > 0 && r.IntN(2) == 0 {
			p.Other = hosts[r.IntN(len(hosts))]
		} else if p.Source == FromBefore && column > 0 {
			hosts = append(hosts, column)
		}
		if r.IntN(2) == 0 {
			p.Unit = 1 + r.Uint64()>>(2+r.IntN(62))
		}
		if r.IntN(4) == 0 {
			p.Divisor = 1 + r.Uint64()>>(12+r.IntN(52))
		}
		if p.form() != 0 {
			all = append(all, p)
		}
	}
	return all
}

// drawValue draws numbers of any size, small steps from the one before, and doubles.
func drawValue(r *rand.Rand, before uint64) uint64 {
	switch r.IntN(6) {
	case 0:
		return r.Uint64() >> r.IntN(64)
	case 1:
		return math.Float64bits(float64(r.IntN(1000)-500) / float64(1+r.IntN(100)))
	case 2:
		return []uint64{0, math.MaxUint64, 1 << 63, 1<<63 - 1, math.Float64bits(math.NaN()), math.Float64bits(math.Copysign(0, -1))}[r.IntN(6)]
	}
	return before + r.Uint64N(100) - 50
}

// Values come back from what is coded of them, whatever the prediction; and what is decoded has no other code.
func TestPredictionsAreUndone(t *testing.T) {
	const columns = 8
	values, refused, codes, ticked := 0, 0, 0, 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		of := NewSet(columns, drawPredictions(r, columns))
		var coder, decoder Predictor
		coder.Reset(of)
		decoder.Reset(of)
		before, now := uint64(0), int64(0)
		for range 200 {
			if r.IntN(50) == 0 {
				coder.NextRun()
				decoder.NextRun()
				now = 0
			}
			now += int64(r.Uint64() >> (8 + r.IntN(56)))
			column := uint32(r.IntN(columns))
			v := drawValue(r, before)
			same := coder
			same.memories = slices.Clone(coder.memories)
			code, ok := coder.Code(column, v, now)
			if !ok {
				coder, refused = same, refused+1
				continue
			}
			got, ok := decoder.Value(column, code, now)
			if !ok || got != v {
				t.Fatalf("seed %d, column %d: %#x comes back as %#x, %v from code %#x", seed, column, v, got, ok, code)
			}
			before, values = v, values+1
			if n := of.number[column]; n > 0 && of.All[n-1].Period > 0 && code < awayCode {
				ticked++
			}
		}
		for range 100 {
			column, code := uint32(r.IntN(columns)), drawValue(r, 0)
			undone := decoder
			undone.memories = slices.Clone(decoder.memories)
			v, ok := undone.Value(column, code, now)
			if !ok {
				continue
			}
			if again, ok := coder.Code(column, v, now); !ok || again != code {
				t.Fatalf("seed %d, column %d: %#x has the codes %#x and %#x, %v", seed, column, v, code, again, ok)
			}
			coder.memories = slices.Clone(decoder.memories)
			codes++
		}
	}
	if values < 20000 || refused < 1000 || codes < 10000 || ticked < 500 {
		t.Errorf("%d values, %d that predictions do not allow, %d codes, %d numbers of ticks: this tests little", values, refused, codes, ticked)
	}
}

// The growth that a rate gives is that of exact arithmetic, as long as it fits.
func TestGrowth(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	compared := 0
	for range 20000 {
		p := Prediction{Rate: int64(r.Uint64()) >> r.IntN(64), Unit: 1 + r.Uint64()>>(2+r.IntN(62))}
		steps := int64(r.Uint64()) >> r.IntN(64)
		want := new(big.Int).Mul(big.NewInt(steps), big.NewInt(p.Rate))
		want.Rsh(want, 32) // rounds down
		unit := new(big.Int).SetUint64(p.Unit)
		want.Add(want, new(big.Int).Rsh(unit, 1))
		high := want.IsInt64()
		want.Sub(want, new(big.Int).Mod(want, unit)) // Mod is never negative
		if !high || !want.IsInt64() {
			continue
		}
		compared++
		if got := p.growth(steps); want.Cmp(big.NewInt(got)) != 0 {
			t.Fatalf("%d steps of %+v: %d, want %v", steps, p, got, want)
		}
	}
	if compared < 5000 {
		t.Errorf("only %d numbers compared", compared)
	}
}

func TestPredictionsParse(t *testing.T) {
	forms := map[byte]bool{}
	for seed := range uint64(200) {
		all := drawPredictions(rand.New(rand.NewPCG(seed, 2)), 20)
		d := format.NewDecoder("test", Append(nil, all))
		got := Read(d)
		if err := d.Finish(); err != nil || !slices.Equal(got, all) {
			t.Fatalf("%v\n%+v, want\n%+v", err, got, all)
		}
		for i := range all {
			forms[all[i].form()] = true
		}
	}
	if len(forms) < 30 {
		t.Errorf("only %d forms were seen", len(forms))
	}
}

func TestPredictionsRefuse(t *testing.T) {
	const time, other, shares, unit, double, unsigned, period = 2, 3, 4, 8, 16, 32, 64
	for name, b := range map[string][]byte{
		"one that says nothing":              encodetest.Uvarints(1, 5, 0),
		"an unknown flag":                    encodetest.Uvarints(1, 5, 128),
		"a period of nothing":                encodetest.Uvarints(1, 5, 1+period, 0),
		"a period of a shared memory":        encodetest.Uvarints(1, 5, shares+period, 1, 0),
		"a period with a unit":               encodetest.Uvarints(1, 5, unit+period, 1, 0),
		"a period of doubles":                encodetest.Uvarints(1, 5, double+period, 1, 0),
		"a period without signs":             encodetest.Uvarints(1, 5, unsigned+period, 0),
		"a period over the limit":            encodetest.Uvarints(1, 5, period, uint64(column.MaxPeriod)-minPeriod+1),
		"a clock without a memory":           encodetest.Uvarints(3, 4, unit, 0, 1, shares, 1, 1, other, 1, 1),
		"the memory of a lattice":            encodetest.Uvarints(2, 4, period, 0, 1, shares, 1),
		"the same column twice":              encodetest.Uvarints(2, 5, 1, 0, 1),
		"a column that may be shared":        encodetest.Uvarints(1, shape.SharedTimes, 1),
		"a shared memory without difference": encodetest.Uvarints(1, 5, 1+shares, 1),
		"a clock that shares":                encodetest.Uvarints(1, 5, time+shares, 1, 1),
		"its own column":                     encodetest.Uvarints(1, 5, other, 1, 0),
		"residuals as the other column":      encodetest.Uvarints(1, 5, other, 1, 5),
		"the memory of residuals":            encodetest.Uvarints(1, 5, shares, 5),
		"a column below 0":                   encodetest.Uvarints(1, 5, other, 1, 6),
		"the memory of a clock":              encodetest.Uvarints(2, 4, time, 1, 1, shares, 1),
		"the memory of a guest":              encodetest.Uvarints(3, 4, unit, 0, 1, shares, 1, 1, shares, 1),
		"a unit over the limit":              encodetest.Uvarints(1, 5, unit, 1<<62),
		"a divisor over the limit":           encodetest.Uvarints(1, 5, double, maxDivisor-1),
		"more predictions than bytes":        encodetest.Uvarints(9, 5, 1),
	} {
		r := format.NewDecoder("test", b)
		Read(r)
		if err := r.Finish(); !format.IsCorrupt(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
