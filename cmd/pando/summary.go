package main

import (
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
--by callpath    calls of each call path as a tree: which function called which, and what share of
                 the time each path takes, with the least, the mean and the most of the locations.
                 Text has paths of 1% or more, unless --min-share, --depth or --top say which.
                 -o writes the whole tree for other programs: x.folded for flamegraph.pl, inferno and
                 difffolded.pl, x.pb.gz for pprof, x.speedscope.json, x.hatchet.json, and x.svg, a
                 flame graph with search and zoom for a browser

Calls count by their part that lies in the window. The last line adds up all, also what --top
leaves out.`

// summaryVerb adds up a window.
type summaryVerb struct {
	selection
	by, sort  string
	top       int
	json, csv bool
	paths     callPaths
}

func newSummary() *cobra.Command {
	v := &summaryVerb{}
	cmd := &cobra.Command{
		Use:   "summary FILE",
		Short: "Add up the calls, messages and counters of a window of time",
		Long:  summaryHelp,
		Example: `  pando summary run.pando
  pando summary run.pando --from 40% --to +5ms --top 10
  pando summary run.pando --by pair --sort count --location 'MPI Rank 3'
  pando summary run.pando --by metric --csv > counters.csv
  pando summary run.pando --by callpath --min-share 5%
  pando summary run.pando --by callpath -o run.svg`,
		Args: arguments("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.OutOrStdout(), args[0]) },
	}
	v.addWindow(cmd)
	v.addLocations(cmd)
	v.addRegions(cmd)
	cmd.Flags().StringVar(&v.by, "by", "region", "one line for each `THING`: "+strings.Join(report.SummaryKinds(), ", "))
	cmd.Flags().StringVar(&v.sort, "sort", "", "order by this `COLUMN`, the largest first; names in their order")
	cmd.Flags().IntVar(&v.top, "top", 0, "show at most `N` lines")
	addJSON(cmd, &v.json, "print JSON; times are in ticks and may exceed 64 bits")
	cmd.Flags().BoolVar(&v.csv, "csv", false, "print comma-separated values; times are in ticks")
	v.paths.add(cmd)
	return cmd
}

// check finds fault with combinations of flags.
func (v *summaryVerb) check() error {
	switch {
	case !slices.Contains(report.SummaryKinds(), v.by):
		return usagef("--by %s: there are lines by %s", v.by, strings.Join(report.SummaryKinds(), ", "))
	case v.json && v.csv:
		return usagef("--json and --csv exclude each other")
	case v.top < 0:
		return usagef("--top %d is negative", v.top)
	case len(v.regions) > 0 && v.by == report.ByCallPath:
		return usagef("--region selects calls by themselves, --by callpath by what is around them: look for the region in -o FILE.svg")
	case len(v.regions) > 0 && !report.SummaryHasCalls(v.by):
		return usagef("--region selects calls, of which --by %s has none", v.by)
	}
	return v.paths.check(v.by, v.json || v.csv)
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
	opt := report.SummaryOptions{By: v.by, Sort: v.sort, Top: v.top, MinShare: v.paths.least, Depth: v.paths.depth}
	if v.by == report.ByCallPath {
		bar := newProgress("following calls", "events", 0)
		defer bar.done()
		opt.Progress = bar.report
	}
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
	if v.paths.output != "" {
		return v.paths.write(s)
	}
	format := formatOf(v.json)
	if v.csv {
		format = report.CSV
	}
	return s.Write(out, format)
}
