package write

import (
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/store/internal/cache"
)

// Bins are made on the way: whenever the innermost call of a location changes, the time since it last did goes into the grid
// of the lane (laneBins). When a group is complete, so is its grid; those of higher nodes are made of their children's (binner).
// The time of a slice goes from its start to that of the next slice, so that no instant is missing where slices are apart, and
// none counts twice where they share one.

// laneBins is the grid of a lane for the group under way.
type laneBins struct {
	grid  *tables.BinGrid // nil between groups
	had   int             // lines in the group before, as a forecast of this one's
	lines []int32         // by number of a region: line of the location at hand + 1, 0 if that has not been looked up
	known []uint32        // regions with lines
}

// begin begins with a location.
func (b *laneBins) begin() {
	for _, region := range b.known {
		b.lines[region] = 0
	}
	b.known = b.known[:0]
}

// line returns the line of the location at hand for a region.
func (b *laneBins) line(place, region uint32) int {
	if region < uint32(len(b.lines)) && b.lines[region] > 0 {
		return int(b.lines[region]) - 1
	}
	for uint32(len(b.lines)) <= region {
		b.lines = append(b.lines, 0)
	}
	line := b.grid.Line(place, region)
	b.lines[region], b.known = int32(line)+1, append(b.known, region)
	return line
}

// credit gives the time since the innermost call of a location last changed to that call.
func (b *laneBins) credit(s *callStack, t int64) {
	if n := len(s.calls); n > 0 {
		b.add(s, s.calls[n-1].region, t)
	}
	s.since = t
}

// add gives the time since the innermost call of a location last changed to a region.
func (b *laneBins) add(s *callStack, region uint32, t int64) {
	switch {
	case t <= s.since:
	case region == unknownRegion:
		b.grid.Spoil()
	default:
		b.grid.Add(b.line(s.place, region), s.since, t)
	}
	s.since = t
}

// creditAll does so for all locations, at the end of a group.
func (w *Writer) creditAll(t int64) {
	for _, l := range w.lanes {
		if l.bins.grid == nil {
			continue
		}
		l.bins.grid.Extend(t)
		for _, loc := range l.locations {
			if loc.open != nil {
				l.bins.begin()
				l.bins.credit(loc.open, t)
			}
		}
	}
}

// cellLines is the number of lines in the grids of all lanes from which on cells are wider: so many lines of so many cells have room.
const (
	cellLines  = 1 << 14
	leastCells = 8
)

// cells returns the number of cells of a line in the grids under way.
func (w *Writer) cells() int {
	lines := 0
	for _, l := range w.lanes {
		lines += max(l.bins.grid.Lines(), l.bins.had)
	}
	cells := tables.MaxCells
	for n := lines; n > cellLines && cells > leastCells; n /= 2 {
		cells /= 2
	}
	return cells
}

// openBins makes grids of a group for lanes that have none yet, and makes them reach up to the end of the current slice.
func (w *Writer) openBins(end int64) {
	for _, l := range w.lanes {
		if l.bins.grid == nil {
			l.bins.grid = tables.NewBinGrid(w.group.slices[0].start)
		}
	}
	cells := w.cells()
	for _, l := range w.lanes {
		l.bins.grid.Limit(cells)
		l.bins.grid.Reserve(l.bins.had)
		l.bins.grid.Extend(end)
	}
}

// laneSum is what a grid came to, with what its numbers mean.
type laneSum struct {
	*tables.BinSum // nil if the lane is newer than the group
	locations      []*Location
	regions        []uint64
}

// takeBins returns the grids of the group, which ends at a time.
func (w *Writer) takeBins(end int64) (sums []laneSum) {
	for _, l := range w.lanes {
		s := laneSum{nil, l.locations, l.totals.regions}
		if g := l.bins.grid; g != nil {
			g.End(end)
			s.BinSum = g.Sum()
			l.bins.had = g.Lines()
		}
		sums = append(sums, s)
		l.bins.grid = nil
	}
	return sums
}

