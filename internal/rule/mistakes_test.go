package rule_test

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/internal/rule"
)

// tree is a valid expression: pieces of text around its operands, whose number is one more than that of operands.
type tree struct {
	of       string // its type
	pieces   []string
	operands []*tree
	function bool // a call
	at, end  int  // where it stands, without parentheses around it
}

func leaf(of, text string) *tree { return &tree{of: of, pieces: []string{text}} }

// grow draws an expression of a type.
func grow(t *rapid.T, of string, depth int) *tree {
	with := func(pieces []string, types ...string) *tree {
		n := &tree{of: of, pieces: pieces, function: len(types) == 1 && pieces[0] != "not " && pieces[0] != "" && pieces[0] != "-"}
		for _, x := range types {
			n.operands = append(n.operands, grow(t, x, depth-1))
		}
		return n
	}
	infix := func(a, op, b string) *tree { return with([]string{"", " " + op + " ", ""}, a, b) }
	pick := func(list ...string) string { return rapid.SampledFrom(list).Draw(t, "of "+of) }
	leaves := map[string][]string{"bool": {"open", "true"}, "int": {"rank", "region", "12"}, "float": {"value", "2.5"}, "time": {"duration", "20ms"}, "text": {"fields", `"é"`}}
	choice := rapid.IntRange(0, 6).Draw(t, "choice")
	if depth == 0 || choice == 0 && of != "bool" {
		return leaf(of, pick(leaves[of]...))
	}
	switch of {
	case "bool":
		comparable := pick("int", "float", "time", "text")
		switch choice {
		case 0:
			return with([]string{"not ", ""}, "bool")
		case 1, 2:
			return infix("bool", pick("&&", "||", "and", "or"), "bool")
		case 3:
			return with([]string{"", " " + pick("contains", "startsWith", "endsWith", "matches") + ` "x"`}, "text")
		case 4:
			return with([]string{"", " " + pick("in", "not in") + " [1, 2]"}, "int")
		}
		return infix(comparable, pick("==", "!=", "<", "<=", ">", ">="), comparable)
	case "int":
		switch choice {
		case 1:
			return with([]string{"len(", ")"}, "text")
		case 2:
			return with([]string{"abs(", ")"}, "int")
		case 3:
			return with([]string{"-", ""}, "int")
		}
		return infix("int", pick("+", "-", "*", "%"), "int")
	case "float":
		if choice < 3 {
			return with([]string{"float(", ")"}, "int")
		}
		return infix(pick("int", "float"), "/", "float")
	case "time":
		if choice < 3 {
			return infix("time", pick("*", "/"), "int")
		}
		return infix("time", pick("+", "-"), "time")
	}
	return with([]string{pick("lower(", "upper("), ")"}, "text")
}

// write appends the text, and notes places. Operands that are not names or values have parentheses.
func (n *tree) write(b *strings.Builder) {
	n.at = b.Len()
	b.WriteString(n.pieces[0])
	for i, a := range n.operands {
		if bare := a.function || len(a.operands) == 0 && !strings.Contains(a.pieces[0], "+") || n.function; bare {
			a.write(b)
		} else {
			b.WriteString("(")
			a.write(b)
			b.WriteString(")")
		}
		b.WriteString(n.pieces[i+1])
	}
	n.end = b.Len()
}

func (n *tree) text() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

// nodes returns all nodes with their parents, that of the root nil.
func (n *tree) nodes() (list [][2]*tree) {
	list = [][2]*tree{{n, nil}}
	for i := 0; i < len(list); i++ {
		for _, a := range list[i][0].operands {
			list = append(list, [2]*tree{a, list[i][0]})
		}
	}
	return list
}

// mistakeOf returns the error of a condition for some rows.
func mistakeOf(source string) (*rule.Error, error) {
	n, err := rule.Parse(source)
	if err == nil {
		err = n.BindCondition(scope())
	}
	if err == nil {
		_, err = n.Eval(rows())
	}
	var e *rule.Error
	errors.As(err, &e)
	return e, err
}

var suggested = regexp.MustCompile(`did you mean "(\w+)"`)

// distance is the least number of letters to put in, leave out or replace.
func distance(a, b string) int {
	if a == "" || b == "" {
		return len(a) + len(b)
	}
	if a[0] == b[0] {
		return distance(a[1:], b[1:])
	}
	return 1 + min(distance(a[1:], b), distance(a, b[1:]), distance(a[1:], b[1:]))
}

