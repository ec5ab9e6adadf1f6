package index

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/encode/content"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index/internal/indextest"
)

// drawHashes draws a block of hashes.
func drawHashes(t *rapid.T) *Hashes {
	h := &Hashes{Node: Node{rapid.IntRange(1, 5).Draw(t, "level"), rapid.Uint64().Draw(t, "node")}, Lane: rapid.Uint32Range(0, 9).Draw(t, "lane")}
	for _, location := range rapid.SliceOfNDistinct(rapid.Uint32Range(0, 1<<30), 0, 5, rapid.ID).Draw(t, "locations") {
		for range rapid.IntRange(1, 4).Draw(t, "children") {
			child := uint32(0)
			if n := len(h.List); n > 0 && h.List[n-1].Location == location {
				child = h.List[n-1].Child + 1
			}
			child += rapid.Uint32Range(0, 9).Draw(t, "child")
			s := content.Fixed.Symbol(rapid.Uint64().Draw(t, "symbol"))
			h.List = append(h.List, ChildHash{location, child, s.Times(rapid.Uint64Range(1, 1<<40).Draw(t, "symbols"))})
		}
	}
	SortHashes(h.List)
	return h
}

func TestHashes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHashes(t)
		b := h.Append(nil)
		got, err := ParseHashes(b)
		if err != nil || !reflect.DeepEqual(got, h) {
			t.Fatalf("%+v (%v), want %+v", got, err, h)
		}
		cut := rapid.IntRange(0, len(b)-1).Draw(t, "cut")
		if _, err := ParseHashes(b[:cut]); !format.IsCorrupt(err) {
			t.Fatalf("%d of %d bytes: %v", cut, len(b), err)
		}
	})
}

// What no writer writes is refused.
func TestHashesThatAreNone(t *testing.T) {
	symbol := content.Fixed.Symbol(7)
	good := (&Hashes{Node: Node{1, 0}, List: []ChildHash{{0, 0, symbol}}}).Append(nil)
	for what, c := range map[string]struct {
		change func(b []byte) []byte
		says   string
	}{
		"a sum beyond the modulus": {func(b []byte) []byte { b[len(b)-1] = 0x20; return b }, "1 symbols with sums"},
		"an empty string":          {func(b []byte) []byte { b[len(b)-17] = 0; return b }, "0 symbols with sums"},
		"a location without any":   {func(b []byte) []byte { b[5] = 0; return b }, "without hashes"},
		"too many locations":       {func(b []byte) []byte { b[3] = 2; return b }, "too large"},
		"a byte more":              {func(b []byte) []byte { return append(b, 0) }, "too many"},
	} {
		_, err := ParseHashes(c.change(bytes.Clone(good)))
		if !format.IsCorrupt(err) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", what, err, c.says)
		}
	}
	if _, err := ParseHashes(good); err != nil {
		t.Error(err)
	}
}

func FuzzHashes(f *testing.F) {
	indextest.AddSeeds(f, func(r *rand.Rand) {
		h := &Hashes{Node: Node{1 + r.IntN(3), r.Uint64N(9)}, Lane: r.Uint32N(9)}
		for range r.IntN(9) {
			h.List = append(h.List, ChildHash{r.Uint32N(4), r.Uint32N(1 << 16), content.Fixed.Symbol(r.Uint64()).Times(1 + indextest.AnyNumber(r)/2)})
		}
		SortHashes(h.List)
		f.Add(h.Append(nil))
	})
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := ParseHashes(b)
		if !indextest.Refused(t, err) && !bytes.Equal(h.Append(nil), b) {
			t.Fatalf("not canonical: %+v", h)
		}
	})
}
