package write

import (
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/store/internal/pairing"
	"github.com/pandotrace/pando/store/internal/write/nodes"
	"github.com/pandotrace/pando/store/internal/write/sums"
	"github.com/pandotrace/pando/trace"
)

// lane is a fixed group of locations; its part of a slice is one block.
type lane struct {
	number     uint32
	locations  []*Location // in order of their indices
	dictionary *shape.Dictionary
	pages      *shape.PageWriter // of the dictionary
	usage      shape.Usage       // of its shapes
	folder     shape.Folder
	ranks      map[memberKey]shape.OwnRank // of size 0 where the location is no member

	fingerprint *trace.Fingerprint // of its events

	given                given // to the slice that is taken apart
	events, values, ends int   // of the latest slice, as a forecast of the next one's

	totals  sums.Tally
	bins    sums.Bins
	nodes   nodes.Lane        // calls; the matcher has those of messages
	joint   pairing.Sequences // of collective operations
	hashes  *sums.LaneHashes  // nil unless the options ask for them
	orphans uint64
	cut     uint64
}

// needLanes makes sure that all locations have lanes. What takes a slice apart looks at the lanes, so it must not be under way if some
// have none.
func (w *Writer) needLanes() error {
	if w.laidOut == len(w.locations) {
		return nil
	}
	err := w.Settle()
	w.layOutLanes()
	return err
}

// layOutLanes puts the locations that have no lane yet into one. A process is not divided.
func (w *Writer) layOutLanes() {
	if w.laidOut == len(w.locations) {
		return
	}
	w.laidOut = len(w.locations)
	waiting := map[pairing.ProcessID]int{}
	for _, l := range w.locations {
		if l.Lane < 0 {
			waiting[pairing.ProcessOf(w.Definitions, l.ID)]++
		}
	}
	for _, l := range w.locations {
		if l.Lane >= 0 {
			continue
		}
		process := pairing.ProcessOf(w.Definitions, l.ID)
		n, ok := w.lanesOf[process]
		if !ok {
			n = w.laneWithRoom(waiting[process])
			w.lanesOf[process] = n
		}
		l.Lane = int32(n)
		l.place = uint32(len(w.lanes[n].locations))
		w.lanes[n].locations = append(w.lanes[n].locations, l)
		w.Matcher.Join(&l.Location, process)
	}
}

// laneWithRoom returns the last lane if it has room for size locations, else a new one.
func (w *Writer) laneWithRoom(size int) int {
	if n := len(w.lanes); n == 0 || w.reserved > 0 && w.reserved+size > w.options.LaneLocations {
		l := &lane{number: uint32(n), fingerprint: trace.NewFingerprint(w.meta), nodes: nodes.NewLane(&w.logs), ranks: map[memberKey]shape.OwnRank{}}
		if w.names != nil {
			l.hashes = sums.NewLaneHashes(w.names)
		}
		l.newDictionary(w.meta.Table())
		w.lanes = append(w.lanes, l)
		w.reserved = 0
	}
	w.reserved += size
	return len(w.lanes) - 1
}

// newDictionary begins an epoch. What the dictionary before showed to be no part of the structure is demoted.
func (l *lane) newDictionary(kinds *trace.Table) {
	var demoted []shape.FieldRef
	if d := l.dictionary; d != nil {
		demoted = append(d.Demotions(&l.usage, l.pages.Bytes(), len(l.locations)), d.Demoted()...)
	}
	l.dictionary, l.usage = shape.NewDictionary(kinds), shape.Usage{}
	for _, f := range demoted {
		l.dictionary.Demote(f)
	}
	l.pages = shape.NewPageWriter(l.dictionary)
	if l.hashes != nil {
		l.hashes.Begin(l.dictionary)
	}
}
