package chrome

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pandotrace/pando/convert/chrome/internal/read"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// plainPoint is a point of a flow in a file, its time in microseconds.
type plainPoint struct {
	phase    byte
	pid, tid int
	name     string
	id, at   int
}

func (p plainPoint) place() string { return fmt.Sprintf("%d.%d at %d", p.pid, p.tid, p.at) }

// TestFlowsThereAndBack reads flows whose ids are used again and again, writes them as trace events, and reads those: twice
// the messages that a naive rule finds, and twice the same points that are none of a message.
func TestFlowsThereAndBack(t *testing.T) {
	reused, lone := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		dice := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		times := 1 + dice.IntN(60)
		list := make([]plainPoint, dice.IntN(30))
		for i := range list {
			list[i] = plainPoint{"ssfft"[dice.IntN(5)], dice.IntN(2), dice.IntN(3), []string{"a", "b", "message"}[dice.IntN(3)], dice.IntN(3), dice.IntN(times)}
		}
		want, rest := messagesOf(list)
		reused += len(want)
		lone += len(rest)
		first := pandoOf(t, mustOpen(t, writePoints(list)))
		if diff := gocmp.Diff(want, messageList(t, first)); diff != "" {
			t.Fatalf("%+v:\n%s", list, diff)
		}
		second := pandoOf(t, mustOpen(t, exported(t, first, first.All())))
		if diff := gocmp.Diff(want, messageList(t, second)); diff != "" {
			t.Fatalf("%+v, there and back:\n%s", list, diff)
		}
		for i, r := range []*store.Reader{first, second} {
			if diff := gocmp.Diff(rest, pointList(t, r)); diff != "" {
				t.Fatalf("%+v, lone points of reading %d:\n%s", list, i, diff)
			}
		}
	})
	if reused == 0 || lone == 0 {
		t.Errorf("%d messages, %d lone points", reused, lone)
	}
}

// messagesOf pairs points by the rule of docs/fidelity.md: a start begins a flow anew; a stop or an end is reached from the point
// before it, if that is no end. A single end before a single start belongs to it, as clocks differ.
func messagesOf(list []plainPoint) (messages, rest []string) {
	groups := map[string][]plainPoint{}
	for _, p := range list {
		k := fmt.Sprint(p.name, p.id)
		groups[k] = append(groups[k], p)
	}
	for _, g := range groups {
		slices.SortStableFunc(g, func(a, b plainPoint) int { return cmp.Compare(a.at, b.at) })
		used := make([]bool, len(g))
		join := func(i, j int) {
			used[i], used[j] = true, true
			messages = append(messages, g[i].place()+" to "+g[j].place())
		}
		for i := 1; i < len(g); i++ {
			if g[i].phase != 's' && (g[i-1].phase == 's' || g[i-1].phase == 't' && used[i-1]) {
				join(i-1, i)
			}
		}
		if ends := len(g) - strings.Count(phasesOf(g), "s"); ends == 1 && g[0].phase == 'f' && len(g) > 1 {
			join(len(g)-1, 0)
		}
		for i, p := range g {
			if !used[i] {
				rest = append(rest, fmt.Sprintf("%c %s %d on %s", p.phase, p.name, p.id, p.place()))
			}
		}
	}
	slices.Sort(messages)
	slices.Sort(rest)
	return messages, rest
}

func phasesOf(list []plainPoint) string {
	var b strings.Builder
	for _, p := range list {
		b.WriteByte(p.phase)
	}
	return b.String()
}

func writePoints(list []plainPoint) []byte {
	var b strings.Builder
	b.WriteString("[")
	for i, p := range list {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, `{"ph":"%c","name":"%s","cat":"%[2]s","id":%d,"ts":%d,"pid":%d,"tid":%d}`, p.phase, p.name, p.id, p.at, p.pid, p.tid)
	}
	return []byte(b.String() + "]")
}

func mustOpen(t tester, text []byte) *read.Archive {
	t.Helper()
	a, err := openText(text, Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return a
}

// messageList lists the messages of a file by the names of threads, which stay the same.
func messageList(t tester, r *store.Reader) (list []string) {
	place := placesOf(t, r)
	for m, err := range r.All().Messages() {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, fmt.Sprintf("%s at %d to %s at %d", place[m.SendLocation], m.SendTime/1000, place[m.ReceiveLocation], m.ReceiveTime/1000))
	}
	slices.Sort(list)
	return list
}

// pointList lists the points of flows that are no ends of messages.
func pointList(t tester, r *store.Reader) (list []string) {
	place := placesOf(t, r)
	defs, err := r.Definitions()
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range r.All().WithKinds(trace.KindPhaseEvent).Events() {
		if err != nil {
			t.Fatal(err)
		}
		w := e.Batch.Fields(e.Index)
		name, _, _ := strings.Cut(defs.Name(trace.SpaceCategory, w[0]), " ")
		list = append(list, fmt.Sprintf("%c %s %d on %s at %d", rune(w[1]), name, w[2], place[e.Batch.Location], e.Batch.Times[e.Index]/1000))
	}
	slices.Sort(list)
	return list
}

// placesOf names locations by their processes and threads.
func placesOf(t tester, r *store.Reader) map[uint64]string {
	t.Helper()
	defs, err := r.Definitions()
	if err != nil {
		t.Fatal(err)
	}
	place := map[uint64]string{}
	ids, err := r.LocationIDs()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		process, _ := defs.Process(id)
		pid := strings.TrimPrefix(defs.Name(trace.SpaceLocationGroup, process), "process ")
		place[id] = pid + "." + strings.TrimPrefix(defs.Name(trace.SpaceLocation, id), "thread ")
	}
	return place
}

// TestArrowsAreNoMessages writes arrows of another format as flows. They look like those of messages, yet are none.
func TestArrowsAreNoMessages(t *testing.T) {
	text := `[{"ph":"s","cat":"arrow","name":"a","id":5,"pando.id":5,"ts":1,"pid":1,"tid":1},{"ph":"f","cat":"arrow","name":"a","id":5,"pando.id":5,"ts":2,"pid":1,"tid":2}]`
	a := mustOpen(t, []byte(text))
	if w := a.Warnings(); len(w) > 0 {
		t.Error(w)
	}
	r := pandoOf(t, a)
	if list := messageList(t, r); len(list) > 0 {
		t.Errorf("%q", list)
	}
	if list := pointList(t, r); len(list) != 2 {
		t.Errorf("%q", list)
	}
}
