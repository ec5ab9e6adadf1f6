package main

import (
	"bufio"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

const summaryHelp = `Add up what a window of time holds: exactly, and at once however long it is.

--by region      how often each region was called, and the time in it: inclusive time is that
                 of all its calls, exclusive time that without the calls inside of them. With
                 recursion inclusive time may be more than the window is long; for programs there
                 is also the time in which at least one call was open (busy).
--by location    calls, exclusive time and messages of each location
--by process     the same of each process
--by pair        messages from location to location, and their bytes as sent
--by collective  collective operations of each communicator, and their bytes
--by metric      the values of each counter on each location

Calls count by their part that lies in the window. The last line adds up all, also what --top
leaves out.`

// summaryVerb adds up a window.
type summaryVerb struct {
	selection
	by, sort  string
	top       int
	json, csv bool
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
  pando summary run.pando --by metric --csv > counters.csv`,
		Args: arguments("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.OutOrStdout(), args[0]) },
	}
	v.addWindow(cmd)
	v.addLocations(cmd)
	v.addRegions(cmd)
	cmd.Flags().StringVar(&v.by, "by", "region", "one line for each `THING`: "+strings.Join(summaryThings(), ", "))
	cmd.Flags().StringVar(&v.sort, "sort", "", "order by this `COLUMN`, the largest first; names in their order")
	cmd.Flags().IntVar(&v.top, "top", 0, "show at most `N` lines")
	addJSON(cmd, &v.json, "print JSON, one object a line; times are in ticks and may exceed 64 bits")
	cmd.Flags().BoolVar(&v.csv, "csv", false, "print comma-separated values; times are in ticks")
	return cmd
}

// summaryKinds are what there can be lines of: the parts they need, and how they are made.
var summaryKinds = []struct {
	by    string
	parts []store.SummaryPart
	lines func(*summed) *sheet
}{
	{"region", []store.SummaryPart{store.SummaryCalls}, regionSheet},
	{"location", []store.SummaryPart{store.SummaryCalls, store.SummaryMessages}, locationSheet},
	{"process", []store.SummaryPart{store.SummaryCalls, store.SummaryMessages}, processSheet},
	{"pair", []store.SummaryPart{store.SummaryMessages}, pairSheet},
	{"collective", []store.SummaryPart{store.SummaryCollectives}, collectiveSheet},
	{"metric", []store.SummaryPart{store.SummaryMetrics}, metricSheet},
}

// summed is a file with the summary of a window.
type summed struct {
	*opened
	*trace.Summary
	chosen map[uint64]bool // locations; nil for all
}

func summaryThings() (names []string) {
	for _, k := range summaryKinds {
		names = append(names, k.by)
	}
	return names
}

// check finds fault with combinations of flags.
func (v *summaryVerb) check() error {
	switch {
	case !slices.Contains(summaryThings(), v.by):
		return usagef("--by %s: there are lines by %s", v.by, strings.Join(summaryThings(), ", "))
	case v.json && v.csv:
		return usagef("--json and --csv exclude each other")
	case v.top < 0:
		return usagef("--top %d is negative", v.top)
	case len(v.regions) > 0 && !slices.Contains([]string{"region", "location", "process"}, v.by):
		return usagef("--region selects calls, of which --by %s has none", v.by)
	}
	return nil
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
	r, err := v.sheet(f, window)
	if err != nil {
		return err
	}
	return buffered(out, func(w *bufio.Writer) error {
		switch {
		case v.json:
			return r.printJSON(w)
		case v.csv:
			return r.printCSV(w)
		}
		r.print(w, v.by)
		return nil
	})
}

// sheet makes the lines that are asked for, in order.
func (v *summaryVerb) sheet(f *opened, window *store.Window) (*sheet, error) {
	kind := summaryKinds[slices.Index(summaryThings(), v.by)]
	s := summed{opened: f}
	var err error
	if s.Summary, err = window.Summary(kind.parts...); err != nil {
		return nil, err
	}
	if len(v.locations) > 0 {
		ids, err := f.names.selectLocations(f.Info().Locations, v.locations)
		if err != nil {
			return nil, err
		}
		s.chosen = map[uint64]bool{}
		for _, id := range ids {
			s.chosen[id] = true
		}
	}
	r := kind.lines(&s)
	if v.sort != "" {
		r.order = v.sort
	}
	if err := r.sort(); err != nil {
		return nil, err
	}
	r.cut(v.top)
	return r, nil
}
