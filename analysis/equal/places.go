package equal

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/internal/instep"
	"github.com/pandotrace/pando/trace"
)

// place is a stream of two traces, of which one may not have it.
type place struct {
	a, b     trace.StreamID
	inA, inB bool
}

// id names the stream as the first trace that has it does.
func (p *place) id() trace.StreamID {
	if p.inA {
		return p.a
	}
	return p.b
}

// places lists the streams of both traces, in order, and finds them by the ids of each.
func (c *comparison) places() (list []*place, ofA, ofB map[trace.StreamID]*place) {
	ofA, ofB = map[trace.StreamID]*place{}, map[trace.StreamID]*place{}
	b := idsOf(c.b)
	for id := range idsOf(c.a) {
		p := &place{a: id, inA: true}
		if to, ok := c.inB(id); ok && b[to] {
			p.b, p.inB = to, true
			ofB[to] = p
		}
		ofA[id] = p
		list = append(list, p)
	}
	for id := range b {
		if ofB[id] == nil {
			ofB[id] = &place{b: id, inB: true}
			list = append(list, ofB[id])
		}
	}
	slices.SortFunc(list, func(x, y *place) int { return cmp.Or(byID(x.id(), y.id()), compareBools(y.inA, x.inA)) })
	return list, ofA, ofB
}

func compareBools(x, y bool) int {
	switch {
	case x == y:
		return 0
	case y:
		return -1
	}
	return 1
}

// inB returns the id that a stream of A has in B.
func (c *comparison) inB(id trace.StreamID) (to trace.StreamID, ok bool) {
	if c.rules.numbering == nil || id.Class == trace.StreamMarkers || id.Class == trace.StreamThumbnails {
		return id, true
	}
	if location, ok := c.locations[id.Location]; ok {
		return trace.StreamID{Class: id.Class, Location: location}, true
	}
	return id, c.rules.numbering.same(trace.SpaceLocation, id.Location, id.Location) // neither trace defines it
}

// eventGroups returns the event streams by the groups of the source that has fewer: what it keeps together is read in step.
func (c *comparison) eventGroups() (groups [][]*place) {
	_, ofA, ofB := c.places()
	few, others := instep.Groups(c.a.Streams()), instep.Groups(c.b.Streams())
	ofFew, ofOthers := ofA, ofB
	if len(others) < len(few) {
		few, others, ofFew, ofOthers = others, few, ofB, ofA
	}
	known := map[*place]bool{}
	add := func(list [][]trace.StreamInfo, of map[trace.StreamID]*place) {
		for _, g := range list {
			var places []*place
			for _, s := range g {
				if p := of[s.StreamID]; !known[p] {
					known[p] = true
					places = append(places, p)
				}
			}
			if len(places) > 0 {
				groups = append(groups, places)
			}
		}
	}
	add(few, ofFew)
	add(others, ofOthers)
	return groups
}

// auxiliaryGroups returns all other streams, each by itself.
func (c *comparison) auxiliaryGroups() (groups [][]*place) {
	list, _, _ := c.places()
	for _, p := range list {
		if p.id().Class != trace.StreamEvents {
			groups = append(groups, []*place{p})
		}
	}
	return groups
}

func byID(x, y trace.StreamID) int {
	return cmp.Or(cmp.Compare(x.Class, y.Class), cmp.Compare(x.Location, y.Location))
}

// idsOf returns the set of a source's streams.
func idsOf(src trace.Source) map[trace.StreamID]bool {
	ids := map[trace.StreamID]bool{}
	for _, s := range src.Streams() {
		ids[s.StreamID] = true
	}
	return ids
}
