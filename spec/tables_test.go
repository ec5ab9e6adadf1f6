package spec

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// numbered are the tables of constants of a type, whose names begin with a prefix.
var numbered = map[string]struct{ file, typ, prefix string }{
	"blocks":      {"format/frame.go", "BlockKind", "Block"},
	"codecs":      {"format/frame.go", "Codec", "Codec"},
	"types":       {"trace/kind.go", "Type", "Type"},
	"roles":       {"trace/kind.go", "Role", ""},
	"spaces":      {"trace/kind.go", "Space", "Space"},
	"values":      {"trace/value.go", "ValueType", "Value"},
	"streams":     {"trace/source.go", "StreamClass", "Stream"},
	"annotations": {"trace/annotation/annotation.go", "Kind", ""},
	"losses":      {"trace/loss.go", "LossClass", "Loss"},
	"reasons":     {"trace/loss.go", "LeftReason", "Left"},
	"families":    {"trace/pair.go", "PairFamily", "Pair"},
	"groups":      {"trace/pair.go", "ColumnGroup", "Column"},
	"rules":       {"trace/pair.go", "PairRule", ""},
	"flags":       {"trace/call.go", "CallFlags", "Call"},
}

// kinds are the tables of kinds, by the numbers in them.
var kinds = map[string]struct{ from, to trace.Kind }{
	"events": {0, 0x100}, "definitions": {0x100, 0x180}, "locals": {0x180, 0x200}, "snapshots": {0x200, 0x280},
	"markers": {0x280, 0x300}, "statistics": {0x300, trace.FirstPrivateKind},
}

// table renders a table.
func table(t *testing.T, name string) string {
	t.Helper()
	if n, ok := numbered[name]; ok {
		return numbersOf(t, n.file, n.typ, n.prefix)
	}
	if k, ok := kinds[name]; ok {
		return kindsOf(k.from, k.to)
	}
	switch name {
	case "enumerations":
		return enumerations()
	case "limits":
		return limits(t)
	case "constants":
		return constants(t)
	}
	t.Fatalf("no table is called %q", name)
	return ""
}

// constant is one constant of a file, with its comment.
type constant struct {
	name, typ, value, comment string
}

// constantsOf returns all constants of a file whose values are written out.
func constantsOf(t *testing.T, file string) (all []constant) {
	t.Helper()
	for _, decl := range source(t, file).Decls {
		g, ok := decl.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			if len(v.Names) != 1 || len(v.Values) != 1 {
				continue
			}
			c := constant{name: v.Names[0].Name, value: types.ExprString(v.Values[0]), comment: v.Doc.Text() + v.Comment.Text()}
			if v.Type != nil {
				c.typ = types.ExprString(v.Type)
			}
			all = append(all, c)
		}
	}
	return all
}

// spaces are runs of white space.
var spaces = regexp.MustCompile(`\s+`)

// meaning makes a comment a cell of a table: without the name that it begins with.
func (c *constant) meaning() string {
	s := spaces.ReplaceAllString(strings.TrimSpace(c.comment), " ")
	s = strings.TrimPrefix(strings.TrimPrefix(s, c.name+" "), "is ")
	return strings.ReplaceAll(links.ReplaceAllString(asides.ReplaceAllString(s, ""), "$1"), "|", "\\|")
}

// asides point from Go's comments to more of them, which says nothing to who has no Go.
var asides = regexp.MustCompile(`[,;] see \[[A-Za-z.]+\]`)

// links are those of Go's comments.
var links = regexp.MustCompile(`\[([A-Za-z.]+)\]`)

func numbersOf(t *testing.T, file, typ, prefix string) string {
	t.Helper()
	var rows, short string
	explained := false
	for _, c := range constantsOf(t, file) {
		if c.typ != typ {
			continue
		}
		name := strings.TrimPrefix(c.name, prefix)
		rows += fmt.Sprintf("| %s | %s | %s |\n", c.value, name, c.meaning())
		short += fmt.Sprintf("| %s | %s |\n", c.value, name)
		explained = explained || c.meaning() != ""
	}
	switch {
	case rows == "":
		t.Fatalf("%s has no constants of type %s", file, typ)
	case !explained:
		return "| number | name |\n|---|---|\n" + short
	}
	return "| number | name | meaning |\n|---|---|---|\n" + rows
}

func kindsOf(from, to trace.Kind) string {
	b := "| number | name | fields | pairs |\n|---|---|---|---|\n"
	for _, s := range trace.Standard.All() {
		if s.ID >= from && s.ID < to {
			b += fmt.Sprintf("| %d | %s | %s | %s |\n", s.ID, s.Name, fieldsOf(s), pairsOf(s))
		}
	}
	return b
}

