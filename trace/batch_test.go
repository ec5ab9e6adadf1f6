package trace

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

// record is what a batch says of one record, with text in place of positions.
type record struct {
	kind     Kind
	time     int64
	words    []uint64
	texts    []string
	attrs    []Attr
	residual int64
}

func recordOf(b *Batch, i int) record {
	r := record{kind: b.Kinds[i], time: b.Times[i], residual: b.Residual(i)}
	r.attrs = append(r.attrs, b.AttrsOf(i)...)
	Standard.Spec(r.kind).Walk(b.Fields(i), func(_ int, f *Field, w uint64) {
		if f.Type.InText() {
			r.texts = append(r.texts, string(b.TextOf(w)))
		} else {
			r.words = append(r.words, w)
		}
	})
	return r
}

func randomBatch(r *rand.Rand, n int, plain bool) *Batch {
	b := &Batch{}
	b.Reset(9)
	for i := range n {
		switch r.IntN(3) {
		case 0:
			b.Append(KindEnter, int64(i), r.Uint64N(10))
		case 1:
			b.Append(KindMetric, int64(i), 1, 1, uint64(ValueUint64), r.Uint64())
		default:
			if plain {
				b.Append(KindMpiCollectiveBegin, int64(i))
			} else {
				b.Append(KindUnknownEvent, int64(i), 200, 0, b.PutText(string(make([]byte, r.IntN(9)))+"end"))
			}
		}
		if !plain && r.IntN(4) == 0 {
			b.SetAttrs([]Attr{{ID: r.Uint64N(4), Type: ValueUint8, Value: r.Uint64N(200)}, {ID: 1}})
		}
		if !plain && r.IntN(5) == 0 {
			b.SetResidual(r.Int64N(9) - 4)
		}
	}
	return b
}

// Whatever way records take from batch to batch, they stay what they are.
func TestBatchesKeepTheirRecords(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		var want []record
		all := &Batch{}
		all.Reset(9)
		for range 1 + r.IntN(4) {
			b := randomBatch(r, r.IntN(12), r.IntN(2) == 0)
			if err := b.Check(Standard); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			from := r.IntN(b.Len() + 1)
			to := from + r.IntN(b.Len()-from+1)
			for i := from; i < to; i++ {
				want = append(want, recordOf(b, i))
			}
			switch {
			case from == to:
			case r.IntN(2) == 0:
				all.AppendRange(b, from, to, Standard)
			default:
				v := b.View(from, to)
				all.AppendRange(v, 0, v.Len(), Standard)
			}
		}
		if err := all.Check(Standard); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for i := range want {
			if got := recordOf(all, i); !reflect.DeepEqual(got, want[i]) {
				t.Fatalf("seed %d, record %d is %+v, want %+v", seed, i, got, want[i])
			}
		}
		if all.Len() != len(want) {
			t.Fatalf("seed %d: %d records, want %d", seed, all.Len(), len(want))
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	for name, spoil := range map[string]func(b *Batch){
		"a kind that the table does not have": func(b *Batch) { b.Kinds[0] = 0x7000 },
		"too few words":                       func(b *Batch) { b.Starts[1] = 0 },
		"too few times":                       func(b *Batch) { b.Times = b.Times[:1] },
		"too few starts":                      func(b *Batch) { b.Starts = b.Starts[:2] },
		"words that are not there":            func(b *Batch) { b.Starts[2] = 99 },
		"text that is not there":              func(b *Batch) { b.Text = b.Text[:1] },
		"too few residuals":                   func(b *Batch) { b.Residuals = []int64{1} },
		"too few attribute starts":            func(b *Batch) { b.AttrStarts = []uint32{0} },
	} {
		b := &Batch{}
		b.Reset(1)
		b.Append(KindEnter, 1, 5)
		b.Append(KindUnknownEvent, 2, 200, 0, b.PutText("payload"))
		if err := b.Check(Standard); err != nil {
			t.Fatal(err)
		}
		spoil(b)
		if b.Check(Standard) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
