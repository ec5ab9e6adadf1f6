// Package ranges writes lists of locations as people do: "rank 0-3,7".
package ranges

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/internal/report"
)

// Of returns the labels of locations as one text, "rank 0-3,7": numbers at their ends are ranges where the texts before them are equal.
// Of texts, and of the ranges of each, at most a number are listed, and the text says how many there are more; 0 lists all.
func Of(labels []string, most int) string {
	l := New(labels)
	all := make([]int, len(labels))
	for i := range all {
		all[i] = i
	}
	return l.Of(all, most)
}

// Labels are labels of locations, of which many lists are written.
type Labels struct {
	stems   []string // the different texts before the numbers
	stem    []int32  // by label: the place among these
	numbers []int    // by label, -1 without
	lists   [][]int  // memory of Of, by stem
}

// New prepares labels.
func New(labels []string) *Labels {
	l, known := &Labels{}, map[string]int32{}
	for _, label := range labels {
		stem, n := cut(label)
		at, ok := known[stem]
		if !ok {
			at = int32(len(l.stems))
			known[stem] = at
			l.stems = append(l.stems, stem)
		}
		l.stem, l.numbers = append(l.stem, at), append(l.numbers, n)
	}
	l.lists = make([][]int, len(l.stems))
	return l
}

// Of returns some of the labels, by their places, as one text.
func (l *Labels) Of(some []int, most int) string {
	var order []int32
	for _, i := range some {
		at := l.stem[i]
		if len(l.lists[at]) == 0 {
			order = append(order, at)
		}
		l.lists[at] = append(l.lists[at], l.numbers[i])
	}
	var out []string
	for _, at := range order {
		out = append(out, report.Printable(l.stems[at])+intervals(l.lists[at], most))
		l.lists[at] = l.lists[at][:0]
	}
	return strings.Join(listed(out, most), ", ")
}

// cut divides a label into a stem and the number at its end, -1 without.
func cut(label string) (stem string, n int) {
	at := len(label)
	for at > 0 && '0' <= label[at-1] && label[at-1] <= '9' {
		at--
	}
	n, err := strconv.Atoi(label[at:])
	if err != nil || strconv.Itoa(n) != label[at:] {
		return label, -1
	}
	return label[:at], n
}

// intervals returns numbers as a list of intervals: "0-3,7".
func intervals(list []int, most int) string {
	slices.Sort(list)
	list = slices.Compact(list)
	var out []string
	for from := 0; from < len(list); {
		to := from
		for to+1 < len(list) && list[to+1] == list[to]+1 {
			to++
		}
		switch {
		case list[from] < 0:
			out = append(out, "")
		case to == from:
			out = append(out, strconv.Itoa(list[from]))
		default:
			out = append(out, fmt.Sprintf("%d-%d", list[from], list[to]))
		}
		from = to + 1
	}
	return strings.Join(listed(out, most), ",")
}

// listed returns the first texts of a list, and how many there are more.
func listed(list []string, most int) []string {
	if most == 0 || len(list) <= most+1 {
		return list
	}
	return append(list[:most:most], fmt.Sprintf("%d more", len(list)-most))
}
