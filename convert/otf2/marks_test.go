package otf2

import (
	"testing"

	"github.com/pandotrace/pando/convert/otf2/internal/form"
	"github.com/pandotrace/pando/convert/otf2/internal/write"
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
		{id(trace.KindString, form.Undefined32), id(trace.KindString, 1), id(trace.KindAttribute, form.Undefined32-1), id(trace.KindAttribute, 0)},
	} {
		taken := map[[2]uint64]bool{}
		m := form.MarksFor(defs)
		for _, d := range append(defs, m.Definitions...) {
			if self := [2]uint64{uint64(d.Kind), d.Words[0]}; taken[self] || d.Words[0] >= form.Undefined32 && d.Words[0] != form.Undefined32 {
				t.Errorf("%v is defined twice", self)
			} else {
				taken[self] = true
			}
		}
		rest, known := form.TakeMarks(append(defs, m.Definitions...))
		if len(rest) != len(defs) || known.Before != m.Before || known.After != m.After || len(known.Definitions) != form.MarkDefinitions {
			t.Errorf("%d definitions, attributes %d and %d, want %d, %d and %d", len(rest), known.Before, known.After, len(defs), m.Before, m.After)
		}
		other := form.MarksFor(append(defs, id(trace.KindString, 0), id(trace.KindString, 100)))
		if rest, known := form.TakeMarks(append(defs, other.Definitions...)); len(rest) == len(defs) || known.KindOf(&trace.Attr{ID: other.Before, Type: trace.ValueUint64}) != 0 {
			t.Error("definitions that are not those of marks are taken for them")
		}
	}
}

// A mark that no event follows, or one that an archive cannot hold, is counted as left out.
func TestMarksLeftOut(t *testing.T) {
	var file []byte
	m := form.MarksFor(nil)
	o := &write.Output{Path: "memory", Sink: inMemorySink(&file), Grammar: form.EventGrammar, Chunk: 1 << 9, Dropped: &write.Drops{}, Marking: &write.Marking{Marks: &m, Table: trace.Standard}}
	o.Begin()
	var b trace.Batch
	b.Append(trace.KindCutBefore, 1, 0)
	b.Append(trace.KindCutBefore, 1, 0)
	b.Append(trace.KindEnter, 1, 7)
	b.Append(trace.KindCutAfter, 2, 3)
	b.Append(trace.KindComment, 2, b.PutText("text"))
	b.Append(trace.KindLeave, 2, 7)
	b.Append(trace.KindCutAfter, 4, 5)
	if err := o.Write(&b); err != nil {
		t.Fatal(err)
	}
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
	if d := o.Dropped.Counts; d[trace.KindCutBefore] != 1 || d[trace.KindCutAfter] != 2 || d[trace.KindComment] != 1 || o.Records != 2 || !o.Marking.Made {
		t.Errorf("%v, %d records", d, o.Records)
	}
}
