package write

import (
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/store/internal/write/sums"
)

// credit gives the time since the innermost call last changed to that call.
func (s *callStack) credit(b *sums.Bins, t int64) {
	if n := len(s.calls); n > 0 {
		b.Add(&s.Busy, s.calls[n-1].Region, t)
	}
	s.Since = t
}

// creditAll does so for all locations, at the end of a node.
func (w *Writer) creditAll(t int64) {
	for _, l := range w.lanes {
		if !l.bins.Open() {
			continue
		}
		l.bins.Extend(t)
		for _, loc := range l.locations {
			if loc.open != nil {
				l.bins.Location()
				loc.open.credit(&l.bins, t)
			}
		}
	}
}

// openBins makes grids of the node of level 1 under way for lanes that have none yet, and makes them reach up to the end of the current slice.
func (w *Writer) openBins(end int64) {
	lines := 0
	for _, l := range w.lanes {
		l.bins.Start(w.nodeStart)
		lines += l.bins.Lines(len(l.locations))
	}
	for _, l := range w.lanes {
		l.bins.Reach(sums.Cells(lines), end)
	}
}

// laneNames says what the numbers in a lane's grid mean.
type laneNames struct {
	locations []*Location // by place
	regions   []uint64
}

func (n *laneNames) name(place, region uint32) tables.BinLine {
	return tables.BinLine{Location: uint64(n.locations[place].Index), Region: n.regions[region]}
}

// takeBins returns what the grids of the node under way, which ends at a time, came to, with what their numbers mean.
func (w *Writer) takeBins(end int64) (bins []*tables.BinSum, names []laneNames) {
	for _, l := range w.lanes {
		bins = append(bins, l.bins.Take(end))
		names = append(names, laneNames{l.locations, l.totals.Regions()})
	}
	return bins, names
}

// tabulate writes the bins of a node, lane by lane.
func (b *backlog) tabulate(n index.Node, e *ending) error {
	b.bins.Close(n.Level)
	return inTurn(b, b.bins.Lanes(), noBytes,
		func(i int) ([]byte, error) { return b.bins.Block(n, i, e.names[i].name), nil },
		func(i int, payload []byte) error {
			if payload == nil {
				return nil
			}
			return b.writeBins(n, uint32(i), payload)
		})
}

// writeBins writes a block of bins.
func (b *backlog) writeBins(n index.Node, lane uint32, payload []byte) error {
	ref, err := b.w.file.Block(format.BlockBins, payload)
	b.nodeEntry(entry(format.BlockBins, n.Level, lane, n.Index, ref))
	return err
}
