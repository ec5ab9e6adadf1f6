package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/trace"
)

// event is an event as two programs can agree on it.
type event struct {
	Time   string // seconds since the first event
	Kind   string
	Values string // those of the fields, for kinds where both print the same ones
}

// TestCat compares all events of traces with what otf2-print says of the archives that they were made from. It cannot
// name the communicators of EZTrace, which are defined twice.
func TestCat(t *testing.T) {
	for name, orders := range map[string][]string{
		"otf2.mg.S.8.snapmark": {"--merged"}, "otf2.patched.mg.S.4.unknown-id": {"--by-location"},
		"otf2.ep.S.4.metric": {"--merged", "--by-location"},
	} {
		text, ok := tracetest.Dump(t, name, "print.txt")
		if !ok {
			t.Fatalf("%s has no dump", name)
		}
		file := converted(t, name)
		want := printed(t, string(text), overviewOf(t, file).FirstAbsolute)
		for _, order := range orders {
			t.Run(name+order, func(t *testing.T) {
				compareEvents(t, catted(t, output(t, "cat", file, order), locationNames(t, file)), want)
			})
		}
	}
}

func compareEvents(t *testing.T, got, want map[string][]event) {
	if len(got) != len(want) || len(got) < 4 {
		t.Fatalf("%d locations, want %d", len(got), len(want))
	}
	for location := range want {
		g, w := got[location], want[location]
		if len(g) != len(w) {
			t.Errorf("location %s: %d events, want %d", location, len(g), len(w))
		}
		for i := range min(len(g), len(w)) {
			if g[i] != w[i] {
				t.Errorf("location %s, event %d: %v, otf2-print has %v", location, i, g[i], w[i])
				break
			}
		}
	}
}

// comparableKinds are the kinds that have values which otf2-print writes in the same way.
var comparableKinds = map[string]bool{"Enter": true, "Leave": true, "MpiSend": true, "MpiIsend": true, "MpiRecv": true, "MpiIrecv": true,
	"MpiIrecvRequest": true, "MpiCollectiveEnd": true, "ParameterUnsignedInt": true, "CommCreate": true, "MeasurementOnOff": true}

var (
	ids       = regexp.MustCompile(` <\d+>`)
	rankNames = regexp.MustCompile(` \("[^"]*"\)`)
	labelled  = regexp.MustCompile(`(?:^|, )[A-Za-z ]+: `)
	fieldName = regexp.MustCompile(`(?:^| )\w+=`)
	columns   = regexp.MustCompile(`  +`)
)

// printed reads the events of otf2-print's output, by location.
func printed(t *testing.T, text string, first uint64) map[string][]event {
	events := map[string][]event{}
	_, text, _ = strings.Cut(text, "=== Events ===")
	text, _, _ = strings.Cut(text, "=== Snapshots ===")
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) < 3 || strings.HasPrefix(line, " ") || strings.HasPrefix(line, "Event ") {
			continue
		}
		at, err := strconv.ParseUint(f[2], 10, 64)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		e := event{Time: fmt.Sprintf("%d.%09d", (at-first)/1e9, (at-first)%1e9), Kind: kindName(f[0])}
		if comparableKinds[e.Kind] {
			_, rest, _ := strings.Cut(line, f[2])
			rest = rankNames.ReplaceAllString(ids.ReplaceAllString(strings.TrimSpace(rest), ""), "")
			e.Values = strings.ReplaceAll(strings.TrimSpace(labelled.ReplaceAllString(rest, " ")), "NONE", "-")
		}
		events[f[1]] = append(events[f[1]], e)
	}
	return events
}

// kindName turns MPI_SEND into MpiSend.
func kindName(s string) string {
	if name, ok := map[string]string{"PARAMETER_UINT64": "ParameterUnsignedInt", "UNKNOWN": "UnknownEvent"}[s]; ok {
		return name
	}
	name := ""
	for _, word := range strings.Split(s, "_") {
		name += word[:1] + strings.ToLower(word[1:])
	}
	return name
}

// catted reads the events of our own output, by location; ids are those of the locations' labels.
func catted(t *testing.T, text string, ids map[string]string) map[string][]event {
	events := map[string][]event{}
	for line := range strings.Lines(text) {
		parts := columns.Split(strings.TrimSpace(line), 4)
		if len(parts) < 3 {
			t.Fatalf("%q", line)
		}
		kind, rest, _ := strings.Cut(strings.Join(parts[2:], " "), " ")
		e := event{Time: parts[0], Kind: kind}
		if comparableKinds[e.Kind] {
			rest, _, _ = strings.Cut(rest, " @") // attributes have lines of their own in the other program
			e.Values = strings.TrimSpace(fieldName.ReplaceAllString(rest, " "))
		}
		id, ok := ids[parts[1]]
		if !ok {
			t.Fatalf("%q: no location %q", line, parts[1])
		}
		events[id] = append(events[id], e)
	}
	return events
}

// locationNames returns the ids of locations by their labels.
func locationNames(t *testing.T, file string) map[string]string {
	f, err := verb.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ids := map[string]string{}
	for _, l := range overviewOf(t, file, "--locations").LocationList {
		ids[f.Label(l.ID)] = strconv.FormatUint(l.ID, 10)
	}
	return ids
}

// TestCatOrder holds the merged order against the times in it.
func TestCatOrder(t *testing.T) {
	last, n := -1.0, uint64(0)
	file := converted(t, "otf2.mg.S.16.skew")
	for line := range strings.Lines(output(t, "cat", file)) {
		at, err := strconv.ParseFloat(strings.Fields(line)[0], 64)
		if err != nil || at < last {
			t.Fatalf("%q after %f", line, last)
		}
		last = at
		n++
	}
	if want := overviewOf(t, file).Events; n != want {
		t.Errorf("%d lines, want %d", n, want)
	}
}

