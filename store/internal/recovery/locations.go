package recovery

import (
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
)

// toldLocations is what intact pages say of locations, by index.
type toldLocations struct {
	ids   map[uint32]uint64
	lanes map[uint32]uint32
	sums  map[uint32]index.LocationTotals
}

// noteLocations keeps a page of locations.
func (s *Recovery) noteLocations(kind format.BlockKind, payload []byte) error {
	if kind == format.BlockLocationTotals {
		p, err := index.ParseLocationTotals(payload)
		if err != nil {
			return err
		}
		s.told.noteTotals(p)
		return nil
	}
	p, err := index.ParseLocationPage(payload)
	if err != nil {
		return err
	}
	s.told.note(p)
	return nil
}

func (t *toldLocations) note(p *index.LocationPage) {
	for i, id := range p.IDs {
		t.ids[uint32(p.First)+uint32(i)], t.lanes[uint32(p.First)+uint32(i)] = id, p.Lanes[i]
	}
}

func (t *toldLocations) noteTotals(p *index.LocationTotalsPage) {
	for i := range p.Totals {
		t.sums[uint32(p.First)+uint32(i)] = p.Totals[i]
	}
}

// isTold reports whether the totals of the trace and of all locations are known: then nothing is missing behind the last events unnoticed.
func (s *Recovery) isTold() bool {
	return s.totals != nil && uint64(len(s.told.ids)) == s.totals.Locations && uint64(len(s.told.sums)) == s.totals.Locations
}
