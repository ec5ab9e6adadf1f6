package record

import (
	"iter"
	"strings"
)

// maxFilter is the size of the rules of a filter, in bytes, with a zero behind them.
const maxFilter = 1024

// blanks may stand around rules and patterns.
const blanks = " \t\n"

// patterns returns those of a list that is separated by semicolons, without the blanks around them.
func patterns(list string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for p := range strings.SplitSeq(list, ";") {
			if p = strings.Trim(p, blanks); p != "" && !yield(p) {
				return
			}
		}
	}
}

// Marks of an open call.
const (
	eventInside = 1
	countedOnly = 2
)

// leftOut reports whether the rules of a filter leave a region out: patterns, separated by semicolons, in which * stands for any text and ? for one byte. The last one that a
// name matches decides: it includes, or excludes if it begins with an exclamation mark. A name that matches none is included if the first rule excludes.
func leftOut(rules, name string) (out bool) {
	first := true
	for rule := range patterns(rules) {
		pattern, excludes := strings.CutPrefix(rule, "!")
		if first {
			out, first = !excludes, false
		}
		if matches(strings.TrimLeft(pattern, blanks), name) {
			out = excludes
		}
	}
	return out
}

// matches reports whether a name matches a pattern: at a mismatch, the last * takes one byte more.
func matches(pattern, name string) bool {
	p, n, star, taken := 0, 0, -1, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, taken = p, n
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == name[n]):
			p++
			n++
		case star >= 0:
			taken++
			p, n = star+1, taken
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
