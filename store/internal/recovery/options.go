package recovery

import (
	"maps"
	"slices"

	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/read"
)

// Options returns those that the file seems to have been written with, as far as what is left of it tells: slices of about as many
// events, lanes of as many locations, nodes with as many children, epochs that are as long, and hashes of structure if there were some. What it does not tell, or what is
// as by default, is left to the defaults.
func (s *Recovery) Options() layout.Options {
	o := layout.Options{Hashes: s.hashes}
	o.Fanout, o.GroupSlices = s.divided()
	if lanes := s.lanesByLocations(); len(lanes) > 1 {
		slices.Sort(lanes)
		o.LaneLocations = lanes[len(lanes)/2] // processes are not divided, so some may have more
	}
	o.SliceEvents = s.usualEvents()
	if groups := s.usualEpoch(); groups > 0 {
		o.EpochSlices = groups * max(o.GroupSlices, 2)
	}
	return o
}

// noteRoot keeps what an intact root says. One that is no root says nothing.
func (s *Recovery) noteRoot(payload []byte) {
	if root, err := index.ParseRoot(payload); err == nil {
		s.division = root.Division
	}
}

// divided returns the number of children of a node and of slices of a group: what the root or the meta block say, or for both the least one with which each group
// has the slices that its models have; 0 if there are none.
func (s *Recovery) divided() (fanout, group int) {
	if s.division.Fanout > 0 {
		return int(s.division.Fanout), int(s.division.GroupSlices)
	}
	n := s.groupSlices()
	return n, n
}

func (s *Recovery) groupSlices() int {
	least, most := uint64(2), uint64(1<<16-1)
	for i := range s.models {
		m := &s.models[i]
		if m.Group >= 1<<32 {
			return 0
		}
		least = max(least, m.last/(m.Group+1)+1)
		if m.Group > 0 {
			most = min(most, m.first/m.Group)
		}
	}
	if len(s.models) == 0 || least > most {
		return 0
	}
	if d, _ := (layout.Options{}).WithDefaults(); uint64(d.Fanout) >= least && uint64(d.Fanout) <= most {
		return d.Fanout
	}
	return int(least)
}

// lanesByLocations counts the locations of each lane that is known to have some.
func (s *Recovery) lanesByLocations() []int {
	locations := map[uint32]map[uint32]bool{}
	add := func(lane, location uint32) {
		if locations[lane] == nil {
			locations[lane] = map[uint32]bool{}
		}
		locations[lane][location] = true
	}
	for i := range s.models {
		for _, l := range s.models[i].locations {
			add(s.models[i].Lane, l)
		}
	}
	for l, lane := range s.told.lanes {
		add(lane, l)
	}
	var counts []int
	for _, of := range locations {
		counts = append(counts, len(of))
	}
	return counts
}

// usualEvents returns how many events half of the slices have at least, but for the last one, which may be short; 0 if these are so
// many as by default.
func (s *Recovery) usualEvents() int {
	numbers := slices.Sorted(maps.Keys(s.sliceEvents))
	if len(numbers) < 2 {
		return 0
	}
	events := make([]uint64, 0, len(numbers))
	for _, n := range numbers[:len(numbers)-1] {
		events = append(events, s.sliceEvents[n])
	}
	slices.Sort(events)
	const roomOfEvent = 180 // bytes
	usual := int(min(events[len(events)/2], uint64(layout.MaxSliceEvents), uint64(read.RoomFor(s.size)/roomOfEvent)))
	if d := (&layout.Options{}).SliceBudget(len(s.lanesByLocations())); usual >= d && usual < d+d/2 {
		return 0
	}
	return usual
}

// usualEpoch returns the number of groups of the epochs, if all epochs but the last have the same number; else 0.
func (s *Recovery) usualEpoch() int {
	first := map[uint32]uint64{} // group by epoch
	for i := range s.models {
		m := &s.models[i]
		if g, ok := first[m.Epoch]; !ok || m.Group < g {
			first[m.Epoch] = m.Group
		}
	}
	groups := uint64(0)
	for epoch, g := range first {
		next, ok := first[epoch+1]
		if !ok {
			continue
		}
		if next <= g || groups > 0 && next-g != groups {
			return 0
		}
		groups = next - g
	}
	return int(min(groups, 1<<16))
}
