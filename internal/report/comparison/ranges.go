package comparison

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/internal/report"
)

// ranges returns the labels of locations as one text: numbers at their ends in ranges where the texts before them are equal.
func ranges(labels []string) string {
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
		out = append(out, stem+intervals(numbers[stem]))
	}
	return strings.Join(some(out, report.Printable), ", ")
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

// intervals returns numbers as a list of intervals: "0-3, 7".
func intervals(list []int) string {
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
	return strings.Join(some(out, func(s string) string { return s }), ",")
}
