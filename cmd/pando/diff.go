package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/analysis/equal"
	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/trace"
)

// diffVerb compares two traces.
type diffVerb struct{ program, sameStart, lenient, json bool }

func newDiff() *cobra.Command {
	v := &diffVerb{}
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare two traces, of whatever formats",
		Long: `Compare two traces record by record: their properties, definitions, events with local times and
attributes, snapshots, markers. Tell where they first differ, and count the differences by location
and kind of record. The exit code is 0 only if nothing differs, and 1 if anything does.

Times count from the start of each trace: from what its clock names as its beginning, or from its
first event if the clock of one of the traces names none (it is 0). They are compared exactly, also
where the clocks have other resolutions. That the traces start at another time, or have another clock,
is one difference, told in one line. Definitions are compared by what they say, and events by what they
name: another numbering of the same definitions is one line, too, and so is another order of them.
Locations and other definitions that say the same several times are matched in their order.

Events are matched by their times, at one time by their order. If a location has the same events in the
same order in both traces, those at other times are counted as moved.

With --same-start, compare times and ids as they are: another start, resolution or numbering is then a
difference of every event. That is for copies of one trace, and for a trace and a part of it.

With --program, compare what the program did on each location, one after the other: calls by the names
of their regions, sends, receives and collective operations by the ranks of their peers and members,
tag and bytes, whatever their times and ids. So two runs can be compared, or traces of one run in two
formats. Locations are matched by rank, then by the order of their definitions.`,
		Example: `  pando diff run.pando scorep-run/traces.otf2
  pando diff monday.pando tuesday.pando
  pando diff --same-start run.pando restored/traces.otf2
  pando diff --program monday.pando tuesday.pando
  pando diff a.pando b.pando --json`,
		Args: arguments("A", "B"),
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.OutOrStdout(), args[0], args[1]) },
	}
	cmd.Flags().BoolVar(&v.lenient, "lenient", false, "accept traces of which parts are missing")
	cmd.Flags().BoolVar(&v.program, "program", false, "compare what the program did, whatever times and ids")
	cmd.Flags().BoolVar(&v.sameStart, "same-start", false, "compare times and ids as they are, not relative to the start of each trace")
	cmd.MarkFlagsMutuallyExclusive("program", "same-start")
	addJSON(cmd, &v.json, "print the outcome as JSON")
	return cmd
}

func (v *diffVerb) run(out io.Writer, pathA, pathB string) error {
	r, err := v.compare(pathA, pathB)
	if err != nil {
		return err
	}
	err = buffered(out, func(w *bufio.Writer) error {
		if v.json {
			return printJSON(w, r)
		}
		printDifferences(w, r)
		return nil
	})
	if err == nil && !r.Equal {
		err = fmt.Errorf("%s and %s differ", pathA, pathB)
	}
	return err
}

func (v *diffVerb) compare(pathA, pathB string) (*equal.Report, error) {
	ctx, stop := interruptible()
	defer stop()
	a, err := convert.Open(pathA, convert.Options{Lenient: v.lenient})
	if err != nil {
		return nil, err
	}
	b, err := convert.Open(pathB, convert.Options{Lenient: v.lenient})
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	bar := newProgress("comparing", "records", recordsOf(a))
	defer bar.done()
	traces := equal.Runs
	switch {
	case v.program:
		traces = equal.Programs
	case v.sameStart:
		traces = equal.Traces
	}
	r, err := traces(ctx, a, b, bar.report)
	return r, errors.Join(err, a.Close(), b.Close())
}

// recordsOf returns the number of records that a trace says it has.
func recordsOf(src trace.Source) (n int64) {
	for _, s := range src.Streams() {
		n += int64(s.Records)
	}
	return n
}

func printDifferences(w io.Writer, r *equal.Report) {
	if r.Equal {
		definitions := ""
		if r.Definitions > 0 {
			definitions = plural(r.Definitions, "definition", "definitions") + ", "
		}
		fmt.Fprintf(w, "equal: %s%s\n", definitions, plural(r.Records, "record", "records"))
		return
	}
	printStart(w, r.Start)
	for _, m := range r.Meta {
		fmt.Fprintf(w, "%s: %q in A, %q in B\n", printable(m.Name), m.A, m.B)
	}
	for _, o := range r.Only {
		fmt.Fprintf(w, "only in %s: %s %q\n", o.In, printable(o.Kind), o.Name)
	}
	if len(r.Parts) == 0 {
		return
	}
	first := r.FirstPart()
	fmt.Fprintf(w, "The first difference is in %s:\n", partName(first))
	d := &first.First
	fmt.Fprintf(w, "  A, %s\n  B, %s\n", recordText(d.A, d.IndexA, d.Time), recordText(d.B, d.IndexB, cmp.Or(d.TimeB, d.Time)))
	fmt.Fprintln(w, countsTable(r.Parts))
}

// countsTable counts the differences by part and kind, with a column for what was moved if anything was.
func countsTable(list []equal.Part) string {
	moved := slices.ContainsFunc(list, func(p equal.Part) bool {
		return slices.ContainsFunc(p.Kinds, func(k equal.KindCount) bool { return k.Moved > 0 })
	})
	columns := []any{"where", "kind", "only in A", "only in B", "changed"}
	if moved {
		columns = append(columns, "moved")
	}
	t := newTable([]string{"only in a", "only in b", "changed", "moved"}, columns...)
	for i := range list {
		for _, k := range list[i].Kinds {
			row := []any{partName(&list[i]), printable(k.Name), grouped(k.OnlyA), grouped(k.OnlyB), grouped(k.Changed), grouped(k.Moved)}
			t.AppendRow(row[:len(columns)])
		}
	}
	return t.Render()
}

// printStart tells in one line when the traces began and what their clocks count.
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
		later = humanSeconds(v) + map[int]string{1: " later", -1: " earlier"}[seconds.Sign()] + ", "
	}
	fmt.Fprintf(w, "start: A began %s, B %s%s; times are compared relative to the start (--same-start compares them as they are)\n", text(&s.A), later, text(&s.B))
}

func partName(p *equal.Part) string {
	if p.Location == nil {
		return p.Name
	}
	return fmt.Sprintf("%s of %d", p.Name, *p.Location)
}

// recordText tells a record, its number, from 0, and its time if it has one.
func recordText(text string, index, time uint64) string {
	if text == "" {
		return fmt.Sprintf("record %s: nothing", grouped(index))
	}
	at := ""
	if time > 0 {
		at = fmt.Sprintf(" at %d", time)
	}
	return fmt.Sprintf("record %s%s: %s", grouped(index), at, printable(text))
}
