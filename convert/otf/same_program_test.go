package otf

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// sameProgram are traces of one program, recorded once as OTF and once as OTF2. Its runs take the same course, at other times.
var sameProgram = []struct {
	otf, otf2 string
	messages  int
}{
	{otf: "otf1.ep.S.32.z", otf2: "otf2.ep.S.32"},
	{otf: "otf1.ft.S.4", otf2: "otf2.ft.S.4"},
	{otf: "otf1.ft.S.4.inline", otf2: "otf2.ft.S.4"},
	{otf: "otf1.ft.S.4.metric.z", otf2: "otf2.ft.S.4.metric"},
	{otf: "otf1.mg.S.8.long", otf2: "otf2.mg.S.8", messages: 3552},
	{otf: "otf1.mg.W.64.z", otf2: "otf2.mg.W.64", messages: 37536},
}

// TestSameProgram holds the calls, messages and collective operations of a trace against those of its OTF2 twin, as files have
// them. docs/fidelity.md lists the differences.
func TestSameProgram(t *testing.T) {
	if os.Getenv("PANDO_TRACES") != "" {
		tracetest.LargerOf(t, "otf1")
		tracetest.LargerOf(t, "otf2")
	}
	for i, pair := range sameProgram {
		t.Run(pair.otf, func(t *testing.T) {
			if i > 0 && os.Getenv("PANDO_TRACES") == "" {
				t.Skip("PANDO_TRACES is not set")
			}
			one := mustOpen(t, tracetest.Files(t, pair.otf, ".otf")[0], Options{})
			two, err := otf2.Open(tracetest.Anchor(t, pair.otf2), otf2.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got, want := courseOf(t, one), courseOf(t, two)
			if len(got.messages) != pair.messages {
				t.Errorf("%d messages, want %d", len(got.messages), pair.messages)
			}
			compareLines(t, "messages", got.messages, want.messages)
			for rank := range max(len(got.calls), len(want.calls)) {
				compareLines(t, fmt.Sprint("calls of rank ", rank), got.calls[rank], want.calls[rank])
				compareLines(t, fmt.Sprint("collective operations of rank ", rank), got.collectives[rank], want.collectives[rank])
			}
			if len(got.calls) < 4 || len(got.calls[0]) < 50 || len(got.collectives[0]) < 6 {
				t.Errorf("only %d ranks, %d calls, %d collective operations", len(got.calls), len(got.calls[0]), len(got.collectives[0]))
			}
		})
	}
}

// course is what happened in a run, but for the times. Calls and collective operations are those of each rank in order.
type course struct {
	messages           []string
	calls, collectives map[int][]string
}

func courseOf(t *testing.T, src trace.Source) *course {
	t.Helper()
	c := &course{calls: map[int][]string{}, collectives: map[int][]string{}}
	r := written(t, src)
	defs, err := r.Definitions()
	if err != nil {
		t.Fatal(err)
	}
	ranks := ranksOf(defs)
	rank := func(location uint64) int { return slices.Index(ranks, location) }
	comm := func(id uint64) string { return commName(defs, id, ranks) }
	for call, err := range r.All().Calls() {
		if err != nil {
			t.Fatal(err)
		}
		c.calls[rank(call.Location)] = append(c.calls[rank(call.Location)], fmt.Sprintf("%s depth %d, %d children, flags %d",
			defs.Name(trace.SpaceRegion, call.Region), call.Depth, call.Children, call.Flags))
	}
	for m, err := range r.All().Messages() {
		if err != nil {
			t.Fatal(err)
		}
		c.messages = append(c.messages, fmt.Sprintf("%d to %d in %s, tag %d, %d and %d bytes",
			rank(m.SendLocation), rank(m.ReceiveLocation), comm(m.Communicator), m.Tag, m.SendLength, m.ReceiveLength))
	}
	slices.Sort(c.messages)
	for e, err := range r.All().WithKinds(trace.KindMpiCollectiveEnd).Events() {
		if err != nil {
			t.Fatal(err)
		}
		w := e.Batch.Fields(e.Index)
		root := "no root"
		if w[2] != noRank {
			location, _ := defs.RankLocation(w[1], w[2], e.Batch.Location)
			root = fmt.Sprint("root ", rank(location))
		}
		i := rank(e.Batch.Location)
		c.collectives[i] = append(c.collectives[i], fmt.Sprintf("%s in %s, %s, %d and %d bytes",
			trace.EnumCollectiveOp.Format(w[0]), comm(w[1]), root, w[3], w[4]))
	}
	return c
}

// ranksOf returns the locations of the MPI ranks.
func ranksOf(defs *trace.Definitions) []uint64 {
	for _, d := range defs.Log {
		if d.Kind == trace.KindGroup && defs.GroupLists[d.Words[0]].Type == groupCommLocations {
			return defs.GroupLists[d.Words[0]].Members
		}
	}
	return nil
}

// commName names a communicator by its members.
func commName(defs *trace.Definitions, id uint64, ranks []uint64) string {
	var members []int
	for rank := uint64(0); ; rank++ {
		location, ok := defs.RankLocation(id, rank, ranks[0])
		if !ok || rank >= uint64(len(ranks)) {
			return fmt.Sprint(members)
		}
		members = append(members, slices.Index(ranks, location))
	}
}

// written returns a reader of a Pando file made of a source.
func written(t *testing.T, src trace.Source) *store.Reader {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace.pando")
	w, err := store.Create(t.Context(), path, src.Meta(), store.Options{})
	if err == nil {
		err = store.Copy(t.Context(), w, src, nil)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := store.Open(t.Context(), path, store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}
