package predict

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pandotrace/pando/format"
	_ "github.com/pandotrace/pando/internal/lastwords"
)

// FuzzPredictions reads predictions, and values that codes stand for: what is read is written in the same way, and no value has two codes.
func FuzzPredictions(f *testing.F) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 6))
		codes := make([]byte, 8*40)
		for i := 0; i < len(codes); i += 8 {
			binary.LittleEndian.PutUint64(codes[i:], drawValue(r, 0))
		}
		f.Add(Append(nil, drawPredictions(r, 6)), codes)
	}
	f.Fuzz(func(t *testing.T, b, codes []byte) {
		d := format.NewDecoder("test", b)
		all := Read(d)
		if d.Finish() != nil {
			return
		}
		again := format.NewDecoder("test", Append(nil, all))
		if got := Read(again); again.Finish() != nil || !slices.Equal(got, all) {
			t.Fatalf("%+v, read again %+v", all, got)
		}
		const columns = 1 << 8
		all = slices.DeleteFunc(all, func(p Prediction) bool { return p.Column >= columns })
		undo(t, NewSet(columns, all), codes)
	})
}

// undo takes codes of the columns of a set in turn, a time after each, and a run after eight.
func undo(t *testing.T, of Set, codes []byte) {
	var coder, decoder Predictor
	coder.Reset(of)
	decoder.Reset(of)
	for i := 0; i+8 <= len(codes) && len(of.All) > 0; i += 8 {
		if i%64 == 0 {
			coder.NextRun()
			decoder.NextRun()
		}
		column, code, now := of.All[i/8%len(of.All)].Column, binary.LittleEndian.Uint64(codes[i:]), int64(1000*i)
		v, ok := decoder.Value(column, code, now)
		if !ok {
			return
		}
		if again, ok := coder.Code(column, v, now); !ok || again != code {
			t.Fatalf("column %d of %+v: %#x has the codes %#x and %#x, %v", column, of.All, v, code, again, ok)
		}
	}
}
