package rule

import "github.com/pandotrace/pando/convert/columnar/table"

// Type is the type of an expression.
type Type uint8

// Types.
const (
	Null  Type = iota // of nil
	Int               // a signed integer of 64 bits
	Float             // a floating-point number
	Time              // an instant since the trace's first event, or a length of time, in nanoseconds
	Bool
	Text
	List // of what stands behind "in"
)

// String returns what people call values of the type.
func (t Type) String() string {
	return [...]string{"nil", "an integer", "a number", "a time", "a condition", "a text", "a list"}[t]
}

// number reports whether one can calculate with values of the type.
func (t Type) number() bool { return t == Int || t == Float || t == Time }

// Kind is the kind of a node.
type Kind uint8

// Kinds of nodes.
const (
	Constant Kind = iota
	Column
	Operator // Name is the operator
	Call     // Name is the function
	Sequence // a list in brackets
)

// Node is a part of an expression.
type Node struct {
	Kind Kind
	Type Type   // known after Bind, and of constants
	Name string // of a column, an operator or a function
	Args []*Node
	// Int, Float, Text are the value of a constant; Int is 1 for true.
	Int   int64
	Float float64
	Text  string
	// Place is the column's place in the schema that the node is bound to.
	Place int
	// At and End are where it stands in the source, in bytes.
	At, End int

	source string
	names  *table.Names        // of a bound column of names
	test   func(s string) bool // of an operator on texts whose right side is constant; that of != is ==
	byCode []bool              // what test says of each name
	values Values              // room for what the node was computed to
}

// Source returns the text of the node.
func (n *Node) Source() string { return n.source[n.At:n.End] }

// Walk calls visit with the node and all nodes below.
func (n *Node) Walk(visit func(*Node)) {
	visit(n)
	for _, a := range n.Args {
		a.Walk(visit)
	}
}

// Conjuncts splits a condition at its outermost "and": all of them must be true. The negation of an "or" is one, too.
func (n *Node) Conjuncts() []*Node {
	switch {
	case n.Kind == Operator && n.Name == "&&":
		return append(n.Args[0].Conjuncts(), n.Args[1].Conjuncts()...)
	case n.Kind == Operator && n.Name == "!" && n.Args[0].Kind == Operator:
		a := n.Args[0]
		if a.Name == "||" {
			return append(a.Args[0].Not().Conjuncts(), a.Args[1].Not().Conjuncts()...)
		}
		if a.Name == "!" {
			return a.Args[0].Conjuncts()
		}
	}
	return []*Node{n}
}

var opposite = map[string]string{"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}

// Not returns the negation of a condition.
func (n *Node) Not() *Node {
	if n.Kind == Operator && opposite[n.Name] != "" && n.Args[0].Type != Float && n.Args[1].Type != Float {
		c := *n
		c.Name = opposite[n.Name]
		return &c
	}
	return &Node{Kind: Operator, Type: Bool, Name: "!", Args: []*Node{n}, At: n.At, End: n.End, source: n.source}
}

// And joins conditions; of none, it is nil.
func And(list []*Node) *Node {
	var all *Node
	for _, n := range list {
		if all == nil {
			all = n
			continue
		}
		all = &Node{Kind: Operator, Type: Bool, Name: "&&", Args: []*Node{all, n}, At: all.At, End: n.End, source: n.source}
	}
	return all
}

// Clone returns a copy of the expression, to be bound to another table.
func (n *Node) Clone() *Node {
	c := *n
	c.names, c.test, c.byCode, c.values = nil, nil, nil, Values{}
	c.Args = nil
	for _, a := range n.Args {
		c.Args = append(c.Args, a.Clone())
	}
	return &c
}
