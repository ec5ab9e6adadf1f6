package store

import (
	"github.com/pandotrace/pando/encode"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/trace"
)

// lane is a fixed group of locations; its part of a slice is one block.
type lane struct {
	number     uint32
	locations  []*location // in order of their indices
	dictionary *encode.Dictionary
	written    int // shapes of the dictionary that are in the file
	folder     encode.Folder

	ranksWritten int // ranks of the dictionary that are in the file

	spanned []index.Call // spanning calls that ended in the current slice
	orphans uint64
	cut     uint64
	kinds   kindCounts
}

// layOutLanes puts the locations that have no lane yet into one. A process is not divided.
func (w *Writer) layOutLanes() {
	waiting := map[processID]int{}
	for _, l := range w.locations {
		if l.lane < 0 {
			waiting[processOf(w.definitions, l.id)]++
		}
	}
	for _, l := range w.locations {
		if len(waiting) == 0 || l.lane >= 0 {
			continue
		}
		process := processOf(w.definitions, l.id)
		n, ok := w.lanesOf[process]
		if !ok {
			n = w.laneWithRoom(waiting[process])
			w.lanesOf[process] = n
		}
		l.lane = n
		l.info.Lane = uint32(n)
		w.lanes[n].locations = append(w.lanes[n].locations, l)
	}
}

// laneWithRoom returns the last lane if it has room for so many locations, else a new one.
func (w *Writer) laneWithRoom(size int) int {
	if n := len(w.lanes); n == 0 || w.reserved > 0 && w.reserved+size > w.options.LaneLocations {
		w.lanes = append(w.lanes, &lane{number: uint32(n), dictionary: encode.NewDictionary(w.meta.Table())})
		w.reserved = 0
	}
	w.reserved += size
	return len(w.lanes) - 1
}

// processOf returns the process of a location; one that is not defined is a process of its own.
func processOf(d *trace.Definitions, location uint64) processID {
	p, ok := d.Process(location)
	return processID{p, !ok}
}

// processID names a process: a location group, or the location itself where no group is known.
type processID struct {
	id       uint64
	location bool
}
