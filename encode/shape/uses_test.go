package shape

import (
	"math/rand/v2"
	"testing"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/encode/internal/encodetest"
	"github.com/pandotrace/pando/trace"
)

// Columns say what they are for: the times of their kind, or the field that stands in the place of their slots.
func TestUses(t *testing.T) {
	fields, attributes := map[string]int{}, 0
	for seed := range uint64(20) {
		src := encodetest.RandomTrace(seed)
		d := NewDictionary(src.Meta().Table())
		demoteSome(rand.New(rand.NewPCG(seed, 1)), d)
		for _, b := range encodetest.Batches(t, src) {
			addAll(t, d, b)
		}
		uses := d.Uses()
		for shape := range uint32(d.Len()) {
			l := d.Leaf(shape)
			if l == nil {
				continue
			}
			want := ColumnUse{Of: UseTime, Kind: l.Kind}
			if uses[l.TimeColumn] != want || uses[l.TimeColumn+1] != want {
				t.Fatalf("columns %+v and %+v are times of %v", uses[l.TimeColumn], uses[l.TimeColumn+1], l.Kind)
			}
			spec := d.kinds.Spec(l.Kind)
			at := map[uint32]int{}
			spec.Walk(l.Words, func(i int, f *trace.Field, _ uint64) { at[uint32(i)] = spec.Field(f.Name) })
			for _, s := range l.Slots {
				want := ColumnUse{Of: UseAttribute}
				if field, ok := at[s.Word]; ok {
					want = ColumnUse{Of: UseField, Kind: l.Kind, Field: field}
					fields[spec.Name+" "+spec.Fields[field].Name]++
				} else {
					attributes++
				}
				if uses[s.Column] != want {
					t.Fatalf("column of %v, word %d is %+v, want %+v", l.Kind, s.Word, uses[s.Column], want)
				}
			}
		}
		if uses[ResidualColumn] != (ColumnUse{Of: UseResidual}) {
			t.Errorf("column of residuals is %+v", uses[ResidualColumn])
		}
	}
	if len(fields) < 5 || attributes < 50 {
		t.Errorf("values of %v, and %d attributes: this tests little", fields, attributes)
	}
}

// Columns shared by all that came too late say so.
func TestUsesOfSharedColumns(t *testing.T) {
	d := NewDictionary(trace.Standard)
	for i := range uint64(column.MaxContexts/2 + 10) {
		if _, err := d.Event(0, trace.KindParameterInt, []uint64{1<<20 + i, 0}, nil); err != nil {
			t.Fatal(err)
		}
	}
	uses := d.Uses()
	for c := SharedTimes; c <= SharedValues; c++ {
		if uses[c] != (ColumnUse{Of: UseShared}) {
			t.Errorf("column %d is %+v", c, uses[c])
		}
	}
	field := trace.Standard.Spec(trace.KindParameterInt).Field("value")
	if want := (ColumnUse{Of: UseField, Kind: trace.KindParameterInt, Field: field}); uses[3] != want {
		t.Errorf("column 3 is %+v, want %+v", uses[3], want)
	}
}
