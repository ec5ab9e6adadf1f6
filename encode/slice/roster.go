package slice

import (
	"cmp"
	"slices"
	"sync"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/format"
)

// Roster says how many events each location of a lane has in each slice of a group. It stands with the statistics, so that slices
// need not say it: mostly all of a group are read together, or in order.
type Roster struct {
	// First is the number of the first slice.
	First uint64
	// Slices lists, for each slice, the locations that have events in it, in rising order.
	Slices [][]Share
}

// Share is a location's part of a slice.
type Share struct {
	// Location is the location's index in the trace, ID its id if the share has its first event; else 0.
	Location uint32
	ID       uint64
	// Events is the number of events, at least 1.
	Events uint32
	// First is the ordinal of the first one among the location's events.
	First uint64
}

// newRoster makes the roster of the slices of a group, which are in order.
func newRoster(group []*Draft) Roster {
	r := Roster{}
	for i, s := range group {
		if i == 0 {
			r.First = s.Number
		}
		for uint64(len(r.Slices)) <= s.Number-r.First {
			r.Slices = append(r.Slices, nil)
		}
		shares := make([]Share, len(s.Runs))
		for j := range s.Runs {
			run := &s.Runs[j]
			shares[j] = Share{Location: run.Location, ID: run.ID, Events: uint32(run.Events), First: run.First}
		}
		r.Slices[s.Number-r.First] = shares
	}
	return r
}

// of returns the shares of a slice.
func (r *Roster) of(slice uint64) []Share {
	if slice < r.First || slice-r.First >= uint64(len(r.Slices)) {
		return nil
	}
	return r.Slices[slice-r.First]
}

// flatten lists the values of the roster's contexts one after the other.
func (r *Roster) flatten(f *flattener, base int) ([]int, []uint64) {
	f.reset(base + headContexts)
	n := 0
	for _, shares := range r.Slices {
		f.values = append(f.values, uint64(len(shares)))
		n += len(shares)
	}
	for _, shares := range r.Slices {
		next := uint32(0)
		for _, s := range shares {
			f.values = append(f.values, uint64(s.Location-next))
			next = s.Location + 1
		}
	}
	for _, shares := range r.Slices {
		for _, s := range shares {
			f.values = append(f.values, uint64(s.Events-1))
		}
	}
	f.sizes[base+contextShares], f.sizes[base+contextGap], f.sizes[base+contextEvents] = len(r.Slices), n, n
	return f.sizes, f.values
}

// append appends
//
//	uvarint  number of the group's first slice in which the lane has events
//	uvarint  number of slices from there to the last one of the group in which the lane has events
//	uvarint  number of shares in all slices
//	bytes    values of the contexts of a roster, coded by the structure model
//	firsts   for each location, in the order in which they first occur: uvarint ordinal of its first event; if that is 0,
//	         varint id of the location - id of the one before that has its id told here (the first: id)
//	zeros    until there is a byte for each 8 slices and shares
func (r *Roster) append(dst []byte, m *column.Model, base int) []byte {
	var f flattener
	counts, values := r.flatten(&f, base)
	from := len(dst)
	dst = format.AppendUvarint(dst, r.First)
	dst = format.AppendUvarint(dst, uint64(len(r.Slices)))
	dst = format.AppendUvarint(dst, uint64(counts[base+contextGap]))
	dst = format.AppendBytes(dst, m.Encode(nil, counts, values))
	seen := map[uint32]bool{}
	id := uint64(0)
	for _, shares := range r.Slices {
		for _, s := range shares {
			if seen[s.Location] {
				continue
			}
			seen[s.Location] = true
			dst = format.AppendUvarint(dst, s.First)
			if s.First == 0 {
				dst = format.AppendVarint(dst, int64(s.ID-id))
				id = s.ID
			}
		}
	}
	return format.Fill(dst, from, r.leastBytes(counts[base+contextGap]))
}

// leastBytes returns the least number of bytes of a roster with the given number of shares.
func (r *Roster) leastBytes(shares int) int {
	return format.LeastBytes(len(r.Slices) + shares)
}

// readRoster reads what append wrote, all that r has.
func readRoster(r *format.Decoder, m *column.Model, base int, limits format.Limits) Roster {
	size := r.Len()
	roster := Roster{First: r.Uvarint()}
	n, total := r.Int(1<<17), r.Int(1<<31)
	if format.TooDense(uint64(n+total), size) {
		r.Fail("%d slices and %d shares in %d bytes", n, total, size)
	}
	block := r.Bytes()
	if r.Err() != nil {
		return roster
	}
	counts := make([]int, base+headContexts)
	counts[base+contextShares], counts[base+contextGap], counts[base+contextEvents] = n, total, total
	room := rosterRooms.Get().(*[]uint64)
	defer rosterRooms.Put(room)
	*room = slices.Grow((*room)[:0], n+2*total)[:n+2*total]
	values := *room
	if err := m.Decode(values, block, counts); err != nil {
		r.Fail("%v", err)
		return roster
	}
	roster.Slices = make([][]Share, n)
	shares := make([]Share, total)
	gaps, events := values[n:n+total], values[n+total:]
	for i, size := range values[:n] {
		if size > uint64(len(shares)) {
			r.Fail("slice %d has %d shares", i, size)
			return roster
		}
		roster.Slices[i], shares = shares[:size:size], shares[size:]
		if !readShares(roster.Slices[i], gaps, events, limits) {
			r.Fail("shares of slice %d are out of range", i)
		}
		gaps, events = gaps[size:], events[size:]
	}
	if len(shares) > 0 {
		r.Fail("%d shares belong to no slice", len(shares))
	}
	if n == 0 || min(len(roster.Slices[0]), len(roster.Slices[n-1])) == 0 {
		r.Fail("a roster of no slices, or one that begins or ends with a slice without shares")
	}
	roster.readFirsts(r)
	_ = r.FinishFilled(roster.leastBytes(total)) // r keeps the error
	return roster
}

// rosterRooms are memory for the values of a roster, which nobody needs when its shares are there.
var rosterRooms = sync.Pool{New: func() any { return new([]uint64) }}

func readShares(shares []Share, gaps, events []uint64, limits format.Limits) bool {
	next := uint64(0)
	for i := range shares {
		if gaps[i] >= uint64(limits.Locations)-next || events[i] >= uint64(limits.LaneEvents) {
			return false
		}
		shares[i] = Share{Location: uint32(next + gaps[i]), Events: uint32(events[i] + 1)}
		next += gaps[i] + 1
	}
	return true
}

// readFirsts reads each location's first ordinal, and counts on; and the ids of those that begin here.
func (r *Roster) readFirsts(d *format.Decoder) {
	var known []nextOf // of the locations that slices so far have, in order, as shares are
	id := uint64(0)
	for _, shares := range r.Slices {
		at, before := 0, len(known)
		for i := range shares {
			s := &shares[i]
			for at < before && known[at].location < s.Location {
				at++
			}
			n := at
			if at == before || known[at].location != s.Location {
				n, known = len(known), append(known, nextOf{s.Location, d.Uvarint()})
				if known[n].ordinal == 0 {
					id += uint64(d.Varint())
					s.ID = id
				}
			}
			s.First = known[n].ordinal
			if known[n].ordinal += uint64(s.Events); known[n].ordinal < s.First {
				d.Fail("ordinals of location %d are out of range", s.Location)
			}
		}
		if len(known) > before {
			slices.SortFunc(known, func(a, b nextOf) int { return cmp.Compare(a.location, b.location) })
		}
	}
}

// nextOf is the ordinal of the next event of a location.
type nextOf struct {
	location uint32
	ordinal  uint64
}
