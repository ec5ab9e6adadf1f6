package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/internal/report"
)

const summaryHelp = `Add up what a window of time holds: exactly, and at once however long it is.

--by region      how often each region was called, and the time in it: inclusive time is that
                 of all its calls, exclusive time that without the calls inside of them. With
                 recursion inclusive time may be more than the window is long; for programs there
                 is also the time in which at least one call was open (busy).
--by location    calls, exclusive time and messages of each location
--by process     the same of each process
--by location-region  calls of each region on each location
--by pair        messages from location to location, and their bytes as sent
--by collective  collective operations of each communicator, and their bytes
--by metric      the values of each counter on each location

Calls count by their part that lies in the window. The last line adds up all, also what --limit
leaves out.`

// summaryVerb adds up a window.
type summaryVerb struct {
	selection
	answering
	rows
	by, sort string
}

func newSummary() *cobra.Command {
	v := &summaryVerb{}
	cmd := &cobra.Command{
		Use:   "summary FILE",
		Short: "Add up the calls, messages and counters of a window of time",
		Long:  summaryHelp,
		Example: `  pando summary run.pando
  pando summary run.pando --from 40% --to +5ms --limit 10
  pando summary run.pando --by pair --sort count --location 'MPI Rank 3'
  pando summary run.pando --by metric -o counters.csv
  pando summary run.pando --columns region_name,count,exclusive_ticks --format csv`,
		Args: arguments("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.OutOrStdout(), args[0]) },
	}
	v.addWindow(cmd)
	v.addLocations(cmd)
	v.addRegions(cmd)
	cmd.Flags().StringVar(&v.by, "by", "region", "one line for each `THING`: "+strings.Join(report.SummaryKinds(), ", "))
	cmd.Flags().StringVar(&v.sort, "sort", "", "order by this `COLUMN`, the largest first; names in their order")
	v.addRows(cmd, "show at most `N` lines", func() []string { return report.SummaryColumnNames(v.by) })
	v.addAnswer(cmd, "print JSON; integers may exceed 64 bits", textFormat, jsonFormat, csvFormat)
	completeFixed(cmd, "by", report.SummaryKinds())
	completeWith(cmd, "sort", func() []string { return report.SummarySortNames(v.by) })
	completeFiles(cmd)
	return cmd
}

// check finds fault with combinations of flags.
func (v *summaryVerb) check() error {
	switch {
	case !slices.Contains(report.SummaryKinds(), v.by):
		return usagef("--by %s: there are lines by %s%s", v.by, strings.Join(report.SummaryKinds(), ", "), didYouMean(v.by, report.SummaryKinds()))
	case len(v.regions) > 0 && !report.SummaryHasCalls(v.by):
		return usagef("--region selects calls, of which --by %s has none", v.by)
	}
	if err := v.checkRows(); err != nil {
		return err
	}
	return v.choose()
}

func (v *summaryVerb) run(out io.Writer, path string) error {
	if err := v.check(); err != nil {
		return err
	}
	f, window, err := v.open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	opt := report.SummaryOptions{By: v.by, Sort: v.sort, Limit: v.limit, Columns: v.columns}
	if len(v.locations) > 0 {
		if opt.Locations, err = f.FindLocations(v.locations); err != nil {
			return err
		}
	}
	s, err := report.NewSummary(f, window, opt)
	var option *report.OptionError
	if errors.As(err, &option) {
		return usagef("--%s %s: %s", option.Option, option.Value, option.Reason)
	}
	if err != nil {
		return err
	}
	return v.print(out, func(_ context.Context, w *bufio.Writer) error { return s.Write(w, v.format) })
}
