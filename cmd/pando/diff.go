package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/analysis/equal"
	"github.com/pandotrace/pando/cmd/pando/internal/outputs"
	"github.com/pandotrace/pando/cmd/pando/internal/progress"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/edit"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/trace"
)

// diffVerb compares two traces.
type diffVerb struct {
	verb.Answering
	program, sameStart, lenient, quiet bool
	tolerance                          string
}

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
formats. Locations are matched by rank, then by the order of their definitions.

With --tolerance, events are matched by their order on each location. Their times may be apart by the
bound, or by what the traces say that was left out of them (recorded), as may the values of counters for
which they say so. All else must be the same, and no order of two events may be reversed, on one
location or across locations: then no message arrives before it was sent that did not do so before.
The largest and the mean deviation of each column are printed.`,
		Example: `  pando diff run.pando scorep-run/traces.otf2
  pando diff monday.pando tuesday.pando
  pando diff --same-start run.pando restored/traces.otf2
  pando diff --program monday.pando tuesday.pando
  pando diff --tolerance recorded run.pando small.pando
  pando diff a.pando b.pando --json`,
		Args: verb.Arguments("A", "B"),
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.OutOrStdout(), args[0], args[1]) },
	}
	cmd.Flags().BoolVar(&v.lenient, "lenient", false, "accept traces of which parts are missing or cut off")
	cmd.Flags().BoolVar(&v.program, "program", false, "compare what the program did, whatever times and ids")
	cmd.Flags().BoolVar(&v.sameStart, "same-start", false, "compare times and ids as they are, not relative to the start of each trace")
	cmd.Flags().StringVar(&v.tolerance, "tolerance", "", "let times be apart by `TIME` (1us), or what was left out by as much as the traces say (recorded)")
	verb.CompleteFixed(cmd, "tolerance", []string{recorded})
	cmd.MarkFlagsMutuallyExclusive("program", "same-start", "tolerance")
	v.AddAnswer(cmd, "print the outcome as JSON", verb.TextFormat, verb.JSONFormat)
	verb.AddQuiet(cmd, &v.quiet, "print no outcome: the exit code tells it")
	verb.CompleteTraces(cmd)
	return cmd
}

func (v *diffVerb) run(out io.Writer, pathA, pathB string) error {
	if err := v.Choose(); err != nil {
		return err
	}
	if v.quiet && v.Output != "" {
		return verb.Usagef("--quiet prints nothing that --output could take")
	}
	r, err := v.compare(pathA, pathB)
	if err != nil {
		return err
	}
	if !v.quiet {
		err = v.Write(out, report.Difference{Report: r})
	}
	if err == nil && !r.Equal {
		err = fmt.Errorf("%s and %s differ", pathA, pathB)
	}
	return err
}

func (v *diffVerb) compare(pathA, pathB string) (*equal.Report, error) {
	ctx, stop := verb.Interruptible()
	defer stop()
	if pathA == outputs.Standard && pathB == outputs.Standard {
		return nil, verb.Usagef("only one of the traces can come from standard input")
	}
	a, err := v.open(ctx, pathA)
	if err != nil {
		return nil, err
	}
	b, err := v.open(ctx, pathB)
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	if err := sameCallsLeft(a.Meta(), b.Meta()); err != nil {
		return nil, errors.Join(err, a.Close(), b.Close())
	}
	bar := (*progress.Bar)(nil)
	if !v.quiet {
		bar = progress.New("comparing", "records", recordsOf(a))
	}
	defer bar.Done()
	traces := equal.Runs
	switch {
	case v.tolerance != "":
		var bounds []trace.Bound
		if bounds, err = v.bounds(a.Meta(), b.Meta()); err != nil {
			return nil, errors.Join(err, a.Close(), b.Close())
		}
		traces = func(ctx context.Context, a, b trace.Source, progress trace.Progress) (*equal.Report, error) {
			return equal.Within(ctx, a, b, bounds, progress)
		}
	case v.program:
		traces = equal.Programs
	case v.sameStart:
		traces = equal.Traces
	}
	r, err := traces(ctx, a, b, bar.Report)
	return r, errors.Join(err, a.Close(), b.Close())
}

// recorded is the tolerance that traces name themselves.
const recorded = "recorded"

// bounds returns how far values may be apart.
func (v *diffVerb) bounds(a, b *trace.Meta) ([]trace.Bound, error) {
	if v.tolerance != recorded {
		flags := lossFlags{times: v.tolerance, name: "tolerance"}
		n, err := flags.ticks(max(a.Resolution, 1))
		if err != nil {
			return nil, err
		}
		return []trace.Bound{trace.TimeBound(n)}, nil
	}
	if a.Loss == nil && b.Loss == nil {
		return nil, verb.Usagef("--tolerance recorded: neither trace says that anything was left out of it")
	}
	return slices.DeleteFunc(edit.ApartLoss(a.Loss, b.Loss), func(b trace.Bound) bool { return b.Class == trace.LossCalls }), nil
}

// sameCallsLeft returns an error if other calls were left out of one trace than of the other: each of these would be a difference.
func sameCallsLeft(a, b *trace.Meta) error {
	x, y := report.LeftOut(a), report.LeftOut(b)
	if x == y {
		return nil
	}
	return fmt.Errorf("traces of which unlike calls were left out cannot be compared record by record: of A, %s; of B, %s", x, y)
}

// open opens a trace of any format.
func (v *diffVerb) open(ctx context.Context, path string) (trace.Source, error) {
	t, err := verb.FindTrace(ctx, path, convert.Options{Lenient: v.lenient})
	if err != nil {
		return nil, err
	}
	return t.OpenOnce(ctx)
}

// recordsOf returns the number of records that a trace says it has.
func recordsOf(src trace.Source) (n int64) {
	for _, s := range src.Streams() {
		n += int64(s.Records)
	}
	return n
}
