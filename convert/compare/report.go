package compare

import (
	"slices"

	"github.com/pandotrace/pando/trace"
)

// Report is the result of a comparison. A and B are the first and the second trace.
type Report struct {
	// Equal is true if nothing differs.
	Equal bool `json:"equal"`
	// Definitions and Records are the numbers of those that were compared, the greater one where they differ.
	Definitions uint64 `json:"definitions"`
	Records     uint64 `json:"records"`
	// Start says how the beginnings and clocks of the traces differ; nil if they do not, and where times are compared as they are.
	Start *Start `json:"start,omitempty"`
	// Only lists the first definitions that one of the traces has.
	Only []Only `json:"only,omitempty"`
	// Meta lists properties of the traces as wholes that differ.
	Meta []Change `json:"meta"`
	// Parts are the parts of the traces that differ: the definitions, streams.
	Parts []Part `json:"parts"`
}

// Only is a definition that one of the traces has, "A" or "B".
type Only struct {
	In   string `json:"in"`
	Kind string `json:"kind"`
	Name string `json:"name"`
}

// Change is something with two values; "" stands for none.
type Change struct {
	Name string `json:"name"`
	A    string `json:"a"`
	B    string `json:"b"`
}

// Part counts the differences in the definitions or in a stream.
type Part struct {
	// Name is "definitions", "events", "snapshots" and so on.
	Name string `json:"name"`
	// Stream is that of the records; its location means nothing for definitions.
	Stream trace.StreamID `json:"-"`
	// Location is the stream's, nil if the part belongs to none.
	Location *uint64 `json:"location"`
	// First is the first difference.
	First Difference `json:"first"`
	// Kinds are the numbers of differences, in order of the kinds.
	Kinds []KindCount `json:"kinds"`
}

// Difference is a place where two traces differ.
type Difference struct {
	// A and B are the records there, as text, "" where a trace has none.
	A string `json:"a"`
	B string `json:"b"`
	// IndexA and IndexB are the numbers of records before it in the part.
	IndexA uint64 `json:"index_a"`
	IndexB uint64 `json:"index_b"`
	// Time is the time of the record of A, of that of B without one, in ticks of its trace's clock; 0 for records without time.
	Time uint64 `json:"time"`
	// TimeB is the time of the record of B, if both have one.
	TimeB uint64 `json:"time_b,omitempty"`

	at uint64 // the time as it was compared
}

// KindCount counts the differences in records of a kind; where both have one, it is that of A.
type KindCount struct {
	Kind trace.Kind `json:"-"`
	Name string     `json:"kind"`
	// OnlyA and OnlyB are the numbers of records that one trace has, Changed of those that are not the same in both.
	OnlyA   uint64 `json:"only_a"`
	OnlyB   uint64 `json:"only_b"`
	Changed uint64 `json:"changed"`
	// Moved is the number of events that are the same but for their times, on a location that has the same ones in the same order in
	// both traces.
	Moved uint64 `json:"moved,omitempty"`
}

// First returns the part with the first difference: the definitions, else the stream in which it is earliest. There must be
// one.
func (r *Report) First() *Part {
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
