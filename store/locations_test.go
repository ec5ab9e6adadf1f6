package store_test

import (
	"bytes"
	"testing"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
)

// readAt notes where a file is read.
type readAt struct {
	*bytes.Reader
	places [][2]int // from, to
}

func (r *readAt) ReadAt(b []byte, at int64) (int, error) {
	r.places = append(r.places, [2]int{int(at), int(at) + len(b)})
	return r.Reader.ReadAt(b, at)
}

// read returns the blocks of a kind, by number, that were read whole.
func (r *readAt) read(blocks []damage.Block, kind format.BlockKind) (numbers []int) {
	n := 0
	for i := range blocks {
		b := &blocks[i]
		if b.Kind != kind {
			continue
		}
		for _, p := range r.places {
			if p[0] <= b.Offset && b.Offset+b.Size() <= p[1] {
				numbers = append(numbers, n)
				break
			}
		}
		n++
	}
	return numbers
}

// TestOnlyPagesThatAreNamed: opening a file reads no page of locations, a window of some locations those pages that have their lanes, and
// totals of locations are for those who list them.
func TestOnlyPagesThatAreNamed(t *testing.T) {
	const each, pages = 8, 5
	file := write(t, tracegen.Ring(each*pages, 12, 1), store.Options{SliceEvents: 300, LaneLocations: each, PageLocations: each})
	blocks := damage.Blocks(file)
	src := &readAt{Reader: bytes.NewReader(file)}
	r, err := store.NewReader(t.Context(), src, int64(len(file)), store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r.ForgetEnds()
	ids := stored.LocationIDs(t, read(t, file))
	src.places = nil
	if err := toEnd(r.All().WithLocations(ids[each+1], ids[each+3]).Calls()); err != nil {
		t.Fatal(err)
	}
	if got := src.read(blocks, format.BlockLocations); len(got) != 1 || got[0] != 1 {
		t.Errorf("a window of locations of page 1 reads the pages %v", got)
	}
	if got := src.read(blocks, format.BlockLocationTotals); len(got) > 0 {
		t.Errorf("it reads the totals %v", got)
	}
	src.places = nil
	if err := toEnd(r.All().WithLocations(ids[each]).Calls()); err != nil {
		t.Fatal(err)
	}
	if got := src.read(blocks, format.BlockLocations); len(got) > 0 {
		t.Errorf("the next window reads the pages %v again", got)
	}
	if got := stored.Locations(t, r); len(got) != len(ids) {
		t.Errorf("%d locations of %d", len(got), len(ids))
	}
	if got := src.read(blocks, format.BlockLocations); len(got) < pages-1 { // what stands between two of them is read along
		t.Errorf("all locations are in %d pages besides, and %v are read", pages-1, got)
	}
}
