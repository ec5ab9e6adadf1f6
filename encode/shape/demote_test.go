package shape

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pandotrace/pando/encode/internal/encodetest"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

// demoteSome demotes any fields.
func demoteSome(r *rand.Rand, d *Dictionary) {
	encodetest.SomeFields(r, d.kinds, func(k trace.Kind, field uint16) { d.Demote(FieldRef{k, field}) })
}

func TestWhatMayBeDemoted(t *testing.T) {
	private := &trace.Table{}
	if err := private.Add(&trace.Spec{ID: trace.FirstPrivateKind, Name: "Private", Fields: []trace.Field{
		{Name: "text", Type: trace.TypeText, Bits: 64}, {Name: "count", Type: trace.TypeCount, Bits: 32}, {Name: "code", Type: trace.TypeCode, Bits: 8, Repeat: true},
		{Name: "value", Type: trace.TypeValue, Bits: 64, Repeat: true}, {Name: "other", Type: trace.TypeNumber, Bits: 64},
	}}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		kinds  *trace.Table
		kind   trace.Kind
		fields []uint16 // that may be demoted
	}{
		{trace.Standard, trace.KindMpiSend, []uint16{0, 2, 3}},
		{trace.Standard, trace.KindMpiIrecv, []uint16{0, 2, 3}},
		{trace.Standard, trace.KindEnter, nil},
		{trace.Standard, trace.KindMetric, nil},
		{trace.Standard, trace.KindMpiCollectiveEnd, []uint16{1, 2, 3, 4}},
		{trace.Standard, trace.KindMpiCollectiveBegin, nil},
		{private, trace.FirstPrivateKind, []uint16{3, 4}},
		{private, trace.KindEnter, nil},
	} {
		d := NewDictionary(c.kinds)
		var got []uint16
		for f := range uint16(10) {
			if d.Demote(FieldRef{c.kind, f}) {
				got = append(got, f)
			}
			if d.Demote(FieldRef{c.kind, f}) {
				t.Errorf("kind %d: field %d is demoted twice", c.kind, f)
			}
		}
		if !slices.Equal(got, c.fields) || len(d.Demoted()) != len(got) {
			t.Errorf("kind %d: fields %v are demoted, want %v", c.kind, got, c.fields)
		}
	}
}

// Events that differ in a demoted field only have one leaf, and a peer that is demoted is relative to nothing.
func TestDemotedFieldsAreNoStructure(t *testing.T) {
	for field := range uint16(4) {
		d := NewDictionary(trace.Standard)
		d.AddRank(OwnRank{Location: 0, Communicator: 5, Rank: 3, Size: 10})
		d.AddRank(OwnRank{Location: 0, Communicator: 6, Rank: 3, Size: 10})
		ok := d.Demote(FieldRef{trace.KindMpiSend, field})
		words := []uint64{1, 5, 2, 3}
		first, _ := d.Event(0, trace.KindMpiSend, words, nil)
		words[field]++
		second, _ := d.Event(0, trace.KindMpiSend, words, nil)
		if (first == second) != ok || d.Leaf(first).Relative != (field != 0) {
			t.Errorf("field %d: leaves %d and %d, relative %v", field, first, second, d.Leaf(first).Relative)
		}
	}
}

// used folds an exchange into a dictionary, and returns what it says of it in the end.
func used(t *testing.T, src trace.Source, demoted ...FieldRef) (*Dictionary, *Usage) {
	t.Helper()
	d, u := NewDictionary(src.Meta().Table()), &Usage{}
	for _, f := range demoted {
		if !d.Demote(f) {
			t.Fatalf("%v cannot be demoted", f)
		}
	}
	for i, b := range encodetest.Batches(t, src) {
		for comm := range uint64(2) {
			d.AddRank(OwnRank{Location: uint32(i), Communicator: comm, Rank: uint64(i), Size: 4})
		}
		s := newStacker(d)
		s.location = uint32(i)
		for j := range b.Len() {
			if s.event(t, b.Kinds[j], b.Fields(j), b.AttrsOf(j)); j%500 == 499 { // a slice ends
				u.Add(d, s.folder.Tokens())
				s.folder.Reset(d)
				s.Outside = len(s.Open)
			}
		}
		u.Add(d, s.folder.Tokens())
	}
	return d, u
}

func TestDemotions(t *testing.T) {
	tags := []FieldRef{{trace.KindMpiSend, 2}, {trace.KindMpiRecv, 2}}
	lengths := []FieldRef{{trace.KindMpiSend, 3}, {trace.KindMpiRecv, 3}}
	for name, c := range map[string]struct {
		src  trace.Source
		want []FieldRef
	}{
		"nothing varies":   {tracegen.Exchange(4, 2000, false, 1, 1), nil},
		"tags":             {tracegen.Exchange(4, 2000, true, 1, 1), tags},
		"a few lengths":    {tracegen.Exchange(4, 2000, false, 8, 1), nil},
		"any lengths":      {tracegen.Exchange(4, 2000, false, 1<<30, 1), lengths},
		"tags and lengths": {tracegen.Exchange(4, 2000, true, 1<<30, 1), append(tags, lengths...)},
		"no order at all":  {tracegen.Shuffle(4, 20_000, 1), nil},
	} {
		d, u := used(t, c.src)
		size := len(NewPageWriter(d).Append(nil))
		got := d.Demotions(u, max(size, fewBytes), 4)
		if len(got) != len(c.want) || slices.ContainsFunc(c.want, func(f FieldRef) bool { return !slices.Contains(got, f) }) {
			t.Errorf("%s: %v are demoted, want %v", name, got, c.want)
			continue
		}
		if d, u = used(t, c.src, got...); len(got) > 0 && len(NewPageWriter(d).Append(nil)) > size/10 {
			t.Errorf("%s: a page of %d bytes is one of %d after all", name, size, len(NewPageWriter(d).Append(nil)))
		}
		if again := d.Demotions(u, size, 4); len(again) > 0 {
			t.Errorf("%s: after that, %v are demoted", name, again)
		}
	}
}

// Usage counts the events of leaves as expansion does.
func TestUsage(t *testing.T) {
	for seed := range uint64(50) {
		d, u := NewDictionary(trace.Standard), &Usage{}
		want := map[uint32]uint64{}
		for range 3 {
			s := newStacker(d)
			s.program(t, rand.New(rand.NewPCG(seed, 1)), 0)
			for _, l := range s.leaves {
				want[l]++
			}
			u.Add(d, s.folder.Tokens())
		}
		for shape, n := range u.leaves(d) {
			if d.Leaf(uint32(shape)) != nil && n != want[d.LeafNumber(uint32(shape))] {
				t.Fatalf("seed %d: leaf %d has %d events, want %d", seed, shape, n, want[d.LeafNumber(uint32(shape))])
			}
		}
	}
}
