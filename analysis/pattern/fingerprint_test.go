package pattern_test

import (
	"bytes"
	"testing"

	"github.com/pandotrace/pando/analysis/pattern"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
)

// A pattern has one fingerprint, however its file is divided, how often it is repeated and when; that of more ranks is another one.
func TestFingerprint(t *testing.T) {
	print := func(ranks, rounds int, seed uint64, slice int) []byte {
		r := stored.Source(t, tracegen.Ring(ranks, rounds, seed), store.Options{SliceEvents: slice})
		x, err := pattern.Find(t.Context(), r, r.All(), pattern.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if id, ok := x.Communicator(); !ok || x.Definitions.Comms[id].Inter {
			t.Errorf("communicator %d, %v", id, ok)
		}
		return x.Fingerprint()
	}
	one := print(5, 30, 1, 0)
	if again := print(5, 30, 1, 10); len(one) != 16 || !bytes.Equal(one, again) {
		t.Errorf("%x, and %x in other slices", one, again)
	}
	if more := print(5, 90, 2, 0); !bytes.Equal(one, more) {
		t.Errorf("%x, and %x of more rounds", one, more)
	}
	if other := print(6, 30, 1, 0); bytes.Equal(one, other) {
		t.Errorf("%x of other ranks", other)
	}
}
