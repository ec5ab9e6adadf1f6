package main

import (
	"bufio"
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/cmd/pando/internal/progress"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// windowVerb shows what is in a window of time.
type windowVerb struct {
	verb.Selection
	verb.Answering
	verb.Rows
	calls, messages, events, metrics bool
	pairs                            string
	family                           trace.PairFamily
}

func newWindow() *cobra.Command {
	v := &windowVerb{}
	cmd := &cobra.Command{
		Use:   "window FILE",
		Short: "Show the calls, messages and events of a window of time",
		Long: `Show what is in a window of time: calls and messages if nothing else is asked for. Calls and
messages that reach into the window are shown whole. --region and --min-duration select calls,
--kind selects events.

--pairs FAMILY shows what events open and others close: one-sided operations (rma), I/O (io), locks (lock), spans and what runs on a
GPU in a trace of trace events (span), intervals and arrows (interval, arrow), collective operations on windows (rma-collective). What began
long before the window is shown, too, and found without reading from the begin of the trace.`,
		Example: `  pando window run.pando --from 40% --to +5ms
  pando window run.pando --calls --region 'MPI_*' --min-duration 1ms --limit 20
  pando window run.pando --from 1.5s --to 1.6s --location 'MPI Rank 3' --events
  pando window run.pando --from 1.5s --to 1.5s --pairs io
  pando window run.pando --messages --columns send_ticks,receive_ticks,send_bytes -o messages.csv`,
		Args: verb.Arguments("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.OutOrStdout(), args[0]) },
	}
	v.AddWindow(cmd)
	cmd.Flags().BoolVar(&v.calls, "calls", false, "show calls")
	cmd.Flags().BoolVar(&v.messages, "messages", false, "show messages")
	cmd.Flags().BoolVar(&v.events, "events", false, "show events")
	cmd.Flags().BoolVar(&v.metrics, "metrics", false, "show metric events")
	cmd.Flags().StringVar(&v.pairs, "pairs", "", "show pairs of events of a `FAMILY`: rma, io, lock, span ...")
	verb.CompleteWith(cmd, "pairs", familyNames)
	v.AddLocations(cmd)
	v.AddRegions(cmd)
	v.AddKinds(cmd)
	v.AddMinDuration(cmd)
	v.AddRows(cmd, "show at most `N` of each", report.ListColumnNames)
	v.AddAnswer(cmd, "print JSON, one object a line", verb.TextFormat, verb.JSONFormat, verb.CSVFormat)
	verb.CompleteFiles(cmd)
	return cmd
}

// familyNames are the names of the families of pairs that files list.
func familyNames() (names []string) {
	for _, f := range trace.ItemizedFamilies() {
		names = append(names, f.String())
	}
	return names
}

// sections decides which sections are shown: those of flags, or else those that the filters are about.
func (v *windowVerb) sections() error {
	ofCalls, ofEvents := len(v.Regions) > 0 || v.MinDuration != "", len(v.Kinds) > 0
	if v.pairs != "" {
		var err error
		if v.family, err = trace.ParsePairFamily(v.pairs); err != nil {
			return verb.Usagef("--pairs: %w", err)
		}
	}
	if !v.calls && !v.messages && !v.events && !v.metrics && v.pairs == "" {
		v.events = ofEvents
		v.calls = ofCalls || !ofEvents
		v.messages = !ofCalls && !ofEvents
	}
	switch {
	case ofCalls && !v.calls:
		return verb.Usagef("--region and --min-duration select calls, which are not shown: add --calls")
	case ofEvents && !v.events:
		return verb.Usagef("--kind selects events, which are not shown: add --events")
	}
	if err := v.CheckRows(); err != nil {
		return err
	}
	if err := v.Choose(); err != nil {
		return err
	}
	if v.Format == report.CSV && v.several() {
		return verb.Usagef("a CSV table has rows of one kind: add --calls, --messages, --pairs, --events or --metrics")
	}
	return nil
}

func (v *windowVerb) run(out io.Writer, path string) error {
	if err := v.sections(); err != nil {
		return err
	}
	f, window, err := v.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return v.Print(out, func(ctx context.Context, w *bufio.Writer) error {
		l, done := listing(w, f, window, report.ListOptions{Format: v.Format, Limit: v.Limit, Columns: v.Columns, Headings: v.several()})
		defer done()
		return verb.ColumnError(v.list(l, window.WithContext(ctx)))
	})
}

// several reports whether more than one kind of thing is shown.
func (v *windowVerb) several() bool {
	n := 0
	for _, shown := range []bool{v.calls, v.messages, v.pairs != "", v.events, v.metrics} {
		if shown {
			n++
		}
	}
	return n > 1
}

func (v *windowVerb) list(l *report.Listing, window *store.Window) error {
	for _, section := range []struct {
		shown bool
		print func() error
	}{
		{v.calls, func() error { return l.Calls(window.Calls()) }},
		{v.messages, func() error { return l.Messages(window.Messages()) }},
		{v.pairs != "", func() error { return l.Pairs(v.family, window.Pairs(v.family)) }},
		{v.events, func() error { return l.Events("events", window.Events()) }},
		{v.metrics, func() error { return l.Events("metric events", window.WithKinds(trace.KindMetric).Events()) }},
	} {
		if !section.shown {
			continue
		}
		if err := section.print(); err != nil {
			return err
		}
	}
	return nil
}

// listing starts a listing of a window with a bar of its progress, which done takes away.
func listing(w *bufio.Writer, f *report.Trace, window *store.Window, opt report.ListOptions) (l *report.Listing, done func()) {
	from, to := window.Bounds()
	bar := progress.Printing(to - from)
	opt.Window = window
	opt.Progress = func(t int64) { bar.Set(t - from) }
	return report.NewListing(w, f, opt), bar.Done
}
