package rule

import (
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/trace"
)

// Scope is what names in an expression may refer to: the columns of a table. Names has the list of each column of names, by place.
type Scope struct {
	*table.Schema
	Names []*table.Names
}

// ScopeOf returns the scope of a table of a trace.
func ScopeOf(t *table.Table, x *table.Catalog) *Scope {
	s := &Scope{Schema: &t.Schema, Names: make([]*table.Names, len(t.Columns))}
	for i, names := range t.Names {
		if names != nil {
			s.Names[i] = names(x)
		}
	}
	return s
}

// find returns the place of a column and its type. A column NAME_ns is also called NAME, and the one called ns is called time: as such they are
// times, which have units.
func (s *Scope) find(name string) (place int, t Type, ok bool) {
	for i := range s.Columns {
		if s.Columns[i].Name == name {
			return i, typeOf(s.Columns[i].Type), true
		}
	}
	for i := range s.Columns {
		if c := &s.Columns[i]; c.Unit == "ns" && (c.Name == name+"_ns" || c.Name == "ns" && name == "time") {
			return i, Time, true
		}
	}
	return 0, Null, false
}

// words yields all that columns are called.
func (s *Scope) words() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range s.Columns {
			name := s.Columns[i].Name
			short, isTime := strings.CutSuffix(name, "_ns")
			if name == "ns" {
				short, isTime = "time", true
			}
			if !yield(name) || isTime && !yield(short) {
				return
			}
		}
	}
}

func typeOf(t table.Type) Type {
	switch t {
	case table.Int64:
		return Int
	case table.Double:
		return Float
	case table.Bool:
		return Bool
	}
	return Text
}

// Bind finds the columns of an expression, and checks its types. The error is an [Error].
func (n *Node) Bind(s *Scope) error {
	for _, a := range n.Args {
		if err := a.Bind(s); err != nil {
			return err
		}
	}
	switch n.Kind {
	case Column:
		return n.bindColumn(s)
	case Operator:
		return n.bindOperator(s)
	case Call:
		return n.bindCall(s)
	}
	return nil
}

// BindCondition binds an expression that must be a condition.
func (n *Node) BindCondition(s *Scope) error {
	if err := n.Bind(s); err != nil {
		return err
	}
	if n.Type != Bool {
		return n.bad("a condition is wanted, and this is %s", n.Type)
	}
	return nil
}

func (n *Node) bindColumn(s *Scope) (err error) {
	place, t, ok := s.find(n.Name)
	if !ok {
		return n.bad("the table %s has no column %q%s", s.Schema.Name, n.Name, trace.DidYouMean(trace.Near(n.Name, s.words())))
	}
	n.Place, n.Type, n.names = place, t, s.Names[place]
	return nil
}

// named turns an id into the name of what it is the id of, where a text is wanted.
func (n *Node) named(s *Scope) {
	if n.Kind != Column || n.Type != Int {
		return
	}
	place := slices.IndexFunc(s.Columns, func(c table.Column) bool { return c.Name == s.Columns[n.Place].Name+"_name" })
	if next := n.Place + 1; place < 0 && next < len(s.Columns) && (s.Columns[next].Name == "name" || strings.HasSuffix(s.Columns[next].Name, ".name")) {
		place = next
	}
	if place >= 0 {
		n.Place, n.Type, n.names = place, Text, s.Names[place]
	}
}

func (n *Node) bindOperator(s *Scope) error {
	switch n.Name {
	case "&&", "||", "!":
		for _, a := range n.Args {
			if a.Type != Bool {
				return a.bad("%s takes conditions, and this is %s", n.Name, a.Type)
			}
		}
		n.Type = Bool
		return nil
	case "+", "-", "*", "/", "%":
		return n.bindArithmetic()
	case "in":
		return n.bindIn(s)
	case "contains", "startsWith", "endsWith", "matches":
		return n.bindText(s)
	}
	return n.bindComparison(s)
}

func (n *Node) bindArithmetic() error {
	for _, a := range n.Args {
		if a.Type == Null {
			return a.bad("nothing is computed with nil; x == nil asks whether x is null")
		}
		if !a.Type.number() {
			return a.bad("%s takes numbers, and this is %s", n.Name, a.Type)
		}
	}
	n.Type = n.Args[0].Type
	if len(n.Args) == 1 {
		return nil
	}
	a, b := n.Args[0].Type, n.Args[1].Type
	times := a == Time && b == Time
	switch {
	case (a == Time) != (b == Time) && n.Name != "*" && (n.Name != "/" || b == Time):
		return n.bad("a time and a number do not go together here; a length of time has a unit: 20ms")
	case times && n.Name == "*":
		return n.bad("times are not multiplied with each other")
	case n.Name == "%" && (a == Float || b == Float):
		return n.bad("%% takes integers")
	case times && n.Name == "/":
		n.Type = Float
	case a == Time || b == Time:
		n.Type = Time
	case a == Float || b == Float || n.Name == "/":
		n.Type = Float
	default:
		n.Type = Int
	}
	return nil
}

