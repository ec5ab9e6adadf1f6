package equal

import (
	"slices"

	"github.com/pandotrace/pando/trace"
)

// Report is the result of a comparison. A and B are the first and the second trace.
type Report struct {
	// Equal is true if nothing differs.
	Equal bool `json:"equal"`
	// Definitions and Records count what was compared: for each, the larger count of the two traces.
	Definitions uint64 `json:"definitions"`
	Records     uint64 `json:"records"`
	// Start is the difference of the starting times and clocks: nil if there is none, and always nil in the report of Traces.
	Start *Start `json:"start,omitempty"`
	// Only lists the first few definitions that one of the traces lacks.
	Only []OneSided `json:"only,omitempty"`
	// Meta lists differing properties of the whole traces.
	Meta []Change `json:"meta"`
	// Parts counts the differences of the definitions and of each stream that differs.
	Parts []Part `json:"parts"`
	// Tolerance is how far the traces are apart: in the report of Within, else nil.
	Tolerance *Tolerance `json:"tolerance,omitempty"`
}

// OneSided is a definition that only one of the two traces has.
type OneSided struct {
	// In is "A" or "B".
	In   string `json:"in"`
	Kind string `json:"kind"`
	Name string `json:"name"`
}

// Change is a property with its values in both traces, "" where a trace has none.
type Change struct {
	Name string `json:"name"`
	A    string `json:"a"`
	B    string `json:"b"`
}

// Part counts the differences in the definitions or in a stream.
type Part struct {
	// Name is "definitions", "events", "snapshots" and so on.
	Name string `json:"name"`
	// Stream identifies the stream. Its location is meaningless for definitions.
	Stream trace.StreamID `json:"-"`
	// Location is the location of the stream, nil if the stream has none.
	Location *uint64 `json:"location"`
	// First is the first difference.
	First Difference `json:"first"`
	// Kinds are the numbers of differences, in order of the kinds.
	Kinds []KindCount `json:"kinds"`
}

// Difference is a place where two traces differ.
type Difference struct {
	// A and B are the differing records as text, "" where a trace has no counterpart.
	A string `json:"a"`
	B string `json:"b"`
	// IndexA and IndexB count the records of the part before the difference.
	IndexA uint64 `json:"index_a"`
	IndexB uint64 `json:"index_b"`
	// Time is the time of record A, or of record B where A is "", in ticks of that trace's clock; 0 for records without time.
	Time uint64 `json:"time"`
	// TimeB is the time of record B where both traces have a record.
	TimeB uint64 `json:"time_b,omitempty"`

	at uint64 // the time as it was compared
}

// KindCount counts the differing records of one kind. A pair of differing records counts for the kind of record A.
type KindCount struct {
	Kind trace.Kind `json:"-"`
	Name string     `json:"kind"`
	// OnlyA and OnlyB count records without a counterpart, Changed counts pairs whose contents differ.
	OnlyA   uint64 `json:"only_a"`
	OnlyB   uint64 `json:"only_b"`
	Changed uint64 `json:"changed"`
	// Moved counts pairs that differ in time only, on locations that have the same events in the same order in both traces.
	Moved uint64 `json:"moved,omitempty"`
}

// FirstPart returns the part with the first difference: the definitions, else the stream in which it is earliest. There must be
// one.
func (r *Report) FirstPart() *Part {
	first := &r.Parts[0]
	for i := range r.Parts {
		if p := &r.Parts[i]; first.Location != nil && p.Stream.Class == first.Stream.Class && earlier(p.First.at, first.First.at) {
			first = p
		}
	}
	return first
}

// at returns the counts of a kind.
func (p *Part) at(kind trace.Kind, name string) *KindCount {
	i, found := slices.BinarySearchFunc(p.Kinds, kind, func(k KindCount, kind trace.Kind) int { return int(k.Kind) - int(kind) })
	if !found {
		p.Kinds = slices.Insert(p.Kinds, i, KindCount{Kind: kind, Name: name})
	}
	return &p.Kinds[i]
}

// differ counts a difference between the records that two cursors stand at; has says which of them count.
func (p *Part) differ(a, b *cursor, hasA, hasB bool) {
	d := Difference{IndexA: a.index(), IndexB: b.index()}
	var k *KindCount
	switch {
	case hasA && hasB:
		k = p.at(a.kind(), a.kindName())
		k.Changed++
	case hasA:
		k = p.at(a.kind(), a.kindName())
		k.OnlyA++
	default:
		k = p.at(b.kind(), b.kindName())
		k.OnlyB++
	}
	if p.First.A != "" || p.First.B != "" {
		return
	}
	p.First = d.of(a, b, hasA, hasB)
}

// of notes what two cursors stand at.
func (d Difference) of(a, b *cursor, hasA, hasB bool) Difference {
	if hasB {
		d.B, d.Time, d.at = b.text(), b.instant(), b.time()
	}
	if hasA {
		d.A, d.Time, d.at = a.text(), a.instant(), a.time()
	}
	if hasA && hasB {
		d.TimeB = b.instant()
	}
	return d
}
