package equal

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// rules say when two records are the same.
type rules struct {
	// scale gives the times of A and of B a common unit: what their ticks are multiplied by.
	scale [2]uint64
	// numbering says which ids mean the same; nil if the same ids do.
	numbering *numbering
	// relative says that times count from the start of each trace.
	relative bool
	plain    []plainness // by kind
}

// plainness says whether the words of a kind are compared as they are.
type plainness uint8

const (
	plainUnknown plainness = iota
	plainWords
	fieldByField
)

func newRules() *rules { return &rules{scale: [2]uint64{1, 1}} }

// order compares times, or durations, of A and B. Without scales they are counted modulo 2^64.
func (r *rules) order(a, b uint64) int {
	if r.scale[0] == r.scale[1] {
		return cmp.Compare(int64(a-b), 0)
	}
	return compareProducts(int64(a), r.scale[0], int64(b), r.scale[1])
}

// compareProducts compares a·m with b·n.
func compareProducts(a int64, m uint64, b int64, n uint64) int {
	if (a < 0) != (b < 0) {
		return cmp.Compare(a, b)
	}
	hiA, loA := bits.Mul64(magnitude(a), m)
	hiB, loB := bits.Mul64(magnitude(b), n)
	order := cmp.Or(cmp.Compare(hiA, hiB), cmp.Compare(loA, loB))
	if a < 0 {
		return -order
	}
	return order
}

func magnitude(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

// lasts reports whether two durations, which have no sign, are the same.
func (r *rules) lasts(a, b uint64) bool {
	hiA, loA := bits.Mul64(a, r.scale[0])
	hiB, loB := bits.Mul64(b, r.scale[1])
	return hiA == hiB && loA == loB
}

// same reports whether two cursors stand at the same records.
func (r *rules) same(a, b *cursor) bool {
	return a.kind() == b.kind() && r.order(a.time(), b.time()) == 0 && r.sameContent(a, b)
}

// sameContent compares all but times of events.
func (r *rules) sameContent(a, b *cursor) bool {
	x, y := &a.batch, &b.batch
	return x.Kinds[a.at] == y.Kinds[b.at] && r.order(uint64(x.Residual(a.at)), uint64(y.Residual(b.at))) == 0 &&
		r.sameAttributes(x.AttrsOf(a.at), y.AttrsOf(b.at)) && r.sameWords(a, b)
}

// sameRun returns the number of records that both cursors have at hand if all of them are the same and easily seen to be, else 0.
func (r *rules) sameRun(a, b *cursor) int {
	x, y := &a.batch, &b.batch
	n := min(x.Len()-a.at, y.Len()-b.at)
	if n <= 0 || r.scale[0] != r.scale[1] || len(x.Residuals)+len(y.Residuals)+len(x.AttrStarts)+len(y.AttrStarts) > 0 {
		return 0
	}
	kinds := x.Kinds[a.at : a.at+n]
	if !slices.Equal(kinds, y.Kinds[b.at:b.at+n]) || !slices.Equal(x.Words[x.Starts[a.at]:x.Starts[a.at+n]], y.Words[y.Starts[b.at]:y.Starts[b.at+n]]) {
		return 0
	}
	shift := a.timeAt(a.at) - b.timeAt(b.at) - uint64(x.Times[a.at]) + uint64(y.Times[b.at])
	for i, t := range x.Times[a.at : a.at+n] {
		if uint64(t)-uint64(y.Times[b.at+i])+shift != 0 {
			return 0
		}
	}
	for _, k := range kinds {
		if r.plainOf(a.table, k) != plainWords {
			return 0
		}
	}
	return n
}

func (r *rules) sameAttributes(a, b []trace.Attr) bool {
	if r.numbering == nil {
		return slices.Equal(a, b)
	}
	return slices.EqualFunc(a, b, func(x, y trace.Attr) bool {
		return x.Type == y.Type && r.numbering.same(trace.SpaceAttribute, x.ID, y.ID) && r.numbering.same(x.Type.Space(), x.Value, y.Value)
	})
}

// sameWords compares fields. Texts count by their bytes.
func (r *rules) sameWords(a, b *cursor) bool {
	v, w := a.batch.Fields(a.at), b.batch.Fields(b.at)
	if len(v) != len(w) {
		return false
	}
	if r.plainOf(a.table, a.kind()) == plainWords {
		return slices.Equal(v, w)
	}
	if r.relative && ofClock(a.kind()) {
		return r.sameClock(a.kind(), a, b)
	}
	spec, equal := a.table.Spec(a.kind()), true
	known := spec.WalkIDs(v, func(i int, f *trace.Field, space trace.Space, word uint64) {
		equal = equal && r.sameField(a, b, f, space, word, w[i])
	})
	return equal && (known || slices.Equal(v, w))
}

func (r *rules) sameField(a, b *cursor, f *trace.Field, space trace.Space, v, w uint64) bool {
	switch {
	case f.Type.InText():
		return string(a.batch.TextOf(v)) == string(b.batch.TextOf(w))
	case f.Type == trace.TypeTime:
		return r.order(v-a.zero, w-b.zero) == 0
	case f.Type == trace.TypeDuration:
		return r.lasts(v, w)
	case space == trace.SpaceNone || r.numbering == nil:
		return v == w
	case f.Type == trace.TypeSelf:
		return true // those that belong together were found before
	}
	return r.numbering.same(space, v, w)
}

// plainOf says how the words of a kind are compared.
func (r *rules) plainOf(table *trace.Table, k trace.Kind) plainness {
	if int(k) < len(r.plain) && r.plain[k] != plainUnknown {
		return r.plain[k]
	}
	for len(r.plain) <= int(k) {
		r.plain = append(r.plain, plainUnknown)
	}
	r.plain[k] = plainWords
	spec := table.Spec(k)
	if spec == nil {
		return plainWords
	}
	for i := range spec.Fields {
		f := &spec.Fields[i]
		ids := f.Type == trace.TypeRef || f.Type == trace.TypeSelf || f.Type == trace.TypeValue || f.Name == "scope" || k == trace.KindGroup
		if f.Type.InText() || f.Type == trace.TypeTime || f.Type == trace.TypeDuration || ids && r.numbering != nil || r.relative && ofClock(k) {
			r.plain[k] = fieldByField
		}
	}
	return r.plain[k]
}

// ofClock reports whether records of a kind describe a clock, in ticks since some beginning of its own.
func ofClock(k trace.Kind) bool {
	return k == trace.KindClockProperties || k == trace.KindClockOffset || k == trace.KindMappingTable
}

// sameClock compares clock definitions: the length of the trace and the times of measurements. [Start] has resolution and beginning.
// Tables of local ids are part of the numbering.
func (r *rules) sameClock(kind trace.Kind, a, b *cursor) bool {
	v, w := a.batch.Fields(a.at), b.batch.Fields(b.at)
	switch {
	case kind == trace.KindMappingTable && r.numbering != nil:
		return true
	case kind == trace.KindMappingTable || !a.fits():
		return slices.Equal(v, w)
	case kind == trace.KindClockProperties:
		return r.lasts(v[2], w[2])
	}
	return r.order(v[0]-a.epoch-a.zero, w[0]-b.epoch-b.zero) == 0 && r.order(v[1], w[1]) == 0 && v[2] == w[2]
}
