package selector

import (
	"fmt"
	"strconv"
	"strings"
)

// placeWords stand before the numbers of places, in the order in which labels have them.
var placeWords = [...]string{"rank", "thread", "gpu", "stream"}

// place has the numbers of a location: those of its label behind each of placeWords, -1 where there is none.
type place [len(placeWords)]int64

var nowhere = place{-1, -1, -1, -1}

// coordinate is a condition on one of the numbers of a place: rank 0-3, or thread 0,2,4-16:2.
type coordinate struct {
	word   int // index in placeWords
	ranges []numberRange
}

// numberRange are the numbers from first to last, step apart.
type numberRange struct {
	first, last, step int64
	used              bool
}

// placeOf reads the numbers that a label begins with. A rank without threads has thread 0.
func placeOf(label string) place {
	p := nowhere
	words := strings.Fields(label)
	at := 0
	for ; at+1 < len(words); at += 2 {
		word, n := placeWord(words[at]), plainNumber(words[at+1])
		if word < 0 || n < 0 || p[word] >= 0 {
			break
		}
		p[word] = n
	}
	if at == 2 && len(words) == 2 && p[0] >= 0 {
		p[1] = 0
	}
	return p
}

func placeWord(s string) int {
	for i, w := range placeWords {
		if strings.EqualFold(s, w) {
			return i
		}
	}
	return -1
}

// plainNumber returns the number that digits are, -1 for any other text and for numbers of more than 18 digits.
func plainNumber(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || len(s) > 18 || s[0] < '0' || s[0] > '9' {
		return -1
	}
	return n
}

// parsePlaces reads coordinates: "rank 0-3 thread 0". Without an error, nil says that the text looks like none.
func parsePlaces(text string) ([]coordinate, error) {
	words := strings.Fields(text)
	if len(words) < 2 || len(words)%2 != 0 || placeWord(words[0]) < 0 {
		return nil, nil
	}
	var list []coordinate
	seen := nowhere
	for i := 0; i < len(words); i += 2 {
		word := placeWord(words[i])
		if word < 0 || seen[word] >= 0 {
			return nil, nil
		}
		seen[word] = 0
		ranges, err := parseRanges(words[i+1])
		if err != nil {
			return nil, err
		}
		list = append(list, coordinate{word, ranges})
	}
	return list, nil
}

// parseRanges reads "3", "0-3", "0-63:4", and several of them with commas between.
func parseRanges(text string) (list []numberRange, err error) {
	for _, item := range strings.Split(text, ",") {
		bounds, step, stepped := strings.Cut(item, ":")
		first, last, ranged := strings.Cut(bounds, "-")
		r := numberRange{first: plainNumber(first), last: plainNumber(first), step: 1}
		if ranged {
			r.last = plainNumber(last)
		}
		if stepped {
			r.step = plainNumber(step)
		}
		switch {
		case r.first < 0 || r.last < 0 || stepped && !ranged:
			return nil, fmt.Errorf("%q is no number and no range such as 0-3 or 0-63:4", item)
		case r.step < 1:
			return nil, fmt.Errorf("the step of %q is no number from 1 on", item)
		case r.last < r.first:
			return nil, fmt.Errorf("%q ends before it begins", item)
		}
		list = append(list, r)
	}
	return list, nil
}

// within reports whether the place has all coordinates, and notes the ranges that it is in. No place is within no coordinates.
func (p place) within(coordinates []coordinate) bool {
	for _, c := range coordinates {
		if !c.has(p[c.word]) {
			return false
		}
	}
	for _, c := range coordinates {
		for i := range c.ranges {
			r := &c.ranges[i]
			r.used = r.used || r.has(p[c.word])
		}
	}
	return len(coordinates) > 0
}

func (c *coordinate) has(n int64) bool {
	for i := range c.ranges {
		if c.ranges[i].has(n) {
			return true
		}
	}
	return false
}

func (r *numberRange) has(n int64) bool {
	return r.first <= n && n <= r.last && (n-r.first)%r.step == 0
}

// String returns the range as it is written.
func (r *numberRange) String() string {
	s := strconv.FormatInt(r.first, 10)
	if r.last != r.first {
		s += "-" + strconv.FormatInt(r.last, 10)
	}
	if r.step != 1 {
		s += ":" + strconv.FormatInt(r.step, 10)
	}
	return s
}

// unused returns the first of the coordinates' ranges that no place was in, as "rank 99"; "" if there is none, or if places were in no range.
func unused(coordinates []coordinate) (first string) {
	used := false
	for _, c := range coordinates {
		for i := range c.ranges {
			r := &c.ranges[i]
			if used = used || r.used; !r.used && first == "" {
				first = placeWords[c.word] + " " + r.String()
			}
		}
	}
	if !used {
		return ""
	}
	return first
}
