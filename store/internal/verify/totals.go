package verify

import (
	"fmt"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/query"
	"github.com/pandotrace/pando/trace"
)

// records counts definitions and auxiliary records.
func (v *deepVerifier) records() error {
	streams := map[trace.StreamID]uint64{}
	for _, e := range v.r.Root().Entries {
		var err error
		switch e.Kind {
		case format.BlockDefinitions:
			err = v.definitionBlock(e.Ref)
		case format.BlockAuxiliary:
			err = v.auxiliaryBlock(e.Ref, streams)
		}
		if err != nil {
			return err
		}
	}
	for _, s := range v.r.Info().AuxStreams {
		v.expect(fmt.Sprintf("records of a stream of class %d", s.Class), streams[s.StreamID], s.Records)
		delete(streams, s.StreamID)
	}
	for id := range streams {
		v.expect(fmt.Sprintf("records of a stream of class %d", id.Class), streams[id], 0)
	}
	return nil
}

// definitionBlock counts the records of a block of definitions.
func (v *deepVerifier) definitionBlock(at format.Ref) error {
	d, err := v.r.DefinitionPage(at)
	if err != nil {
		return err
	}
	for i := range d.Records {
		v.kinds[d.Records[i].Kind]++
	}
	v.info.Definitions += uint64(len(d.Records))
	return nil
}

// auxiliaryBlock counts the records of a block of auxiliary records, and adds them to those of their streams.
func (v *deepVerifier) auxiliaryBlock(at format.Ref, streams map[trace.StreamID]uint64) error {
	block, err := query.AuxiliaryBlock(v.r, at)
	if err != nil {
		return err
	}
	for id, b := range block {
		streams[id] += uint64(b.Len())
		for _, k := range b.Kinds {
			v.kinds[k]++
		}
	}
	return nil
}

// expect reports totals that are not what was counted.
func (v *deepVerifier) expect(what string, counted, told uint64) {
	if counted != told {
		v.problem(v.offsetOf(format.BlockTotals), format.Corruptf("totals block", -1, "%d %s, it says %d", counted, what, told))
	}
}

// offsetOf returns where the block of a kind stands of which the root lists one.
func (v *deepVerifier) offsetOf(kind format.BlockKind) int64 { return v.r.OffsetOf(kind) }

// compare holds what was counted against the totals, and against each other.
func (v *deepVerifier) compare() error {
	got, want := &v.info, v.r.Info()
	names := []string{"calls", "messages", "unmatched sends", "unmatched receives", "cancelled sends", "suspicious messages",
		"bytes of messages", "open calls", "cut calls", "orphan leaves", "definitions", "epochs", "nodes", "calls open at once", "locations"}
	locations, err := v.r.Locations()
	if err != nil {
		return err
	}
	got.Locations = uint64(len(v.locations))
	for i := range v.locations {
		got.MaxDepth = max(got.MaxDepth, v.locations[i].MaxDepth)
	}
	got.Epochs, got.Nodes = uint64(len(v.r.Root().Epochs)), v.nodes()
	told := want.Numbers()
	for i, n := range got.Numbers() {
		v.expect(names[i], *n, *told[i])
	}
	v.compareDoubts(&want.Doubts)
	if got.First != want.First || got.Last != want.Last {
		v.problem(v.offsetOf(format.BlockTotals), format.Corruptf("totals block", -1, "the trace goes from %d to %d, it says from %d to %d", got.First, got.Last, want.First, want.Last))
	}
	for i := range v.locations {
		v.compareLocation(&v.locations[i], &locations[i])
	}
	for _, k := range want.Kinds {
		v.expect(fmt.Sprintf("records of kind %d", k.Kind), v.kinds[k.Kind], k.Count)
		v.kinds[k.Kind] = 0
	}
	for k, n := range v.kinds {
		if n > 0 {
			v.expect(fmt.Sprintf("records of kind %d", k), n, 0)
		}
	}
	if v.called != v.told {
		v.problem(v.offsetOf(format.BlockTotals), format.Corruptf("calls block", -1, "the calls that the file tells, %d, are not those of its events, %d", v.told.count, v.called.count))
	}
	if v.ends != v.matched {
		v.problem(v.offsetOf(format.BlockTotals), format.Corruptf("messages block", -1, "the messages that the file tells, with %d ends, are not those of its events, with %d", v.matched.count, v.ends.count))
	}
	return nil
}

// compareDoubts holds the numbers of what a sound program does not do against those counted, as far as the file has them.
func (v *deepVerifier) compareDoubts(want *index.Doubts) {
	backward, open, unlike := want.CountedDoubts()
	if backward != nil {
		v.expect("messages received before they are sent", v.info.BackwardMessages, *backward)
	}
	if n, ok := v.requests.open(); ok && open != nil {
		v.expect("requests never completed", n, *open)
	}
	if unlike != nil {
		v.expect("ranks with other collective operations than most", v.joint.Unlike(v.definitions), *unlike)
	}
}

func (v *deepVerifier) compareLocation(got *deepLocation, want *index.LocationInfo) {
	for _, n := range []struct {
		what      string
		got, want uint64
	}{
		{"events", got.Events, want.Events}, {"calls", got.Calls, want.Calls}, {"calls open at once", got.MaxDepth, want.MaxDepth},
	} {
		if n.got != n.want {
			v.problem(-1, v.r.LocationFault(format.BlockLocationTotals, "location %d has %d %s, it says %d", want.ID, n.got, n.what, n.want))
		}
	}
	if got.First != want.First || got.Last != want.Last {
		v.problem(-1, v.r.LocationFault(format.BlockLocationTotals, "location %d goes from %d to %d, it says from %d to %d", want.ID, got.First, got.Last, want.First, want.Last))
	}
}

// nodes returns the number of nodes of the tree.
func (v *deepVerifier) nodes() (n uint64) {
	slices := v.r.Root().Slices
	for level := 1; slices > 0 && level <= v.r.Tree().Levels(slices); level++ {
		n += v.r.Tree().Ancestor(slices-1, level) + 1
	}
	return n
}
