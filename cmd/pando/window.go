package main

import (
	"bufio"
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/cmd/pando/internal/progress"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// windowVerb shows what is in a window of time.
type windowVerb struct {
	selection
	answering
	rows
	calls, messages, events, metrics bool
}

func newWindow() *cobra.Command {
	v := &windowVerb{}
	cmd := &cobra.Command{
		Use:   "window FILE",
		Short: "Show the calls, messages and events of a window of time",
		Long: `Show what is in a window of time: calls and messages if nothing else is asked for. Calls and
messages that reach into the window are shown whole. --region and --min-duration select calls,
--kind selects events.`,
		Example: `  pando window run.pando --from 40% --to +5ms
  pando window run.pando --calls --region 'MPI_*' --min-duration 1ms --limit 20
  pando window run.pando --from 1.5s --to 1.6s --location 'MPI Rank 3' --events
  pando window run.pando --messages --columns send_ticks,receive_ticks,send_bytes -o messages.csv`,
		Args: arguments("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.OutOrStdout(), args[0]) },
	}
	v.addWindow(cmd)
	cmd.Flags().BoolVar(&v.calls, "calls", false, "show calls")
	cmd.Flags().BoolVar(&v.messages, "messages", false, "show messages")
	cmd.Flags().BoolVar(&v.events, "events", false, "show events")
	cmd.Flags().BoolVar(&v.metrics, "metrics", false, "show metric events")
	v.addLocations(cmd)
	v.addRegions(cmd)
	v.addKinds(cmd)
	v.addMinDuration(cmd)
	v.addRows(cmd, "show at most `N` of each", report.ListColumnNames)
	v.addAnswer(cmd, "print JSON, one object a line", textFormat, jsonFormat, csvFormat)
	completeFiles(cmd)
	return cmd
}

// sections decides which sections are shown: those of flags, or else those that the filters are about.
func (v *windowVerb) sections() error {
	ofCalls, ofEvents := len(v.regions) > 0 || v.minDuration != "", len(v.kinds) > 0
	if !v.calls && !v.messages && !v.events && !v.metrics {
		v.events = ofEvents
		v.calls = ofCalls || !ofEvents
		v.messages = !ofCalls && !ofEvents
	}
	switch {
	case ofCalls && !v.calls:
		return usagef("--region and --min-duration select calls, which are not shown: add --calls")
	case ofEvents && !v.events:
		return usagef("--kind selects events, which are not shown: add --events")
	}
	if err := v.checkRows(); err != nil {
		return err
	}
	if err := v.choose(); err != nil {
		return err
	}
	if v.format == report.CSV && v.several() {
		return usagef("a CSV table has rows of one kind: add --calls, --messages, --events or --metrics")
	}
	return nil
}

func (v *windowVerb) run(out io.Writer, path string) error {
	if err := v.sections(); err != nil {
		return err
	}
	f, window, err := v.open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return v.print(out, func(ctx context.Context, w *bufio.Writer) error {
		l, done := v.listing(w, f, window, report.ListOptions{Format: v.format, Limit: v.limit, Columns: v.columns, Headings: v.several()})
		defer done()
		return columnError(v.list(l, window.WithContext(ctx)))
	})
}

// several reports whether more than one kind of thing is shown.
func (v *windowVerb) several() bool {
	n := 0
	for _, shown := range []bool{v.calls, v.messages, v.events, v.metrics} {
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
func (s *selection) listing(w *bufio.Writer, f *report.Trace, window *store.Window, opt report.ListOptions) (l *report.Listing, done func()) {
	from, to := window.Bounds()
	bar := progress.Printing(to - from)
	opt.Window = window
	opt.Progress = func(t int64) { bar.Set(t - from) }
	return report.NewListing(w, f, opt), bar.Done
}