// fit checks that two values can be compared.
func (n *Node) fit(s *Scope, a, b *Node) error {
	if a.Type == Text {
		b.named(s)
	} else if b.Type == Text {
		a.named(s)
	}
	mixed := (a.Type == Int || a.Type == Float) && (b.Type == Int || b.Type == Float)
	switch {
	case a.Type == b.Type && a.Type != List, mixed:
		return nil
	case a.Type == Time && b.Type.number(), b.Type == Time && a.Type.number():
		return n.bad("a time is compared with a time, which has a unit: 20ms")
	}
	return n.bad("%s and %s cannot be compared", a.Type, b.Type)
}

func (n *Node) bindComparison(s *Scope) error {
	n.Type = Bool
	a, b := n.Args[0], n.Args[1]
	equal := n.Name == "==" || n.Name == "!="
	if a.Type == Null || b.Type == Null {
		if !equal {
			return n.bad("nil has no order; x == nil asks whether x is null")
		}
		return nil
	}
	if err := n.fit(s, a, b); err != nil {
		return err
	}
	if a.Type == Bool && !equal {
		return n.bad("conditions have no order")
	}
	if equal && b.Kind == Constant && b.Type == Text {
		n.test = func(s string) bool { return s == b.Text }
	}
	return nil
}

func (n *Node) bindIn(s *Scope) error {
	n.Type = Bool
	a, list := n.Args[0], n.Args[1]
	if list.Type != List {
		return list.bad(`"in" takes a list: [1, 2, 3]`)
	}
	texts := map[string]bool{}
	for _, e := range list.Args {
		if e.Kind != Constant || e.Type == Null {
			return e.bad("a list behind \"in\" has constants")
		}
		if err := n.fit(s, a, e); err != nil {
			return err
		}
		texts[e.Text] = true
	}
	if a.Type == Null || a.Type == List {
		return a.bad("%s is in no list", a.Type)
	}
	if a.Type == Text {
		n.test = func(s string) bool { return texts[s] }
	}
	return nil
}

func (n *Node) bindText(s *Scope) error {
	n.Type = Bool
	for _, a := range n.Args {
		a.named(s)
		if a.Type != Text {
			return a.bad("%s takes texts, and this is %s", n.Name, a.Type)
		}
	}
	b := n.Args[1]
	if b.Kind != Constant {
		return b.bad("%s takes a constant text", n.Name)
	}
	switch n.Name {
	case "contains":
		n.test = func(s string) bool { return strings.Contains(s, b.Text) }
	case "startsWith":
		n.test = func(s string) bool { return strings.HasPrefix(s, b.Text) }
	case "endsWith":
		n.test = func(s string) bool { return strings.HasSuffix(s, b.Text) }
	default:
		re, err := regexp.Compile(b.Text)
		if err != nil {
			return b.bad("%s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		}
		n.test = re.MatchString
	}
	return nil
}

// function is a function on values of a row.
type function struct {
	takes string // what it takes
	fits  func(Type) bool
	gives func(Type) Type
}

func same(t Type) Type              { return t }
func always(t Type) func(Type) Type { return func(Type) Type { return t } }
func isText(t Type) bool            { return t == Text }

var functions = map[string]function{
	"abs":   {"a number", Type.number, same},
	"float": {"a number", Type.number, always(Float)},
	"len":   {"a text", isText, always(Int)},
	"lower": {"a text", isText, always(Text)},
	"upper": {"a text", isText, always(Text)},
}

func (n *Node) bindCall(s *Scope) error {
	f, ok := functions[n.Name]
	if !ok {
		known := slices.Values(slices.Sorted(func(yield func(string) bool) {
			for name := range functions {
				if !yield(name) {
					return
				}
			}
		}))
		return n.bad("there is no function %q for rows%s", n.Name, trace.DidYouMean(trace.Near(n.Name, known)))
	}
	if len(n.Args) != 1 {
		return n.bad("%s takes one value, and not %d", n.Name, len(n.Args))
	}
	a := n.Args[0]
	if f.takes == "a text" {
		a.named(s)
	}
	if !f.fits(a.Type) {
		return a.bad("%s takes %s, and this is %s", n.Name, f.takes, a.Type)
	}
	n.Type = f.gives(a.Type)
	return nil
}

// Bad makes an error at a node, for those who give calls a meaning of their own.
func (n *Node) Bad(format string, args ...any) error {
	return n.bad("%s", fmt.Sprintf(format, args...))
}
