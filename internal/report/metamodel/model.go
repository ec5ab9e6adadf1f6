package metamodel

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pandotrace/pando/analysis/check"
	"github.com/pandotrace/pando/convert/columnar"
	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/internal/report/catalogue"
	"github.com/pandotrace/pando/internal/report/summary"
	"github.com/pandotrace/pando/trace"
)

// Model is all that traces and answers can consist of.
type Model struct {
	// Kinds are those of records: events first, then definitions and the rest, by their numbers.
	Kinds []Kind `json:"kinds"`
	// Spaces are the spaces of ids, each with the kinds that define into it.
	Spaces []Space `json:"spaces"`
	// Enumerations name values and flags of fields.
	Enumerations []Enumeration `json:"enumerations"`
	// Tables are those of exports and queries, and those of analyses.
	Tables []Table `json:"tables"`
	// Summaries are the kinds of rows that windows add up to.
	Summaries []Summary `json:"summaries"`
	// Rules are those of checks.
	Rules []Rule `json:"rules"`
}

// Kind is a kind of record.
type Kind struct {
	Name   string `json:"name"`
	Number uint16 `json:"number"`
	// Record is event, definition, or auxiliary: snapshots, markers, statistics.
	Record string  `json:"record"`
	Fields []Field `json:"fields"`
	Pairs  []Pair  `json:"pairs"`
}

// Field is a field of a kind.
type Field struct {
	Name string `json:"name"`
	// Type is the name of the type in the specification of the format, Bits its width.
	Type string `json:"type"`
	Bits uint8  `json:"bits"`
	// Space is that of ids: of what a field of type Ref names, and one of type Self defines.
	Space *string `json:"space"`
	// Enumeration names the values.
	Enumeration *string `json:"enumeration"`
	// Structural is true if records that differ in the field are of different shapes; the other fields are values.
	Structural bool `json:"structural"`
	// Repeated is true if the field is a member of the record's list, which a field of type Count before it has the length of.
	Repeated bool `json:"repeated"`
}

// Pair says that records of a kind open or close something that lasts.
type Pair struct {
	Family string `json:"family"`
	Closes bool   `json:"closes"`
	// InOrder is true if the n-th record that opens belongs to the n-th that closes, and not to the first one behind it.
	InOrder bool `json:"in_order"`
	// Keys are the fields in which both records agree.
	Keys []string `json:"keys"`
}

// Space is a space of ids.
type Space struct {
	Name      string   `json:"name"`
	DefinedBy []string `json:"defined_by"`
}

// Enumeration has the names of values.
type Enumeration struct {
	Name   string  `json:"name"`
	Values []Value `json:"values"`
}

// Value is a value of an enumeration, or a flag.
type Value struct {
	Value uint64 `json:"value"`
	Name  string `json:"name"`
}

// Table is a table.
type Table struct {
	Name string `json:"name"`
	// Verbs are those that write the table.
	Verbs   []string `json:"verbs"`
	Doc     string   `json:"doc"`
	Columns []Column `json:"columns"`
}

// Column is a column of a table, or of a summary.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Null bool   `json:"null"`
	// Unit is that of numbers, "" for ids, counts and what is no number.
	Unit string `json:"unit"`
	Doc  string `json:"doc"`
	// With is the flag that a column of a summary needs, "" for none.
	With string `json:"with"`
}

// Summary is a kind of rows of a summary.
type Summary struct {
	By      string   `json:"by"`
	Columns []Column `json:"columns"`
}

// Rule is a rule of checks.
type Rule struct {
	Rule       string      `json:"rule"`
	Conditions []Condition `json:"conditions"`
}

