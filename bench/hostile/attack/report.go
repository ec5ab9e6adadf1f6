package attack

import (
	"fmt"
	"io"
	"strings"
)

// Report writes results as a table in Markdown, and what is wrong below it.
func Report(w io.Writer, results []Result) {
	fmt.Fprintln(w, "| kind | how it is made hostile | inputs | refused clearly | answered | wrong | most memory, MB | most CPU, s |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|")
	var sum Result
	for _, r := range results {
		r.row(w)
		sum.Inputs, sum.Refused, sum.Answered = sum.Inputs+r.Inputs, sum.Refused+r.Refused, sum.Answered+r.Answered
		sum.Memory, sum.CPU = max(sum.Memory, r.Memory), max(sum.CPU, r.CPU)
		sum.Wrong = append(sum.Wrong, r.Wrong...)
	}
	sum.Group = "**all**"
	sum.row(w)
	if len(sum.Wrong) == 0 {
		return
	}
	fmt.Fprintf(w, "\nWrong:\n\n")
	for _, x := range sum.Wrong {
		fmt.Fprintf(w, "* %s, number %d: `%s`: %s\n", x.Kind, x.Number, x.Command, strings.ReplaceAll(x.What, "\n", " / "))
	}
}

func (r *Result) row(w io.Writer) {
	fmt.Fprintf(w, "| %s | %s | %d | %d | %d | %d | %d | %.2f |\n", r.Group, r.Kind, r.Inputs, r.Refused, r.Answered, len(r.Wrong), r.Memory>>20, r.CPU)
}
