package clusters

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pandotrace/pando/internal/report"
)

// meanings say what locations of a group have in common.
var meanings = map[string]string{
	"functions": "they call the same regions",
	"pairs":     "they call the same regions from the same ones",
	"contexts":  "they have the same call paths",
	"calls":     "they call each region equally often",
	"tree":      "they make the same calls in the same order",
	"messages":  "they make the same calls and pass messages at the same distances, in the same order",
}

// How much text shows.
const (
	mostGroups   = 40
	mostFeatures = 8
	longestName  = 60
)

// writeText writes the report for people.
func (r *Report) writeText(w io.Writer) {
	fmt.Fprintf(w, "%s: %s with calls, %s by %s", report.Printable(strings.Join(r.Traces, ", ")), report.Plural(r.Locations, "location", "locations"),
		report.Plural(len(r.Groups), "group", "groups"), r.By)
	if r.Threshold != nil {
		fmt.Fprintf(w, ", any two of which are %s alike or more\n", percent(*r.Threshold))
	} else if len(r.Groups) > 0 {
		fmt.Fprintf(w, ": %s\n", meanings[r.By])
	} else {
		fmt.Fprintln(w, ": nothing to compare")
	}
	if len(r.Groups) > 0 {
		r.table(w)
	}
	r.rest(w)
	if !r.Representatives {
		r.features(w)
	}
}

// shown returns the groups that text shows.
func (r *Report) shown() []Group {
	return r.Groups[:min(len(r.Groups), cmp.Or(r.Limit, mostGroups))]
}

// table writes a line for each group.
func (r *Report) table(w io.Writer) {
	head, right := []string{"group", "locations", "name", "representative"}, []bool{true, true, false, false}
	if r.Representatives {
		head, right = []string{"representative", "group", "locations", "name"}, []bool{false, true, true, false}
	}
	counted := r.Groups[0].Calls != nil
	if counted {
		head, right = append(head, "calls"), append(right, true)
	}
	var rows [][]string
	for _, g := range r.shown() {
		representative := report.Cell(r.label(&g.Representative))
		row := []string{fmt.Sprint(g.Number), report.Grouped(len(g.Members)), report.Cell(report.Shortened(g.Name, longestName)), representative}
		if r.Representatives {
			row = []string{representative, row[0], row[1], row[2]}
		}
		if counted {
			row = append(row, report.Grouped(*g.Calls))
		}
		rows = append(rows, row)
	}
	fmt.Fprintln(w)
	report.WriteTable(w, head, right, slices.Values(rows))
}

// label is what a location is called among those of all traces.
func (r *Report) label(m *Member) string {
	if len(r.Traces) > 1 {
		return m.LocationLabel + " in " + m.Trace
	}
	return m.LocationLabel
}

// rest tells of what the table does not have.
func (r *Report) rest(w io.Writer) {
	shown := r.shown()
	if more := r.Groups[len(shown):]; len(more) > 0 {
		locations := 0
		for i := range more {
			locations += len(more[i].Members)
		}
		fmt.Fprintf(w, "\nand %s of %s (--limit)\n", report.Plural(len(more), "more group", "more groups"), report.Plural(locations, "location", "locations"))
	}
	if n := len(r.WithoutCalls); n > 0 {
		fmt.Fprintf(w, "\nwithout calls: %s\n", strings.Join(some(r.WithoutCalls, func(m Member) string { return report.Printable(r.label(&m)) }), ", "))
	}
	if r.Untold {
		fmt.Fprintln(w, "\nmemory does not suffice to tell what one group alone has (--memory)")
	}
}

// features tells what groups have that the others lack.
func (r *Report) features(w io.Writer) {
	first := true
	for _, g := range r.shown() {
		only, lacks := texts(&g.Only), texts(&g.Lacks)
		if len(only)+len(lacks) == 0 {
			continue
		}
		if first {
			fmt.Fprintln(w)
			first = false
		}
		if len(only) > 0 {
			fmt.Fprintf(w, "only group %d: %s\n", g.Number, strings.Join(only, "; "))
		}
		if len(lacks) > 0 {
			fmt.Fprintf(w, "not group %d: %s\n", g.Number, strings.Join(lacks, "; "))
		}
	}
}

// texts returns features as text. Pairs and call paths with one of the functions are left out.
func texts(f *Features) (list []string) {
	if len(f.Functions) > 0 {
		list = append(list, strings.Join(some(f.Functions, report.Printable), ", "))
	}
	told := func(name string) bool { return slices.Contains(f.Functions, name) }
	var paths []string
	for _, p := range f.Pairs {
		if !told(p.Callee) && (p.Caller == nil || !told(*p.Caller)) {
			paths = append(paths, pairText(p))
		}
	}
	for _, path := range f.Contexts {
		if !slices.ContainsFunc(path, told) {
			paths = append(paths, strings.Join(path, " > "))
		}
	}
	if paths = slices.Compact(paths); len(paths) > 0 {
		list = append(list, strings.Join(some(paths, report.Printable), ", "))
	}
	if len(f.Counts) > 0 {
		list = append(list, strings.Join(some(f.Counts, func(c Count) string {
			return fmt.Sprintf("%s of %s", report.Plural(c.Calls, "call", "calls"), report.Printable(c.RegionName))
		}), ", "))
	}
	return list
}

func pairText(p Pair) string {
	if p.Caller == nil {
		return p.Callee + " outermost"
	}
	return *p.Caller + " > " + p.Callee
}

// some returns texts of the first entries of a list, and how many there are more.
func some[T any](list []T, text func(T) string) (out []string) {
	for i, e := range list {
		if i == mostFeatures && len(list) > mostFeatures+1 {
			return append(out, fmt.Sprintf("%d more", len(list)-i))
		}
		out = append(out, text(e))
	}
	return out
}

func percent(x float64) string { return fmt.Sprintf("%.4g %%", x*100) }