// mistake makes a mistake at a node of a valid condition.
type mistake struct {
	name   string
	place  func(n, parent *tree) bool           // where it can be made
	make   func(t *rapid.T, n *tree)            // changes the node
	within func(n, parent *tree) (list []*tree) // what may be marked
	names  []string                             // the nearest of them stands in the message
}

func itself(n, _ *tree) []*tree { return []*tree{n} }

func itselfOrParent(n, parent *tree) []*tree {
	if parent == nil {
		return []*tree{n}
	}
	return []*tree{n, parent}
}

// misspell leaves a letter of a word out.
func misspell(t *rapid.T, word string) string {
	i := rapid.IntRange(1, len(word)-1).Draw(t, "letter")
	return word[:i] + word[i+1:]
}

var columnNames = []string{"rank", "region", "name", "duration", "duration_ns", "value", "open", "fields"}

var mistakes = []mistake{
	{"name of a column", func(n, _ *tree) bool { return len(n.operands) == 0 && slices.Contains(columnNames, n.pieces[0]) },
		func(t *rapid.T, n *tree) { n.pieces = []string{misspell(t, n.pieces[0])} }, itself, columnNames},
	{"name of a function", func(n, _ *tree) bool { return n.function },
		func(t *rapid.T, n *tree) {
			n.pieces = []string{misspell(t, strings.TrimSuffix(n.pieces[0], "(")) + "(", ")"}
		}, itself, []string{"abs", "float", "len", "lower", "upper"}},
	{"type", func(*tree, *tree) bool { return true },
		func(_ *rapid.T, n *tree) {
			wrong := "true"
			if n.of == "bool" {
				wrong = "1"
			}
			*n = *leaf("", wrong)
		}, itselfOrParent, nil},
	{"null", func(n, parent *tree) bool {
		return n.of != "bool" && parent != nil && !strings.Contains(parent.pieces[1], "=")
	},
		func(_ *rapid.T, n *tree) { *n = *leaf("", "nil") }, itselfOrParent, nil},
	{"overflow", func(n, _ *tree) bool { return n.of == "int" },
		func(_ *rapid.T, n *tree) { *n = *leaf("int", "region + 9223372036854775807") }, itself, nil},
	{"number of values", func(n, _ *tree) bool { return n.function },
		func(_ *rapid.T, n *tree) { n.pieces = []string{n.pieces[0], ", 1)"} }, itself, nil},
}

// Each mistake in any place of a valid condition is marked where it is, and the nearest name stands in the message.
func TestMistakes(t *testing.T) {
	for _, m := range mistakes {
		t.Run(m.name, func(t *testing.T) {
			made := 0
			rapid.Check(t, func(t *rapid.T) {
				root := grow(t, "bool", rapid.IntRange(1, 4).Draw(t, "depth"))
				if e, err := mistakeOf(root.text()); err != nil && (e == nil || !strings.Contains(err.Error(), "64 bits")) {
					t.Fatalf("%s is valid: %v", root.text(), err)
				} else if err != nil {
					return // its values are too large already
				}
				places := slices.DeleteFunc(root.nodes(), func(p [2]*tree) bool { return !m.place(p[0], p[1]) })
				if len(places) == 0 {
					return
				}
				at := rapid.SampledFrom(places).Draw(t, "place")
				m.make(t, at[0])
				text := root.text()
				e, err := mistakeOf(text)
				if e == nil {
					t.Fatalf("%s: %v", text, err)
				}
				marked := slices.ContainsFunc(m.within(at[0], at[1]), func(n *tree) bool { return n.at == e.At && n.end == e.End })
				if !marked || !strings.HasSuffix(err.Error(), "^") {
					t.Fatalf("%v\nmarked is %q; the mistake is %q", err, text[e.At:e.End], text[at[0].at:at[0].end])
				}
				if made++; m.names == nil {
					return
				}
				word := strings.TrimSuffix(at[0].pieces[0], "(")
				told := suggested.FindStringSubmatch(e.Message)
				least := slices.Min(slices.Collect(func(yield func(int) bool) {
					for _, name := range m.names {
						yield(distance(word, name))
					}
				}))
				if told == nil || !slices.Contains(m.names, told[1]) || distance(word, told[1]) != least {
					t.Fatalf("%v: none of the names is nearer to %q than %d letters", err, word, least)
				}
			})
			if made == 0 {
				t.Error("no mistake was made")
			}
		})
	}
}
