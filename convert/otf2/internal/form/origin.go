package form

import (
	"fmt"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// Time stamps of archives are unsigned. Of a trace that begins before tick 0 of its source's time all times are moved: by as much as
// makes the earliest one 0. A property of the archive tells by how much, so that the trace comes back with its own times. Definitions
// that give times move along: clock properties and clock offsets.

// OriginProperty names the property. Its value is "TICKS OFFSET": how far times are moved, and the global offset of the first clock
// properties as it was, 0 if there are none.
const OriginProperty = "PANDO::ORIGIN"

// Origin is how far the times of an archive are moved, in ticks, and the global offset of the first clock properties before.
type Origin struct{ Moved, Offset uint64 }

func (o Origin) Property() trace.Property {
	return trace.Property{Name: OriginProperty, Value: fmt.Sprintf("%d %d", o.Moved, o.Offset)}
}

// TakeOrigin removes the origin from the properties of an archive and returns it. A property that cannot be an origin stays.
func (a *Anchor) TakeOrigin() (o Origin) {
	at := slices.IndexFunc(a.Properties, func(p trace.Property) bool { return p.Name == OriginProperty })
	if at < 0 {
		return Origin{}
	}
	n, err := fmt.Sscanf(a.Properties[at].Value, "%d %d", &o.Moved, &o.Offset)
	if n != 2 || err != nil || o.Moved == 0 || o.Moved > MaxSpan || o.Property() != a.Properties[at] {
		return Origin{}
	}
	a.Properties = slices.Delete(slices.Clone(a.Properties), at, at+1)
	return o
}

// Restore gives the definitions of an archive the times that they had.
func (o Origin) Restore(defs []trace.Record) {
	first := true
	for i := range defs {
		if defs[i].Kind != trace.KindClockProperties || o.Moved == 0 {
			continue
		}
		if defs[i].Words[1] -= o.Moved; first {
			defs[i].Words[1] = o.Offset
		}
		first = false
	}
}

// MovedOffsets moves the clock offsets among local definitions.
func MovedOffsets(s trace.Stream, id trace.StreamID, by uint64) trace.Stream {
	if s == nil || by == 0 || id.Class != trace.StreamLocalDefinitions {
		return s
	}
	return &movedStream{s, by}
}

type movedStream struct {
	trace.Stream
	by uint64
}

func (s *movedStream) Next(b *trace.Batch, limit int) error {
	err := s.Stream.Next(b, limit)
	b.Words = slices.Clone(b.Words) // they may belong to the source
	for i, k := range b.Kinds {
		if k == trace.KindClockOffset {
			b.Fields(i)[0] += s.by
		}
	}
	return err
}

// MaxSpan bounds the distance of times from the epoch, in ticks, so that differences of times fit an int64.
const MaxSpan = 1 << 62
