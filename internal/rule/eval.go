package rule

import (
	"cmp"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/pandotrace/pando/convert/columnar/table"
)

// Values are what an expression is for each row of a batch. Its type decides which of the slices is used: Ints for integers and times. Texts are
// Codes of names, or Texts. Null has an entry for each row, or none if no row is null.
type Values struct {
	Ints   []int64
	Floats []float64
	Bools  []bool
	Codes  []int32
	Names  *table.Names
	Texts  []string
	Null   []bool
}

// IsNull reports whether a row has no value.
func (v *Values) IsNull(row int) bool { return len(v.Null) > 0 && v.Null[row] }

// TextOf returns the text of a row.
func (v *Values) TextOf(row int) string {
	if v.Names == nil {
		return v.Texts[row]
	}
	if v.IsNull(row) {
		return ""
	}
	return v.Names.List[v.Codes[row]]
}

// Eval computes a bound expression for all rows of a batch. The values are valid until the next call, and as long as the batch. The error, an
// [Error], says that an integer does not fit into 64 bits.
func (n *Node) Eval(b *table.Batch) (*Values, error) {
	v := &n.values
	switch n.Kind {
	case Column:
		n.column(b, v)
		return v, nil
	case Constant:
		n.constant(b.Rows, v)
		return v, nil
	case Call:
		return v, n.call(b, v)
	}
	switch n.Name {
	case "&&", "||":
		return v, n.logic(b, v)
	case "!":
		a, err := n.Args[0].Eval(b)
		if err != nil {
			return nil, err
		}
		v.Bools, v.Null = sized(v.Bools, b.Rows), a.Null
		for i, x := range a.Bools {
			v.Bools[i] = !x
		}
		return v, nil
	case "+", "-", "*", "/", "%":
		return v, n.arithmetic(b, v)
	}
	return v, n.compare(b, v)
}

// sized returns a slice of a length, whose values have no meaning.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

func (n *Node) column(b *table.Batch, v *Values) {
	c := &b.Vectors[n.Place]
	*v = Values{Ints: c.Ints, Floats: c.Doubles, Bools: c.Bools, Codes: c.Codes, Names: n.names, Null: c.Null, Texts: v.Texts}
	if n.Type == Text && n.names == nil {
		v.Texts = sized(v.Texts, b.Rows)
		for i := range v.Texts {
			v.Texts[i] = string(c.TextOf(i))
		}
	}
}

func (n *Node) constant(rows int, v *Values) {
	v.Ints, v.Floats, v.Bools, v.Texts = sized(v.Ints, rows), sized(v.Floats, rows), sized(v.Bools, rows), sized(v.Texts, rows)
	for i := range rows {
		v.Ints[i], v.Floats[i], v.Bools[i], v.Texts[i] = n.Int, n.Float, n.Int != 0, n.Text
	}
	if n.Type == Null {
		v.Null = sized(v.Null, rows)
		for i := range v.Null {
			v.Null[i] = true
		}
	}
}

// logic is "and" and "or" of three values: null counts where the other side does not decide.
func (n *Node) logic(b *table.Batch, v *Values) error {
	x, err := n.Args[0].Eval(b)
	if err != nil {
		return err
	}
	y, err := n.Args[1].Eval(b)
	if err != nil {
		return err
	}
	v.Bools = sized(v.Bools, b.Rows)
	decides := n.Name == "||"
	if len(x.Null) == 0 && len(y.Null) == 0 {
		for i, p := range x.Bools {
			v.Bools[i] = p == decides && decides || p != decides && y.Bools[i]
		}
		v.Null = v.Null[:0]
		return nil
	}
	v.Null = sized(v.Null, b.Rows)
	for i := range b.Rows {
		p, q := x.IsNull(i), y.IsNull(i)
		decided := !p && x.Bools[i] == decides || !q && y.Bools[i] == decides
		v.Bools[i] = decided == decides
		v.Null[i] = !decided && (p || q)
	}
	return nil
}

// operands computes both sides, and which rows are null.
func (n *Node) operands(b *table.Batch, v *Values) (x, y *Values, err error) {
	if x, err = n.Args[0].Eval(b); err != nil {
		return nil, nil, err
	}
	if y, err = n.Args[1].Eval(b); err != nil {
		return nil, nil, err
	}
	v.Null = v.Null[:0]
	if len(x.Null) > 0 || len(y.Null) > 0 {
		v.Null = sized(v.Null, b.Rows)
		for i := range v.Null {
			v.Null[i] = x.IsNull(i) || y.IsNull(i)
		}
	}
	return x, y, nil
}

// floats returns numbers as floating-point ones.
func floats(n *Node, v *Values) []float64 {
	if n.Type == Float {
		return v.Floats
	}
	v.Floats = sized(v.Floats[:0:0], len(v.Ints))
	for i, x := range v.Ints {
		v.Floats[i] = float64(x)
	}
	return v.Floats
}