// TestCatJSON compares the numbers in JSON with the records that the archive itself gives, for every kind of record there is.
func TestCatJSON(t *testing.T) {
	const name = "otf2.synthetic.allrecords"
	file, original := converted(t, name), load(t, name)
	next := map[uint64]int{} // by location
	first, _, _ := original.Span()
	for _, line := range jsonLinesOf(t, output(t, "cat", file, "--json")) {
		location := line.number(t, "location")
		r := original.Location(location).Events[next[location]]
		if line.number(t, "ordinal") != uint64(next[location]) || int64(line.number(t, "ticks")) != r.Time-first {
			t.Fatalf("%v: not event %d at %d", line, next[location], r.Time-first)
		}
		next[location]++
		line.compare(t, r.Kind, r.Words, first)
	}
	for _, l := range original.Locations {
		if next[l.ID] != len(l.Events) {
			t.Errorf("location %d: %d events, want %d", l.ID, next[l.ID], len(l.Events))
		}
	}
	lines := jsonLinesOf(t, output(t, "cat", file, "--definitions", "--json"))
	if len(lines) != len(original.Definitions.Log) {
		t.Fatalf("%d definitions, want %d", len(lines), len(original.Definitions.Log))
	}
	for i, d := range original.Definitions.Log {
		lines[i].compare(t, d.Kind, d.Words, first)
	}
	lines = jsonLinesOf(t, output(t, "cat", file, "--aux", "--json"))
	for _, s := range original.Auxiliary {
		for _, r := range s.Records {
			lines[0].compare(t, r.Kind, r.Words, first)
			lines = lines[1:]
		}
	}
	if len(lines) > 0 {
		t.Errorf("%d auxiliary records too many", len(lines))
	}
}

// jsonLine is an object, its numbers not rounded.
type jsonLine map[string]any

func jsonLinesOf(t *testing.T, text string) (lines []jsonLine) {
	t.Helper()
	scanner := bufio.NewScanner(strings.NewReader(text))
	scanner.Buffer(nil, 1<<22)
	for scanner.Scan() {
		d := json.NewDecoder(strings.NewReader(scanner.Text()))
		d.UseNumber()
		var line jsonLine
		if err := d.Decode(&line); err != nil || d.More() {
			t.Fatalf("%.500s: %v", scanner.Text(), err)
		}
		lines = append(lines, line)
	}
	if scanner.Err() != nil || len(lines) == 0 {
		t.Fatalf("%d lines, %v", len(lines), scanner.Err())
	}
	if lines[0]["type"] != "window" || lines[0].number(t, "ticks_per_second") == 0 || lines[0].number(t, "from_ticks") > lines[0].number(t, "to_ticks") {
		t.Fatalf("%v does not tell the window and the clock", lines[0])
	}
	return lines[1:]
}

func (l jsonLine) number(t *testing.T, key string) uint64 {
	t.Helper()
	n, ok := l[key].(json.Number)
	v, err := strconv.ParseUint(n.String(), 10, 64)
	if !ok || err != nil {
		t.Fatalf("%v: %s is %v, %v", l, key, l[key], err)
	}
	return v
}

// compare holds the fields of a line that are plain numbers, references or ids against the words of the record.
func (l jsonLine) compare(t *testing.T, kind trace.Kind, words []uint64, first int64) {
	t.Helper()
	spec := trace.Standard.Spec(kind)
	fields, _ := l["fields"].(map[string]any)
	if l["kind"] != spec.Name || len(fields) < len(spec.Fields) {
		t.Fatalf("%v: no %s with %d fields", l, spec.Name, len(spec.Fields))
	}
	at := map[string]int{}
	spec.Walk(words, func(_ int, f *trace.Field, word uint64) {
		name := f.Name
		if f.Type == trace.TypeSelf {
			name = "id"
		}
		got := fields[name]
		if f.Repeat {
			got = got.([]any)[at[name]]
			at[name]++
		}
		if want, ok := asJSON(f, word, first); ok && fmt.Sprint(got) != want {
			t.Fatalf("%v: %s is %v, want %s", l, name, got, want)
		}
	})
}

// asJSON returns what a word should be in JSON, ok for the types where that is a number or null.
func asJSON(f *trace.Field, word uint64, first int64) (text string, ok bool) {
	switch f.Type {
	case trace.TypeNumber, trace.TypeCount, trace.TypeSelf:
		return strconv.FormatUint(word, 10), true
	case trace.TypeSigned:
		return strconv.FormatInt(int64(word), 10), true
	case trace.TypeTime:
		return strconv.FormatInt(int64(word)-first, 10), true
	case trace.TypeRef, trace.TypeRank:
		if f.Undefined(word) {
			return "<nil>", true
		}
		return strconv.FormatUint(word, 10), f.Ref != trace.SpaceString
	}
	return "", false
}

// BenchmarkCat prints all events of bundled traces.
func BenchmarkCat(b *testing.B) { benchmarkCat(b, "otf2.amg.8.piece", "otf2.ep.S.4.metric") }

// BenchmarkLargerCat does so with larger traces.
func BenchmarkLargerCat(b *testing.B) { benchmarkCat(b, tracetest.Larger(b)...) }

func benchmarkCat(b *testing.B, names ...string) {
	for _, name := range names {
		b.Run(name, func(b *testing.B) {
			file := converted(b, name)
			for b.Loop() {
				if code := run([]string{"cat", file}, io.Discard, io.Discard); code != exitOK {
					b.Fatalf("exit code %d", code)
				}
			}
		})
	}
}
