package selector

import (
	"unicode"
	"unicode/utf8"
)

// pattern is a name in which * stands for anything and ? for one character. A name that equals the text of the pattern fits, too.
type pattern struct {
	text string
	glob []rune // folded if case does not matter
	fold bool
}

// newPattern makes a pattern of a text, which must be UTF-8. With fold, case does not matter.
func newPattern(text string, fold bool) pattern {
	p := pattern{text: text, glob: []rune(text), fold: fold}
	for i, c := range p.glob {
		p.glob[i] = p.letter(c)
	}
	return p
}

// letter returns a letter in the form in which it is compared: with fold, letters that differ in case alone have one form.
func (p *pattern) letter(c rune) rune {
	if !p.fold {
		return c
	}
	least := c
	for next := unicode.SimpleFold(c); next != c; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	return least
}

// fits reports whether the pattern fits a name. Nothing fits a thing without a name.
func (p *pattern) fits(name string) bool { return name != "" && (name == p.text || p.matches(name)) }

// matches reports whether the pattern matches a name. A byte of the name that is not UTF-8 counts as U+FFFD. After a mismatch, the last *
// takes one more character; earlier ones never need to, so the time is at most the product of both lengths.
func (p *pattern) matches(name string) bool {
	at, star, resume := 0, -1, 0 // place in the pattern, of its last *, and in the name behind the text of that *
	for i := 0; i < len(name); {
		c, size := utf8.DecodeRuneInString(name[i:])
		switch {
		case at < len(p.glob) && p.glob[at] == '*':
			star, resume = at, i
			at++
		case at < len(p.glob) && (p.glob[at] == '?' || p.glob[at] == p.letter(c)):
			at++
			i += size
		case star >= 0:
			_, taken := utf8.DecodeRuneInString(name[resume:])
			resume += taken
			at, i = star+1, resume
		default:
			return false
		}
	}
	for at < len(p.glob) && p.glob[at] == '*' {
		at++
	}
	return at == len(p.glob)
}