func (g *laneSum) name(place, region uint32) tables.BinLine {
	return tables.BinLine{Location: uint64(g.locations[place].Index), Region: g.regions[region]}
}

// binner makes the bins of nodes that are complete, in the order in which nodes are.
type binner struct {
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

// The bins of a lane take at most so many thousandths of the bytes of the slices, and together with summaries so many.
var BinShare, IndexShare = uint64(40), uint64(90)

func (b *binBytes) fits(bytes int) bool {
	bins := b.bins + uint64(bytes)
	return bins*1000 <= b.slices*BinShare && (bins+b.summaries)*1000 <= b.slices*IndexShare
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

func (b *binner) lane(number uint32) *binLane {
	for len(b.lanes) <= int(number) {
		b.lanes = append(b.lanes, binLane{})
	}
	return &b.lanes[number]
}

// group begins with the nodes that a group completes.
func (b *binner) group(j *job) {
	if j.group.number == 0 {
		b.first = j.group.slices[0].start
	}
	for level := range b.open {
		if !b.open[level] {
			b.starts[level], b.open[level] = j.group.slices[0].start, true
		}
	}
	for lane, s := range j.bins {
		sum, _ := b.lane(uint32(lane)).at(1)
		*sum = s.BinSum
	}
	for _, l := range j.lanes {
		_, bytes := b.lane(l.lane).at(1)
		for _, block := range l.blocks {
			bytes.slices += uint64(block.Size())
		}
	}
}

// summary counts a block of summaries.
func (b *binner) summary(n index.Node, lane uint32, length int) {
	_, bytes := b.lane(lane).at(n.Level)
	bytes.summaries += uint64(length)
}

// tabulate writes the bins of a node, lane by lane.
func (b *backlog) tabulate(n index.Node, j *job) error {
	b.bins.close(n.Level)
	return inTurn(b, len(b.bins.lanes),
		func(i int) ([]byte, error) { return b.bins.block(n, i, j.bins[i].name), nil },
		func(i int, payload []byte) error {
			if payload == nil {
				return nil
			}
			return b.writeBins(n, uint32(i), payload)
		})
}

// block makes the block of a node for a lane, and adds what is in it to the node above; nil if there is none.
func (b *binner) block(n index.Node, lane int, name func(place, region uint32) tables.BinLine) []byte {
	l := &b.lanes[lane]
	at, bytes := l.at(n.Level)
	sum := *at
	if sum == nil {
		return nil
	}
	var payload []byte
	if bytes.fits(sum.Lines() * valueBytes / 2) { // each line has a value at least, whatever the cells
		payload = fitBins(sum.Bins(n, uint32(lane), name), bytes)
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

// close says that the node of a level is complete. The one above it began with the first of its children.
func (b *binner) close(level int) {
	for len(b.open) <= level+1 {
		b.starts, b.open = append(b.starts, b.first), append(b.open, true)
	}
	b.open[level] = false
}

// valueBytes is what two values take, about: twice 1.5 bytes.
const valueBytes = 3

// fitBins returns the bins with the narrowest cells with which they are small enough, nil if there are none.
func fitBins(b *tables.Bins, bytes *binBytes) []byte {
	for ; b != nil; b = b.Coarser() {
		if bytes.fits(b.Values() * valueBytes / 2) {
			if payload := b.Encode(); payload != nil && bytes.fits(len(payload)+format.FrameSize) {
				return payload
			}
		}
		if b.Cells() <= 2 {
			return nil
		}
	}
	return nil
}

// bins writes a block of bins.
func (b *backlog) writeBins(n index.Node, lane uint32, payload []byte) error {
	ref, err := b.w.file.Block(format.BlockBins, payload)
	b.nodeEntry(entry(format.BlockBins, n.Level, lane, n.Index, ref))
	return err
}
