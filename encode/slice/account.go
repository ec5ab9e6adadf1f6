package slice

import (
	"github.com/pandotrace/pando/format"
)

// Sizes says how many bytes the parts of a slice block have; they add up to the block.
type Sizes struct{ Head, Text, Tokens, Values int }

// ColumnCosts returns what the values of each column cost in the slice, in units of 2^-16 bits: minus the logarithm of the
// frequency of the value's bin, and its offset bits; of an exception, what stands in its place, and its bytes. To that comes
// one unit for each value, so that columns that cost nothing else still differ from those without values.
func (e *Events) ColumnCosts(t *Statistics) []uint64 {
	costs := make([]uint64, e.contexts.columns)
	for context, cost := range t.Values.Costs(e.values, e.starts) {
		column := uint32(context)
		if context >= e.contexts.columns {
			column = t.Pairs[context-e.contexts.columns].Column
		}
		costs[column] += cost
	}
	return costs
}

// ModelSizes says how many bytes of a model block are for what codes tokens and heads of slices, for the roster of runs, and
// for what codes values. What else is in the block is the contexts of values, clocks and predictions.
type ModelSizes struct{ Tokens, Roster, Values int }

// Sizes returns how many bytes the statistics take.
func (t *Statistics) Sizes() ModelSizes {
	counted := func(n int) int { return format.UvarintLen(uint64(n)) + n }
	return ModelSizes{
		Tokens: len(t.Successors.append(nil)) + counted(len(t.Structure.Append(nil))),
		Roster: counted(len(t.Roster.append(nil, t.Structure, t.base()))),
		Values: len(t.Values.Append(nil)),
	}
}

// BlockName reads which slice and lane a slice block belongs to.
func BlockName(b []byte) (number uint64, lane uint32, err error) {
	r := format.NewDecoder(sliceSection, b)
	number, lane = r.Uvarint(), uint32(r.Int(1<<32))
	return number, lane, r.Err()
}
