package recovery

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/trace"
)

// firstMadeUp is the least id that is made up for a location: with its index, that of a location whose own id is lost.
const firstMadeUp = 1 << 48

// LostID is a location whose id is lost. Its events were saved under an id that is made up.
type LostID struct {
	// Location is that id: 2^48 plus the index, or the next one that is free.
	Location uint64
	// Index is the location's place in the damaged file.
	Index uint32
}

// locationNames are the ids of locations by index, as far as they are known. No id belongs to two.
type locationNames struct {
	byIndex map[uint32]uint64
	taken   map[uint64]bool
	madeUp  map[uint32]bool
}

func (n *locationNames) add(index uint32, id uint64) {
	if _, ok := n.byIndex[index]; ok || n.taken[id] {
		return
	}
	n.byIndex[index], n.taken[id] = id, true
}

// complete adds what the pages of locations say, and what the order of definitions says as long as that agrees with what is known.
func (n *locationNames) complete(told *toldLocations, defined []trace.Location) {
	for _, l := range slices.Sorted(maps.Keys(told.ids)) {
		n.add(l, told.ids[l])
	}
	for i, l := range defined {
		if id, ok := n.byIndex[uint32(i)]; ok && id != l.ID || !ok && n.taken[l.ID] {
			return
		}
		n.add(uint32(i), l.ID)
	}
}

// makeUp gives ids to those locations of a slice that have none, and defines these with a name that says so.
func (c *recoverer) makeUp(e *slice.Events) error {
	for i := range e.Runs {
		index := e.Runs[i].Location
		if _, ok := c.names.byIndex[index]; ok {
			continue
		}
		id := c.freeID(index)
		c.names.add(index, id)
		c.names.madeUp[index] = true
		c.report.LostIDs = append(c.report.LostIDs, LostID{id, index})
		if err := c.w.Define(c.madeUp(id, index)...); err != nil {
			return err
		}
	}
	return nil
}

// freeID returns an id that no other location has.
func (c *recoverer) freeID(index uint32) uint64 {
	id := firstMadeUp + uint64(index)
	for c.names.taken[id] || c.w.Has(id) {
		id++
	}
	return id
}

// firstHighString is the least id of a string that is high: made-up names get ids from 2^32-2 down, so that only high ones can be taken.
const firstHighString = 1 << 31

// noteStrings notes the high ids of strings.
func (c *recoverer) noteStrings(records []trace.Record) {
	for i := range records {
		if r := &records[i]; r.Kind == trace.KindString && len(r.Words) > 0 && r.Words[0] >= firstHighString {
			c.strings[r.Words[0]] = true
		}
	}
}

// madeUp defines a location with an id that is made up.
func (c *recoverer) madeUp(id uint64, index uint32) []trace.Record {
	name := 1<<32 - 1 - uint64(len(c.report.LostIDs)) // of strings: those that are lost had small ids
	for c.strings[name] {
		name--
	}
	c.strings[name] = true
	text := []byte(fmt.Sprintf("location %d, its id is lost", index))
	return []trace.Record{
		{Kind: trace.KindString, Words: []uint64{name, uint64(len(text))}, Text: text},
		{Kind: trace.KindLocation, Words: []uint64{id, name, 0, 0, trace.Undefined}},
	}
}

// isStrange reports whether events have, or miss, a location whose id is lost. Of which process that is is not known, but it is one of
// the lane's: there, ends of messages may seem to belong together that do not.
func (c *recoverer) isStrange(lane uint32, runs []savedRun) bool {
	return slices.ContainsFunc(runs, func(r savedRun) bool { return c.names.madeUp[r.location] }) ||
		slices.ContainsFunc(c.lanes[lane].missing, func(l uint32) bool { _, ok := c.names.byIndex[l]; return !ok })
}
