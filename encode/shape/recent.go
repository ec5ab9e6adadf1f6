package shape

import (
	"slices"

	"github.com/pandotrace/pando/trace"
)

// recentEnds are the leaves of sends and receives of some locations that were looked up lately: a location sends the same again and again,
// and of what it is made takes longer to find out than whether it is the same.
type recentEnds []recentEnd // by hash; one may stand in for another

// recentEnd is a send or receive without attributes, whose words are the peer, communicator, tag and length, and values.
type recentEnd struct {
	words    [4]uint64
	location uint32
	leaf     uint32
	kind     trace.Kind
	count    uint16 // of words, with the values; 0 if there is none
}

const recentEndBits = 7

// of returns where a send or receive stands, or belongs.
func (r *recentEnds) of(location uint32, words []uint64) *recentEnd {
	if *r == nil {
		*r = make(recentEnds, 1<<recentEndBits)
	}
	w := (*[4]uint64)(words)
	h := w[0] ^ w[1]<<8 ^ w[2]<<16 ^ w[3]<<24 ^ uint64(location)<<32
	return &(*r)[h*0x9e3779b97f4a7c15>>(64-recentEndBits)]
}

// is reports whether it is a send or receive.
func (e *recentEnd) is(location uint32, kind trace.Kind, words []uint64) bool {
	return e.kind == kind && e.location == location && int(e.count) == len(words) && e.words == [4]uint64(words)
}

// end returns the leaf of a send or receive.
func (d *Dictionary) end(location uint32, kind trace.Kind, words []uint64) (uint32, error) {
	e := d.recentEnds.of(location, words)
	if e.is(location, kind, words) {
		return e.leaf, nil
	}
	leaf, err := d.event(location, kind, words, nil)
	if err == nil && !slices.Contains(d.plans[kind].structural[4:], true) {
		*e = recentEnd{[4]uint64(words), location, leaf, kind, uint16(len(words))}
	}
	return leaf, err
}
