package otf2

import (
	"testing"

	"github.com/pandotrace/pando/trace"
)

// Definitions of marks have ids that nothing else has, and are known again.
func TestMarks(t *testing.T) {
	id := func(kind trace.Kind, id uint64) trace.Record {
		return trace.Record{Kind: kind, Words: []uint64{id, 0, 0, 0}}
	}
	for _, defs := range [][]trace.Record{
		nil,
		{id(trace.KindString, 0), id(trace.KindAttribute, 7), id(trace.KindString, 5)},
		{id(trace.KindString, undefined32), id(trace.KindString, 1), id(trace.KindAttribute, undefined32-1), id(trace.KindAttribute, 0)},
	} {
		taken := map[[2]uint64]bool{}
		m := marksFor(defs)
		for _, d := range append(defs, m.definitions...) {
			if self := [2]uint64{uint64(d.Kind), d.Words[0]}; taken[self] || d.Words[0] >= undefined32 && d.Words[0] != undefined32 {
				t.Errorf("%v is defined twice", self)
			} else {
				taken[self] = true
			}
		}
		rest, known := takeMarks(append(defs, m.definitions...))
		if len(rest) != len(defs) || known.before != m.before || known.after != m.after || len(known.definitions) != markDefinitions {
			t.Errorf("%d definitions, attributes %d and %d, want %d, %d and %d", len(rest), known.before, known.after, len(defs), m.before, m.after)
		}
		other := marksFor(append(defs, id(trace.KindString, 0), id(trace.KindString, 100)))
		if rest, known := takeMarks(append(defs, other.definitions...)); len(rest) == len(defs) || known.kindOf(&trace.Attr{ID: other.before, Type: trace.ValueUint64}) != 0 {
			t.Error("definitions that are not those of marks are taken for them")
		}
	}
}

// A mark that no event follows, or one that an archive cannot hold, is counted as left out.
func TestMarksLeftOut(t *testing.T) {
	var file []byte
	m := marksFor(nil)
	o := &output{path: "memory", sink: inMemorySink(&file), grammar: eventGrammar, chunk: 1 << 9, dropped: &drops{}, marking: &marking{marks: &m, table: trace.Standard}}
	o.begin()
	var b trace.Batch
	b.Append(trace.KindCutBefore, 1, 0)
	b.Append(trace.KindCutBefore, 1, 0)
	b.Append(trace.KindEnter, 1, 7)
	b.Append(trace.KindCutAfter, 2, 3)
	b.Append(trace.KindComment, 2, b.PutText("text"))
	b.Append(trace.KindLeave, 2, 7)
	b.Append(trace.KindCutAfter, 4, 5)
	if err := o.write(&b); err != nil {
		t.Fatal(err)
	}
	if err := o.close(); err != nil {
		t.Fatal(err)
	}
	if d := o.dropped.counts; d[trace.KindCutBefore] != 1 || d[trace.KindCutAfter] != 2 || d[trace.KindComment] != 1 || o.records != 2 || !o.marking.made {
		t.Errorf("%v, %d records", d, o.records)
	}
}
