package trace

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// A batch has the fields of the calls that it took from another one, in the order asked for, in the columns asked for and in no others, whatever it had before.
func TestTake(t *testing.T) {
	var b, all CallBatch
	for seed := range uint64(100) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		calls := make([]Call, 1+rnd.IntN(500))
		for i := range calls {
			v := reflect.ValueOf(&calls[i]).Elem()
			for f := range v.NumField() { // each has another value, which fits into its column
				if f := v.Field(f); f.CanInt() {
					f.SetInt(rnd.Int64N(1 << 31))
				} else {
					f.SetUint(uint64(rnd.Uint32N(1 << 8)))
				}
			}
		}
		order := make([]uint32, rnd.IntN(600))
		for i := range order {
			order[i] = uint32(rnd.IntN(len(calls)))
		}
		columns := CallColumns(rnd.IntN(int(AllCallColumns) + 1))
		if seed%4 == 0 {
			columns = AllCallColumns
		}
		all.Resize(len(calls))
		for i := range calls {
			all.Set(i, &calls[i])
		}
		b.Take(&all, order, columns)
		if b.Len() != len(order) {
			t.Fatalf("seed %d: %d calls, want %d", seed, b.Len(), len(order))
		}
		compareColumn(t, seed, b.Locations, calls, order, columns&CallLocations, func(c *Call) uint64 { return c.Location })
		compareColumn(t, seed, b.Regions, calls, order, columns&CallRegions, func(c *Call) uint64 { return c.Region })
		compareColumn(t, seed, b.Contexts, calls, order, columns&CallContexts, func(c *Call) uint64 { return c.Context })
		compareColumn(t, seed, b.Starts, calls, order, columns&CallStarts, func(c *Call) int64 { return c.Start })
		compareColumn(t, seed, b.Ends, calls, order, columns&CallEnds, func(c *Call) int64 { return c.End })
		compareColumn(t, seed, b.Exclusive, calls, order, columns&CallExclusive, func(c *Call) int64 { return c.Exclusive })
		compareColumn(t, seed, b.Children, calls, order, columns&CallChildren, func(c *Call) uint64 { return c.Children })
		compareColumn(t, seed, b.Depths, calls, order, columns&CallDepths, func(c *Call) uint32 { return uint32(c.Depth) })
		compareColumn(t, seed, b.Ordinals, calls, order, columns&CallOrdinals, func(c *Call) uint64 { return c.Ordinal })
		compareColumn(t, seed, b.EndOrdinals, calls, order, columns&CallEndOrdinals, func(c *Call) uint64 { return c.EndOrdinal })
		compareColumn(t, seed, b.Parents, calls, order, columns&CallParents, func(c *Call) uint64 { return c.Parent })
		compareColumn(t, seed, b.Flags, calls, order, columns&CallFlagBits, func(c *Call) CallFlags { return c.Flags })
	}
}

func compareColumn[T comparable](t *testing.T, seed uint64, got []T, calls []Call, order []uint32, wanted CallColumns, field func(*Call) T) {
	t.Helper()
	var want []T
	for _, row := range order {
		if wanted != 0 {
			want = append(want, field(&calls[row]))
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("seed %d: a column is %v, want %v", seed, got, want)
	}
}
