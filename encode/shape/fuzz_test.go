package shape

import (
	"bytes"
	"testing"

	"github.com/pandotrace/pando/encode/internal/encodetest"
	_ "github.com/pandotrace/pando/internal/lastwords"
	"github.com/pandotrace/pando/trace"
)

func FuzzDictionaryPage(f *testing.F) {
	for seed := range uint64(6) {
		d := NewDictionary(trace.Standard)
		w := NewPageWriter(d)
		var pages [2][]byte
		for i, b := range encodetest.Batches(f, encodetest.RandomTrace(2*seed+1)) {
			addAll(f, d, b)
			pages[i%2] = w.Append(nil)
		}
		f.Add(pages[0], pages[1])
	}
	f.Add(forged(enterLeaf, flushLeaf), []byte{})
	f.Add(forged(enterLeaf, flushLeaf, edges(0, 1, 0), recursion{2, 1}), []byte{})
	f.Fuzz(func(t *testing.T, first, second []byte) {
		encodetest.Bounded(t, len(first)+len(second), func() {
			d := NewDictionary(trace.Standard)
			w := NewPageWriter(d)
			for _, page := range [][]byte{first, second} {
				if encodetest.Refused(t, d.AddPage(page, encodetest.Limits)) {
					return
				}
				if !bytes.Equal(w.Append(nil), page) {
					t.Fatal("not canonical")
				}
			}
			useShapes(t, d)
		})
	})
}

// useShapes expands the shapes that are small enough.
func useShapes(t *testing.T, d *Dictionary) {
	d.Prepare()
	left := uint64(1 << 18)
	for shape := range uint32(d.Len()) {
		n := d.Events(shape)
		if n == 0 {
			t.Fatalf("shape %d has no events", shape)
		}
		if n > left {
			continue
		}
		left -= n
		leaves := d.Expand(nil, []Token{{shape, 1}})
		if uint64(len(leaves)) != n {
			t.Fatalf("shape %d has %d events, not %d", shape, len(leaves), n)
		}
		for _, l := range leaves {
			if int(l) >= len(d.Info()) {
				t.Fatalf("shape %d expands to %d, which is no leaf", shape, l)
			}
		}
	}
}
