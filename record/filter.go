package record

import "strings"

// maxFilter is the size of the rules of a filter, in bytes, with a zero behind them.
const maxFilter = 1024

// filteredOut is the bit of a Region whose calls are counted only.
const filteredOut = 1 << 31

// Marks of an open call.
const (
	eventInside = 1
	countedOnly = 2
)

// leftOut reports whether the rules of a filter leave a region out: patterns, separated by semicolons, in which * stands for any text and ? for one byte. The last one that a
// name matches decides: it includes, or excludes if it begins with an exclamation mark. A name that matches none is included if the first rule excludes.
func leftOut(rules, name string) (out bool) {
	first := true
	for rule := range strings.SplitSeq(rules, ";") {
		rule = strings.Trim(rule, " \t\n")
		if rule == "" {
			continue
		}
		pattern, excludes := strings.CutPrefix(rule, "!")
		if first {
			out, first = !excludes, false
		}
		if matches(strings.TrimLeft(pattern, " \t\n"), name) {
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
