package rules_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/analysis/rules"
	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
)

// findings are what is found, without the rules that are read anew.
func findings(r *rules.Result) (list []any) {
	for _, f := range r.Findings {
		list = append(list, []any{f.Rule.Text(), f.Location, f.Event, f.Time, f.HasTime, f.Stack})
		for _, v := range f.Values {
			list = append(list, []any{v.Column.Name, v.Type, v.Int, v.Float, v.Text, v.Null})
		}
	}
	for _, c := range r.Counts {
		list = append(list, []any{c.Rule.Text(), c.Location, c.N})
	}
	return list
}

// Rules of a table that are looked at together find what each of them finds alone.
func TestTogether(t *testing.T) {
	src, err := convert.Open(t.Context(), tracetest.Anchor(t, "otf2.patched.mg.S.4.unknown-id"), convert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := naiveOf(t, src)
	r := stored.Source(t, src, store.Options{})
	src.Close()
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		var list []*rules.Rule
		seen, apart := map[string]bool{}, []any{}
		for range rapid.IntRange(2, 6).Draw(t, "rules") {
			name, rows, numbers, times := "calls", n.calls, []string{"depth", "location", "rank"}, []string{"start", "duration"}
			if rapid.IntRange(0, 3).Draw(t, "messages") == 0 {
				name, rows, numbers, times = "messages", n.messages, []string{"tag", "send_bytes", "send_location"}, []string{"send", "latency"}
			}
			text := name + ": " + draw(t, 2, func() condition { return atom(t, rows, numbers, times) }).text
			if seen[text] {
				continue
			}
			seen[text] = true
			rule, err := rules.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, rule)
		}
		all, err := rules.Find(t.Context(), r, r.All(), list, rules.Options{Limit: 3})
		if err != nil {
			t.Fatal(err)
		}
		var counts []any
		for _, rule := range list {
			one, err := rules.Find(t.Context(), r, r.All(), []*rules.Rule{rule}, rules.Options{Limit: 3})
			if err != nil {
				t.Fatal(err)
			}
			lines := findings(one)
			apart = append(apart, lines[:len(lines)-len(one.Counts)]...)
			counts = append(counts, lines[len(lines)-len(one.Counts):]...)
		}
		if got := findings(all); len(got)+len(apart)+len(counts) > 0 && !reflect.DeepEqual(got, append(apart, counts...)) {
			t.Fatalf("together\n%v\napart\n%v", got, append(apart, counts...))
		}
		found += len(counts)
	})
	if found == 0 {
		t.Error("nothing is found: the test tells nothing")
	}
	mistakes := []*rules.Rule{}
	for _, text := range []string{"calls: depth < 2", "calls: 1000000000000 * 1000000000000 < duration"} {
		rule, err := rules.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		mistakes = append(mistakes, rule)
	}
	var bad *rules.Error
	if _, err := rules.Find(t.Context(), r, r.All(), mistakes, rules.Options{}); !errors.As(err, &bad) || !strings.Contains(err.Error(), "^") {
		t.Errorf("a rule that overflows: %v", err)
	}
}
