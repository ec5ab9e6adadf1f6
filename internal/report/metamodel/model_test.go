package metamodel

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/analysis/check"
	"github.com/pandotrace/pando/convert/columnar"
	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/catalogue"
	"github.com/pandotrace/pando/internal/report/summary"
	"github.com/pandotrace/pando/trace"
)

// asJSON returns the model as it is printed and read again.
func asJSON(t *testing.T) (m Model) {
	t.Helper()
	var b bytes.Buffer
	if err := New().Write(&b, report.JSON, false); err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(&b)
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		t.Fatal(err)
	}
	return m
}

// Each kind of the registry is in the JSON, with all its fields, what they refer to and the names of their values.
func TestKinds(t *testing.T) {
	m := asJSON(t)
	all := trace.Standard.All()
	if len(m.Kinds) != len(all) {
		t.Fatalf("%d kinds, not %d", len(m.Kinds), len(all))
	}
	for i, s := range all {
		k := m.Kinds[i]
		if k.Name != s.Name || k.Number != uint16(s.ID) || (k.Record == event) != s.ID.IsEvent() || len(k.Fields) != len(s.Fields) || len(k.Pairs) != len(s.Pairs) {
			t.Errorf("%s is %+v", s.Name, k)
			continue
		}
		for j, f := range s.Fields {
			checkField(t, &m, s, &f, &k.Fields[j])
		}
	}
}

func checkField(t *testing.T, m *Model, s *trace.Spec, f *trace.Field, got *Field) {
	t.Helper()
	if got.Name != f.Name || got.Type != f.Type.String() || got.Bits != f.Bits || got.Structural != (f.Role == trace.Structural) || got.Repeated != f.Repeat {
		t.Errorf("%s.%s is %+v", s.Name, f.Name, *got)
	}
	if (got.Space != nil) != (f.Ref != trace.SpaceNone) || (got.Enumeration != nil) != (f.Enum != nil) {
		t.Errorf("%s.%s is %+v", s.Name, f.Name, *got)
		return
	}
	if f.Type == trace.TypeRef && *got.Space != f.Ref.String() {
		t.Errorf("%s.%s refers to %s, not %s", s.Name, f.Name, *got.Space, f.Ref)
	}
	if f.Type == trace.TypeSelf && !slices.ContainsFunc(m.Spaces, func(x Space) bool { return x.Name == *got.Space && slices.Contains(x.DefinedBy, s.Name) }) {
		t.Errorf("space %s is not defined by %s", *got.Space, s.Name)
	}
	if f.Enum != nil && !slices.ContainsFunc(m.Enumerations, func(e Enumeration) bool { return e.Name == f.Enum.Name && len(e.Values) == len(f.Enum.Values()) }) {
		t.Errorf("%s.%s: no enumeration %s", s.Name, f.Name, f.Enum.Name)
	}
}

// Each column of each table and summary is there, and nothing else.
func TestColumns(t *testing.T) {
	m := asJSON(t)
	n := 0
	has := func(verb string, s table.Schema) {
		n++
		at := slices.IndexFunc(m.Tables, func(t Table) bool { return t.Name == s.Name && slices.Contains(t.Verbs, verb) })
		if at < 0 || m.Tables[at].Doc != s.Doc || len(m.Tables[at].Columns) != len(s.Columns) {
			t.Errorf("pando %s: no table %s", verb, s.Name)
			return
		}
		for i, c := range s.Columns {
			if got, want := m.Tables[at].Columns[i], (Column{Name: c.Name, Type: string(c.Type), Null: c.Null, Unit: c.Unit, Doc: c.Doc}); got != want {
				t.Errorf("%s: %+v is %+v", s.Name, want, got)
			}
		}
	}
	for _, s := range columnar.Tables() {
		has("export", s)
	}
	for _, part := range catalogue.All() {
		for _, s := range part.Schemas {
			has(part.Verb, s)
		}
	}
	if n != len(m.Tables) {
		t.Errorf("%d tables, not %d", len(m.Tables), n)
	}
	if len(m.Summaries) != len(summary.Kinds()) {
		t.Errorf("%d kinds of rows", len(m.Summaries))
	}
	for _, s := range m.Summaries {
		want := slices.DeleteFunc(summary.Columns(s.By), func(c summary.Column) bool { return c.Name == "" })
		same := func(a Column, b summary.Column) bool {
			return a == Column{Name: b.Name, Type: b.Type, Null: b.Null, Unit: b.Unit, Doc: b.Doc, With: b.With}
		}
		if len(want) == 0 || !slices.EqualFunc(s.Columns, want, same) {
			t.Errorf("%s: %+v, want %+v", s.By, s.Columns, want)
		}
	}
}

// Each rule is there with its codes.
func TestRules(t *testing.T) {
	m := asJSON(t)
	var got, want []Condition
	for i, r := range m.Rules {
		if r.Rule != check.Rules()[i].String() {
			t.Errorf("rule %d is %s", i, r.Rule)
		}
		got = append(got, r.Conditions...)
	}
	for c := range check.Codes() {
		want = append(want, Condition{c.String(), c.Severity().String(), c.What()})
	}
	if !slices.Equal(got, want) || len(m.Rules) != len(check.Rules()) {
		t.Errorf("%d rules: %+v, want %+v", len(m.Rules), got, want)
	}
}

// Each name in the list has details, of itself and no other.
func TestNamed(t *testing.T) {
	m := New()
	var list bytes.Buffer
	if err := m.Write(&list, report.Text, false); err != nil {
		t.Fatal(err)
	}
	for _, name := range m.Names() {
		part, err := m.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := part.Write(&text, report.Text, true); err != nil || !strings.Contains(text.String(), name) {
			t.Errorf("%s: %v, %s", name, err, &text)
		}
		if !strings.Contains(list.String(), " "+name) && len(part.Spaces) != 1 { // spaces are not listed
			t.Errorf("%s is not in the list", name)
		}
	}
	if part, err := m.Named("mpisend"); err != nil || len(part.Kinds) != 1 || part.Kinds[0].Name != "MpiSend" || len(part.Tables) != 0 {
		t.Errorf("mpisend: %+v, %v", part, err)
	}
	if _, err := m.Named("MpiSent"); !errors.As(err, new(*NameError)) || !strings.Contains(err.Error(), `"MpiSend"`) {
		t.Errorf("MpiSent: %v", err)
	}
}
