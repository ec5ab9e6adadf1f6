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
	numbers := map[string][]int{}
	var order []string
	for _, label := range labels {
		stem, n := cut(label)
		if numbers[stem] == nil {
			order = append(order, stem)
		}
		numbers[stem] = append(numbers[stem], n)
	}
	var out []string
	for _, stem := range order {
		out = append(out, report.Printable(stem)+intervals(numbers[stem], most))
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
	list = slices.Compact(slices.Sorted(slices.Values(list)))
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
