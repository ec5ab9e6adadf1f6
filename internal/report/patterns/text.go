package patterns

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/analysis/pattern"
	"github.com/pandotrace/pando/internal/report"
)

// nameOf says a pattern in words: "4 x 2 grid, wavefront".
func nameOf(p *pattern.Pattern) string {
	name := p.Class.String()
	switch p.Class {
	case pattern.Silent:
		return "no messages"
	case pattern.Star:
		return fmt.Sprintf("star around rank %d", p.Root)
	case pattern.Tree:
		if p.Arity == 0 {
			return "binomial tree"
		}
		return fmt.Sprintf("tree of %d children", p.Arity)
	case pattern.Grid, pattern.Torus:
		var sizes []string
		for _, n := range p.Sizes {
			sizes = append(sizes, strconv.Itoa(n))
		}
		name = strings.Join(sizes, " x ") + " " + name
		if open := len(p.Wraps) - count(p.Wraps); p.Class == pattern.Torus && open > 0 {
			name += fmt.Sprintf(" (%d of %d dimensions are open)", open, len(p.Wraps))
		}
	}
	if p.Corners {
		name += " with diagonals"
	}
	if p.Topology != nil {
		name += strings.TrimRight(" on topology "+report.Printable(p.Topology.Name), " ")
	}
	if p.Wave {
		name += ", wavefront"
	}
	return name
}

func count(list []bool) (n int) {
	for _, x := range list {
		if x {
			n++
		}
	}
	return n
}

func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 1, 64) + " %" }

func (r *Report) writeText(to io.Writer) error {
	w := &report.Printer{To: to}
	switch {
	case r.Loops:
		r.writeLoops(w)
	case len(r.Phases) == 1:
		r.writePhase(w, &r.Phases[0])
	default:
		r.writePhases(w)
	}
	return w.Err
}

// writePhase writes all of one phase.
func (r *Report) writePhase(w io.Writer, p *Phase) {
	fmt.Fprintf(w, "%s: %s of %s between %s\n", report.Printable(r.Trace), report.Plural(p.Messages, "message", "messages"), report.Size(p.Bytes),
		report.Plural(r.Ranks, "rank", "ranks"))
	fmt.Fprintf(w, "  pattern    %s\n", p.Pattern.Name)
	if p.Pattern.Messages > 0 {
		fmt.Fprintf(w, "  explained  %s of the messages, %s of the bytes\n", percent(p.Pattern.Messages), percent(p.Pattern.Bytes))
	}
	if p.Messages > 0 {
		fmt.Fprintf(w, "  partners   %s a rank; %s\n", strconv.FormatFloat(p.Partners, 'f', 1, 64), report.Plural(p.Pairs, "pair", "pairs"))
	}
	if p.Unranked > 0 {
		fmt.Fprintf(w, "  left out   %s of which an end is no rank of MPI\n", report.Plural(p.Unranked, "message", "messages"))
	}
	if len(p.Templates) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s: messages that are alike but for the rank that sends them\n", report.Plural(p.TemplateCount, "template", "templates"))
	var rows [][]string
	for i := range p.Templates {
		t := &p.Templates[i]
		rows = append(rows, []string{t.way(), orAny(t.Tag), orAny(t.Length), report.Cell(t.Communicator), report.Grouped(t.Messages),
			percent(float64(t.Messages) / float64(p.Messages)), strconv.Itoa(t.Senders)})
	}
	report.WriteTable(w, []string{"shift", "tag", "bytes", "communicator", "messages", "share", "senders"}, []bool{true, true, true, false, true, true, true}, slices.Values(rows))
	if n := p.TemplateCount - len(p.Templates); n > 0 {
		fmt.Fprintf(w, "and %s more: --limit 0\n", report.Grouped(n))
	}
}

// way says how far away the receiver is: "+4", or "(0,+1)" on a topology.
func (t *Template) way() string {
	if t.Step == nil {
		return fmt.Sprintf("%+d", *t.Shift)
	}
	var steps []string
	for _, n := range t.Step {
		if n == 0 {
			steps = append(steps, "0")
		} else {
			steps = append(steps, fmt.Sprintf("%+d", n))
		}
	}
	return "(" + strings.Join(steps, ",") + ")"
}

func orAny(n *uint64) string {
	if n == nil {
		return "any"
	}
	return report.Grouped(*n)
}

// writePhases writes a line for each phase. Phases that follow each other with the same pattern are one line.
func (r *Report) writePhases(w io.Writer) {
	fmt.Fprintf(w, "%s: %s between %s\n\n", report.Printable(r.Trace), report.Plural(len(r.Phases), "period", "periods"), report.Plural(r.Ranks, "rank", "ranks"))
	var rows [][]string
	for i := 0; i < len(r.Phases); {
		first, messages, bytes, least := &r.Phases[i], uint64(0), uint64(0), 1.0
		for i < len(r.Phases) && r.Phases[i].Pattern.Name == first.Pattern.Name {
			p := &r.Phases[i]
			messages, bytes, least = messages+p.Messages, bytes+p.Bytes, min(least, p.Pattern.Messages)
			i++
		}
		explained := ""
		if first.Pattern.Messages > 0 {
			explained = percent(least)
		}
		rows = append(rows, []string{r.duration(first.FromTicks), r.duration(r.Phases[i-1].ToTicks), first.Pattern.Name, report.Grouped(messages), report.Size(bytes), explained})
	}
	report.WriteTable(w, []string{"from", "to", "pattern", "messages", "size", "explained"}, []bool{true, true, false, true, true, true}, slices.Values(rows))
}

// writeLoops writes a line for each phase, and what loops consist of.
func (r *Report) writeLoops(w io.Writer) {
	fmt.Fprintf(w, "%s: %s between %s\n\n", report.Printable(r.Trace), report.Plural(len(r.Phases), "phase", "phases"), report.Plural(r.Ranks, "rank", "ranks"))
	var rows [][]string
	for i := range r.Phases {
		p, explained := &r.Phases[i], ""
		if p.Pattern.Messages > 0 {
			explained = percent(p.Pattern.Messages)
		}
		rows = append(rows, []string{r.duration(p.FromTicks), r.duration(p.ToTicks), report.Cell(r.name(i)), p.Pattern.Name, report.Grouped(p.Messages), report.Size(p.Bytes), explained})
	}
	report.WriteTable(w, []string{"from", "to", "phase", "pattern", "messages", "size", "explained"}, []bool{true, true, false, false, true, true, true}, slices.Values(rows))
	for i := range r.Phases {
		if l := r.Phases[i].Loop; l != nil && len(l.Body) > 0 {
			fmt.Fprintf(w, "\n%s, %s of the time: %s\n", report.Printable(l.Title), percent(l.Share), report.Printable(strings.Join(l.Body, ", ")))
		}
	}
}

func (r *Report) duration(ticks int64) string {
	return report.Duration(float64(ticks) / float64(r.TicksPerSecond))
}
