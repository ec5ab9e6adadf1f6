package mpe_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pandotrace/pando/convert/mpe"
	"github.com/pandotrace/pando/convert/mpe/mpetest"
	"github.com/pandotrace/pando/trace"
)

func TestSplitFormat(t *testing.T) {
	for format, want := range map[string]struct {
		labels  []string
		letters string
	}{
		"": {[]string{""}, ""}, "plain": {[]string{"plain"}, ""}, "%d": {[]string{"", ""}, "d"}, "100%": {[]string{"100%"}, ""},
		"iter=%d, res=%E, tag=%s.": {[]string{"iter=", ", res=", ", tag=", "."}, "dEs"}, "%%d": {[]string{"", "d"}, "%"},
	} {
		labels, letters := mpe.SplitFormat(format)
		if !slices.Equal(labels, want.labels) || string(letters) != want.letters {
			t.Errorf("%q: %q %q", format, labels, letters)
		}
		if back := mpe.JoinFormat(labels, letters); back != format {
			t.Errorf("%q became %q", format, back)
		}
	}
}

// Attributes hold all bytes of a cargo, whatever its format says of it.
func TestCargo(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		var l mpe.Log
		letters := make([]byte, r.IntN(8))
		for i := range letters {
			letters[i] = "shdlxXeE?"[r.IntN(9)]
		}
		layout, next := mpe.NewLayout(&l, make([]string, len(letters)+1), letters, mpe.FirstCargoAttr)
		if n := slices.Index(letters, '?'); n < 0 && next != mpe.FirstCargoAttr+uint64(len(letters)) || n >= 0 && next != mpe.FirstCargoAttr+uint64(n) {
			t.Fatalf("%q: the next attribute is %d", letters, next)
		}
		cargo := make([]byte, mpe.CargoBytes)
		for i := range cargo[:r.IntN(mpe.CargoBytes+1)] {
			if cargo[i] = byte(r.IntN(256)); r.IntN(3) == 0 {
				cargo[i] = byte(r.IntN(6))
			}
		}
		if r.IntN(4) > 0 {
			layout.Texts(cargo, func(text []byte) { l.String(string(text)) })
		}
		attrs, left := layout.Append(nil, cargo, l.Lookup)
		if len(attrs) == 0 || len(left) > 0 {
			t.Fatalf("%q of %x: %d attributes, %d bytes left", letters, cargo, len(attrs), len(left))
		}
		text := func(id uint64) string { return trace.NewDefinitions(l.Records).Strings[id] }
		if got := mpetest.Cargo(attrs, mpe.CargoBytes, text); !bytes.Equal(got, cargo) {
			t.Fatalf("%q: %x became %x by %v", letters, cargo, got, attrs)
		}
	}
}

// Values are what C would print.
func TestCargoValues(t *testing.T) {
	var l mpe.Log
	labels, letters := mpe.SplitFormat("h=%h, d=%d l=%l x=%x e=%e s=%s!")
	layout, _ := mpe.NewLayout(&l, labels, letters, mpe.FirstCargoAttr)
	cargo := []byte{0xff, 0xfe, 0, 0, 0, 7, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfb, 0, 0, 0xab, 0xc0, 0x3f, 0xc0, 0, 0, 0, 2, 'h', 'i', 9, 0, 0, 0, 0, 0}
	layout.Texts(cargo, func(text []byte) { l.String(string(text)) })
	defs := trace.NewDefinitions(l.Records)
	want := []string{"h -2", "d 7", "l -5", "x 43968", "e 1.5"}
	attrs, _ := layout.Append(nil, cargo, l.Lookup)
	for i, w := range want {
		if got := defs.Name(trace.SpaceAttribute, attrs[i].ID) + " " + attrs[i].Type.Format(attrs[i].Value); got != w {
			t.Errorf("value %d: %q, want %q", i, got, w)
		}
	}
	if s := defs.Strings[attrs[5].Value]; s != "hi" || len(attrs) != 7 || attrs[6].Value != 9<<56 {
		t.Errorf("string %q, then %v", s, attrs[6:])
	}
}
