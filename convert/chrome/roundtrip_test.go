package chrome

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pandotrace/pando/convert/chrome/internal/read"
	"github.com/pandotrace/pando/convert/chrome/internal/scan"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// TestRoundTrip writes random traces as trace events and reads them back: the same calls, messages and values of counters.
func TestRoundTrip(t *testing.T) {
	const traces = 60
	kinds := map[string]int{}
	for seed := range uint64(traces) {
		k := tracegen.RandomKnobs(seed)
		k.Any, k.Private = 0, false
		k.Start = max(k.Start, -1<<40)
		original := pandoOf(t, tracegen.Random(seed, k))
		text := exported(t, original, original.All())
		a, err := openText(text, Options{Memory: 1})
		if err != nil {
			t.Fatalf("seed %d, %+v: %v\n%.2000s", seed, k, err, text)
		}
		for _, w := range a.Warnings() {
			if w.Kind != "end of a flow without a partner" { // ends of arrows, which are random
				t.Errorf("seed %d: %v", seed, w)
			}
		}
		want, got := content(t, original, false), content(t, pandoOf(t, a), true)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d, %+v:\n%.4000s", seed, k, diff)
		}
		for _, line := range want {
			kinds[line[:4]]++
		}
	}
	if len(kinds) < 3 {
		t.Errorf("there were only %v", kinds)
	}
}

func openText(text []byte, opt Options) (*read.Archive, error) {
	in, err := scan.NewInput("text.json", bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return read.OpenInput(context.Background(), in, opt)
}

// tester is a test, or a check of a property.
type tester interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// pandoOf makes a Pando file of a trace, in memory.
func pandoOf(t tester, src trace.Source) *store.Reader {
	t.Helper()
	var file bytes.Buffer
	w, err := store.NewWriter(context.Background(), &file, src.Meta(), store.Options{SliceEvents: 200})
	if err == nil {
		err = store.Copy(context.Background(), w, src, nil)
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		err = src.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := store.NewReader(context.Background(), bytes.NewReader(file.Bytes()), int64(file.Len()), store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func exported(t tester, r *store.Reader, w *store.Window) []byte {
	t.Helper()
	var text bytes.Buffer
	if err := Write(context.Background(), &text, r, w, ExportOptions{}); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// content lists calls, messages and values of counters, with locations by their numbers: in the file, or those that the trace
// events had.
func content(t *testing.T, r *store.Reader, read bool) (list []string) {
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
	for i, id := range ids {
		place[id] = strconv.Itoa(i)
	}
	for _, d := range defs.Log {
		if d.Kind == trace.KindLocationProperty && read && defs.Strings[d.Words[1]] == "chrome.tid" {
			place[d.Words[0]] = defs.Strings[d.Words[3]]
		}
	}
	for c, err := range r.All().Calls() {
		if err != nil {
			t.Fatal(err)
		}
		end := fmt.Sprint(c.End)
		if c.Flags&trace.CallOpen != 0 {
			end = "open"
		}
		list = append(list, fmt.Sprintf("call on %s: %q %d to %s, depth %d", place[c.Location], defs.Name(trace.SpaceRegion, c.Region), c.Start, end, c.Depth))
	}
	for m, err := range r.All().Messages() {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, fmt.Sprintf("message %s at %d to %s at %d, tag %d, %d of %d bytes",
			place[m.SendLocation], m.SendTime, place[m.ReceiveLocation], m.ReceiveTime, m.Tag, m.ReceiveLength, m.SendLength))
	}
	for e, err := range r.All().WithKinds(trace.KindMetric).Events() {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, values(defs, e, place)...)
	}
	slices.Sort(list)
	return list
}

func values(defs *trace.Definitions, e trace.Event, place map[uint64]string) (list []string) {
	words := e.Batch.Fields(e.Index)
	members := defs.MetricMembers(words[0])
	for i := range int(words[1]) {
		m := trace.MetricMember{Name: trace.Undefined}
		if i < len(members) {
			m = defs.Members[members[i]]
		}
		name := strings.TrimSuffix(defs.Strings[m.Name], " "+place[e.Batch.Location])
		typ, v := trace.ValueType(words[2+2*i]), words[3+2*i]
		number := typ.Format(v)
		if m.Exponent != 0 {
			number = scaledByHand(number, &m)
		}
		list = append(list, fmt.Sprintf("value on %s at %d: %q %s", place[e.Batch.Location], e.Batch.Times[e.Index], name, number))
	}
	return list
}

// scaledByHand returns a value in the counter's unit.
func scaledByHand(number string, m *trace.MetricMember) string {
	f, _ := strconv.ParseFloat(number, 64)
	if m.Base == 1 {
		f *= math.Pow10(int(m.Exponent))
	} else {
		f *= math.Pow(2, float64(m.Exponent))
	}
	return trace.ValueDouble.Format(math.Float64bits(f))
}
