package store_test

import (
	"cmp"
	"maps"
	"slices"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// info compares what the file says of the trace as a whole.
func (c *checker) info() {
	c.Helper()
	got := c.reader.Info()
	first, last, _ := c.model.Span()
	finished := uint64(1)
	if c.reader.Unfinished() {
		finished = 0 // what is under way may yet be completed
	}
	for _, x := range []struct {
		what      string
		want, got uint64
	}{
		{"events", uint64(len(c.events)), got.Events},
		{"calls", uint64(len(c.calls)), got.Calls},
		{"messages", uint64(len(c.matching.Messages)), got.Messages},
		{"unmatched sends", uint64(len(c.matching.UnmatchedSends)), got.UnmatchedSends},
		{"unmatched receives", uint64(len(c.matching.UnmatchedReceives)), got.UnmatchedReceives},
		{"cancelled sends", uint64(len(c.matching.CancelledSends)), got.CancelledSends},
		{"suspicious messages", c.matching.Suspicious(), got.SuspiciousMessages},
		{"messages received before they are sent", c.matching.Backward(), got.BackwardMessages},
		{"requests never completed", finished * c.model.OpenRequests(), got.OpenRequests},
		{"ranks with other collective operations", finished * c.model.UnlikeRanks(), got.UnlikeRanks},
		{"open calls", c.flagged(trace.CallOpen), got.OpenCalls},
		{"cut calls", c.flagged(trace.CallCut), got.CutCalls},
		{"orphan leaves", uint64(len(c.model.Orphans())), got.OrphanLeaves},
		{"depth", nesting(c.calls), got.MaxDepth},
		{"first time", uint64(first), uint64(got.First)},
		{"last time", uint64(last), uint64(got.Last)},
		{"definitions", uint64(len(c.model.Definitions.Log)), got.Definitions},
	} {
		if x.want != x.got {
			c.Errorf("info: %d %s, want %d", x.got, x.what, x.want)
		}
	}
	locations, err := c.reader.Locations()
	if err != nil || uint64(len(locations)) != got.Locations {
		c.Errorf("%d locations of %d: %v", len(locations), got.Locations, err)
	}
	same(c.T, "info of locations", c.locationInfo(), locations, func(a, b *store.LocationInfo) bool {
		own := *b
		own.Lane = 0 // the writer's choice
		return *a == own
	})
	same(c.T, "info of kinds", c.kindCounts(), got.Kinds, equals)
	c.auxiliaryInfo(got.AuxStreams)
}

func (c *checker) flagged(flag trace.CallFlags) (n uint64) {
	for i := range c.calls {
		if c.calls[i].Flags&flag != 0 {
			n++
		}
	}
	return n
}

// nesting returns the greatest number of calls that are open at once on a location.
func nesting(calls []trace.Call) (most uint64) {
	for i := range calls {
		most = max(most, uint64(calls[i].Depth)+1)
	}
	return most
}

func (c *checker) locationInfo() []store.LocationInfo {
	var all []store.LocationInfo
	for _, l := range c.model.Locations {
		own := slices.DeleteFunc(slices.Clone(c.calls), func(x trace.Call) bool { return x.Location != l.ID })
		info := store.LocationInfo{ID: l.ID, LocationTotals: store.LocationTotals{Events: uint64(len(l.Events)), Calls: uint64(len(own)), MaxDepth: nesting(own)}}
		if n := len(l.Events); n > 0 {
			info.First, info.Last = l.Events[0].Time, l.Events[n-1].Time
		}
		all = append(all, info)
	}
	return all
}

// kindCounts counts the records of all kinds, also of definitions and auxiliary streams.
func (c *checker) kindCounts() []store.KindCount {
	counts := map[trace.Kind]uint64{}
	for i := range c.events {
		counts[c.events[i].Kind]++
	}
	for i := range c.model.Definitions.Log {
		counts[c.model.Definitions.Log[i].Kind]++
	}
	for _, s := range c.model.Auxiliary {
		for i := range s.Records {
			counts[s.Records[i].Kind]++
		}
	}
	var all []store.KindCount
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		all = append(all, store.KindCount{Kind: k, Count: counts[k]})
	}
	return all
}

func (c *checker) auxiliaryInfo(got []trace.StreamInfo) {
	c.Helper()
	var want []trace.StreamInfo
	for _, s := range c.model.Auxiliary {
		want = append(want, trace.StreamInfo{StreamID: s.ID, Records: uint64(len(s.Records))})
	}
	byName := func(a, b trace.StreamInfo) int {
		return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.Location, b.Location))
	}
	slices.SortFunc(want, byName)
	got = slices.SortedFunc(slices.Values(got), byName)
	same(c.T, "info of auxiliary streams", want, got, equals)
}
