package tracegen

import (
	"math/rand/v2"

	"github.com/pandotrace/pando/trace"
)

// dice draws random things, many of them from the edges of what is possible.
type dice struct{ *rand.Rand }

func newDice(seed uint64, stream uint64) dice { return dice{rand.New(rand.NewPCG(seed, stream))} }

// chance is true with probability p.
func (d dice) chance(p float64) bool { return d.Float64() < p }

// choose returns any element of a list.
func choose[T any](d dice, list []T) T { return list[d.IntN(len(list))] }

// edges are values at which something may go wrong.
var edges = []uint64{0, 1, 2, 127, 128, 255, 256, 1<<16 - 1, 1 << 16, 1<<31 - 1, 1 << 31, 1<<32 - 2, 1<<32 - 1, 1 << 32,
	1<<63 - 1, 1 << 63, 1<<64 - 2, 1<<64 - 1}

// number draws a value of some bits.
func (d dice) number(bits uint8) uint64 {
	x := d.Uint64() >> d.IntN(64)
	if d.chance(0.5) {
		x = choose(d, edges)
	}
	return x & (trace.Undefined >> (64 - uint(bits)))
}

// text draws any bytes; they need not be text.
func (d dice) text() string {
	n := choose(d, []int{0, 1, 3, 20})
	if d.chance(0.05) {
		n = 300
	}
	s := make([]byte, n)
	for i := range s {
		s[i] = byte(d.Uint32())
	}
	return string(s)
}

// field draws a word for a field.
func (d dice) field(f *trace.Field, putText func(string) uint64) uint64 {
	switch {
	case f.Type.InText():
		return putText(d.text())
	case f.Type == trace.TypeCode && d.chance(0.9):
		return uint64(d.IntN(int(trace.ValueLocationGroup) + 1))
	case (f.Type == trace.TypeRef || f.Type == trace.TypeRank || f.Type == trace.TypeEnum) && d.chance(0.7):
		return uint64(d.IntN(6))
	}
	return d.number(f.Bits)
}

// record draws all words of a record.
func (d dice) record(spec *trace.Spec, putText func(string) uint64) []uint64 {
	before, group, _ := spec.Shape()
	repeat := 0
	var words []uint64
	for i := range before {
		w := d.field(&spec.Fields[i], putText)
		if spec.Fields[i].Type == trace.TypeCount {
			repeat = d.IntN(5)
			if d.chance(0.03) {
				repeat = 255
			}
			w = uint64(repeat)
		}
		words = append(words, w)
	}
	for range repeat {
		for i := range group {
			words = append(words, d.field(&spec.Fields[before+i], putText))
		}
	}
	for i := before + group; i < len(spec.Fields); i++ {
		words = append(words, d.field(&spec.Fields[i], putText))
	}
	return words
}

// event appends a random record of a kind to a batch.
func (d dice) event(b *trace.Batch, at int64, spec *trace.Spec) {
	words := d.record(spec, b.PutText)
	b.Append(spec.ID, at, words...)
}

// definition draws a random definition of a kind.
func (d dice) definition(spec *trace.Spec) trace.Record {
	r := trace.Record{Kind: spec.ID}
	r.Words = d.record(spec, r.PutText)
	return r
}

// attributes draws an attribute list.
func (d dice) attributes() []trace.Attr {
	list := make([]trace.Attr, 1+d.IntN(4))
	for i := range list {
		code := trace.ValueType(d.IntN(int(trace.ValueLocationGroup) + 1))
		list[i] = trace.Attr{ID: uint64(d.IntN(3)), Type: code, Value: d.number(64)}
		if d.chance(0.1) {
			list[i].ID, list[i].Type = d.number(32), trace.ValueType(d.number(8))
		}
	}
	return list
}

// kindsIn returns the specifications of a table whose numbers lie in [from, to).
func kindsIn(table *trace.Table, from, to trace.Kind) []*trace.Spec {
	var some []*trace.Spec
	for _, s := range table.All() {
		if s.ID >= from && s.ID < to {
			some = append(some, s)
		}
	}
	return some
}
