package growing

import (
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/pairing"
	"github.com/pandotrace/pando/trace"
)

// locations are what rosters say of locations: the ids and lanes of those that have events, by index.
type locations struct {
	known []known
	taken map[uint64]bool // ids
}

// known is what is known of a location.
type known struct {
	id   uint64
	lane uint32
	ok   bool // it has events
}

// note takes what a roster says of a location.
func (l *locations) note(s share) error {
	for len(l.known) <= int(s.location) {
		l.known = append(l.known, known{})
	}
	k := &l.known[s.location]
	switch {
	case k.ok && (k.lane != s.lane || s.first):
		return format.Corruptf("model block", -1, "location number %d begins twice, or is in two lanes", s.location)
	case k.ok:
	case !s.first || l.taken[s.id]:
		return format.Corruptf("model block", -1, "the id of location number %d is not told, or is that of another one", s.location)
	default:
		*k = known{s.id, s.lane, true}
		if l.taken == nil {
			l.taken = map[uint64]bool{}
		}
		l.taken[s.id] = true
	}
	return nil
}

// firstMadeUp is the least id of a location that has no events yet and no definition, and stands before one that has events.
const firstMadeUp = 1 << 48

// list returns all locations in the order of their indices, with ids and lanes. Of those without events it is guessed which index they
// have: no block names them.
func (l *locations) list(d *trace.Definitions) ([]index.LocationInfo, error) {
	var list []index.LocationInfo
	defined := d.Locations
	for i := 0; i < len(l.known) || len(defined) > 0; i++ {
		var id uint64
		switch {
		case i < len(l.known) && l.known[i].ok:
			if id = l.known[i].id; len(defined) > 0 && defined[0].ID == id {
				defined = defined[1:]
			}
		case len(defined) > 0 && !l.taken[defined[0].ID]:
			id, defined = defined[0].ID, defined[1:]
		case i >= len(l.known):
			return nil, format.Corruptf("model block", -1, "locations do not stand in the order of their definitions")
		default:
			for id = firstMadeUp + uint64(i); l.taken[id]; {
				id++
			}
		}
		list = append(list, index.LocationInfo{ID: id})
	}
	return list, l.layOut(list, d)
}

// layOut gives locations their lanes. Those without events get lanes that lead from those before them to those behind.
func (l *locations) layOut(list []index.LocationInfo, d *trace.Definitions) error {
	lanes := map[pairing.ProcessID]uint32{}
	for i, k := range l.known {
		if k.ok {
			lanes[pairing.ProcessOf(d, list[i].ID)] = k.lane
		}
	}
	next := int64(0) // lane of the next process
	var silent []pairing.ProcessID
	met := map[pairing.ProcessID]bool{}
	settle := func(lane int64) error { // of the process behind the silent ones
		steps := lane - next // of these, the last ones lead there
		if steps > int64(len(silent)) || steps < -1 {
			return format.Corruptf("model block", -1, "a location of lane %d where one of lane %d is expected", lane, next)
		}
		for i, p := range silent {
			if int64(len(silent)-i) <= steps || next == 0 {
				next++
			}
			lanes[p] = uint32(next - 1)
		}
		silent, next = silent[:0], max(next, lane+1)
		return nil
	}
	for i := range list {
		p := pairing.ProcessOf(d, list[i].ID)
		if met[p] {
			continue
		}
		met[p] = true
		lane, ok := lanes[p]
		if !ok {
			silent = append(silent, p)
		} else if err := settle(int64(lane)); err != nil {
			return err
		}
	}
	if err := settle(next - 1); err != nil && len(list) > 0 {
		return err
	}
	for i := range list {
		list[i].Lane = lanes[pairing.ProcessOf(d, list[i].ID)]
	}
	return nil
}
