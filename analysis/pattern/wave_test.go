package pattern_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/pandotrace/pando/analysis/pattern"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// sweeps makes a trace of ranks on a grid that work from one corner to the other, and back: each passes on what it has received. If waves is false, each
// sends to all its neighbours before it receives. Messages along each dimension have another length.
func sweeps(sizes []int, rounds int, waves bool) *tracegen.Trace {
	t := tracegen.New(trace.Meta{Resolution: 1_000_000})
	n := 1
	for _, size := range sizes {
		n *= size
	}
	var batches []*trace.Batch
	var ids []uint64
	for rank := range uint64(n) {
		batches, ids = append(batches, t.Location(rank, t.Process(fmt.Sprint("rank ", rank)))), append(ids, rank)
	}
	t.CommLocations(ids...)
	world := t.Comm(t.CommGroup(ids...))
	put := func(rank int, kind trace.Kind, at int64, peers []peer) {
		for _, p := range peers {
			batches[rank].Append(kind, at, uint64(p.rank), world, 1, p.length)
		}
	}
	for rank := range n {
		behind, ahead, far := around(sizes, rank)
		last := int64(len(sizes)*slices.Max(sizes)) - far
		for now := range int64(rounds) {
			now *= 100_000
			if !waves {
				put(rank, trace.KindMpiSend, now, slices.Concat(behind, ahead))
				put(rank, trace.KindMpiRecv, now+50_000, slices.Concat(behind, ahead))
				continue
			}
			put(rank, trace.KindMpiRecv, now+10*far, behind)
			put(rank, trace.KindMpiSend, now+10*far+5, ahead)
			put(rank, trace.KindMpiRecv, now+50_000+10*last, ahead)
			put(rank, trace.KindMpiSend, now+50_000+10*last+5, behind)
		}
	}
	return t
}

// peer is a neighbour on a grid.
type peer struct {
	rank   int
	length uint64
}

// around returns the neighbours of a rank with smaller coordinates, and those with larger ones; and how far it is from the corner.
func around(sizes []int, rank int) (behind, ahead []peer, far int64) {
	stride := 1
	for d, size := range sizes {
		x, length := rank/stride%size, uint64(100*(d+1))
		if x > 0 {
			behind = append(behind, peer{rank - stride, length})
		}
		if x+1 < size {
			ahead = append(ahead, peer{rank + stride, length})
		}
		stride, far = stride*size, far+int64(x)
	}
	return behind, ahead, far
}

// Ranks that pass on along a grid what they have received are a wavefront, and those that exchange with their neighbours are not.
func TestWavefronts(t *testing.T) {
	for _, sizes := range [][]int{{4}, {32}, {4, 3}, {4, 4}, {3, 7}, {16, 16}, {32, 32}} {
		for _, waves := range []bool{true, false} {
			r := stored.Source(t, sweeps(sizes, 6, waves), store.Options{})
			x, err := pattern.Find(t.Context(), r, r.All(), pattern.Options{})
			if err != nil {
				t.Fatal(err)
			}
			want := pattern.Grid
			if len(sizes) == 1 {
				want = pattern.Line
			}
			if x.Class != want || !slices.Equal(x.Sizes, sizes) || x.Wave != waves || x.Messages != 1 || x.Pattern.Bytes != 1 {
				t.Errorf("%v, waves %t: %+v", sizes, waves, x.Pattern)
			}
		}
	}
}
