package trace

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// UnknownNameError says that nothing of a trace has a name.
type UnknownNameError struct {
	// What is the noun for the things that were looked for ("region").
	What string
	// Name is the name or pattern that nothing has.
	Name string
	// Near are names that are like it, see [Near].
	Near []string
}

// Error implements error.
func (e *UnknownNameError) Error() string {
	return fmt.Sprintf("no %s is called %q%s", e.What, e.Name, DidYouMean(e.Near))
}

// DidYouMean returns a question about names that may have been meant, to be put behind an error; "" without any.
func DidYouMean(near []string) string {
	if len(near) == 0 {
		return ""
	}
	quoted := make([]string, len(near))
	for i, name := range near {
		quoted[i] = fmt.Sprintf("%q", name)
	}
	last := len(quoted) - 1
	if last == 0 {
		return "; did you mean " + quoted[0] + "?"
	}
	return "; did you mean " + strings.Join(quoted[:last], ", ") + " or " + quoted[last] + "?"
}

// Bounds of [Near]: the number of names it returns, and the length of words that it compares, in characters.
const (
	mostNear = 3
	longWord = 80
)

// Near returns at most three of the names that a mistyped word may stand for, the most alike first. A name is near if a few edits make it of
// the word (a third of its characters, see F. J. Damerau, A technique for computer detection and correction of spelling errors, 1964), or
// if the word is a part of it. Case does not matter.
func Near(word string, names iter.Seq[string]) []string {
	type near struct {
		name  string
		edits int
	}
	folded := []rune(strings.ToLower(word))
	if len(folded) == 0 || len(folded) > longWord {
		return nil
	}
	var found []near
	order := func(a, b near) int { return cmp.Or(cmp.Compare(a.edits, b.edits), cmp.Compare(a.name, b.name)) }
	most := (len(folded) + 2) / 3
	for name := range names {
		lower := []rune(strings.ToLower(name))
		n := near{name, most + 1}
		if gap := len(lower) - len(folded); gap <= most && -gap <= most {
			n.edits = edits(folded, lower)
		}
		if n.edits > most && (len(folded) < 3 || len(lower) > longWord || !strings.Contains(string(lower), string(folded))) {
			continue
		}
		at, there := slices.BinarySearchFunc(found, n, order)
		if !there && at < mostNear {
			found = slices.Insert(found, at, n)
			found = found[:min(len(found), mostNear)]
		}
	}
	var list []string
	for _, n := range found {
		list = append(list, n.name)
	}
	return list
}

// edits returns how many characters must be put in, taken out, replaced, or swapped with their neighbour to make one word of another. No part
// of a word is edited twice.
func edits(a, b []rune) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row := rows[0], rows[1], rows[2]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		rows = [3][]int{last, row, before}
	}
	return rows[1][len(b)]
}
