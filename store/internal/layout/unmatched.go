package layout

import (
	"cmp"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
)

// UnmatchedEnd is an end of a message without a partner.
type UnmatchedEnd struct {
	index.End
	Send bool
}

func (e *UnmatchedEnd) Compare(o *UnmatchedEnd) int {
	return cmp.Or(cmp.Compare(e.Location, o.Location), cmp.Compare(e.Ordinal, o.Ordinal))
}

// UnmatchedInBlock is the number of ends in a block, at most.
const UnmatchedInBlock = 1 << 14

// ParseUnmatched reads what appendUnmatched wrote, of a trace with some locations and slices.
func ParseUnmatched(b []byte, locations int, slices uint64) ([]UnmatchedEnd, error) {
	r := format.NewDecoder("unmatched block", b)
	ends := make([]UnmatchedEnd, r.Count(4, UnmatchedInBlock))
	var before UnmatchedEnd
	for i := range ends {
		e := &ends[i]
		location := int64(before.Location) + r.Varint()
		ordinal := r.Uvarint()
		e.Ordinal, e.Send = ordinal>>1, ordinal&1 != 0
		e.Time, e.Slice = before.Time+r.Varint(), r.Uvarint()
		if location < 0 || location >= int64(locations) || e.Slice >= slices {
			r.Fail("end %d is of location %d, slice %d", i, location, e.Slice)
			break
		}
		e.Location = uint32(location)
		if i > 0 && before.Compare(e) >= 0 {
			r.Fail("end %d is out of order", i)
		}
		before = *e
	}
	return ends, r.Finish()
}
