package report

import (
	"cmp"
	"fmt"
	"io"
	"math/big"
	"slices"

	"github.com/pandotrace/pando/analysis/equal"
)

// Difference is the outcome of comparing two traces.
type Difference struct{ *equal.Report }

func (o Difference) writeText(w io.Writer) {
	r := o.Report
	for _, line := range r.Tolerance.Lines(Duration, Grouped[uint64]) {
		fmt.Fprintln(w, line)
	}
	if r.Equal {
		definitions := ""
		if r.Definitions > 0 {
			definitions = Plural(r.Definitions, "definition", "definitions") + ", "
		}
		fmt.Fprintf(w, "equal: %s%s\n", definitions, Plural(r.Records, "record", "records"))
		return
	}
	printStart(w, r.Start)
	for _, m := range r.Meta {
		fmt.Fprintf(w, "%s: %q in A, %q in B\n", Printable(m.Name), m.A, m.B)
	}
	for _, o := range r.Only {
		fmt.Fprintf(w, "only in %s: %s %q\n", o.In, Printable(o.Kind), o.Name)
	}
	if len(r.Parts) == 0 {
		return
	}
	first := r.FirstPart()
	fmt.Fprintf(w, "The first difference is in %s:\n", partName(first))
	d := &first.First
	fmt.Fprintf(w, "  A, %s\n  B, %s\n", recordText(d.A, d.IndexA, d.Time), recordText(d.B, d.IndexB, cmp.Or(d.TimeB, d.Time)))
	countsTable(r.Parts).write(w)
}

// countsTable returns the numbers of differences by part and kind, with a column of moved events if there are any.
func countsTable(list []equal.Part) *table {
	moved := slices.ContainsFunc(list, func(p equal.Part) bool {
		return slices.ContainsFunc(p.Kinds, func(k equal.KindCount) bool { return k.Moved > 0 })
	})
	columns := []string{"where", "kind", "only in A", "only in B", "changed"}
	if moved {
		columns = append(columns, "moved")
	}
	t := newTable([]string{"only in a", "only in b", "changed", "moved"}, columns...)
	for i := range list {
		for _, k := range list[i].Kinds {
			row := []any{partName(&list[i]), Printable(k.Name), Grouped(k.OnlyA), Grouped(k.OnlyB), Grouped(k.Changed), Grouped(k.Moved)}
			t.row(row[:len(columns)]...)
		}
	}
	return t
}

// printStart writes when the traces began and the resolution of their clocks, in one line.
func printStart(w io.Writer, s *equal.Start) {
	if s == nil {
		return
	}
	text := func(b *equal.Beginning) string {
		at := fmt.Sprintf("at tick %d (%d per second)", b.Tick, b.Resolution)
		if began := b.TimeOfDay(); began != "" {
			return began + ", " + at
		}
		return at
	}
	later := ""
	if seconds, ok := s.Delay(); ok && seconds.Sign() != 0 {
		v, _ := new(big.Rat).Abs(seconds).Float64()
		later = Duration(v) + map[int]string{1: " later", -1: " earlier"}[seconds.Sign()] + ", "
	}
	fmt.Fprintf(w, "start: A began %s, B %s%s; times are compared relative to the start (--same-start compares them as they are)\n", text(&s.A), later, text(&s.B))
}

func partName(p *equal.Part) string {
	if p.Location == nil {
		return p.Name
	}
	return fmt.Sprintf("%s of %d", p.Name, *p.Location)
}

// recordText returns a record as text with its number, from 0, and its time if it has one.
func recordText(text string, index, time uint64) string {
	if text == "" {
		return fmt.Sprintf("record %s: nothing", Grouped(index))
	}
	at := ""
	if time > 0 {
		at = fmt.Sprintf(" at %d", time)
	}
	return fmt.Sprintf("record %s%s: %s", Grouped(index), at, Printable(text))
}
