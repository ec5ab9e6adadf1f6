package main

import (
	"bufio"
	"context"
	"io"
	"iter"
	"slices"

	"github.com/pandotrace/pando/cmd/pando/internal/progress"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/convert/columnar"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/shapes"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// findVerb goes to calls and events: the next ones, the ones before, the longest ones, those without a partner.
type findVerb struct {
	verb.Selection
	verb.Answering
	verb.Rows
	after, before string
	longest       int
	unusual       int
	unmatched     bool
}

func newFind() *cobra.Command {
	v := &findVerb{}
	cmd := &cobra.Command{
		Use:   "find FILE",
		Short: "Find the next, the previous, the longest or unusual calls, and unmatched messages",
		Long: `Find calls or, with --kind, events: the next ones after an instant, the ones before it, the latest
first, or the longest ones of a window. Only the slices of the file that have one are read, so that
the next call of a region is found at once, however far it is. --unmatched lists sends and receives
that never found their partner. --unusual lists the calls whose exclusive time differs most from what
is usual among like calls, of which pando shapes prints the classes. Calls of regions that wait for
others are left out, unless --region chooses some.`,
		Example: `  pando find run.pando --after 1.5s --region MPI_Allreduce
  pando find run.pando --before 40% --kind BufferFlush --location 'MPI Rank 3'
  pando find run.pando --longest 20 --region 'MPI_*' --from 10% --to 20%
  pando find run.pando --unusual 20
  pando find run.pando --unmatched`,
		Args: verb.Arguments("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.OutOrStdout(), args[0]) },
	}
	cmd.Flags().StringVar(&v.after, "after", "", "find what begins at this `TIME` or later (help times)")
	cmd.Flags().StringVar(&v.before, "before", "", "find what begins before this `TIME`, the latest first")
	cmd.Flags().IntVar(&v.longest, "longest", 0, "find the `N` longest calls")
	cmd.Flags().IntVar(&v.unusual, "unusual", 0, "find the `N` calls that differ most from like calls")
	cmd.Flags().BoolVar(&v.unmatched, "unmatched", false, "find sends and receives without a partner")
	v.AddWindow(cmd)
	v.AddLocations(cmd)
	v.AddRegions(cmd)
	v.AddKinds(cmd)
	v.AddMinDuration(cmd)
	v.AddRows(cmd, "show at most `N` (default 1 with --after and --before, else all)", report.ListColumnNames)
	v.AddAnswer(cmd, "print JSON, one object a line", verb.TextFormat, verb.JSONFormat, verb.CSVFormat)
	for _, flag := range []string{"after", "before", "longest", "unusual"} {
		verb.CompleteFixed(cmd, flag, nil)
	}
	verb.CompleteFiles(cmd)
	return cmd
}

// check finds fault with combinations of flags.
func (v *findVerb) check() error {
	asked := 0
	for _, given := range []bool{v.after != "", v.before != "", v.longest != 0, v.unusual != 0, v.unmatched} {
		if given {
			asked++
		}
	}
	ofCalls := len(v.Regions) > 0 || v.MinDuration != ""
	switch {
	case asked != 1:
		return verb.Usagef("exactly one of --after, --before, --longest N, --unusual N and --unmatched is needed: for what is between two times, pando window --from --to")
	case v.longest < 0:
		return verb.Usagef("--longest %d is negative", v.longest)
	case v.unusual < 0:
		return verb.Usagef("--unusual %d is negative", v.unusual)
	case v.unusual > 0 && (v.MinDuration != "" || len(v.Columns) > 0 || v.Limit > 0):
		return verb.Usagef("--min-duration, --columns and --limit do not go with --unusual")
	case len(v.Kinds) > 0 && (ofCalls || v.longest > 0 || v.unusual > 0 || v.unmatched):
		return verb.Usagef("--kind selects events: it goes with --after and --before, and not with --region and --min-duration")
	case v.unmatched && ofCalls:
		return verb.Usagef("--region and --min-duration select calls, not ends of messages")
	case v.after != "" && v.From != "" || v.before != "" && v.To != "":
		return verb.Usagef("--after stands for --from, --before for --to")
	}
	if err := v.CheckRows(); err != nil {
		return err
	}
	if v.Limit == 0 && (v.after != "" || v.before != "") {
		v.Limit = 1
	}
	return v.Choose()
}

func (v *findVerb) run(out io.Writer, path string) error {
	if err := v.check(); err != nil {
		return err
	}
	if v.after != "" {
		v.From = v.after
	}
	if v.before != "" {
		v.To = v.before
	}
	f, window, err := v.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if v.unusual > 0 {
		return v.printUnusual(out, f, window)
	}
	return v.Print(out, func(ctx context.Context, w *bufio.Writer) error {
		l, done := listing(w, f, window, report.ListOptions{Format: v.Format, Columns: v.Columns})
		defer done()
		return verb.ColumnError(v.list(l, window.WithContext(ctx)))
	})
}

// printUnusual prints the calls that differ most from like calls.
func (v *findVerb) printUnusual(out io.Writer, f *report.Trace, window *store.Window) error {
	ctx, stop := verb.Interruptible()
	defer stop()
	bar := progress.New("comparing calls", "events", 0)
	q := &shapes.Question{Trace: f, Window: window}
	q.Options.Unusual, q.Waits, q.Progress = v.unusual, len(v.Regions) > 0, bar.Report
	r, err := shapes.Find(ctx, q)
	if bar.Done(); err != nil {
		return err
	}
	return v.Print(out, func(ctx context.Context, w *bufio.Writer) error {
		if v.Format != report.CSV {
			return r.WriteUnusual(w, v.Format)
		}
		set, err := r.Tables([]string{"unusual"})
		if err == nil {
			_, err = set.Write(ctx, w, set.Tables[0], columnar.Options{Format: columnar.CSV})
		}
		return err
	})
}

func (v *findVerb) list(l *report.Listing, window *store.Window) error {
	calls := func(all iter.Seq2[trace.Call, error]) error { return l.Calls(firstOf(all, v.Limit)) }
	events := func(what string, all iter.Seq2[trace.Event, error]) error {
		return l.Events(what, firstOf(all, v.Limit))
	}
	switch {
	case v.unmatched:
		return events("unmatched ends of messages", window.UnmatchedMessageEnds())
	case v.longest > 0:
		longest, err := window.LongestCalls(v.longest)
		if err != nil {
			return err
		}
		return calls(withoutErrors(slices.Values(longest)))
	case len(v.Kinds) > 0 && v.before != "":
		return events("events", window.EventsBackward())
	case len(v.Kinds) > 0:
		return events("events", window.Events())
	case v.before != "":
		return calls(window.CallsByStartBackward())
	}
	return calls(window.CallsByStart())
}

func withoutErrors[T any](all iter.Seq[T]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for v := range all {
			if !yield(v, nil) {
				return
			}
		}
	}
}

// firstOf yields the first n, or all for 0, without a remark about more.
func firstOf[T any](all iter.Seq2[T, error], n int) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		left := n
		for v, err := range all {
			if left--; !yield(v, err) || left == 0 {
				return
			}
		}
	}
}
