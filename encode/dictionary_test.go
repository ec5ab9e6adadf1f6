package encode

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

// randomTrace makes a trace with all kinds of events, attributes, residuals and text, and at least one event.
func randomTrace(seed uint64) *tracegen.Trace {
	k := tracegen.RandomKnobs(seed)
	k.Processes, k.Threads, k.Length = 1+int(seed%3), 2, 200
	k.Any, k.Attributes, k.Residuals, k.Leaps = 0.3, 0.2, 0.2, 0
	k.Private = seed%2 == 0
	for ; ; seed += 1000 {
		src := tracegen.Random(seed, k)
		for _, info := range src.Streams() {
			if info.Class == trace.StreamEvents && info.Records > 0 {
				return src
			}
		}
	}
}

// batchesOf returns all event streams of a trace.
func batchesOf(t testing.TB, src trace.Source) []*trace.Batch {
	t.Helper()
	var all []*trace.Batch
	for _, info := range src.Streams() {
		if info.Class == trace.StreamEvents && info.Records > 0 {
			all = append(all, readAll(t, src, info.StreamID))
		}
	}
	if len(all) == 0 {
		t.Fatal("a trace without events")
	}
	return all
}

func readAll(t testing.TB, src trace.Source, id trace.StreamID) *trace.Batch {
	t.Helper()
	s, err := src.Open(id)
	if err != nil {
		t.Fatal(err)
	}
	b := &trace.Batch{}
	if err := s.Next(b, 1<<30); err != nil && b.Len() > 0 {
		t.Fatal(err)
	}
	return b
}

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
		if !slices.Equal(want.EdgesOf(shape), got.EdgesOf(shape)) || want.Events(shape) != got.Events(shape) {
			t.Fatalf("shape %d has edges %v, want %v", shape, got.EdgesOf(shape), want.EdgesOf(shape))
		}
	}
}

// A dictionary that is written in pieces while it grows comes back the same.
func TestDictionaryPages(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		src := randomTrace(seed)
		kinds := src.Meta().Table()
		d, again := NewDictionary(kinds), NewDictionary(kinds)
		written, pages := 0, 0
		for _, b := range batchesOf(t, src) {
			addAll(t, d, b)
			if r.IntN(2) == 0 {
				continue
			}
			if err := again.AddPage(d.AppendPage(nil, written, 0), format.Limits{}); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			sameShapes(t, d, again)
			written, pages = d.Len(), pages+1
		}
		whole := d.AppendPage(nil, 0, 0)
		fresh := NewDictionary(kinds)
		if err := fresh.AddPage(whole, format.Limits{}); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		sameShapes(t, d, fresh)
		if string(fresh.AppendPage(nil, 0, 0)) != string(whole) {
			t.Fatalf("seed %d: what was read is written in another way", seed)
		}
		addAll(t, fresh, batchesOf(t, src)[0]) // a dictionary that was read knows its shapes
		sameShapes(t, d, fresh)
	}
}

// page builds a page by hand: uvarints all.
func page(numbers ...uint64) []byte {
	var b []byte
	for _, n := range numbers {
		b = format.AppendUvarint(b, n)
	}
	return b
}

// leaf writes a leaf: its kind, the number of its attributes and words, and what follows.
func leaf(kind trace.Kind, attrs, words uint64, rest ...uint64) []uint64 {
	return append([]uint64{0, 2 * uint64(kind), attrs, words}, rest...)
}

// flush is a leaf of a BufferFlush, whose one word is a value; enter one of region 5.
var (
	flush = leaf(trace.KindBufferFlush, 0, 1, 0)
	enter = leaf(trace.KindEnter, 0, 1, 5)
)

// shapes writes a page of shapes, without ranks.
func shapes(numbers ...[]uint64) []byte {
	return page(append([]uint64{0, 0, uint64(len(numbers))}, slices.Concat(numbers...)...)...)
}

