package rule

import "fmt"

// maxDepth bounds how deep expressions are nested, and maxNodes of how many parts they are: each part takes up to 300 kB while a batch of rows is
// computed. Elements of lists behind "in" do not count.
const (
	maxDepth = 100
	maxNodes = 256
)

// parser reads an expression by the precedence of its operators.
type parser struct {
	source string
	all    []token
	tokens []token // those that are left
	depth  int
}

// precedence of binary operators; the greater binds more tightly.
var precedence = map[string]int{
	"||": 1, "or": 1, "&&": 2, "and": 2,
	"==": 4, "!=": 4, "<": 4, "<=": 4, ">": 4, ">=": 4, "in": 4, "contains": 4, "startsWith": 4, "endsWith": 4, "matches": 4,
	"+": 5, "-": 5, "*": 6, "/": 6, "%": 6,
}

// words that mean operators.
var spelled = map[string]string{"or": "||", "and": "&&", "not": "!"}

// Parse reads an expression. The error is an [Error].
func Parse(source string) (*Node, error) {
	list, err := ParseList(source)
	if err != nil {
		return nil, err
	}
	if len(list) != 1 {
		return nil, &Error{source, list[1].At, list[1].End, "one expression is wanted"}
	}
	return list[0], nil
}

// ParseList reads expressions, separated by commas.
func ParseList(source string) (list []*Node, err error) {
	if len(source) > MaxBytes {
		return nil, fmt.Errorf("an expression has at most %d bytes, and this one %d", MaxBytes, len(source))
	}
	p := &parser{source: source}
	if p.all, err = scan(source); err != nil {
		return nil, err
	}
	p.tokens = p.all
	for {
		n, err := p.binary(1)
		if err != nil {
			return nil, err
		}
		if list = append(list, n); p.take("") {
			return list, bounded(list)
		}
		if !p.take(",") {
			return nil, p.unexpected()
		}
	}
}

// bounded checks that expressions are of at most maxNodes parts.
func bounded(list []*Node) error {
	count := 0
	var visit func(n *Node) error
	visit = func(n *Node) error {
		if count++; count > maxNodes {
			return n.bad("there are more than %d names, values and operators", maxNodes)
		}
		if n.Kind == Sequence {
			return nil
		}
		for _, a := range n.Args {
			if err := visit(a); err != nil {
				return err
			}
		}
		return nil
	}
	for _, n := range list {
		if err := visit(n); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) next() token { return p.tokens[0] }

// is reports whether the next token is a word or an operator; "" means the end.
func (p *parser) is(text string) bool { return p.next().value == nil && p.next().text == text }

// take takes the next token if it is a word or an operator.
func (p *parser) take(text string) bool {
	ok := p.is(text)
	if ok && text != "" {
		p.tokens = p.tokens[1:]
	}
	return ok
}

func (p *parser) unexpected() error {
	t := p.next()
	if p.is("") {
		return &Error{p.source, t.at, t.end, "the expression ends too early"}
	}
	return &Error{p.source, t.at, t.end, fmt.Sprintf("%s is not expected here", p.source[t.at:t.end])}
}

// binary reads operands with operators of at least a precedence between them.
func (p *parser) binary(least int) (*Node, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, &Error{p.source, p.next().at, p.next().end, fmt.Sprintf("the expression is nested more than %d deep", maxDepth)}
	}
	defer func() { p.depth-- }()
	at := p.next().at
	left, err := p.unary()
	for err == nil {
		op, negated := p.next().text, false
		if p.is("not") && len(p.tokens) > 1 && precedence[p.tokens[1].text] == 4 {
			op, negated = p.tokens[1].text, true
		}
		rank := precedence[op]
		if p.next().value != nil || rank < least {
			return left, nil
		}
		if negated {
			p.tokens = p.tokens[1:]
		}
		p.tokens = p.tokens[1:]
		var right *Node
		if right, err = p.binary(rank + 1); err == nil {
			left = p.operator(op, at, left, right)
			if negated {
				left = p.operator("!", at, left)
			}
		}
	}
	return nil, err
}

// operator makes a node of what was read from a place on, parentheses of operands included.
func (p *parser) operator(op string, at int, args ...*Node) *Node {
	if s, ok := spelled[op]; ok {
		op = s
	}
	return &Node{Kind: Operator, Name: op, Args: args, At: at, End: p.all[len(p.all)-len(p.tokens)-1].end, source: p.source}
}

// unary reads an operand with the signs before it.
func (p *parser) unary() (*Node, error) {
	t := p.next()
	least := 7
	switch {
	case t.value != nil:
		p.tokens = p.tokens[1:]
		return t.value, nil
	case p.take("!"), p.take("-"):
	case p.take("not"):
		least = 3
	default:
		return p.primary()
	}
	a, err := p.binary(least)
	if err != nil {
		return nil, err
	}
	n := p.operator(t.text, t.at, a)
	if n.Name == "-" && a.Kind == Constant && a.Type.number() {
		a.Int, a.Float, a.At = -a.Int, -a.Float, t.at
		return a, nil
	}
	return n, nil
}

// primary reads a name, a call, a list, or an expression in parentheses.
func (p *parser) primary() (*Node, error) {
	t := p.next()
	n := &Node{At: t.at, End: t.end, source: p.source}
	switch {
	case p.take("("):
		n, err := p.binary(1)
		if err == nil && !p.take(")") {
			err = p.unexpected()
		}
		return n, err
	case p.take("["):
		n.Kind, n.Type = Sequence, List
		return n, p.list(n, "]")
	case t.text == "" || precedence[t.text] > 0 || wordLength(t.text) == 0:
		return nil, p.unexpected()
	}
	p.tokens = p.tokens[1:]
	n.Kind, n.Name = Column, t.text
	switch {
	case t.text == "nil":
		n.Kind = Constant
	case t.text == "true" || t.text == "false":
		n.Kind, n.Type = Constant, Bool
		if t.text == "true" {
			n.Int = 1
		}
	case p.take("("):
		n.Kind = Call
		return n, p.list(n, ")")
	}
	return n, nil
}

// list reads the elements of a list up to its end.
func (p *parser) list(n *Node, end string) error {
	for !p.is(end) {
		if len(n.Args) > 0 && !p.take(",") {
			return p.unexpected()
		}
		a, err := p.binary(1)
		if err != nil {
			return err
		}
		n.Args = append(n.Args, a)
	}
	n.End = p.next().end
	p.take(end)
	return nil
}
