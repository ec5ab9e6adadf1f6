package read

import (
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/pairing"
	"github.com/pandotrace/pando/trace"
)

// CheckLocations holds the ids and lanes of the totals against the definitions of the file: also those of locations without events, which
// no block names. Of the definitions, those that [trace.Definitions.AddLinks] takes are enough.
func (r *File) CheckLocations(d *trace.Definitions) error {
	err := checkIDs(r.info.Locations, d)
	if err == nil {
		err = checkLanes(r.info.Locations, d)
	}
	return format.At(err, r.name, r.OffsetOf(format.BlockTotals))
}

// checkIDs checks that the defined locations are all in the list, in the order of their definitions, and that no id stands twice.
func checkIDs(listed []index.LocationInfo, d *trace.Definitions) error {
	missing, met := d.Locations, make(map[uint64]bool, len(listed))
	for _, l := range listed {
		if met[l.ID] {
			return format.Corruptf("totals block", -1, "location %d stands twice", l.ID)
		}
		met[l.ID] = true
		if _, defined := d.Process(l.ID); !defined {
			continue
		}
		if len(missing) == 0 || missing[0].ID != l.ID {
			return format.Corruptf("totals block", -1, "location %d does not stand in the order of the definitions", l.ID)
		}
		missing = missing[1:]
	}
	if len(missing) > 0 {
		return format.Corruptf("totals block", -1, "location %d is defined and not there", missing[0].ID)
	}
	return nil
}

// checkLanes checks that a process has one lane, and that the lanes of processes rise in the order of their first locations, from 0 and
// without a gap.
func checkLanes(listed []index.LocationInfo, d *trace.Definitions) error {
	lanes := map[pairing.ProcessID]uint32{}
	latest := int64(-1)
	for _, l := range listed {
		process := pairing.ProcessOf(d, l.ID)
		lane, ok := lanes[process]
		switch at := int64(l.Lane); {
		case ok && l.Lane != lane:
			return format.Corruptf("totals block", -1, "location %d is in lane %d, and its process in lane %d", l.ID, l.Lane, lane)
		case !ok && at != latest && at != latest+1:
			return format.Corruptf("totals block", -1, "location %d is in lane %d, out of order", l.ID, l.Lane)
		case !ok:
			lanes[process], latest = l.Lane, at
		}
	}
	return nil
}
