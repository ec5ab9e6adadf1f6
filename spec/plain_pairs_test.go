package spec

import (
	"testing"

	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/trace"
)

// checkSpanningPairs compares the items of families of pairs with the pairs that reach over slices.
func checkSpanningPairs(t *testing.T, f *plainFile, want *model.Trace) {
	t.Helper()
	byOpen := map[[3]uint64]trace.EventPair{}
	for _, family := range trace.ItemizedFamilies() {
		for _, p := range want.Pairs(family) {
			if f.sliceOf(p.Open.Time) != f.sliceOf(p.Close.Time) {
				byOpen[[3]uint64{uint64(family), p.Open.Location, p.Open.Ordinal}] = p
			}
		}
	}
	for _, x := range f.spanningItems(21) {
		met["spanning pair"]++
		key := [3]uint64{x.Communicator, x.SendLocation, x.SendOrdinal}
		p, ok := byOpen[key]
		delete(byOpen, key)
		got := trace.EventPair{
			Family: trace.PairFamily(x.Communicator),
			Open:   trace.PairEnd{Location: x.SendLocation, Ordinal: x.SendOrdinal, Time: x.SendTime, Kind: trace.Kind(x.SendLength)},
			Close:  trace.PairEnd{Location: x.ReceiveLocation, Ordinal: x.ReceiveOrdinal, Time: x.ReceiveTime, Kind: trace.Kind(x.ReceiveLength)},
		}
		if got.IsOpen() {
			met["pair that is never closed"]++
			got.Close.Ordinal = 0
		}
		if !ok || got != p || x.Tag != 0 {
			t.Fatalf("item %+v, want %+v", x, p)
		}
	}
	for _, p := range byOpen {
		t.Fatalf("no item for the pair %+v", p)
	}
}
