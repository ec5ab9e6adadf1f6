package index

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index/internal/indextest"
)

func drawLocations(r *rand.Rand) *LocationPage {
	p := &LocationPage{First: indextest.AnyNumber(r)}
	step, lane := indextest.AnyNumber(r), uint32(r.IntN(100))
	for range 1 + r.IntN(40) {
		id := step * uint64(len(p.IDs))
		if r.IntN(4) == 0 {
			id = indextest.AnyNumber(r)
		}
		lane += uint32(r.IntN(2))
		p.IDs, p.Lanes = append(p.IDs, id), append(p.Lanes, lane)
	}
	return p
}

func drawTotals(r *rand.Rand) *LocationTotalsPage {
	p := &LocationTotalsPage{First: indextest.AnyNumber(r)}
	for range 1 + r.IntN(40) {
		l := LocationTotals{Events: indextest.AnyNumber(r), Calls: indextest.AnyNumber(r), MaxDepth: indextest.AnyNumber(r)}
		l.First = int64(indextest.AnyNumber(r)>>2) - 1<<61
		l.Last = min(l.First+int64(indextest.AnyNumber(r)>>2), 1<<61)
		p.Totals = append(p.Totals, l)
	}
	return p
}

// drawWhole draws the totals of a trace, with locations or without.
func drawWhole(r *rand.Rand) *Totals {
	t := &Totals{Info: Info{Kinds: []KindCount{{Kind: 3, Count: indextest.AnyNumber(r)}}}}
	for _, n := range t.Numbers() {
		*n = indextest.AnyNumber(r)
	}
	t.First = int64(indextest.AnyNumber(r)>>2) - 1<<61
	t.Last = min(t.First+int64(indextest.AnyNumber(r)>>2), 1<<61)
	if t.PageLocations = r.Uint64N(PageLocations); r.IntN(2) == 0 {
		t.PageLocations, t.Few = 0, *drawLocations(r)
		t.Few.First, t.Locations = 0, uint64(len(t.Few.IDs))
		for range t.Few.IDs {
			t.FewTotals.Totals = append(t.FewTotals.Totals, drawTotals(r).Totals[0])
		}
	}
	return t
}

func TestTotals(t *testing.T) {
	checkRoundTrip(t, drawWhole, func(i *Totals) []byte { return i.Append(nil) }, ReadTotals)
	for _, n := range []uint64{PageLocations + 1, math.MaxUint64} {
		i := Totals{Info: Info{Locations: n}}
		if _, err := ReadTotals(i.Append(nil)); !format.IsCorrupt(err) {
			t.Errorf("%d locations without pages: %v", n, err)
		}
	}
}

func TestPagesOfLocations(t *testing.T) {
	checkRoundTrip(t, drawLocations, func(p *LocationPage) []byte { return p.Append(nil) }, ParseLocationPage)
	checkRoundTrip(t, drawTotals, func(p *LocationTotalsPage) []byte { return p.Append(nil) }, ParseLocationTotals)
}

// A page has no more locations than pages may have, lanes of 32 bits, and no location ends before it begins.
func TestPagesOfLocationsRefuse(t *testing.T) {
	large := LocationPage{IDs: make([]uint64, PageLocations+1), Lanes: make([]uint32, PageLocations+1)}
	if _, err := ParseLocationPage(large.Append(nil)); !format.IsCorrupt(err) {
		t.Errorf("%d locations: %v", len(large.IDs), err)
	}
	lane := []byte{0, 1, 0, 7, 0}
	if _, err := ParseLocationPage(format.AppendUvarint(lane, math.MaxUint32+1)); !format.IsCorrupt(err) {
		t.Errorf("a lane of 33 bits: %v", err)
	}
	if p, err := ParseLocationPage(format.AppendUvarint(lane, math.MaxUint32)); err != nil || p.Lanes[0] != math.MaxUint32 || p.IDs[0] != 7 {
		t.Errorf("the last lane: %v", err)
	}
	for _, l := range []LocationTotals{{First: 5, Last: 4}, {First: math.MaxInt64, Last: math.MinInt64}, {First: -1 << 62, Last: 1 << 62}} {
		p := LocationTotalsPage{Totals: []LocationTotals{l}}
		if _, err := ParseLocationTotals(p.Append(nil)); !format.IsCorrupt(err) {
			t.Errorf("from %d to %d: %v", l.First, l.Last, err)
		}
	}
	manyTotals := LocationTotalsPage{Totals: make([]LocationTotals, PageLocations+1)}
	if _, err := ParseLocationTotals(manyTotals.Append(nil)); !format.IsCorrupt(err) {
		t.Errorf("totals of %d locations: %v", len(manyTotals.Totals), err)
	}
}
