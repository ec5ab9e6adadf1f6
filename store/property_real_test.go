package store_test

import (
	"testing"

	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Real traces come back whole, and every query has the naive answer.
func TestPropertyBundled(t *testing.T) {
	for _, name := range tracetest.Bundled(t) {
		t.Run(name, func(t *testing.T) {
			anchor := tracetest.Anchor(t, name)
			s := newSubject(t, func() trace.Source {
				src, err := otf2.Open(anchor, otf2.Options{})
				if err != nil {
					t.Fatal(err)
				}
				return src
			})
			for _, opt := range []store.Options{{}, {SliceEvents: 1024, Fanout: 3, EpochSlices: 5, LaneLocations: 3}} {
				t.Run(optionsName(opt), func(t *testing.T) {
					newChecker(t, s, write(t, s.open(), opt), opt).everything()
				})
			}
		})
	}
}
