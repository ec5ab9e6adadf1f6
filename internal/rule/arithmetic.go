package rule

import (
	"math"
	"math/bits"
	"slices"

	"github.com/pandotrace/pando/convert/columnar/table"
)

func (n *Node) overflow() error {
	return n.bad("a result of %s does not fit into 64 bits; float(x) turns an integer into a floating-point number", n.Name)
}

func (n *Node) arithmetic(b *table.Batch, v *Values) error {
	if len(n.Args) == 1 {
		return n.negate(b, v)
	}
	x, y, err := n.operands(b, v)
	if err != nil {
		return err
	}
	left, right := n.Args[0], n.Args[1]
	if n.Type != Float && left.Type != Float && right.Type != Float && n.Name != "/" {
		return n.integers(x.Ints, y.Ints, v)
	}
	n.reals(floats(left, x), floats(right, y), v)
	if n.Type != Float {
		return n.rounded(v)
	}
	return nil
}

func (n *Node) negate(b *table.Batch, v *Values) error {
	x, err := n.Args[0].Eval(b)
	if err != nil {
		return err
	}
	v.Null = x.Null
	if n.Type == Float {
		v.Floats = sized(v.Floats, b.Rows)
		for i, f := range x.Floats {
			v.Floats[i] = -f
		}
		return nil
	}
	v.Ints = sized(v.Ints, b.Rows)
	for i, k := range x.Ints {
		if v.Ints[i] = -k; k == math.MinInt64 && !v.IsNull(i) {
			return n.overflow()
		}
	}
	return nil
}

// integers computes with integers. What does not fit is an error; a remainder of a division by zero is null.
func (n *Node) integers(x, y []int64, v *Values) error {
	v.Ints = sized(v.Ints, len(x))
	for i, a := range x {
		c, ok := y[i], true
		switch n.Name {
		case "+":
			v.Ints[i] = a + c
			ok = (a^v.Ints[i])&(c^v.Ints[i]) >= 0
		case "-":
			v.Ints[i] = a - c
			ok = (a^c)&(a^v.Ints[i]) >= 0
		case "*":
			v.Ints[i] = a * c
			ok = product(a, c)
		default:
			if c == 0 {
				v.null(i, len(x))
			} else if c == -1 {
				v.Ints[i] = 0
			} else {
				v.Ints[i] = a % c
			}
		}
		if !ok && !v.IsNull(i) {
			return n.overflow()
		}
	}
	return nil
}

// product reports whether a product fits into 64 bits.
func product(a, b int64) bool {
	magnitude := func(x int64) uint64 {
		if x < 0 {
			return -uint64(x)
		}
		return uint64(x)
	}
	high, low := bits.Mul64(magnitude(a), magnitude(b))
	limit := uint64(math.MaxInt64)
	if (a < 0) != (b < 0) {
		limit++
	}
	return high == 0 && low <= limit
}

// null makes a row null.
func (v *Values) null(row, rows int) {
	if len(v.Null) == 0 {
		v.Null = slices.Grow(v.Null[:0], rows)[:rows]
		clear(v.Null)
	}
	v.Null[row] = true
}

// reals computes with floating-point numbers. A division by zero is null.
func (n *Node) reals(x, y []float64, v *Values) {
	v.Floats = sized(v.Floats, len(x))
	for i, a := range x {
		switch c := y[i]; n.Name {
		case "+":
			v.Floats[i] = a + c
		case "-":
			v.Floats[i] = a - c
		case "*":
			v.Floats[i] = a * c
		default:
			if v.Floats[i] = a / c; c == 0 {
				v.null(i, len(x))
			}
		}
	}
}

// rounded makes times of numbers.
func (n *Node) rounded(v *Values) error {
	v.Ints = sized(v.Ints, len(v.Floats))
	for i, f := range v.Floats {
		if f = math.Round(f); !v.IsNull(i) && !(math.Abs(f) < 1<<63) {
			return n.overflow()
		}
		v.Ints[i] = int64(f)
	}
	return nil
}
