package clusters

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/pandotrace/pando/analysis/cluster"
	"github.com/pandotrace/pando/internal/report"
)

// LatticeReport is what locations have in common: a concept lattice.
type LatticeReport struct {
	Traces []string `json:"traces"`
	By     string   `json:"by"`
	// Locations and Attributes are the numbers of those with calls, and of the functions, pairs or call paths that they have.
	Locations  int       `json:"locations"`
	Attributes int       `json:"attributes"`
	Concepts   []Concept `json:"concepts"`
}

// Concept is a set of locations with all attributes that they have in common.
type Concept struct {
	// Number is from 1, which has all locations; the last has all attributes.
	Number int `json:"number"`
	// Name is a rule that holds for its locations alone, empty if there are none.
	Name      string `json:"name"`
	Locations int    `json:"locations"`
	// Attributes is how many the locations have in common, Exact how many of the locations have these and no other.
	Attributes int `json:"attributes"`
	Exact      int `json:"exact"`
	// Own are the attributes that no concept above has; all above have fewer.
	Own Features `json:"own"`
	// Above and Below are the numbers of its neighbours: with more locations, and with fewer.
	Above []int `json:"above"`
	Below []int `json:"below"`
}

// NewLattice makes a report of the lattice of clusters. It has most concepts at most, 10,000 if that is 0.
func NewLattice(ctx context.Context, c *cluster.Clusters, from []Source, most int) (*LatticeReport, error) {
	l, err := c.Lattice(ctx, most)
	if err != nil {
		return nil, err
	}
	r := &LatticeReport{By: c.By.String(), Locations: len(c.Members), Attributes: l.Attributes, Concepts: []Concept{}}
	for i := range from {
		r.Traces = append(r.Traces, from[i].Trace.Path)
	}
	for i := range l.Concepts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		o := &l.Concepts[i]
		rule := c.RuleOf(l.Members(i))
		r.Concepts = append(r.Concepts, Concept{
			Number: i + 1, Name: rule.String(), Locations: o.Locations, Attributes: o.Attributes, Exact: o.Exact, Own: features(&o.Own),
			Above: fromOne(o.Above), Below: fromOne(o.Below),
		})
	}
	return r, nil
}

// fromOne returns numbers that count from 1.
func fromOne(list []int) []int {
	out := make([]int, len(list))
	for i, n := range list {
		out[i] = n + 1
	}
	return out
}

// Write writes the lattice as text or JSON.
func (r *LatticeReport) Write(w io.Writer, f report.Format) error {
	if f == report.JSON {
		return report.WriteJSON(w, r)
	}
	p := &report.Printer{To: w}
	fmt.Fprintf(p, "%s: %s with calls, %s of %s\n", report.Printable(strings.Join(r.Traces, ", ")), report.Plural(r.Locations, "location", "locations"),
		report.Plural(len(r.Concepts), "concept", "concepts"), report.Plural(r.Attributes, r.By[:len(r.By)-1], r.By))
	for i := range r.Concepts {
		r.line(p, &r.Concepts[i])
	}
	return p.Err
}

// line writes a concept.
func (r *LatticeReport) line(w io.Writer, c *Concept) {
	fmt.Fprintf(w, "\n%d  %s", c.Number, r.who(c))
	if len(c.Above) > 0 {
		fmt.Fprintf(w, ", below %s", numbers(c.Above))
	}
	fmt.Fprintln(w)
	own := r.own(c)
	switch {
	case len(own) == 0:
	case len(c.Above) == 0:
		fmt.Fprintf(w, "   %s\n", strings.Join(own, ", "))
	default:
		fmt.Fprintf(w, "   also %s\n", strings.Join(own, ", "))
	}
	if c.Exact > 0 && c.Exact < c.Locations {
		fmt.Fprintf(w, "   %s no more than that\n", report.Plural(c.Exact, "location has", "locations have"))
	}
}

// who says which locations a concept has.
func (r *LatticeReport) who(c *Concept) string {
	if c.Locations == 0 {
		return "no location has all"
	}
	return fmt.Sprintf("%s: %s", report.Plural(c.Locations, "location", "locations"), report.Printable(report.Shortened(c.Name, longestName)))
}

// own returns the attributes of its own that a concept has, as texts.
func (r *LatticeReport) own(c *Concept) (list []string) {
	list = append(list, some(c.Own.Functions, report.Printable)...)
	list = append(list, some(c.Own.Pairs, func(p Pair) string { return report.Printable(pairText(p)) })...)
	return append(list, some(c.Own.Contexts, func(path []string) string { return report.Printable(strings.Join(path, " > ")) })...)
}

func numbers(list []int) string {
	return strings.Join(some(list, func(n int) string { return fmt.Sprint(n) }), ", ")
}

// WriteDOT writes the lattice in the language of Graphviz: a box for each concept, those with more locations above.
func (r *LatticeReport) WriteDOT(w io.Writer) error {
	p := &report.Printer{To: w}
	fmt.Fprintln(p, "digraph lattice {\n\trankdir=TB;\n\tnode [shape=box, fontname=\"sans-serif\"];\n\tedge [dir=none];")
	for i := range r.Concepts {
		c := &r.Concepts[i]
		lines := append([]string{r.who(c)}, r.own(c)...)
		for j := range lines {
			lines[j] = dotText(lines[j])
		}
		style := ""
		if c.Exact > 0 { // some group is just this
			style = ", style=bold"
		}
		fmt.Fprintf(p, "\tc%d [label=\"%s\"%s];\n", c.Number, strings.Join(lines, `\n`), style)
	}
	for i := range r.Concepts {
		for _, n := range r.Concepts[i].Below {
			fmt.Fprintf(p, "\tc%d -> c%d;\n", r.Concepts[i].Number, n)
		}
	}
	fmt.Fprintln(p, "}")
	return p.Err
}

// dotText returns a text as a part of a quoted string, in which Graphviz also reads entities of HTML.
func dotText(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", "&amp;").Replace(s)
}
