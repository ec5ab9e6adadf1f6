package main

import (
	"bufio"
	"context"
	"io"
	"iter"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// findVerb goes to calls and events: the next ones, the ones before, the longest ones, those without a partner.
type findVerb struct {
	selection
	answering
	rows
	after, before string
	longest       int
	unmatched     bool
}

func newFind() *cobra.Command {
	v := &findVerb{}
	cmd := &cobra.Command{
		Use:   "find FILE",
		Short: "Find the next, the previous or the longest calls, and unmatched messages",
		Long: `Find calls or, with --kind, events: the next ones after an instant, the ones before it, the latest
first, or the longest ones of a window. Only the slices of the file that have one are read, so that
the next call of a region is found at once, however far it is. --unmatched lists sends and receives
that never found their partner.`,
		Example: `  pando find run.pando --after 1.5s --region MPI_Allreduce
  pando find run.pando --before 40% --kind BufferFlush --location 'MPI Rank 3'
  pando find run.pando --longest 20 --region 'MPI_*' --from 10% --to 20%
  pando find run.pando --unmatched`,
		Args: arguments("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.OutOrStdout(), args[0]) },
	}
	cmd.Flags().StringVar(&v.after, "after", "", "find what begins at this `TIME` or later (help times)")
	cmd.Flags().StringVar(&v.before, "before", "", "find what begins before this `TIME`, the latest first")
	cmd.Flags().IntVar(&v.longest, "longest", 0, "find the `N` longest calls")
	cmd.Flags().BoolVar(&v.unmatched, "unmatched", false, "find sends and receives without a partner")
	v.addWindow(cmd)
	v.addLocations(cmd)
	v.addRegions(cmd)
	v.addKinds(cmd)
	v.addMinDuration(cmd)
	v.addRows(cmd, "show at most `N` (default 1 with --after and --before, else all)", report.ListColumnNames)
	v.addAnswer(cmd, "print JSON, one object a line", textFormat, jsonFormat, csvFormat)
	for _, flag := range []string{"after", "before", "longest"} {
		completeFixed(cmd, flag, nil)
	}
	completeFiles(cmd)
	return cmd
}

// check finds fault with combinations of flags.
func (v *findVerb) check() error {
	asked := 0
	for _, given := range []bool{v.after != "", v.before != "", v.longest != 0, v.unmatched} {
		if given {
			asked++
		}
	}
	ofCalls := len(v.regions) > 0 || v.minDuration != ""
	switch {
	case asked != 1:
		return usagef("one of --after, --before, --longest and --unmatched is needed")
	case v.longest < 0:
		return usagef("--longest %d is negative", v.longest)
	case len(v.kinds) > 0 && (ofCalls || v.longest > 0 || v.unmatched):
		return usagef("--kind selects events: it goes with --after and --before, and not with --region and --min-duration")
	case v.unmatched && ofCalls:
		return usagef("--region and --min-duration select calls, not ends of messages")
	case v.after != "" && v.from != "" || v.before != "" && v.to != "":
		return usagef("--after stands for --from, --before for --to")
	}
	if err := v.checkRows(); err != nil {
		return err
	}
	if v.limit == 0 && (v.after != "" || v.before != "") {
		v.limit = 1
	}
	return v.choose()
}

func (v *findVerb) run(out io.Writer, path string) error {
	if err := v.check(); err != nil {
		return err
	}
	if v.after != "" {
		v.from = v.after
	}
	if v.before != "" {
		v.to = v.before
	}
	f, window, err := v.open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return v.print(out, func(ctx context.Context, w *bufio.Writer) error {
		l, done := v.listing(w, f, window, report.ListOptions{Format: v.format, Columns: v.columns})
		defer done()
		return columnError(v.list(l, window.WithContext(ctx)))
	})
}

func (v *findVerb) list(l *report.Listing, window *store.Window) error {
	calls := func(all iter.Seq2[trace.Call, error]) error { return l.Calls(firstOf(all, v.limit)) }
	events := func(what string, all iter.Seq2[trace.Event, error]) error {
		return l.Events(what, firstOf(all, v.limit))
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
	case len(v.kinds) > 0 && v.before != "":
		return events("events", window.EventsBackward())
	case len(v.kinds) > 0:
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