func (n *Node) compare(b *table.Batch, v *Values) error {
	v.Bools = sized(v.Bools, b.Rows)
	left, right := n.Args[0], n.Args[1]
	if n.Name == "in" || n.test != nil {
		x, err := left.Eval(b)
		if err != nil {
			return err
		}
		v.Null = x.Null
		n.match(x, v.Bools)
		return nil
	}
	if left.Type == Null || right.Type == Null {
		return n.compareNull(b, v)
	}
	x, y, err := n.operands(b, v)
	if err != nil {
		return err
	}
	switch {
	case left.Type == Text:
		for i := range v.Bools {
			v.Bools[i] = holds(n.Name, cmp.Compare(x.TextOf(i), y.TextOf(i)))
		}
	case left.Type == Bool:
		for i := range v.Bools {
			v.Bools[i] = (x.Bools[i] == y.Bools[i]) == (n.Name == "==")
		}
	case left.Type == Float || right.Type == Float:
		ordered(n.Name, floats(left, x), floats(right, y), v.Bools)
	default:
		ordered(n.Name, x.Ints, y.Ints, v.Bools)
	}
	return nil
}

// match applies the test of an operator whose right side is constant.
func (n *Node) match(x *Values, out []bool) {
	switch {
	case n.test == nil: // numbers and conditions in a list
		for i := range out {
			out[i] = n.among(x, i)
		}
		return
	case x.Names == nil:
		for i := range out {
			out[i] = n.test(x.Texts[i])
		}
	default:
		if len(n.byCode) != len(x.Names.List) {
			n.byCode = n.byCode[:0]
			for _, name := range x.Names.List {
				n.byCode = append(n.byCode, n.test(name))
			}
		}
		if len(n.byCode) == 0 {
			clear(out)
			break
		}
		for i, c := range x.Codes {
			out[i] = n.byCode[c]
		}
	}
	if n.Name == "!=" {
		for i := range out {
			out[i] = !out[i]
		}
	}
}

// among reports whether the value of a row is one of the list's.
func (n *Node) among(x *Values, row int) bool {
	for _, e := range n.Args[1].Args {
		switch t := n.Args[0].Type; {
		case t == Bool && x.Bools[row] == (e.Int != 0),
			t == Float && e.Type == Float && x.Floats[row] == e.Float,
			t == Float && e.Type != Float && x.Floats[row] == float64(e.Int),
			t != Bool && t != Float && e.Type == Float && float64(x.Ints[row]) == e.Float,
			t != Bool && t != Float && e.Type != Float && x.Ints[row] == e.Int:
			return true
		}
	}
	return false
}

func (n *Node) compareNull(b *table.Batch, v *Values) error {
	x, err := n.Args[0].Eval(b)
	if err != nil {
		return err
	}
	y, err := n.Args[1].Eval(b)
	if err != nil {
		return err
	}
	v.Null = v.Null[:0]
	for i := range v.Bools {
		v.Bools[i] = (x.IsNull(i) && y.IsNull(i)) == (n.Name == "==")
	}
	return nil
}

func holds(op string, order int) bool {
	switch op {
	case "==":
		return order == 0
	case "!=":
		return order != 0
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

// ordered compares numbers, a loop for each operator.
func ordered[T int64 | float64](op string, x, y []T, out []bool) {
	y = y[:len(x)]
	switch op {
	case "==":
		for i, a := range x {
			out[i] = a == y[i]
		}
	case "!=":
		for i, a := range x {
			out[i] = a != y[i]
		}
	case "<":
		for i, a := range x {
			out[i] = a < y[i]
		}
	case "<=":
		for i, a := range x {
			out[i] = a <= y[i]
		}
	case ">":
		for i, a := range x {
			out[i] = a > y[i]
		}
	default:
		for i, a := range x {
			out[i] = a >= y[i]
		}
	}
}

func (n *Node) call(b *table.Batch, v *Values) error {
	a := n.Args[0]
	x, err := a.Eval(b)
	if err != nil {
		return err
	}
	v.Null = x.Null
	switch n.Name {
	case "abs":
		return n.magnitude(a, x, v)
	case "float":
		v.Floats = floats(a, x)
	case "len":
		v.Ints = sized(v.Ints, b.Rows)
		for i := range v.Ints {
			v.Ints[i] = int64(utf8.RuneCountInString(x.TextOf(i)))
		}
	default:
		change := strings.ToLower
		if n.Name == "upper" {
			change = strings.ToUpper
		}
		v.Texts = sized(v.Texts, b.Rows)
		for i := range v.Texts {
			v.Texts[i] = change(x.TextOf(i))
		}
	}
	return nil
}

func (n *Node) magnitude(a *Node, x, v *Values) error {
	if a.Type == Float {
		v.Floats = sized(v.Floats, len(x.Floats))
		for i, f := range x.Floats {
			v.Floats[i] = math.Abs(f)
		}
		return nil
	}
	v.Ints = sized(v.Ints, len(x.Ints))
	for i, k := range x.Ints {
		if v.Ints[i] = max(k, -k); k == math.MinInt64 && !x.IsNull(i) {
			return n.overflow()
		}
	}
	return nil
}
