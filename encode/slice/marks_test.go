package slice

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/encode/internal/encodetest"
	"github.com/pandotrace/pando/format"
)

// drawMarks returns marks of some slices.
func drawMarks(t *rapid.T) *Marks {
	m := &Marks{Group: rapid.Uint64Range(0, 1<<40).Draw(t, "group"), Lane: rapid.Uint32().Draw(t, "lane")}
	slice := rapid.Uint64Range(0, 1<<47).Draw(t, "first")
	for range rapid.IntRange(1, 20).Draw(t, "slices") {
		s := SliceMarks{Slice: slice}
		end := uint32(0)
		for range rapid.IntRange(1, 30).Draw(t, "marks") {
			end += rapid.Uint32Range(1, 500).Draw(t, "gap")
			skip := rapid.SampledFrom([]uint32{Unpaired, Unpaired, Unpaired, 1, 2, Unpaired - 1}).Draw(t, "skip")
			ends := rapid.SampledFrom([]uint32{1, 1, 1, 2, 300}).Draw(t, "ends")
			s.Pairs = append(s.Pairs, PairMark{Endpoint: end, Ends: ends, Skip: skip})
			end += ends
		}
		m.Slices = append(m.Slices, s)
		slice += rapid.Uint64Range(1, 1000).Draw(t, "step")
	}
	return m
}

func TestMarksComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawMarks(t)
		b := want.Append(nil)
		got, err := ParseMarks(b, format.Limits{})
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v, %v, want %+v", got, err, want)
		}
		for _, s := range want.Slices {
			if !reflect.DeepEqual(got.Of(s.Slice), s.Pairs) {
				t.Fatalf("slice %d: %+v, want %+v", s.Slice, got.Of(s.Slice), s.Pairs)
			}
		}
		if last := want.Slices[len(want.Slices)-1].Slice; got.Of(last+1) != nil {
			t.Fatalf("marks of a slice that has none: %+v", got.Of(last+1))
		}
	})
}

// Lanes need not have any marks.
func TestNoMarks(t *testing.T) {
	var none *Marks
	if none.Of(3) != nil {
		t.Fatal("marks")
	}
}

// Where all marks say the same, they take no bits. The block is filled up: its bytes bound what it stands for.
func TestMarksAreFilled(t *testing.T) {
	m := &Marks{Slices: []SliceMarks{{}}}
	for i := range uint32(100_000) {
		m.Slices[0].Pairs = append(m.Slices[0].Pairs, PairMark{Endpoint: 2 * i, Ends: 1, Skip: Unpaired})
	}
	b := m.Append(nil)
	if want := (100_001 + format.Density - 1) / format.Density; len(b) != want {
		t.Fatalf("%d bytes, want %d", len(b), want)
	}
	if _, err := ParseMarks(b, format.Limits{}); err != nil {
		t.Fatal(err)
	}
	for name, wrong := range map[string][]byte{"fewer": b[:len(b)-1], "more": append(bytes.Clone(b), 0), "others": append(bytes.Clone(b)[:len(b)-1], 1)} {
		if _, err := ParseMarks(wrong, format.Limits{}); !format.IsCorrupt(err) {
			t.Errorf("%s bytes: %v", name, err)
		}
	}
}

func TestMarksRefuse(t *testing.T) {
	for name, c := range map[string]struct {
		m    Marks
		want string
	}{
		"an endpoint over the limit": {Marks{Slices: []SliceMarks{{0, []PairMark{{1 << 24, 1, Unpaired}}}}}, "out of range"},
		"the same endpoint twice":    {Marks{Slices: []SliceMarks{{0, []PairMark{{1, 2, Unpaired}, {2, 1, Unpaired}}}}}, "out of range"},
		"the same slice twice":       {Marks{Slices: []SliceMarks{{4, []PairMark{{1, 1, 1}}}, {4, []PairMark{{1, 1, 1}}}}}, "out of range"},
		"too many endpoints":         {Marks{Slices: []SliceMarks{{0, []PairMark{{7, 1 << 18, Unpaired}}}}}, "out of range"},
		"marks that are one":         {Marks{Slices: []SliceMarks{{0, []PairMark{{7, 2, 1}, {9, 1, 1}}}}}, "out of range"},
		"slices far apart":           {Marks{Slices: []SliceMarks{{4, []PairMark{{1, 1, 1}}}, {1 << 20, []PairMark{{1, 1, 1}}}}}, "out of range"},
	} {
		_, err := ParseMarks(c.m.Append(nil), format.Limits{})
		if !format.IsCorrupt(err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// FuzzMarks parses any bytes as marks.
func FuzzMarks(f *testing.F) {
	seeds := 0
	for _, m := range []*Marks{
		{Group: 3, Lane: 1, Slices: []SliceMarks{{48, []PairMark{{0, 1, Unpaired}, {7, 1, 2}}}, {50, []PairMark{{3, 1, 1}}}}},
		{Slices: []SliceMarks{{0, []PairMark{{5, 1, Unpaired}}}}},
	} {
		f.Add(m.Append(nil))
		seeds++
	}
	if seeds == 0 {
		f.Fatal("no seeds")
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		encodetest.Bounded(t, len(b), func() {
			m, err := ParseMarks(b, encodetest.Limits)
			if encodetest.Refused(t, err) {
				return
			}
			again, err := ParseMarks(m.Append(nil), encodetest.Limits)
			if err != nil || !reflect.DeepEqual(again, m) {
				t.Fatalf("%+v came back as %+v, %v", m, again, err)
			}
		})
	})
}