func TestDictionaryPagesRefuse(t *testing.T) {
	relative := leaf(trace.KindMpiSend, 0, 4, 2, 0, 0, 0)
	relative[1]++
	for name, c := range map[string]struct {
		page []byte
		want string
	}{
		"a begin that is not the end":         {page(0, 1, 0), "begins with shape 1"},
		"more shapes than bytes":              {page(0, 0, 9, 0, 0, 0), "count 9"},
		"an unknown kind":                     {shapes(leaf(0x7777, 0, 0)), "unknown kind"},
		"a kind over 16 bits":                 {shapes([]uint64{0, 1 << 17, 0, 0}), "out of range"},
		"too few words":                       {shapes(leaf(trace.KindEnter, 0, 0)), "0 words"},
		"too many words":                      {shapes(leaf(trace.KindMpiIsend, 0, 7, 0, 0, 0, 0, 0, 0, 0)), "7 words"},
		"a count of what is not there":        {shapes(leaf(trace.KindMetric, 0, 4, 0, 2, 0, 0)), "4 words"},
		"a repeated group cut short":          {shapes(leaf(trace.KindMetric, 0, 3, 0, 1, 0)), "3 words"},
		"a value in a leaf":                   {shapes(leaf(trace.KindBufferFlush, 0, 1, 9)), "not zero"},
		"more words than bytes":               {shapes(leaf(trace.KindEnter, 0, 99, 9)), "count 99"},
		"more attributes than bytes":          {shapes(leaf(trace.KindEnter, 99, 9, 9)), "count 99"},
		"a relative rank of no message":       {shapes([]uint64{0, 2*uint64(trace.KindEnter) + 1, 0, 1, 5}), "relative rank"},
		"the same leaf twice":                 {shapes(enter, enter), "stands twice"},
		"the same relative leaf twice":        {shapes(relative, relative), "stands twice"},
		"the same composite twice":            {shapes(enter, []uint64{1, 3, 0}, []uint64{1, 5, 0}), "stands twice"},
		"an edge to itself":                   {shapes(enter, []uint64{1, 1, 0}), "not before its parent"},
		"an edge to what is not there":        {shapes(enter, []uint64{1, 4}), "not before its parent"},
		"a composite that is only its child":  {shapes(enter, []uint64{1, 2}), "nothing but another"},
		"a count over 32 bits":                {shapes(enter, []uint64{1, 3, 1<<32 - 2}), "out of range"},
		"more edges than bytes":               {shapes(enter, []uint64{99, 2}), "count 99"},
		"bytes behind the last shape":         {append(shapes(enter), 0), "too many"},
		"a page that ends in a leaf":          {shapes(enter)[:6], "bad integer"},
		"no bytes at all":                     {nil, "bad integer"},
		"a number in more bytes than it need": {append([]byte{0x80, 0}, shapes(enter)[1:]...), "bad integer"},
		"more ranks than bytes":               {page(99, 0, 0, 0, 0), "count 99"},
		"the same rank twice":                 {page(2, 0, 7, 0, 1, 0, 7, 0, 1, 0, 0), "bad rank"},
		"the rank of a negative location":     {page(1, 1, 7, 0, 1, 0, 0), "bad rank"},
		"the rank of a location over 32 bits": {page(1, 1<<33, 7, 0, 1, 0, 0), "bad rank"},
		"a rank over 2^40":                    {page(1, 0, 7, 1<<40, 0, 0, 0), "out of range"},
		"a size over 2^40":                    {page(1, 0, 7, 1, 1<<40-1, 0, 0), "bad rank"},
	} {
		err := NewDictionary(trace.Standard).AddPage(c.page, format.Limits{})
		if corrupt, ok := err.(*format.CorruptError); !ok || corrupt.Section != pageSection || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	d := NewDictionary(trace.Standard)
	if err := d.AddPage(shapes(enter, flush, []uint64{2, 4, 3, 1<<32 - 3}), format.Limits{}); err != nil {
		t.Fatal(err)
	}
	if got := d.EdgesOf(2); !slices.Equal(got, []Edge{{0, 1}, {1, 1<<32 - 1}}) {
		t.Errorf("edges %v", got)
	}
}

// Limits hold for what all pages of a dictionary have together.
func TestDictionaryLimits(t *testing.T) {
	three := shapes(enter, flush, []uint64{2, 4, 2})
	for limit, ok := range map[int]bool{2: false, 3: false, 4: true} {
		err := NewDictionary(trace.Standard).AddPage(three, format.Limits{DictionaryShapes: limit})
		if (err == nil) != ok {
			t.Errorf("3 shapes with 2 words and 2 edges, limit %d: %v", limit, err)
		}
	}
	d := NewDictionary(trace.Standard)
	if err := d.AddPage(three, format.Limits{DictionaryShapes: 4}); err != nil {
		t.Fatal(err)
	}
	if err := d.AddPage(page(0, 3, 1, 2, 6, 2), format.Limits{DictionaryShapes: 4}); err == nil {
		t.Error("a second page goes over the limit")
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
	for i := range uint64(maxContexts) {
		shape, err := d.Event(0, trace.KindParameterInt, []uint64{i, 7}, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := [2]uint32{next, next + 2} // between them is the column of tick counts
		if next += 3; want[1] >= sharedTimes {
			want[1] = sharedValues
		}
		if want[0]+1 >= sharedTimes {
			want[0] = sharedTimes
		}
		l := d.Leaf(shape)
		if got := [2]uint32{l.TimeColumn, l.Slots[0].Column}; got != want {
			t.Fatalf("parameter %d has columns %v, want %v", i, got, want)
		}
	}
	if d.Columns() != maxContexts || len(d.columns) > maxContexts {
		t.Errorf("%d columns, %d of them known", d.Columns(), len(d.columns))
	}
}

// The table of kinds decides which words of a leaf vary, in which columns, and how they are predicted.
func TestSlotsFollowTheTable(t *testing.T) {
	src := randomTrace(2)
	kinds := src.Meta().Table()
	d := NewDictionary(kinds)
	for _, b := range batchesOf(t, src) {
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
		before := uint64(0)
		kinds.Spec(l.Kind).Walk(l.Words, func(i int, f *trace.Field, word uint64) {
			typed := trace.ValueType(before)
			before = word
			switch {
			case f.Type.InText():
				want = append(want, Slot{Word: uint32(i), Mode: Text})
			case f.Role == trace.Value && f.Type == trace.TypeTime:
				want = append(want, Slot{Word: uint32(i), Mode: Time})
			case f.Type == trace.TypeValue && f.Role == trace.Value && typed >= trace.ValueUint8 && typed <= trace.ValueInt64:
				want = append(want, Slot{Word: uint32(i), Mode: Count})
			case f.Role == trace.Value:
				want = append(want, Slot{Word: uint32(i), Mode: Delta})
			}
		})
		for i := range l.Attrs {
			want = append(want, Slot{Word: uint32(len(l.Words) + i), Mode: Delta})
		}
		got := slices.Clone(l.Slots)
		for i := range got {
			if got[i].Column == 0 || int(got[i].Column) >= d.Columns() {
				t.Fatalf("%v has the column %d", l.Kind, got[i].Column)
			}
			got[i].Column = 0
		}
		if !slices.Equal(got, want) || int(d.Info()[shape].Slots) != len(want) {
			t.Fatalf("%v has slots %v, want %v", l.Kind, got, want)
		}
	}
	if len(seen) < 50 {
		t.Errorf("only %d kinds were seen", len(seen))
	}
}
