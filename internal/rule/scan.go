package rule

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pandotrace/pando/trace"
)

// MaxBytes is the length of the longest expression.
const MaxBytes = 4 << 10

// token is a word of the source: its text, or what a constant is.
type token struct {
	text    string // of operators, names; empty at the end
	at, end int
	value   *Node // of a constant
}

// nanoseconds is the axis by which lengths of time are read.
var nanoseconds = trace.NewTimeAxis(0, 0, 1e9)

// scan divides an expression into tokens.
func scan(source string) (list []token, err error) {
	for at := 0; at < len(source); {
		r, size := utf8.DecodeRuneInString(source[at:])
		t := token{at: at}
		switch {
		case unicode.IsSpace(r):
			at += size
			continue
		case r >= '0' && r <= '9' || r == '.' && at+1 < len(source) && source[at+1] >= '0' && source[at+1] <= '9':
			t, err = number(source, at)
		case r == '"' || r == '\'' || r == '`':
			t, err = quoted(source, at)
		case r == '_' || unicode.IsLetter(r):
			t.end = at + nameLength(source[at:])
			t.text = source[at:t.end]
		default:
			t.end = at + size
			if at+2 <= len(source) && strings.Contains(" && || == != <= >= ", " "+source[at:at+2]+" ") {
				t.end = at + 2
			}
			if t.text = source[at:t.end]; !strings.Contains(" && || == != <= >= < > ! + - * / % ( ) [ ] , ", " "+t.text+" ") {
				err = &Error{source, at, t.end, fmt.Sprintf("%q has no meaning here", t.text)}
			}
		}
		if err != nil {
			return nil, err
		}
		list = append(list, t)
		at = t.end
	}
	return append(list, token{at: len(source), end: len(source)}), nil
}

// nameLength returns the length of the name that a text begins with: words with points between them.
func nameLength(text string) int {
	n := wordLength(text)
	for n < len(text) && text[n] == '.' {
		next, _ := utf8.DecodeRuneInString(text[n+1:])
		if next != '_' && !unicode.IsLetter(next) {
			break
		}
		n += 1 + wordLength(text[n+1:])
	}
	return n
}

// wordLength returns the length of the letters, digits and underscores that a text begins with.
func wordLength(text string) int {
	if n := strings.IndexFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }); n >= 0 {
		return n
	}
	return len(text)
}

// number reads a number, or a length of time: a number with a unit behind it.
func number(source string, at int) (token, error) {
	end, isFloat := at, false
	for end < len(source) && (source[end] >= '0' && source[end] <= '9' || source[end] == '.' || source[end] == '_') {
		isFloat = isFloat || source[end] == '.'
		end++
	}
	if e := end + exponent(source[end:]); e > end {
		isFloat, end = true, e
	}
	digits := strings.ReplaceAll(source[at:end], "_", "")
	unit := wordLength(source[end:])
	t := token{at: at, end: end + unit, value: &Node{Kind: Constant, Type: Int, At: at, End: end + unit, source: source}}
	bad := func(what string) (token, error) {
		return t, &Error{source, at, t.end, source[at:t.end] + " " + what}
	}
	v, ok := new(big.Rat).SetString(digits)
	switch {
	case !ok:
		return bad("is no number")
	case unit > 0:
		ns, err := nanoseconds.ParseDuration(digits + source[end:t.end])
		if err != nil {
			return bad("is no length of time: write 1.5s, 20ms, 3us or 100ns")
		}
		t.value.Type, t.value.Int = Time, ns
	case isFloat:
		t.value.Type = Float
		t.value.Float, _ = v.Float64()
	case !v.Num().IsInt64():
		return bad("is too large: integers have 64 bits")
	default:
		t.value.Int = v.Num().Int64()
	}
	return t, nil
}

// exponent returns the length of an exponent with at most three digits that a text begins with.
func exponent(text string) int {
	if text == "" || text[0]|0x20 != 'e' {
		return 0
	}
	n := 1
	if n < len(text) && (text[n] == '-' || text[n] == '+') {
		n++
	}
	from := n
	for n < len(text) && n < from+3 && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	if n == from {
		return 0
	}
	return n
}

// quoted reads a text in quotes.
func quoted(source string, at int) (token, error) {
	quote, end := source[at], at+1
	for end < len(source) && source[end] != quote {
		if source[end] == '\\' && quote != '`' {
			end++
		}
		end++
	}
	if end >= len(source) {
		return token{}, &Error{source, at, len(source), "the text has no end: " + string(quote) + " is missing"}
	}
	text := source[at+1 : end]
	if quote != '`' {
		var b strings.Builder
		for rest := text; rest != ""; {
			r, multibyte, tail, err := strconv.UnquoteChar(rest, quote)
			if err != nil {
				return token{}, &Error{source, at, end + 1, `a backslash in a text begins \n, \t, \", \\ or \u20ac`}
			}
			if multibyte || r < utf8.RuneSelf {
				b.WriteRune(r)
			} else {
				b.WriteByte(byte(r))
			}
			rest = tail
		}
		text = b.String()
	}
	return token{at: at, end: end + 1, value: &Node{Kind: Constant, Type: Text, Text: text, At: at, End: end + 1, source: source}}, nil
}
