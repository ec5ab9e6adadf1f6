package slice

import (
	"github.com/pandotrace/pando/format"
)

// Sizes says how many bytes the parts of a slice block have; they add up to the block.
type Sizes struct{ Head, Text, Structure, Values int }

// ColumnCosts returns what the values of each column cost in the slice, in units of 2^-16 bits: minus the logarithm of the
// frequency of the value's bin, and its offset bits; of an exception, what stands in its place, and its bytes. To that comes
// one unit for each value, so that columns that cost nothing else still differ from those without values.
func (e *Events) ColumnCosts(t *Statistics) ([]uint64, error) {
	costs := make([]uint64, e.contexts.columns)
	for g := range e.blocks {
		parts, n := e.contexts.parts(nil, g, e.counts, e.Dictionary.ColumnInfos())
		values := make([]uint64, n)
		if n == 0 {
			continue
		}
		if err := t.Values.DecodeParts(values, e.blocks[g], parts); err != nil {
			return nil, err
		}
		for i, cost := range t.Values.Costs(values, parts) {
			column := uint32(parts[i].Context)
			if parts[i].Context >= e.contexts.columns {
				column = t.Pairs[parts[i].Context-e.contexts.columns].Column
			}
			costs[column] += cost
		}
	}
	return costs, nil
}

// ModelSizes says how many bytes of a model block are for what codes tokens and heads of slices, for the roster of runs, for
// what texts share, and for what codes values. What else is in the block is the contexts of values, clocks and predictions.
type ModelSizes struct{ Tokens, Roster, Texts, Values int }

// Sizes returns how many bytes the statistics take.
func (t *Statistics) Sizes() ModelSizes {
	counted := func(n int) int { return format.UvarintLen(uint64(n)) + n }
	return ModelSizes{
		Tokens: len(t.Successors.append(nil)) + counted(len(t.Structure.Append(nil))),
		Roster: counted(len(t.Roster.append(nil, t.Structure, t.base()))),
		Texts:  len(t.Texts.Append(nil)),
		Values: len(t.Values.Append(nil)),
	}
}

// BlockPlace reads which slice and lane a slice block belongs to, and the slice's interval.
func BlockPlace(b []byte) (number uint64, lane uint32, start, end int64, err error) {
	r := format.NewDecoder(sliceSection, b)
	number, lane = r.Uvarint(), uint32(r.Int(1<<32))
	r.Int(1 << 32) // the epoch
	start = r.Varint()
	end = start + int64(r.Int(format.SpanLimit))
	return number, lane, start, end, r.Err()
}

// BlockName reads which slice and lane a slice block belongs to.
func BlockName(b []byte) (number uint64, lane uint32, err error) {
	r := format.NewDecoder(sliceSection, b)
	number, lane = r.Uvarint(), uint32(r.Int(1<<32))
	return number, lane, r.Err()
}
