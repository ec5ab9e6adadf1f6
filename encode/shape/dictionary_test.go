package shape

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/encode/internal/encodetest"
	"github.com/pandotrace/pando/trace"
)

// addAll folds all events of a batch into a dictionary.
func addAll(t testing.TB, d *Dictionary, b *trace.Batch) {
	t.Helper()
	s := newStacker(d)
	for i := range b.Len() {
		s.event(t, b.Kinds[i], b.Fields(i), b.AttrsOf(i))
	}
	s.folder.Tokens()
}

// sameShapes compares all that can be asked of two dictionaries.
func sameShapes(t testing.TB, want, got *Dictionary) {
	t.Helper()
	if want.Len() != got.Len() || want.Columns() != got.Columns() || !slices.Equal(want.Info(), got.Info()) {
		t.Fatalf("%d shapes and %d columns, want %d and %d", got.Len(), got.Columns(), want.Len(), want.Columns())
	}
	for shape := range uint32(want.Len()) {
		if diff := cmp.Diff(want.Leaf(shape), got.Leaf(shape)); diff != "" {
			t.Fatalf("leaf %d (-want +got):\n%s", shape, diff)
		}
		wantLevel, wantHole, _ := want.Recursion(shape)
		if level, hole, _ := got.Recursion(shape); level != wantLevel || hole != wantHole {
			t.Fatalf("shape %d is a recursion of %d, %d, want %d, %d", shape, level, hole, wantLevel, wantHole)
		}
		if !slices.Equal(want.EdgesOf(shape), got.EdgesOf(shape)) || want.Events(shape) != got.Events(shape) {
			t.Fatalf("shape %d has edges %v, want %v", shape, got.EdgesOf(shape), want.EdgesOf(shape))
		}
	}
}

// A record that does not fit its kind is an error, not a panic, whatever the kind.
func TestEventsMustFitTheirKind(t *testing.T) {
	d := NewDictionary(trace.Standard)
	for _, spec := range trace.Standard.All() {
		for n := range 20 {
			words := make([]uint64, n)
			_, ok := spec.Count(words)
			if _, err := d.Event(0, spec.ID, words, nil); (err == nil) != ok {
				t.Errorf("%d words as a %s: %v", n, spec.Name, err)
			}
		}
	}
	if _, err := d.Event(0, 0x7777, nil, nil); err == nil {
		t.Error("an unknown kind is accepted")
	}
}

// Columns are numbered in the order of need; when they are given out, times share two and other values one.
func TestColumnsRunOut(t *testing.T) {
	d := NewDictionary(trace.Standard)
	next := uint32(1)
	for i := range uint64(column.MaxContexts) {
		shape, err := d.Event(0, trace.KindParameterInt, []uint64{i, 7}, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := [2]uint32{next, next + 2} // between them is the column of tick counts
		if next += 3; want[1] >= SharedTimes {
			want[1] = SharedValues
		}
		if want[0]+1 >= SharedTimes {
			want[0] = SharedTimes
		}
		l := d.Leaf(shape)
		if got := [2]uint32{l.TimeColumn, l.Slots[0].Column}; got != want {
			t.Fatalf("parameter %d has columns %v, want %v", i, got, want)
		}
	}
	if d.Columns() != column.MaxContexts || len(d.columns) > column.MaxContexts {
		t.Errorf("%d columns, %d of them known", d.Columns(), len(d.columns))
	}
}

// The table of kinds decides which words of a leaf vary, in which columns, and how they are predicted.
func TestSlotsFollowTheTable(t *testing.T) {
	src := encodetest.RandomTrace(2)
	kinds := src.Meta().Table()
	d := NewDictionary(kinds)
	for _, b := range encodetest.Batches(t, src) {
		addAll(t, d, b)
	}
	seen := map[trace.Kind]bool{}
	for shape := range uint32(d.Len()) {
		l := d.Leaf(shape)
		if l == nil {
			continue
		}
		seen[l.Kind] = true
		var want []Slot
		kinds.Spec(l.Kind).Walk(l.Words, func(i int, f *trace.Field, _ uint64) {
			switch {
			case f.Type.InText():
				want = append(want, Slot{Word: uint32(i), Mode: Text})
			case f.Role == trace.Value && f.Type == trace.TypeTime:
				want = append(want, Slot{Word: uint32(i), Mode: Time})
			case f.Role == trace.Value:
				want = append(want, Slot{Word: uint32(i), Mode: Predicted})
			}
		})
		for i := range l.Attrs {
			want = append(want, Slot{Word: uint32(len(l.Words) + i), Mode: Predicted})
		}
		got := slices.Clone(l.Slots)
		for i := range got {
			if got[i].Column == 0 || int(got[i].Column) >= d.Columns() {
				t.Fatalf("%v has the column %d", l.Kind, got[i].Column)
			}
			got[i].Column = 0
		}
		if !slices.Equal(got, want) || len(d.Layout(d.Info()[d.LeafNumber(shape)].Layout)) != len(want) {
			t.Fatalf("%v has slots %v, want %v", l.Kind, got, want)
		}
	}
	if len(seen) < 50 {
		t.Errorf("only %d kinds were seen", len(seen))
	}
}
