package chrome

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// An id2 says whether it is that of one process or of all: spans and flows are put together by that, and it is an id2 again in what is exported.
func TestID2(t *testing.T) {
	const text = `[
{"ph":"b","cat":"c","name":"all","id2":{"global":"0x1"},"ts":1,"pid":1,"tid":1},
{"ph":"b","cat":"c","name":"first","id2":{"local":"0x1"},"ts":2,"pid":1,"tid":1},
{"ph":"b","cat":"c","name":"second","id2": {"local":"0x1"},"ts":3,"pid":2,"tid":2},
{"ph":"e","cat":"c","name":"first","id2":{"local":"0x1"},"ts":4,"pid":1,"tid":3},
{"ph":"e","cat":"c","name":"all","id2":{"global":"0x1"},"ts":5,"pid":2,"tid":2},
{"ph":"e","cat":"c","name":"second","id2": {"local":"0x1"},"ts":6,"pid":2,"tid":2},
{"ph":"N","cat":"c","name":"object","id2":{"local":"0x2"},"ts":7,"pid":1,"tid":1},
{"ph":"s","cat":"c","name":"flow","id2":{"global":"0x3"},"ts":8,"pid":1,"tid":1},
{"ph":"f","cat":"c","name":"flow","id2":{"global":"0x3"},"ts":9,"pid":2,"tid":2},
{"ph":"s","cat":"c","name":"flow","id2":{"local":"0x3"},"ts":10,"pid":1,"tid":1},
{"ph":"f","cat":"c","name":"flow","id2":{"local":"0x3"},"ts":11,"pid":1,"tid":3}
]`
	first := pandoOf(t, mustOpen(t, []byte(text)))
	back := exported(t, first, first.All())
	want := []string{"all", "first", "second"}
	if got := spansOf(t, first); !cmp.Equal(got, want) {
		t.Errorf("spans %q, want %q", got, want)
	}
	if diff := cmp.Diff(idsOf(t, []byte(text)), idsOf(t, back)); diff != "" {
		t.Errorf("ids:\n%s", diff)
	}
	if diff := cmp.Diff(content(t, first, true), content(t, pandoOf(t, mustOpen(t, back)), true)); diff != "" {
		t.Errorf("read again:\n%s", diff)
	}
	if n := len(content(t, first, true)); n != 2 {
		t.Errorf("%d messages, want 2", n)
	}
}

// spansOf lists the names of spans that have a begin and an end with the same number, in the order of their begins. No two have the same number.
func spansOf(t *testing.T, r *store.Reader) (names []string) {
	t.Helper()
	defs, err := r.Definitions()
	if err != nil {
		t.Fatal(err)
	}
	begun := map[uint64]string{}
	ended := map[string]bool{}
	for e, err := range r.All().WithKinds(trace.KindSpanBegin, trace.KindSpanEnd).Events() {
		if err != nil {
			t.Fatal(err)
		}
		w := e.Batch.Fields(e.Index)
		name := defs.RegionName(w[0])
		if e.Batch.Kinds[e.Index] == trace.KindSpanBegin {
			if other := begun[w[1]]; other != "" {
				t.Errorf("%s and %s have the same number", other, name)
			}
			begun[w[1]], names = name, append(names, name)
		} else {
			ended[name] = begun[w[1]] == name
		}
	}
	for _, name := range names {
		if !ended[name] {
			t.Errorf("%s has no end", name)
		}
	}
	return names
}

// idsOf counts the ids of events, by the phase and the member.
func idsOf(t *testing.T, text []byte) map[string]int {
	t.Helper()
	list, err := parsedEvents(text)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]int{}
	for _, e := range list {
		for _, key := range []string{"id", "id2"} {
			if v, ok := e[key]; ok {
				ids[fmt.Sprint(e["ph"], " ", key, " ", v)]++
			}
		}
	}
	return ids
}
