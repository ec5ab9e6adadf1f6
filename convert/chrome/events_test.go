package chrome

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Events of a file, each with arguments of its own or with none, are the same when they come back: compared as JSON says them, without the engine. Arguments may be long, so that they stand in records of their own.
func TestEventsThereAndBack(t *testing.T) {
	long := 0
	rapid.Check(t, func(t *rapid.T) {
		list := []map[string]any{}
		for i := range rapid.IntRange(0, 40).Draw(t, "events") {
			list = append(list, drawEvent(t, i)...)
		}
		text, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		long += strings.Count(string(text), strings.Repeat("x", 2000))
		first := pandoOf(t, mustOpen(t, text))
		back := exported(t, first, first.All())
		if diff := gocmp.Diff(saidBy(t, text), saidBy(t, back)); diff != "" {
			t.Fatalf("%s\n%.3000s", text, diff)
		}
	})
	if long == 0 {
		t.Error("no argument was long")
	}
}

// drawEvent draws an instant, a slice that is within no other, a span, or a flow from one thread to another, in a time of its own.
func drawEvent(t *rapid.T, i int) (list []map[string]any) {
	event := func(phase string, at int) map[string]any {
		e := map[string]any{"ph": phase, "pid": 1, "tid": rapid.IntRange(1, 2).Draw(t, "thread"), "ts": 10*i + at, "name": fmt.Sprint("n", i), "cat": "c"}
		if args := drawArguments(t, i); args != nil {
			e["args"] = args
		}
		return e
	}
	pair := func(begin, end string) []map[string]any {
		b, e := event(begin, 0), event(end, 5)
		b["id"], e["id"] = fmt.Sprint("id ", i), fmt.Sprint("id ", i)
		return []map[string]any{b, e}
	}
	switch rapid.SampledFrom([]string{"slice", "instant", "span", "flow"}).Draw(t, "kind") {
	case "slice":
		e := event("X", 0)
		e["dur"] = rapid.IntRange(0, 9).Draw(t, "duration")
		return []map[string]any{e}
	case "instant":
		e := event("i", 0)
		e["s"] = "t"
		return []map[string]any{e}
	case "span":
		return pair("b", "e")
	}
	return pair("s", "f")
}

func drawArguments(t *rapid.T, i int) map[string]any {
	switch rapid.IntRange(0, 3).Draw(t, "arguments") {
	case 0:
		return map[string]any{"short": i, "text": "a"}
	case 1:
		return map[string]any{"long": strings.Repeat("x", 2000) + fmt.Sprint(i), "object": map[string]any{"a": []int{1, 2}}}
	}
	return nil
}

// parsedEvents returns the events of a file by another parser.
func parsedEvents(text []byte) (list []map[string]any, err error) {
	if json.Unmarshal(text, &list) == nil {
		return list, nil
	}
	var object struct{ TraceEvents []map[string]any }
	err = json.Unmarshal(text, &object)
	return object.TraceEvents, err
}

// saidBy lists what the events of a file say: a slice is its begin and its end.
func saidBy(t *rapid.T, text []byte) (all []string) {
	t.Helper()
	events, err := parsedEvents(text)
	if err != nil {
		t.Fatal(err)
	}
	open := map[string]string{}
	for _, e := range events {
		place, at := fmt.Sprint(e["pid"], " ", e["tid"]), e["ts"]
		said := fmt.Sprint(place, " ", e["name"], " ", e["cat"], " ", e["id"], " ", e["s"], " ", e["args"], " from ", at)
		switch e["ph"] {
		case "M":
		case "X":
			from, _ := at.(float64)
			long, _ := e["dur"].(float64)
			all = append(all, fmt.Sprint("slice ", said, " to ", from+long))
		case "B":
			open[place] = said
		case "E":
			if e["args"] != nil {
				t.Fatalf("an end with arguments: %v", e)
			}
			all = append(all, fmt.Sprint("slice ", open[place], " to ", at))
		default:
			all = append(all, fmt.Sprint(e["ph"], " ", said))
		}
	}
	slices.Sort(all)
	return all
}
