package write

import (
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/pairing"
	"github.com/pandotrace/pando/trace"
)

// kindCounts counts records by kind.
type kindCounts []uint64

func (c *kindCounts) add(k trace.Kind, n uint64) {
	for len(*c) <= int(k) {
		*c = append(*c, 0)
	}
	(*c)[k] += n
}

func (c kindCounts) of(k trace.Kind) uint64 {
	if int(k) < len(c) {
		return c[k]
	}
	return 0
}

// specsSeen returns the specifications of the kinds that occur and that the file must describe.
func (w *Writer) specsSeen() []*trace.Spec {
	for k, n := range w.backlog.kinds {
		if n > 0 {
			w.kinds.add(trace.Kind(k), n)
		}
	}
	w.backlog.kinds = nil
	var specs []*trace.Spec
	for k, n := range w.kinds {
		if n > 0 && trace.Kind(k).Described() {
			specs = append(specs, w.meta.Table().Spec(trace.Kind(k)))
		}
	}
	return specs
}

// addDoubts adds what is only known at the end of what a sound program does not do.
func (w *Writer) addDoubts() {
	if w.kinds.of(trace.KindCutBefore)+w.kinds.of(trace.KindCutAfter) > 0 || w.Matcher.Undecided {
		w.totals.MessagesAlone()
		return
	}
	var all pairing.Sequences
	for _, l := range w.lanes {
		all.Join(&l.joint)
		for _, at := range l.locations {
			all.Saw(at.ID, at.Events)
		}
	}
	w.totals.UnlikeRanks = all.Unlike(w.Definitions)
}

// appendTotals appends the totals of all that was written.
func (w *Writer) appendTotals(dst []byte) []byte {
	t := &w.totals
	t.Epochs, t.Nodes = uint64(len(w.backlog.root.Epochs)), w.backlog.counts.nodes
	for _, l := range w.lanes {
		t.OrphanLeaves += l.orphans
		t.CutCalls += l.cut
	}
	for k, n := range w.kinds {
		if n > 0 {
			t.Kinds = append(t.Kinds, index.KindCount{Kind: trace.Kind(k), Count: n})
		}
	}
	t.AuxStreams = w.Auxiliary.Streams
	w.addDoubts()
	fingerprint := trace.NewFingerprint(w.meta)
	for _, l := range w.lanes {
		fingerprint.Join(l.fingerprint)
	}
	t.SHA256 = fingerprint.Sum()
	return t.Append(dst)
}
