package tables

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/index/internal/indextest"
	_ "github.com/pandotrace/pando/internal/lastwords"
)

// stay is some time of a location in a call.
type stay struct {
	place, region uint32
	from, to      int64
}

// drawStays draws what the locations of a node do, in order of time, from a start on. It returns the node's end, too.
func drawStays(r *rand.Rand, start int64) (stays []stay, end int64) {
	end = start + 1
	scale := uint(r.IntN(40))
	for place := range uint32(1 + r.IntN(4)) {
		t := start
		for range r.IntN(30) {
			t += int64(indextest.AnyNumber(r) >> (63 - scale) * r.Uint64N(2)) // or at once
			to := t + 1 + int64(indextest.AnyNumber(r)>>(63-scale))
			stays = append(stays, stay{place, uint32(r.IntN(6)), t, to})
			t = to
		}
		end = max(end, t)
	}
	slices.SortFunc(stays, func(a, b stay) int { return int(a.from>>1 - b.from>>1) })
	return stays, end
}

func gridOf(stays []stay, start, end int64) *BinGrid {
	g := NewBinGrid(start)
	for _, s := range stays {
		g.Extend(s.to)
		g.Add(g.Line(s.place, s.region), s.from, s.to)
	}
	g.Extend(end)
	return g
}

func testName(place, region uint32) BinLine { return BinLine{100 + uint64(place), 7 * uint64(region)} }

// checkBins compares bins with the stays, cell by cell, the naive way.
func checkBins(t *testing.T, b *Bins, stays []stay) {
	t.Helper()
	n := b.Cells()
	want := map[BinLine][]uint64{}
	for _, s := range stays {
		line := testName(s.place, s.region)
		if want[line] == nil {
			want[line] = make([]uint64, n)
		}
		for i := range n {
			from, to := b.Cell(i)
			want[line][i] += uint64(max(0, min(to, s.to)-max(from, s.from)))
		}
	}
	if len(want) != len(b.Lines) {
		t.Fatalf("%d lines, want %d", len(b.Lines), len(want))
	}
	for i, line := range b.Lines {
		if i > 0 && b.Lines[i-1].Compare(line) >= 0 {
			t.Fatalf("lines %v and %v are out of order", b.Lines[i-1], line)
		}
		if got := b.Ticks[i*n:][:n]; !slices.Equal(got, want[line]) {
			t.Fatalf("%v: cells %v, want %v", line, got, want[line])
		}
	}
}

// Bins are histograms of the time, on a grid that depends on nothing but their shift; also when they are made coarser, joined, or
// written and read.
func TestBins(t *testing.T) {
	space := &BinSpace{} // of all joins
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 5))
		start := int64(indextest.AnyNumber(r)>>4) - 1<<59
		first, middle := drawStays(r, start)
		second, end := drawStays(r, middle)
		joined, child := NewBinSum(start), gridOf(second, middle, end)
		if seed%5 == 0 {
			child.Limit(8)
		}
		joined.Join(gridOf(first, start, middle).Sum(), space)
		joined.Join(child.Sum(), space)
		all := slices.Concat(first, second)
		b := joined.Bins(index.Node{Level: 2, Index: 3}, 4, testName)
		if b.Start != start || b.End != end || b.Cells() > MaxCells {
			t.Fatalf("seed %d: %d cells from %d to %d, want %d to %d", seed, b.Cells(), b.Start, b.End, start, end)
		}
		for ; ; b = b.Coarser() {
			checkBins(t, b, all)
			p := b.Encode()
			read, err := ReadBins(p)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if read.Node != b.Node || read.Lane != b.Lane {
				t.Fatalf("seed %d: of node %v, lane %d", seed, read.Node, read.Lane)
			}
			checkBins(t, read, all)
			if again := read.append(form(read.columns())); !bytes.Equal(again, p) {
				t.Fatalf("seed %d: %d bytes become %d", seed, len(p), len(again))
			}
			if b.Cells() <= 2 {
				break
			}
		}
	}
}

// A grid says nothing if part of it is not known, or if it has no time.
func TestBinsOfNothing(t *testing.T) {
	spoilt := NewBinGrid(0)
	spoilt.Extend(10)
	spoilt.Spoil()
	parent := NewBinSum(0)
	parent.Join(spoilt.Sum(), &BinSpace{})
	for _, g := range []*BinSum{spoilt.Sum(), parent, NewBinSum(5)} {
		if b := g.Bins(index.Node{Level: 1, Index: 0}, 0, testName); b != nil {
			t.Errorf("%+v", b)
		}
	}
}

// sameForm lays blocks out behind a head as p has them: in form 0, or with the same model.
func sameForm(p, head []byte, blocks []columns) []byte {
	if len(p) <= len(head) {
		return head
	}
	var m *column.Model
	if r := format.NewDecoder("form", p[len(head):]); r.Byte() == modelForm {
		m, _ = column.ParseModel(r.Bytes()) // it was read before
	}
	return appendForm(head, m, flatten(blocks))
}

// A block of bins has one form only.
func FuzzBins(f *testing.F) {
	indextest.AddSeeds(f, func(r *rand.Rand) {
		stays, end := drawStays(r, 1000)
		b := gridOf(stays, 1000, end).Sum().Bins(index.Node{Level: 1 + r.IntN(4), Index: indextest.AnyNumber(r)}, uint32(indextest.AnyNumber(r)), testName)
		for range r.IntN(5) {
			b = b.Coarser()
		}
		f.Add(b.Encode())
	})
	f.Fuzz(func(t *testing.T, p []byte) {
		b, err := ReadBins(p)
		if indextest.Refused(t, err) {
			return
		}
		if again := sameForm(p, b.append(nil), b.columns()); !bytes.Equal(again, p) {
			t.Fatalf("not canonical: %+v", b)
		}
		for i, w := range b.widths() {
			sum := map[uint64]uint64{}
			for line, l := range b.Lines {
				if sum[l.Location] += b.Ticks[line*b.Cells()+i]; sum[l.Location] > w {
					t.Fatalf("cell %d has more than its %d ticks", i, w)
				}
			}
		}
	})
}