// Condition is what breaks a rule.
type Condition struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`
	What     string `json:"what"`
}

// The sorts of records.
const (
	event      = "event"
	definition = "definition"
	auxiliary  = "auxiliary"
)

// New returns the model.
func New() *Model {
	m := &Model{}
	enums := map[string]Enumeration{}
	defines := map[trace.Space][]string{}
	for _, s := range trace.Standard.All() {
		m.Kinds = append(m.Kinds, kindOf(s))
		for _, f := range s.Fields {
			if f.Enum != nil {
				enums[f.Enum.Name] = enumerationOf(f.Enum)
			}
			if f.Type == trace.TypeSelf {
				defines[f.Ref] = append(defines[f.Ref], s.Name)
			}
		}
	}
	for _, space := range slices.Sorted(maps.Keys(defines)) {
		m.Spaces = append(m.Spaces, Space{space.String(), defines[space]})
	}
	for _, name := range slices.Sorted(maps.Keys(enums)) {
		m.Enumerations = append(m.Enumerations, enums[name])
	}
	m.Tables, m.Summaries, m.Rules = tables(), summaries(), rules()
	return m
}

// recordOf says which of the three sorts of records a kind is one of.
func recordOf(k trace.Kind) string {
	switch {
	case k.IsEvent():
		return event
	case k < trace.KindUnknownSnapshot:
		return definition
	}
	return auxiliary
}

func kindOf(s *trace.Spec) Kind {
	k := Kind{Name: s.Name, Number: uint16(s.ID), Record: recordOf(s.ID), Fields: []Field{}, Pairs: []Pair{}}
	for _, f := range s.Fields {
		field := Field{Name: f.Name, Type: f.Type.String(), Bits: f.Bits, Structural: f.Role == trace.Structural, Repeated: f.Repeat}
		if f.Ref != trace.SpaceNone {
			field.Space = new(f.Ref.String())
		}
		if f.Enum != nil {
			field.Enumeration = &f.Enum.Name
		}
		k.Fields = append(k.Fields, field)
	}
	for _, p := range s.Pairs {
		k.Pairs = append(k.Pairs, Pair{p.Family.String(), p.Closes, p.Rule == trace.InOrder, append([]string{}, p.Keys...)})
	}
	return k
}

func enumerationOf(e *trace.Enum) Enumeration {
	list := Enumeration{Name: e.Name}
	for _, v := range e.Values() {
		list.Values = append(list.Values, Value{v, e.Format(v)})
	}
	return list
}

func tables() (list []Table) {
	add := func(schemas []table.Schema, verbs ...string) {
		for _, s := range schemas {
			t := Table{Name: s.Name, Verbs: verbs, Doc: s.Doc}
			for _, c := range s.Columns {
				t.Columns = append(t.Columns, Column{Name: c.Name, Type: string(c.Type), Null: c.Null, Unit: c.Unit, Doc: c.Doc})
			}
			list = append(list, t)
		}
	}
	add(columnar.Tables(), "export", "query")
	for _, part := range catalogue.All() {
		add(part.Schemas, part.Verb)
	}
	return list
}

func summaries() (list []Summary) {
	for _, by := range summary.Kinds() {
		s := Summary{By: by}
		for _, c := range summary.Columns(by) {
			if c.Name != "" { // others are for people
				s.Columns = append(s.Columns, Column{Name: c.Name, Type: c.Type, Null: c.Null, Unit: c.Unit, Doc: c.Doc, With: c.With})
			}
		}
		list = append(list, s)
	}
	return list
}

func rules() (list []Rule) {
	for _, r := range check.Rules() {
		rule := Rule{Rule: r.String()}
		for c := range check.Codes() {
			if c.Rule() == r {
				rule.Conditions = append(rule.Conditions, Condition{c.String(), c.Severity().String(), c.What()})
			}
		}
		list = append(list, rule)
	}
	return list
}

// NameError is the error of a name that nothing has.
type NameError struct{ Name, Meant string }

// Error implements error.
func (e *NameError) Error() string {
	if e.Meant == "" {
		return fmt.Sprintf("nothing is called %q; without a name, pando schema lists all", e.Name)
	}
	return fmt.Sprintf("nothing is called %q%s", e.Name, e.Meant)
}

// Named returns the part of the model that has a name, in letters of any case if there is none in these. The error is a [NameError].
func (m *Model) Named(name string) (*Model, error) {
	for _, same := range []func(string, string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		part := m.only(func(n string) bool { return same(n, name) })
		if len(part.Names()) > 0 {
			return part, nil
		}
	}
	return nil, &NameError{name, trace.DidYouMean(trace.Near(name, slices.Values(m.Names())))}
}

func (m *Model) only(keep func(string) bool) *Model {
	return &Model{
		kept(m.Kinds, func(k Kind) bool { return keep(k.Name) }),
		kept(m.Spaces, func(s Space) bool { return keep(s.Name) }),
		kept(m.Enumerations, func(e Enumeration) bool { return keep(e.Name) }),
		kept(m.Tables, func(t Table) bool { return keep(t.Name) }),
		kept(m.Summaries, func(s Summary) bool { return keep(s.By) }),
		kept(m.Rules, func(r Rule) bool {
			return keep(r.Rule) || slices.ContainsFunc(r.Conditions, func(c Condition) bool { return keep(c.Code) })
		}),
	}
}

func kept[T any](list []T, keep func(T) bool) []T {
	some := []T{}
	for _, x := range list {
		if keep(x) {
			some = append(some, x)
		}
	}
	return some
}

// Names lists the names of all there is.
func (m *Model) Names() (names []string) {
	m.only(func(name string) bool {
		names = append(names, name)
		return false
	})
	return names
}
