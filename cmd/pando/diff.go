package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/convert/compare"
	"github.com/pandotrace/pando/trace"
)

// diffVerb compares two traces.
type diffVerb struct{ program, lenient, json bool }

func newDiff() *cobra.Command {
	v := &diffVerb{}
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare two traces, of whatever formats",
		Long: `Compare two traces record by record: their properties, definitions, events with local times and
attributes, snapshots, markers. Tell where they first differ, and count the differences by location
and kind of record. Events are matched by their times, at one time by their order; definitions by
their ids, those without by what they say; that they stand in another order is told once. The exit code is 0 only if nothing differs, and 1 if anything does.

With --program, compare what the program did on each location, one after the other: calls by the names
of their regions, sends, receives and collective operations by the ranks of their peers and members,
tag and bytes, whatever their times and ids. So two runs can be compared, or traces of one run in two
formats. Locations are matched by rank, then by the order of their definitions.`,
		Example: `  pando diff run.pando scorep-run/traces.otf2
  pando diff --program monday.pando tuesday.pando
  pando diff a.pando b.pando --json`,
		Args: arguments("A", "B"),
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.OutOrStdout(), args[0], args[1]) },
	}
	cmd.Flags().BoolVar(&v.lenient, "lenient", false, "accept traces of which parts are missing")
	cmd.Flags().BoolVar(&v.program, "program", false, "compare what the program did, whatever times and ids")
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

func (v *diffVerb) compare(pathA, pathB string) (*compare.Report, error) {
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
	traces := compare.Traces
	if v.program {
		traces = compare.Programs
	}
	r, err := traces(ctx, a, b, func(n uint64) { bar.set(int64(n)) })
	return r, errors.Join(err, a.Close(), b.Close())
}

// recordsOf returns the number of records that a trace says it has.
func recordsOf(src trace.Source) (n int64) {
	for _, s := range src.Streams() {
		n += int64(s.Records)
	}
	return n
}

func printDifferences(w io.Writer, r *compare.Report) {
	if r.Equal {
		definitions := ""
		if r.Definitions > 0 {
			definitions = plural(r.Definitions, "definition", "definitions") + ", "
		}
		fmt.Fprintf(w, "equal: %s%s\n", definitions, plural(r.Records, "record", "records"))
		return
	}
	for _, m := range r.Meta {
		fmt.Fprintf(w, "%s: %q in A, %q in B\n", printable(m.Name), m.A, m.B)
	}
	if len(r.Parts) == 0 {
		return
	}
	first := r.First()
	fmt.Fprintf(w, "The first difference is in %s:\n", partName(first))
	fmt.Fprintf(w, "  A, %s\n  B, %s\n", recordText(first.First.A, first.First.IndexA, first), recordText(first.First.B, first.First.IndexB, first))
	t := newTable([]string{"only in a", "only in b", "changed"}, "where", "kind", "only in A", "only in B", "changed")
	for i := range r.Parts {
		for _, k := range r.Parts[i].Kinds {
			t.AppendRow([]any{partName(&r.Parts[i]), printable(k.Name), grouped(k.OnlyA), grouped(k.OnlyB), grouped(k.Changed)})
		}
	}
	fmt.Fprintln(w, t.Render())
}

func partName(p *compare.Part) string {
	if p.Location == nil {
		return p.Name
	}
	return fmt.Sprintf("%s of %d", p.Name, *p.Location)
}

// recordText tells a record, its number, from 0, and its time if it has one.
func recordText(text string, index uint64, p *compare.Part) string {
	if text == "" {
		return fmt.Sprintf("record %s: nothing", grouped(index))
	}
	at := ""
	if p.First.Time > 0 {
		at = fmt.Sprintf(" at %d", p.First.Time)
	}
	return fmt.Sprintf("record %s%s: %s", grouped(index), at, printable(text))
}
