package edit

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
	"github.com/pandotrace/pando/trace/topology"
)

// TestDefine: a part of the log, from any place on, is that part of both lists, one behind the other.
func TestDefine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := tracegen.Program(4, 1, 1)
		before, err := src.Definitions(0)
		if err != nil {
			t.Fatal(err)
		}
		further := before[:rapid.IntRange(0, 5).Draw(t, "further")]
		all := slices.Concat(before, further)
		d, err := Define(src, further)
		if err != nil {
			t.Fatal(err)
		}
		from, most := rapid.IntRange(0, len(all)+2).Draw(t, "from"), rapid.IntRange(1, len(all)).Draw(t, "most")
		got, err := d.Definitions(from)
		if want := all[min(from, len(all)):]; err != nil || len(got) != len(want) || len(want) > 0 && cmp.Diff(want, got) != "" {
			t.Fatalf("from %d: %d definitions, %v", from, len(got), err)
		}
		var parts []trace.Record
		for {
			part, err := trace.DefinitionsPart(d, len(parts), most)
			if err != nil {
				t.Fatal(err)
			}
			if len(part) == 0 {
				break
			}
			parts = append(parts, part...)
		}
		if diff := cmp.Diff(all, parts); diff != "" {
			t.Fatal(diff)
		}
	})
}

// placed is a program whose only topology is inferred, if it is.
func placed(inferred bool) *tracegen.Trace {
	src := tracegen.Program(4, 1, 1)
	if inferred {
		src.Meta().Properties = append(src.Meta().Properties, topology.InferredProperty(map[uint64]bool{0: true}))
	}
	return src
}

// TestInferredTopologies: what is inferred in a trace is so in traces that are made of it, where it may have another id.
func TestInferredTopologies(t *testing.T) {
	for _, of := range [][]bool{{true, false}, {false, true}, {true, true}, {false, false}} {
		merged, err := Merge(AlignClocks, placed(of[0]), placed(of[1]))
		if err != nil {
			t.Fatal(err)
		}
		log, err := merged.Definitions(0)
		if err != nil {
			t.Fatal(err)
		}
		list, inferred := topology.Of(trace.NewDefinitions(log)), topology.Inferred(merged.Meta().Properties)
		if len(list) != 2 || inferred[list[0].ID] != of[0] || inferred[list[1].ID] != of[1] {
			t.Errorf("%v merged: %v inferred of %+v", of, inferred, list)
		}
		joined, err := Concat(placed(of[0]), placed(of[1]))
		if err != nil {
			t.Fatal(err)
		}
		if got := topology.Inferred(joined.Meta().Properties); got[0] != (of[0] || of[1]) {
			t.Errorf("%v joined: %v", of, got)
		}
	}
}
