package chrome

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pandotrace/pando/trace"
)

// TestTies reads events of equal times one by one: what must come of them is written by hand. An event is its phase, name, time, and
// duration.
func TestTies(t *testing.T) {
	tests := []struct{ about, events, want string }{
		{"a shorter begin behind a slice", "X a 0 9, B b 0, E b 5", "a 0 to 9, depth 0; b 0 to 5, depth 1"},
		{"a shorter begin before a slice", "B b 0, E b 5, X a 0 9", "a 0 to 9, depth 0; b 0 to 5, depth 1"},
		{"a longer begin behind a slice", "X a 0 5, B b 0, E - 9", "a 0 to 5, depth 1; b 0 to 9, depth 0"},
		{"a begin as long as slices", "X a 0 5, B b 0, E - 5, X c 0 5", "a 0 to 5, depth 0; b 0 to 5, depth 1; c 0 to 5, depth 2"},
		{"a begin within a slice that ends with it", "X a 0 5, B b 2, E b 5", "a 0 to 5, depth 0; b 2 to 5, depth 1"},
		{"slices in begins in slices that end together", "X a 0 5, B b 1, X c 2 3, B d 3, E - 5, E - 5", "a 0 to 5, depth 0; b 1 to 5, depth 1; c 2 to 5, depth 2; d 3 to 5, depth 3"},
		{"one after the other", "X a 0 10, B b 0, E - 10, X c 10 10, B d 10, E - 15", "a 0 to 10, depth 0; b 0 to 10, depth 1; c 10 to 20, depth 0; d 10 to 15, depth 1"},
		{"ends in the order of begins", "B a 0, B b 1, E a 5, E b 5", "a 0 to 5, depth 0; b 1 to 5, depth 1"},
		{"ends without names in the order of the file", "B a 0, B b 1, B c 5, E - 5, E - 5, E - 7", "a 0 to 7, depth 0; b 1 to 5, depth 1; c 5 to 5, depth 2"},
		{"an end with a name and one without", "B a 0, B b 1, E a 5, E - 5", "a 0 to 5, depth 0; b 1 to 5, depth 1"},
		{"a begin before the end of the call before", "B a 0, B b 5, E a 5, E b 8", "a 0 to 5, depth 0; b 5 to 8, depth 0"},
		{"begins whose names cross", "B a 0, B b 0, E a 3, E b 5", "a 0 to 3, depth 1; b 0 to 5, depth 0"},
		{"three begins of which the inner one is ended", "B a 0, B b 0, B c 0, E c 1, E a 3, E b 5", "a 0 to 3, depth 1; b 0 to 5, depth 0; c 0 to 1, depth 2"},
		{"calls that take no time", "B a 5, E - 5, B b 5, B c 5, E - 5, E - 6", "a 5 to 5, depth 0; b 5 to 6, depth 0; c 5 to 5, depth 1"},
		{"calls that take no time, and a slice", "B a 5, E - 5, B b 5, B c 5, E - 5, E - 6, X x 5 4", "a 5 to 5, depth 0; b 5 to 6, depth 1; c 5 to 5, depth 2; x 5 to 9, depth 0"},
		{"a call that takes no time around the begin of another", "B a 5, B b 5, E a 5, E b 8", "a 5 to 5, depth 1; b 5 to 8, depth 0"},
		{"calls that take no time, ended in the order of begins", "B a 5, B b 5, B c 5, E a 5, E b 5, E c 5", "a 5 to 5, depth 0; b 5 to 5, depth 0; c 5 to 5, depth 0"},
		{"the same within a call and a slice", "X x 0 9, B y 1, B a 5, B b 5, E a 5, E y 5, E b 8", "a 5 to 5, depth 2; b 5 to 8, depth 1; x 0 to 9, depth 0; y 1 to 5, depth 1"},
		{"lengths below a nanosecond", "X a 1 0.0003, X b 1 0.0005", "a 10000 to 10003, depth 1; b 10000 to 10005, depth 0"},
	}
	for _, tt := range tests {
		a := mustOpen(t, shortEvents(tt.events))
		ticks := int(a.Meta().Resolution / 1_000_000)
		if strings.Contains(tt.events, ".") {
			ticks = 1
		}
		got := depthsIn(t, a, ticks)
		if text := strings.Join(got, "; "); strings.ReplaceAll(text, "0: ", "") != tt.want || len(a.Warnings()) > 0 {
			t.Errorf("%s:\n got %s, %v\nwant %s", tt.about, text, a.Warnings(), tt.want)
		}
	}
}

func shortEvents(short string) []byte {
	var list []string
	for _, e := range strings.Split(short, ", ") {
		f := append(strings.Fields(e), "0")
		name := fmt.Sprintf(`"name":"%s",`, f[1])
		if f[1] == "-" {
			name = ""
		}
		list = append(list, fmt.Sprintf(`{"ph":"%s",%s"tid":0,"ts":%s,"dur":%s}`, f[0], name, f[2], f[3]))
	}
	return []byte("[" + strings.Join(list, ",") + "]")
}

// TestFileOrder reads begins and ends without names, many of equal times. Each end is that of the begin that a stack says.
func TestFileOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dice := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		var events, want []string
		var stack []plainCall
		at := 0
		for i := range dice.IntN(60) {
			at += dice.IntN(3) / 2
			switch {
			case len(stack) > 0 && dice.IntN(2) == 0:
				c := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				want = append(want, fmt.Sprintf("0: %s %d to %d, depth %d", c.name, c.start, at, len(stack)))
				events = append(events, fmt.Sprint("E - ", at))
			default:
				stack = append(stack, plainCall{name: fmt.Sprint("f", i), start: at})
				events = append(events, fmt.Sprintf("B f%d %d", i, at))
			}
		}
		if len(events) == 0 {
			return
		}
		slices.Sort(want)
		if diff := gocmp.Diff(want, depthsRead(t, mustOpen(t, shortEvents(strings.Join(events, ", "))))); diff != "" {
			t.Fatalf("%q\n%s", events, diff)
		}
	})
}

// TestTiesOfOtherEvents reads an event that stands behind a begin and a slice of its time: it comes behind both.
func TestTiesOfOtherEvents(t *testing.T) {
	for event, kind := range map[string]trace.Kind{`"ph":"i"`: trace.KindSoloEvent, `"ph":"f","id":1`: trace.KindPhaseEvent} {
		a := mustOpen(t, []byte(`[{"ph":"B","name":"b","ts":1},{"ph":"X","name":"x","ts":1,"dur":2},{`+event+`,"name":"i","ts":1},{"ph":"E","name":"b","ts":3}]`))
		var b trace.Batch
		if err := a.Stream(0).Next(&b, 100); err != nil {
			t.Fatal(err)
		}
		want := []trace.Kind{trace.KindEnter, trace.KindEnter, kind, trace.KindLeave, trace.KindLeave}
		if !slices.Equal(b.Kinds, want) {
			t.Errorf("%s: kinds %v, want %v", event, b.Kinds, want)
		}
	}
}

// TestArgumentsOfMetadata reads arguments that are no JSON: each event has one warning at most.
func TestArgumentsOfMetadata(t *testing.T) {
	a := mustOpen(t, []byte(`[{"ph":"X","name":"k","cat":"kernel","ts":1,"dur":1,"args":{"stream" 7}},{"ph":"M","name":"process_name","args":{"name" "x"}}]`))
	if list := a.Warnings(); len(list) != 2 || list[0].Kind != "arguments that are no JSON" || list[0].Count != 1 || list[1].Kind != "metadata without a name" {
		t.Errorf("%v", list)
	}
}
