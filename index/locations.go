package index

import (
	"math"
	"slices"

	"github.com/pandotrace/pando/encode/records"
	"github.com/pandotrace/pando/format"
)

// PageLocations is the most locations that a page of them has.
const PageLocations = 4096

// LocationPage is ids and lanes of consecutive locations.
//
//	uvarint  index of the first location
//	uvarint  number of locations
//	columns  id, lane
//	rest     extensions
type LocationPage struct {
	First uint64
	IDs   []uint64
	Lanes []uint32
}

// Append appends the page's bytes.
func (p *LocationPage) Append(dst []byte) []byte {
	return p.appendColumns(appendFirst(dst, p.First, len(p.IDs)))
}

func appendFirst(dst []byte, first uint64, n int) []byte {
	return format.AppendUvarint(format.AppendUvarint(dst, first), uint64(n))
}

func (p *LocationPage) appendColumns(dst []byte) []byte {
	lanes := make([]uint64, len(p.Lanes))
	for i, lane := range p.Lanes {
		lanes[i] = uint64(lane)
	}
	return records.AppendNumbers(records.AppendNumbers(dst, p.IDs), lanes)
}

// ParseLocationPage reads a page.
func ParseLocationPage(b []byte) (*LocationPage, error) {
	r := format.NewDecoder("locations block", b)
	p := &LocationPage{First: r.Uvarint()}
	p.readColumns(r, r.Count(2, PageLocations))
	_, err := r.FinishExtended()
	return p, err
}

func (p *LocationPage) readColumns(r *format.Decoder, n int) {
	p.IDs = records.ReadNumbers(r, n)
	lanes := records.ReadNumbers(r, n)
	p.Lanes = make([]uint32, len(lanes))
	for i, lane := range lanes {
		if p.Lanes[i] = uint32(lane); lane > math.MaxUint32 {
			r.Fail("lane %d", lane)
			return
		}
	}
}

// Range returns the ranges of the page's ids and lanes.
func (p *LocationPage) Range() (r LocationRange) {
	if len(p.IDs) > 0 {
		r = LocationRange{slices.Min(p.IDs), slices.Max(p.IDs), slices.Min(p.Lanes), slices.Max(p.Lanes)}
	}
	return r
}

// LocationRange is the least and the greatest id and lane of a page of locations.
type LocationRange struct {
	FirstID, LastID     uint64
	FirstLane, LastLane uint32
}

// append appends
//
//	uvarint  least id
//	uvarint  greatest id - least id
//	uvarint  least lane
//	uvarint  greatest lane - least lane
func (l *LocationRange) append(dst []byte) []byte {
	for _, v := range [...]uint64{l.FirstID, l.LastID - l.FirstID, uint64(l.FirstLane), uint64(l.LastLane - l.FirstLane)} {
		dst = format.AppendUvarint(dst, v)
	}
	return dst
}

func (t *Root) readLocationRange(r *format.Decoder) (l LocationRange) {
	l.FirstID = r.Uvarint()
	l.LastID = l.FirstID + r.Uvarint()
	first := uint64(r.Int(1 << 32))
	last := first + uint64(r.Int(1<<32))
	if l.LastID < l.FirstID || last >= t.Lanes {
		r.Fail("a page of locations with ids from %d to %d, in lanes from %d to %d of %d", l.FirstID, l.LastID, first, last, t.Lanes)
	}
	l.FirstLane, l.LastLane = uint32(first), uint32(last)
	return l
}

// LocationTotals is what the events of a location add up to.
type LocationTotals struct {
	Events, Calls uint64
	// MaxDepth is the largest number of calls open at once.
	MaxDepth uint64
	// First and Last are the times of the first and last event; 0 and 0 without events.
	First, Last int64
}

// LocationTotalsPage is the totals of consecutive locations.
//
//	uvarint  index of the first location
//	uvarint  number of locations
//	columns  events, calls, depth, first, last - first
//	rest     extensions
type LocationTotalsPage struct {
	First  uint64
	Totals []LocationTotals
}

// Append appends the page's bytes.
func (p *LocationTotalsPage) Append(dst []byte) []byte {
	return p.appendColumns(appendFirst(dst, p.First, len(p.Totals)))
}

func (p *LocationTotalsPage) appendColumns(dst []byte) []byte {
	column := make([]uint64, len(p.Totals))
	for _, value := range [...]func(*LocationTotals) uint64{
		func(l *LocationTotals) uint64 { return l.Events },
		func(l *LocationTotals) uint64 { return l.Calls },
		func(l *LocationTotals) uint64 { return l.MaxDepth },
		func(l *LocationTotals) uint64 { return uint64(l.First) },
		func(l *LocationTotals) uint64 { return uint64(l.Last - l.First) },
	} {
		for i := range p.Totals {
			column[i] = value(&p.Totals[i])
		}
		dst = records.AppendNumbers(dst, column)
	}
	return dst
}

// ParseLocationTotals reads a page of them.
func ParseLocationTotals(b []byte) (*LocationTotalsPage, error) {
	r := format.NewDecoder("location totals block", b)
	p := &LocationTotalsPage{First: r.Uvarint()}
	p.readColumns(r, r.Count(5, PageLocations))
	_, err := r.FinishExtended()
	return p, err
}

func (p *LocationTotalsPage) readColumns(r *format.Decoder, n int) {
	var columns [5][]uint64
	for i := range columns {
		columns[i] = records.ReadNumbers(r, n)
	}
	if r.Err() != nil {
		return
	}
	p.Totals = make([]LocationTotals, n)
	for i := range p.Totals {
		l, first := &p.Totals[i], int64(columns[3][i])
		*l = LocationTotals{Events: columns[0][i], Calls: columns[1][i], MaxDepth: columns[2][i], First: first, Last: first + int64(columns[4][i])}
		if columns[4][i] >= format.SpanLimit || l.Last < l.First {
			r.Fail("location %d from %d on for %d ticks", p.First+uint64(i), first, columns[4][i])
			return
		}
	}
}
