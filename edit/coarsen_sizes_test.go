package edit

import (
	"testing"

	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// coarseSizes are bytes of files of larger traces, with sizeBounds, as docs/bounded-loss.md has them.
var coarseSizes = map[string][]int{
	"otf2.mg.W.64":       {768_607, 317_090, 150_317, 77_314, 50_718},
	"otf2.amg.8":         {432_196, 192_740, 99_266, 70_612, 62_964},
	"otf2.bt.S.16":       {753_493, 295_497, 102_176, 38_091, 22_332},
	"otf2.lulesh.8x4omp": {961_717, 512_912, 214_559, 106_341, 58_333},
	"otf2.lu.W.8":        {4_859_104, 2_093_730, 923_710, 302_867, 116_795},
}

// sizeBounds are bounds of times, in ticks of a nanosecond; 0 is none.
var sizeBounds = []uint64{0, 100, 1_000, 10_000, 100_000}

// Files of larger traces have the sizes that the documentation says, but for a fiftieth.
func TestSizesOfCoarseTraces(t *testing.T) {
	known := 0
	for _, name := range tracetest.Larger(t) {
		want, ok := coarseSizes[name]
		if !ok {
			continue
		}
		known++
		for i, got := range sizesWithin(t, tracetest.Anchor(t, name)) {
			if slack := want[i] / 50; got < want[i]-slack || got > want[i]+slack {
				t.Errorf("%s: %d bytes with bound %v, want about %d", name, got, sizeBounds[i], want[i])
			}
		}
	}
	if known == 0 {
		t.Skip("PANDO_TRACES has none of the traces whose sizes are known")
	}
}

// sizesWithin returns the sizes of the files of an archive with sizeBounds.
func sizesWithin(t *testing.T, anchor string) (sizes []int) {
	for _, most := range sizeBounds {
		archive, err := otf2.Open(anchor, otf2.Options{})
		if err != nil {
			t.Fatal(err)
		}
		src := trace.Source(archive)
		if most > 0 {
			src = coarser(t, src, most)
		}
		sizes = append(sizes, len(fileOf(t, src, store.Options{})))
	}
	return sizes
}
