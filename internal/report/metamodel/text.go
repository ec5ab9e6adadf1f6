package metamodel

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pandotrace/pando/internal/report"
)

// Write writes the model, as a list of names with what they have or with all details.
func (m *Model) Write(to io.Writer, f report.Format, details bool) error {
	if f == report.JSON {
		return report.WriteJSON(to, m)
	}
	w := &report.Printer{To: to}
	if details {
		m.writeDetails(w)
	} else {
		m.writeNames(w)
	}
	return w.Err
}

// writeNames lists what there is, a line for each.
func (m *Model) writeNames(w io.Writer) {
	for _, part := range []struct{ title, record string }{{"Events", event}, {"Definitions", definition}, {"Snapshots, markers, statistics", auxiliary}} {
		section(w, part.title, m.Kinds, func(k Kind) (string, string, bool) {
			return k.Name, listed(k.Fields, func(f Field) string { return f.Name }), k.Record == part.record
		})
	}
	section(w, "Enumerations of fields", m.Enumerations, func(e Enumeration) (string, string, bool) { return e.Name, counted(len(e.Values), "value"), true })
	var verbs []string
	for _, t := range m.Tables {
		if list := strings.Join(t.Verbs, ", "); !slices.Contains(verbs, list) {
			verbs = append(verbs, list)
		}
	}
	for _, list := range verbs {
		section(w, "Tables: pando "+list, m.Tables, func(t Table) (string, string, bool) {
			first, _, _ := strings.Cut(t.Doc, ". ")
			return t.Name, strings.TrimSuffix(first, "."), strings.Join(t.Verbs, ", ") == list
		})
	}
	section(w, "Rows: pando summary --by", m.Summaries, func(s Summary) (string, string, bool) { return s.By, counted(len(s.Columns), "column"), true })
	section(w, "Rules: pando check --only", m.Rules, func(r Rule) (string, string, bool) {
		return r.Rule, listed(r.Conditions, func(c Condition) string { return c.Code }), true
	})
	fmt.Fprintln(w, "pando schema NAME has the details of each, and --json those of all.")
}

// section writes a title, and a line for each thing that line has one for.
func section[T any](w io.Writer, title string, list []T, line func(T) (name, what string, ok bool)) {
	var rows [][]string
	for _, x := range list {
		if name, what, ok := line(x); ok {
			rows = append(rows, []string{name, report.Shortened(what, mostText)})
		}
	}
	fmt.Fprintln(w, title)
	writeRows(w, rows)
	fmt.Fprintln(w)
}

// writeRows writes rows with columns below each other. The last one is of any width.
func writeRows(w io.Writer, rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			line += fmt.Sprintf("  %-*s", widths[i], cell)
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

// mostText is the length of what stands behind a name in a list.
const mostText = 110

func counted(n int, what string) string { return report.Plural(n, what, what+"s") }

// listed returns the names of a list.
func listed[T any](list []T, name func(T) string) string {
	var names []string
	for _, x := range list {
		names = append(names, name(x))
	}
	return strings.Join(names, ", ")
}

// writeDetails writes all that is known.
func (m *Model) writeDetails(w io.Writer) {
	var parts []func()
	add := func(title string, heads []string, rows [][]string, more ...string) {
		parts = append(parts, func() {
			fmt.Fprintln(w, title)
			for _, line := range more {
				fmt.Fprintln(w, line)
			}
			if len(rows) > 0 {
				fmt.Fprintln(w)
				writeRows(w, append([][]string{heads}, rows...))
			}
		})
	}
	for _, k := range m.Kinds {
		add(k.title(), []string{"FIELD", "TYPE", "BITS", "OF", "IS"}, k.rows(), k.pairLines()...)
	}
	for _, s := range m.Spaces {
		add("Ids of the space "+s.Name+" are defined by "+strings.Join(s.DefinedBy, ", "), nil, nil)
	}
	for _, e := range m.Enumerations {
		add("Enumeration "+e.Name, []string{"VALUE", "NAME"}, e.rows())
	}
	for _, t := range m.Tables {
		add(fmt.Sprintf("Table %s (pando %s)", t.Name, strings.Join(t.Verbs, ", ")), columnHeads, rowsOf(t.Columns), t.Doc)
	}
	for _, s := range m.Summaries {
		add("Rows of pando summary --by "+s.By, columnHeads, rowsOf(s.Columns))
	}
	for _, r := range m.Rules {
		add("Rule "+r.Rule+" of pando check", []string{"CODE", "SEVERITY", "WHAT"}, r.rows())
	}
	for i, write := range parts {
		if i > 0 {
			fmt.Fprintln(w)
		}
		write()
	}
}

func (k *Kind) title() string {
	what := map[string]string{event: "Event", definition: "Definition", auxiliary: "Record beside events"}
	return fmt.Sprintf("%s %s, number %d", what[k.Record], k.Name, k.Number)
}

func (k *Kind) rows() (rows [][]string) {
	for _, f := range k.Fields {
		of := ""
		switch {
		case f.Space != nil:
			of = *f.Space
		case f.Enumeration != nil:
			of = *f.Enumeration
		}
		is := "value"
		if f.Structural {
			is = "structure"
		}
		if f.Repeated {
			is += ", repeated"
		}
		rows = append(rows, []string{f.Name, f.Type, strconv.Itoa(int(f.Bits)), of, is})
	}
	return rows
}

func (k *Kind) pairLines() (lines []string) {
	for _, p := range k.Pairs {
		does := "opens"
		if p.Closes {
			does = "closes"
		}
		line := does + " a pair of the family " + p.Family
		if len(p.Keys) > 0 {
			line += ", by " + strings.Join(p.Keys, ", ")
		}
		lines = append(lines, line)
	}
	return lines
}

func (e *Enumeration) rows() (rows [][]string) {
	for _, v := range e.Values {
		rows = append(rows, []string{strconv.FormatUint(v.Value, 10), v.Name})
	}
	return rows
}

func (r *Rule) rows() (rows [][]string) {
	for _, c := range r.Conditions {
		rows = append(rows, []string{c.Code, c.Severity, c.What})
	}
	return rows
}

var columnHeads = []string{"COLUMN", "TYPE", "UNIT", "MEANING"}

func rowsOf(columns []Column) (rows [][]string) {
	for _, c := range columns {
		doc := c.Doc
		if c.With != "" {
			doc += " (with " + c.With + ")"
		}
		typ := c.Type
		if c.Null {
			typ += " or null"
		}
		rows = append(rows, []string{c.Name, typ, c.Unit, doc})
	}
	return rows
}
