package spec

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/pandotrace/pando/encode/text"
)

// phrases is what a log looks like when it is cut up.
func (x *examples) phrases() {
	x.head("8", "Phrases and numbers")
	var log bytes.Buffer
	for i := range 40 {
		fmt.Fprintf(&log, "[%4d] block (%d,%d) of rank %d\n", 90+7*i, i*i%5, i*i%11, i%3)
	}
	packed := text.PackPhrases(log.Bytes())
	t := readPhrases(packed)
	x.same("the text", string(t.text()), log.String())
	lines := strings.SplitAfterN(log.String(), "\n", 4)
	x.text("A log of 40 lines, %d bytes, becomes %d. It begins\n", log.Len(), len(packed))
	x.code(strings.TrimSpace(strings.Join(lines[:3], "")))
	x.text("\nThe list of phrases (a line end is shown as ¶):\n\n| index | phrase | paired | a number follows |\n|---|---|---|---|")
	for i, p := range t.list {
		x.text("| %d | `%s` | %s | %s |", i, shownPhrase(p), yes(p.paired), yes(p.numbered))
	}
	x.text("\nThe text begins with the phrases%s. The places behind them, and the numbers there:\n\n| place | behind | differences | numbers | coded as |\n|---|---|---|---|---|", t.begin(12))
	for place := 1; place < len(t.numbers); place++ {
		x.text("| %d | %s | %s | %s | %s |", place, t.behind(place), yes(t.differences[place]), firstOf(t.numbers[place]), firstOf(t.coded(place)))
	}
}

func shownPhrase(p plainPhrase) string { return strings.ReplaceAll(string(p.text), "\n", "¶") }

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// firstOf lists the first numbers.
func firstOf(numbers []uint64) string {
	const few = 5
	if len(numbers) == 0 {
		return "-"
	}
	var list strings.Builder
	for _, n := range numbers[:min(few, len(numbers))] {
		fmt.Fprintf(&list, "%d, ", n)
	}
	return list.String() + "…"
}

// begin lists the first phrases of the text.
func (t *plainPhrases) begin(n int) string {
	var list strings.Builder
	for _, s := range t.row[:n] {
		fmt.Fprintf(&list, " %d", s.phrase)
	}
	return list.String()
}

// behind tells what a place is behind.
func (t *plainPhrases) behind(place int) string {
	for i, s := range t.row {
		switch {
		case s.place != place:
			continue
		case !t.list[s.phrase].paired:
			return fmt.Sprint(s.phrase)
		case i == 0:
			return fmt.Sprintf("none, %d", s.phrase)
		}
		return fmt.Sprintf("%d, %d", t.row[i-1].phrase, s.phrase)
	}
	return "-"
}

// coded returns the numbers at a place as they are coded.
func (t *plainPhrases) coded(place int) (coded []uint64) {
	last := uint64(0)
	for _, n := range t.numbers[place] {
		v := n
		if t.differences[place] {
			d := int64(n - last)
			v = uint64(d<<1) ^ uint64(d>>63)
		}
		coded, last = append(coded, v), n
	}
	return coded
}
