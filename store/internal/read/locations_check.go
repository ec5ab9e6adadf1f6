package read

import (
	"fmt"
	"iter"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/store/internal/pairing"
	"github.com/pandotrace/pando/trace"
)

// CheckLocations holds the ids and lanes of all locations against the definitions of the file: also those of locations without events, which
// no block names. Of the definitions, those that [trace.Definitions.AddLinks] takes are enough.
func (r *File) CheckLocations(d *trace.Definitions) error {
	if err := r.NeedLocations(); err != nil {
		return err
	}
	pages := func(yield func(id uint64, lane uint32) bool) {
		for i := range r.locations.pages {
			p := r.locations.pages[i].Load()
			for place, id := range p.IDs {
				if !yield(id, p.Lanes[place]) {
					return
				}
			}
		}
	}
	if fault := checkIDs(pages, d); fault != "" {
		return r.LocationFault(format.BlockLocations, "%s", fault)
	}
	if fault := checkLanes(pages, d); fault != "" {
		return r.LocationFault(format.BlockLocations, "%s", fault)
	}
	return nil
}

// checkIDs returns what is wrong: it checks that the defined locations are all in the list, in the order of their definitions, and that no id stands twice.
func checkIDs(listed iter.Seq2[uint64, uint32], d *trace.Definitions) string {
	missing, met := d.Locations, trace.Numbers{}
	for id := range listed {
		if _, twice := met.Of(id); twice {
			return fmt.Sprintf("location %d stands twice", id)
		}
		met.Add(id)
		if _, defined := d.Process(id); !defined {
			continue
		}
		if len(missing) == 0 || missing[0].ID != id {
			return fmt.Sprintf("location %d does not stand in the order of the definitions", id)
		}
		missing = missing[1:]
	}
	if len(missing) > 0 {
		return fmt.Sprintf("location %d is defined and not there", missing[0].ID)
	}
	return ""
}

// checkLanes returns what is wrong: it checks that a process has one lane, and that the lanes of processes rise in the order of their first locations, from 0 and
// without a gap.
func checkLanes(listed iter.Seq2[uint64, uint32], d *trace.Definitions) string {
	var lanes processLanes
	latest := int64(-1)
	for id, lane := range listed {
		process := pairing.ProcessOf(d, id)
		its, ok := lanes.of(process)
		switch at := int64(lane); {
		case ok && lane != its:
			return fmt.Sprintf("location %d is in lane %d, and its process in lane %d", id, lane, its)
		case !ok && at != latest && at != latest+1:
			return fmt.Sprintf("location %d is in lane %d, out of order", id, lane)
		case !ok:
			lanes.add(process, lane)
			latest = at
		}
	}
	return ""
}

// processLanes are the lanes of processes: of location groups, and of locations that no group is known of.
type processLanes [2]struct {
	trace.Numbers
	lanes []uint32 // by number
}

func (p *processLanes) of(process pairing.ProcessID) (lane uint32, ok bool) {
	l := &p[pairing.B2i(process.Location)]
	n, ok := l.Of(process.Id)
	if !ok {
		return 0, false
	}
	return l.lanes[n], true
}

// add notes the lane of a process that has none.
func (p *processLanes) add(process pairing.ProcessID, lane uint32) {
	l := &p[pairing.B2i(process.Location)]
	l.Add(process.Id)
	l.lanes = append(l.lanes, lane)
}
