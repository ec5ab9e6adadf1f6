package sums

import (
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/store/internal/cache"
)

// BinTree makes the bins of nodes that are complete, in the order in which nodes are.
type BinTree struct {
	fifths uint64 // what bins may take, of what they take usually
	lanes  []binLane
	first  int64   // start of the trace
	starts []int64 // by level: that of the node under way
	open   []bool  // by level: there is a node under way
	spaces cache.Pool[*tables.BinSpace]
}

// binLane is what a lane's nodes under way hold, by level.
type binLane struct {
	sums  []*tables.BinSum
	bytes []binBytes
}

// binBytes are those of the slices below a node, and of the summaries and bins of the node and those below.
type binBytes struct{ slices, summaries, bins uint64 }

// Bounds of the bytes of a lane's bins, and of bins and summaries together, in thousandths of the bytes of the slices.
const binShare, indexShare = 40, 90

// NewBinTree returns a tree of bins that may take some fifths of what they take usually.
func NewBinTree(fifths int) BinTree { return BinTree{fifths: uint64(fifths)} }

func (b *BinTree) fits(had *binBytes, bytes int) bool {
	bins, slices := had.bins+uint64(bytes), had.slices*b.fifths/5
	return bins*1000 <= slices*binShare && (bins+had.summaries)*1000 <= slices*indexShare
}

func (b *binBytes) add(o binBytes) {
	b.slices, b.summaries, b.bins = b.slices+o.slices, b.summaries+o.summaries, b.bins+o.bins
}

// at returns what the node of a level holds.
func (l *binLane) at(level int) (**tables.BinSum, *binBytes) {
	for len(l.sums) <= level {
		l.sums, l.bytes = append(l.sums, nil), append(l.bytes, binBytes{})
	}
	return &l.sums[level], &l.bytes[level]
}

func (b *BinTree) lane(number uint32) *binLane {
	for len(b.lanes) <= int(number) {
		b.lanes = append(b.lanes, binLane{})
	}
	return &b.lanes[number]
}

// Begin begins with the nodes that end with one of level 1, which starts at a time and is the first one or not. Sums are what the grids came to,
// by lane.
func (b *BinTree) Begin(start int64, first bool, sums []*tables.BinSum) {
	if first {
		b.first = start
	}
	for level := range b.open {
		if !b.open[level] {
			b.starts[level], b.open[level] = start, true
		}
	}
	for lane, s := range sums {
		sum, _ := b.lane(uint32(lane)).at(1)
		*sum = s
	}
}

// Add counts bytes of a lane's slices in the node of level 1.
func (b *BinTree) Add(lane uint32, bytes uint64) {
	_, of := b.lane(lane).at(1)
	of.slices += bytes
}

// Lanes returns the number of lanes.
func (b *BinTree) Lanes() int { return len(b.lanes) }

// Release lets go of the memory that was needed for nodes: it is large, where there are many locations.
func (b *BinTree) Release() { b.spaces = cache.Pool[*tables.BinSpace]{} }

// Summary counts a block of summaries.
func (b *BinTree) Summary(n index.Node, lane uint32, length int) {
	_, bytes := b.lane(lane).at(n.Level)
	bytes.summaries += uint64(length)
}

// Block makes the block of a node for a lane, and adds what is in it to the node above; nil if there is none.
func (b *BinTree) Block(n index.Node, lane int, name func(place, region uint32) tables.BinLine) []byte {
	l := &b.lanes[lane]
	at, bytes := l.at(n.Level)
	sum := *at
	if sum == nil {
		return nil
	}
	var payload []byte
	if b.fits(bytes, sum.Lines()*valueBytes/2) { // each line has a value at least, whatever the cells
		payload = b.fitBins(sum.Bins(n, uint32(lane), name), bytes)
	}
	bytes.bins += uint64(len(payload))
	done := *bytes
	*at, *bytes = nil, binBytes{}
	above, total := l.at(n.Level + 1)
	if *above == nil {
		*above = tables.NewBinSum(b.starts[n.Level+1])
	}
	space := cache.TakeOrNew(&b.spaces)
	(*above).Join(sum, space)
	b.spaces.Put(space)
	total.add(done)
	return payload
}

// Close says that the node of a level is complete. The one above it began with the first of its children.
func (b *BinTree) Close(level int) {
	for len(b.open) <= level+1 {
		b.starts, b.open = append(b.starts, b.first), append(b.open, true)
	}
	b.open[level] = false
}

// valueBytes is what two values take, about: twice 1.5 bytes.
const valueBytes = 3

// fitBins returns the bins with the narrowest cells with which they are small enough, nil if there are none.
func (b *BinTree) fitBins(bins *tables.Bins, had *binBytes) []byte {
	for ; bins != nil; bins = bins.Coarser() {
		if b.fits(had, bins.Values()*valueBytes/2) {
			if payload := bins.Encode(); payload != nil && b.fits(had, len(payload)+format.FrameSize) {
				return payload
			}
		}
		if bins.Cells() <= 2 {
			return nil
		}
	}
	return nil
}
