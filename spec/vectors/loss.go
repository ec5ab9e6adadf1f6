package vectors

import (
	"bytes"

	"github.com/pandotrace/pando/edit"
	"github.com/pandotrace/pando/encode/records"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

// lossTrace is a trace whose times are within 25 ticks of those of another one.
func lossTrace() trace.Source {
	src, err := edit.Coarsen(tracegen.Ring(3, 6, 1), edit.Bounds{Times: 25, Original: bytes.Repeat([]byte{7}, trace.FingerprintSize)})
	if err != nil {
		panic(err) // nothing that a file says can make it fail
	}
	return src
}

// leftOut is a trace of which calls were left out. Its sums say how many.
type leftOut struct {
	trace.Source
	meta trace.Meta
	list []trace.CallDeviation
}

func (s *leftOut) Meta() *trace.Meta { return &s.meta }

func (s *leftOut) Deviations() ([]trace.CallDeviation, bool) { return s.list, true }

// leftOutTrace is a trace without calls of less than 4 ticks, without those inside 256 others, and so on.
func leftOutTrace() trace.Source {
	src := tracegen.Ring(3, 6, 1)
	s := &leftOut{Source: src, meta: *src.Meta(), list: []trace.CallDeviation{
		{Region: 0, Exclusive: -9}, {Region: 1, Count: 4, Inclusive: 7, Exclusive: 7, Busy: 7}, {Region: 900, Count: 1, Inclusive: 2, Exclusive: 2, Busy: 2},
	}}
	s.meta.Loss = &trace.Loss{Bounds: []trace.Bound{trace.CallsBound(trace.LeftShort, 4), trace.CallsBound(trace.LeftDeep, 256), trace.CallsBound(trace.LeftFiltered, 1),
		trace.CallsBound(trace.LeftLevel, 60), trace.CallsBound(trace.LeftClass, 2), trace.CallsBound(trace.LeftLater, 1024), trace.CallsBound(trace.LeftPhases, 10)}}
	return s
}

// losses adds files with an extension of the meta block that says something impossible of what is left out.
func (f *faulty) losses() {
	bounds := func(list ...byte) []byte { return append(list, 0) } // no fingerprint
	for _, c := range []struct {
		name string
		says []byte
	}{
		{"without-bounds", bounds(0)},
		{"of-nothing", bounds(1, 0, 0, 0, 0, 50, 25)},
		{"outside-of-its-cell", bounds(1, 0, 0, 0, 25, 50, 50)},
		{"of-an-unknown-class", bounds(1, 3, 0, 0, 25, 50, 25)},
		{"of-calls-for-no-reason", bounds(1, 2, 100, 0, 25, 25, 0)},
		{"of-calls-in-cells", bounds(1, 2, 0, 0, 25, 50, 0)},
		{"out-of-order", bounds(2, 1, 4, 0, 2, 5, 0, 1, 3, 0, 2, 5, 0)},
		{"of-half-an-original", append([]byte{1, 0, 0, 0, 25, 50, 25, 16}, make([]byte, 16)...)},
	} {
		f.add("loss-"+c.name, "content", edited(f.file, func(b *damage.Block) {
			if b.Kind == format.BlockMeta {
				b.Payload = format.AppendExtension(bytes.Clone(b.Payload), records.ExtensionLoss, c.says)
			}
		}))
	}
	f.add("division-that-the-root-does-not-say", "content", edited(f.file, func(b *damage.Block) {
		if b.Kind == format.BlockMeta {
			b.Payload = index.AppendDivision(bytes.Clone(b.Payload), &index.Division{Fanout: 2, GroupSlices: 4})
		}
	}))
	f.add("loss-more-calls-than-regions", "content", edited(f.file, func(b *damage.Block) {
		if b.Kind == format.BlockTotals {
			b.Payload = format.AppendExtension(bytes.Clone(b.Payload), deviationsTag, []byte{1, 5, 2, 0, 0, 3, 4})
		}
	}))
	f.add("loss-deviations-out-of-order", "content", edited(f.file, func(b *damage.Block) {
		if b.Kind == format.BlockTotals {
			b.Payload = format.AppendExtension(bytes.Clone(b.Payload), deviationsTag, []byte{2, 5, 2, 0, 0, 5, 2, 0, 0})
		}
	}))
}

// deviationsTag is the tag of the extension of the totals block with deviations.
const deviationsTag = 4
