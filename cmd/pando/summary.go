package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/cmd/pando/internal/outputs"
	"github.com/pandotrace/pando/cmd/pando/internal/progress"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/summary"
)

const summaryHelp = `Add up what a window of time holds: exactly, and at once however long it is.

--by region      how often each region was called, and the time in it: inclusive time is that
                 of all its calls, exclusive time that without the calls inside of them. Next to
                 it, how exclusive time is divided among the ranks: min, mean, max, standard
                 deviation, max/mean - 1 (imbalance) and the rank with the most. A rank that does
                 not call counts with no time. Definitions of one name, source file and line are
                 one region
--by definition  the same for each definition of a region
--by location    calls of each location, its time by activity (computation, MPI, OpenMP, I/O, idle),
                 and messages; the activities add up to the window
--by process     the same of each process
--by region,location  a table of exclusive time by region and location; as JSON and CSV all numbers
--by pair        messages from location to location, and their bytes as sent
--by matrix      who sent how much to whom, rank by rank: a map; as JSON and CSV a row for each pair
--by collective  collective operations of each communicator, and their bytes
--by metric      the values of each counter on each location
--by callpath    calls of each call path as a tree: which function called which, and what share of
                 the time each path takes, over all and by rank. Text has paths of 1% or more,
                 unless --min-share, --depth or --limit say which. -o writes the whole tree for other
                 programs: x.folded for flamegraph.pl, inferno and difffolded.pl, x.pb.gz for pprof,
                 x.speedscope.json, x.hatchet.json, and x.svg, a flame graph with search and zoom for
                 a browser

--times adds how long messages took from send to receive, and collective operations from the first
begin to the last end; for it each of them is read. --every makes a series: the same lines for each
interval of the window, in a terminal as a course of the column that --sort names.

-o NAME.png or NAME.svg draws --by matrix as a map of what --measure names, and a series as areas on
top of each other.

Calls count by their part that lies in the window. The last line adds up all, also what --limit
leaves out.`

// summaryVerb adds up a window.
type summaryVerb struct {
	verb.Selection
	verb.Answering
	verb.Rows
	by, sort       string
	every, measure string
	times          bool
	paths          callPaths
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
  pando summary run.pando --by region,location --region 'MPI_*'
  pando summary run.pando --by location --every 1% --sort mpi
  pando summary run.pando --by matrix --measure latency
  pando summary run.pando --by matrix -o matrix.svg
  pando summary run.pando --every 1% -o shares.png
  pando summary run.pando --by metric -o counters.csv
  pando summary run.pando --columns region_name,count,exclusive_ticks --format csv
  pando summary run.pando --by callpath --min-share 5%
  pando summary run.pando --by callpath -o run.svg`,
		Args: verb.Arguments("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.OutOrStdout(), args[0]) },
	}
	v.AddWindow(cmd)
	v.AddLocations(cmd)
	v.AddRegions(cmd)
	cmd.Flags().StringVar(&v.by, "by", "region", "one line for each `THING`: "+strings.Join(summary.Kinds(), "; "))
	cmd.Flags().StringVar(&v.sort, "sort", "", "order by this `COLUMN`, the largest first; names in their order")
	cmd.Flags().StringVar(&v.every, "every", "", "make a series: the lines for each interval of this `TIME`")
	cmd.Flags().BoolVar(&v.times, "times", false, "add how long messages and collective operations took")
	cmd.Flags().StringVar(&v.measure, "measure", "", "what --by matrix shows: count, bytes, time or latency (`MEASURE`)")
	v.AddRows(cmd, "show at most `N` lines", func() []string { return summary.ColumnNames(v.by) })
	v.AddAnswer(cmd, "print JSON; integers may exceed 64 bits", summaryFormats()...)
	v.paths.add(cmd)
	verb.CompleteFixed(cmd, "by", summary.Kinds())
	verb.CompleteWith(cmd, "sort", func() []string { return summary.SortNames(v.by) })
	verb.CompleteFiles(cmd)
	return cmd
}

// check finds fault with combinations of flags.
func (v *summaryVerb) check(out io.Writer) error {
	switch {
	case !slices.Contains(summary.Kinds(), v.by):
		return verb.Usagef("--by %s: there are lines by %s%s", v.by, strings.Join(summary.Kinds(), "; "), verb.DidYouMean(v.by, summary.Kinds()))
	case len(v.Regions) > 0 && v.by == summary.ByCallPath:
		return verb.Usagef("--region selects calls by themselves, --by callpath by what is around them: look for the region in -o FILE.svg")
	case len(v.Regions) > 0 && !summary.HasCalls(v.by):
		return verb.Usagef("--region selects calls, of which --by %s has none", v.by)
	}
	if err := v.CheckRows(); err != nil {
		return err
	}
	if err := v.Choose(); err != nil {
		return err
	}
	if err := v.paths.check(v, out); err != nil {
		return err
	}
	return v.checkPicture(out)
}

func (v *summaryVerb) run(out io.Writer, path string) error {
	if err := v.check(out); err != nil {
		return err
	}
	f, window, err := v.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	opt := summary.Options{By: v.by, Sort: v.sort, Limit: v.Limit, Columns: v.Columns, Times: v.times, Measure: report.Measure(v.measure), Width: textWidth(out),
		PathOptions: v.paths.opt}
	if v.by == summary.ByCallPath {
		bar := progress.New("following calls", "events", 0)
		defer bar.Done()
		opt.Progress = bar.Report
	}
	if v.every != "" {
		axis := f.TimeAxis()
		if opt.Every, err = axis.ParseDuration(v.every); err != nil {
			return verb.BadTime(err)
		}
		if opt.Every <= 0 {
			return verb.Usagef("--every %s: an interval lasts at least a tick", v.every)
		}
	}
	if len(v.Locations) > 0 {
		if opt.Locations, err = f.FindLocations(v.Locations); err != nil {
			return verb.Usage(err)
		}
	}
	print := func(ctx context.Context, w *bufio.Writer) error {
		s, err := summary.New(f, window.WithContext(ctx), opt)
		if err != nil {
			return err
		}
		return v.paths.write(w, s, v.Format)
	}
	if v.isPicture() {
		print = func(ctx context.Context, w *bufio.Writer) error { return v.draw(w, f, window.WithContext(ctx), &opt) }
	}
	err = v.Print(out, print)
	var option *summary.OptionError
	if errors.As(err, &option) {
		value := option.Value
		switch option.Option {
		case "times": // a flag without a value
			return verb.Usagef("--times: %s", option.Reason)
		case "every": // in ticks
			value = v.every
		}
		return verb.Usagef("--%s %s: %s", option.Option, value, option.Reason)
	}
	return err
}

// textWidth returns how many characters fit into a line of a terminal; 0 if out is no terminal, where lines may be of any length.
func textWidth(out io.Writer) int {
	if width, height := outputs.Size(out); height > 0 {
		return width
	}
	return 0
}
