package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
	"github.com/pandotrace/pando/trace/selector"
)

// str makes a string definition.
func str(id uint64, s string) trace.Record {
	r := trace.Record{Kind: trace.KindString, Words: []uint64{id, 0}}
	r.Words[1] = r.PutText(s)
	return r
}

func location(id, name, group uint64) trace.Record {
	return trace.Record{Kind: trace.KindLocation, Words: []uint64{id, name, 1, 0, group}}
}

func process(id, name uint64) trace.Record {
	return trace.Record{Kind: trace.KindLocationGroup, Words: []uint64{id, name, 1, 0, trace.Undefined >> 32}}
}

func region(id, name uint64) trace.Record {
	const none = trace.Undefined >> 32
	return trace.Record{Kind: trace.KindRegion, Words: []uint64{id, name, none, none, 0, 0, none, 0, 0, 0}}
}

// made writes a file of the given definitions, in which each location enters region 7.
func made(t *testing.T, locations []uint64, defs ...trace.Record) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "made.pando")
	w, err := store.Create(t.Context(), path, &trace.Meta{Resolution: 1000}, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Define(defs...); err != nil {
		t.Fatal(err)
	}
	for _, id := range locations {
		b := trace.Batch{Location: id}
		b.Append(trace.KindEnter, 5, 7)
		if err := w.Append(&b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLabels(t *testing.T) {
	file := made(t, []uint64{1, 2, 3, 4, 5, 6, 1 << 40},
		str(0, "Master"), str(1, "Rank 0"), str(2, "Rank 1"), str(3, "GPU"), process(0, 1), process(1, 2),
		location(1, 0, 0), location(2, 0, 1), location(3, 3, 0), location(4, 0, 1), location(5, 99, 0))
	f, err := verb.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for id, want := range map[uint64]string{
		1: "Rank 0/Master", 2: "Master #2", 3: "GPU", 4: "Master #4", 5: "location 5", 6: "location 6", 1 << 40: "location 1099511627776",
	} {
		if got := f.Label(id); got != want {
			t.Errorf("location %d: %q, want %q", id, got, want)
		}
	}
}

func TestSelect(t *testing.T) {
	file := made(t, []uint64{1, 2, 3}, str(0, "Master"), str(1, "Rank 0"), str(2, "Rank [1]"), str(3, "a*(int, int)"),
		str(4, "abc"), str(5, "8"), process(0, 1), process(1, 2), location(1, 0, 0), location(2, 0, 1), location(3, 0, 1),
		region(7, 3), region(8, 4), region(9, 4), region(10, 5))
	f, err := verb.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for patterns, want := range map[string][]uint64{
		"1": {1}, "Rank 0": {1}, "Rank 0/Master": {1}, "Rank [1]": {2, 3}, "Rank*": {1, 2, 3}, "Master #?": {2, 3}, "*": {1, 2, 3},
		"Master": {1, 2, 3}, "1|Rank [1]": {1, 2, 3}, "rank 0": nil, "Rank": nil, "Rank 0|nosuch": nil, "Rank .*": nil, "": nil,
	} {
		got, err := f.FindLocations(strings.Split(patterns, "|"))
		if want == nil && err == nil || want != nil && (err != nil || !slices.Equal(got, want)) {
			t.Errorf("locations %q: %v, %v, want %v", patterns, got, err, want)
		}
	}
	for patterns, want := range map[string][]uint64{
		"abc": {8, 9}, "a*(int, int)": {7}, "a*": {7, 8, 9}, "8": {8, 10}, "a?c": {8, 9}, "ABC": nil,
	} {
		got, err := f.FindRegions(strings.Split(patterns, "|"))
		slices.Sort(got)
		if want == nil && err == nil || want != nil && (err != nil || !slices.Equal(got, want)) {
			t.Errorf("regions %q: %v, %v, want %v", patterns, got, err, want)
		}
	}
	kinds, err := selector.Kinds(trace.Standard, []string{"enter", "MpiS*d"})
	if err != nil || !slices.Equal(kinds, []trace.Kind{trace.KindEnter, trace.KindMpiSend}) {
		t.Errorf("kinds: %v, %v", kinds, err)
	}
}

// TestSelectorsNotUTF8: a selector that is not UTF-8 is a mistake of usage to each verb that takes one.
func TestSelectorsNotUTF8(t *testing.T) {
	file := made(t, []uint64{1}, str(0, "a"), process(0, 0), location(1, 0, 0), region(7, 0))
	out := t.TempDir()
	for _, args := range [][]string{
		{"window", file, "--location", "\xff"}, {"window", file, "--region", "\xff"}, {"find", file, "--longest", "1", "--region", "\xff"}, {"find", file, "--after", "0", "--kind", "\xff"},
		{"cat", file, "--location", "\xff"}, {"cat", file, "--kind", "\xff"}, {"summary", file, "--location", "\xff"}, {"summary", file, "--region", "\xff"},
		{"stack", file, "--at", "0", "--location", "\xff"}, {"export", file, "--format", "csv", "-o", out + "/tables", "--location", "\xff"},
		{"timeline", file, "-o", out + "/a.png", "--location", "\xff"}, {"convert", file, out + "/b.pando", "--location", "\xff"},
		{"convert", file, out + "/b.pando", "--region", "*\xc3"},
	} {
		_, stderr, code := pando(args...)
		if code != exitUsage || !strings.Contains(stderr, "is not UTF-8") {
			t.Errorf("%q: exit code %d, %q", args, code, stderr)
		}
	}
}

// TestHostileNames: what a file says must not reach a terminal as commands, nor break JSON.
func TestHostileNames(t *testing.T) {
	evil := "\x1b[2J\"\n\xff\u202e" + strings.Repeat("x", 100_000)
	file := made(t, []uint64{1}, str(0, evil), process(0, 0), location(1, 0, 0), region(7, 0))
	for _, args := range [][]string{
		{"cat", file}, {"cat", file, "--definitions"}, {"window", file}, {"info", file, "--regions", "--locations"},
		{"stack", file, "--at", "0", "--location", "1"},
	} {
		out := output(t, args...)
		if strings.ContainsAny(out, "\x1b\u202e") || strings.Contains(out, "\xff") || !strings.Contains(out, `\x1b[2J`) {
			t.Errorf("%q: %.100q", args, out)
		}
	}
	for _, args := range [][]string{{"cat", file}, {"cat", file, "--definitions"}, {"window", file}} {
		jsonLinesOf(t, output(t, append(args, "--json")...))
	}
}

// TestNothing: a trace without events has nothing to show, and says so.
func TestNothing(t *testing.T) {
	for name, file := range map[string]string{"no locations": made(t, nil), "no events": made(t, nil, str(0, "a"), location(1, 0, 0))} {
		for want, args := range map[string][]string{
			"events       0": {"info", file, "--regions", "--locations"},
			`"events": 0`:    {"info", file, "--json", "--regions", "--locations"},
			"no calls":       {"window", file, "--from", "0", "--to", "100%"},
			"no events":      {"window", file, "--events"},
			"sound":          {"verify", file},
			"":               {"cat", file, "--by-location"},
		} {
			if got := output(t, args...); !strings.Contains(got, want) || want == "" && got != "" {
				t.Errorf("%s: %q: %s", name, args, got)
			}
		}
	}
}