func fieldsOf(s *trace.Spec) string {
	var list []string
	for i := range s.Fields {
		f := &s.Fields[i]
		text := fmt.Sprintf("`%s` %s", f.Name, typeOf(f))
		for _, is := range []struct {
			true bool
			name string
		}{{f.Key, "key"}, {f.Role == trace.Value, "value"}, {f.Repeat, "each"}, {f.Peer, "peer"}} {
			if is.true {
				text += " *" + is.name + "*"
			}
		}
		list = append(list, text)
	}
	return strings.Join(list, "; ")
}

func typeOf(f *trace.Field) string {
	text := f.Type.String()
	switch {
	case f.Enum != nil:
		text += " " + f.Enum.Name
	case f.Ref != trace.SpaceNone:
		text += " " + f.Ref.String()
	}
	return fmt.Sprintf("%s/%d", text, f.Bits)
}

func pairsOf(s *trace.Spec) string {
	var list []string
	for _, p := range s.Pairs {
		verb := "opens"
		if p.Closes {
			verb = "closes"
		}
		text := fmt.Sprintf("%s %s %s", verb, familyNames[p.Family], ruleNames[p.Rule])
		if len(p.Keys) > 0 {
			text += ": `" + strings.Join(p.Keys, "`, `") + "`"
		}
		list = append(list, text)
	}
	return strings.Join(list, "; ")
}

// Names of the numbers that specifications of kinds are made of; TestNames holds them against the code.
var (
	familyNames = map[trace.PairFamily]string{
		trace.PairCall: "Call", trace.PairMessage: "Message", trace.PairSendRequest: "SendRequest",
		trace.PairReceiveRequest: "ReceiveRequest", trace.PairCollective: "Collective",
		trace.PairCollectiveRequest: "CollectiveRequest", trace.PairRmaCollective: "RmaCollective", trace.PairRma: "Rma",
		trace.PairIo: "Io", trace.PairFork: "Fork", trace.PairTeam: "Team", trace.PairLock: "Lock",
		trace.PairInterval: "Interval", trace.PairArrow: "Arrow", trace.PairSpan: "Span",
	}
	ruleNames = map[trace.PairRule]string{trace.InOrder: "InOrder", trace.ByKey: "ByKey"}
)

// checkNames compares names with the constants of a type.
func checkNames[K ~uint8](t *testing.T, names map[K]string, file, typ, prefix string) {
	t.Helper()
	n := 0
	for _, c := range constantsOf(t, file) {
		if c.typ != typ {
			continue
		}
		n++
		number, err := strconv.Atoi(c.value)
		if err != nil || prefix+names[K(number)] != c.name {
			t.Errorf("%s: %s is called %q", typ, c.name, names[K(number)])
		}
	}
	if n != len(names) {
		t.Errorf("%s: %d constants, %d names", typ, n, len(names))
	}
}

// named returns the names that numbers of a type have.
func named[K interface {
	~uint8
	String() string
}]() map[K]string {
	names := map[K]string{}
	for n := range math.MaxUint8 {
		if name := K(n).String(); !strings.Contains(name, " ") {
			names[K(n)] = name
		}
	}
	return names
}

func TestNames(t *testing.T) {
	checkNames(t, named[trace.Type](), "trace/kind.go", "Type", "Type")
	checkNames(t, named[trace.Space](), "trace/kind.go", "Space", "Space")
	checkNames(t, familyNames, "trace/pair.go", "PairFamily", "Pair")
	checkNames(t, ruleNames, "trace/pair.go", "PairRule", "")
}

// enumerations lists the names of all enumerations that fields have.
func enumerations() string {
	all := map[string]*trace.Enum{"Type": trace.EnumType}
	for _, s := range trace.Standard.All() {
		for i := range s.Fields {
			if e := s.Fields[i].Enum; e != nil {
				all[e.Name] = e
			}
		}
	}
	b := "| enumeration | names |\n|---|---|\n"
	var rows []string
	for name, e := range all {
		var names []string
		for v := range uint64(1 << 12) {
			if s := e.Format(v); s != strconv.FormatUint(v, 10) {
				names = append(names, fmt.Sprintf("%d %s", v, s))
			}
		}
		rows = append(rows, fmt.Sprintf("| %s | %s |\n", name, strings.Join(names, ", ")))
	}
	slices.Sort(rows)
	return b + strings.Join(rows, "")
}

// limits lists the options that bound what a reader takes.
func limits(t *testing.T) string {
	t.Helper()
	defaults := reflect.ValueOf(format.Limits{}.WithDefaults())
	b := "| limit | default | meaning |\n|---|---|---|\n"
	ast.Inspect(source(t, "format/limits.go"), func(n ast.Node) bool {
		f, ok := n.(*ast.Field)
		if !ok || len(f.Names) != 1 || f.Doc == nil {
			return true
		}
		c := constant{name: f.Names[0].Name, comment: f.Doc.Text()}
		meaning, _, _ := strings.Cut(c.meaning(), " (default")
		b += fmt.Sprintf("| %s | %d | %s |\n", c.name, defaults.FieldByName(c.name).Int(), meaning)
		return true
	})
	return b
}
