package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
	"github.com/pandotrace/pando/trace/selector"
)

// selection is the part of a trace that the flags of a verb select.
type selection struct {
	from, to    string
	locations   []string
	regions     []string
	kinds       []string
	minDuration string
}

// addWindow adds the flags --from and --to.
func (s *selection) addWindow(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.from, "from", "", "begin `TIME` of the window (help times)")
	cmd.Flags().StringVar(&s.to, "to", "", "end `TIME` of the window; +T is relative to its begin")
	completeFixed(cmd, "from", nil)
	completeFixed(cmd, "to", nil)
}

func (s *selection) addLocations(cmd *cobra.Command) {
	cmd.Flags().StringArrayVarP(&s.locations, "location", "L", nil, "only these `LOCATIONS`: name, pattern, 'rank 0-3', @gpu (help selecting)")
	completeFrom(cmd, "location", locationsOf)
}

func (s *selection) addRegions(cmd *cobra.Command) {
	cmd.Flags().StringArrayVarP(&s.regions, "region", "R", nil, "only calls of these `REGIONS`: name, pattern, @mpi, '!@mpi' (help selecting)")
	completeFrom(cmd, "region", regionsOf)
}

func (s *selection) addKinds(cmd *cobra.Command) {
	cmd.Flags().StringArrayVarP(&s.kinds, "kind", "K", nil, "only events of these `KINDS`: name, pattern, @message (help selecting)")
	completeFrom(cmd, "kind", kindsOf)
}

// open opens a file, and returns the selected window of it. The caller closes the file.
func (s *selection) open(path string) (*report.Trace, *store.Window, error) {
	f, err := open(path)
	if err != nil {
		return nil, nil, err
	}
	window, err := s.window(f)
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, window, nil
}

// window returns the selected window of a file.
func (s *selection) window(f *report.Trace) (*store.Window, error) {
	w, err := f.ParseWindow(s.from, s.to)
	if err != nil {
		return nil, badTime(err)
	}
	axis := f.TimeAxis()
	if begin, _ := w.Bounds(); s.from != "" {
		if err := axis.CheckBegin(begin, s.from); err != nil {
			return nil, badTime(err)
		}
	}
	if len(s.locations) > 0 {
		ids, err := f.FindLocations(s.locations)
		if err != nil {
			return nil, usageError{err}
		}
		w = w.WithLocations(ids...)
	}
	if len(s.regions) > 0 {
		ids, err := f.FindRegions(s.regions)
		if err != nil {
			return nil, usageError{err}
		}
		w = w.WithRegions(ids...)
	}
	if len(s.kinds) > 0 {
		kinds, err := selector.Kinds(f.Meta().Table(), s.kinds)
		if err != nil {
			return nil, usageError{err}
		}
		w = w.WithKinds(kinds...)
	}
	if s.minDuration != "" {
		d, err := axis.ParseDuration(s.minDuration)
		if err != nil {
			return nil, badTime(err)
		}
		w = w.WithMinDuration(d)
	}
	return w, nil
}

// badTime makes an error about a time one of usage.
func badTime(err error) error {
	var behind *trace.BehindEndError
	if errors.As(err, &behind) {
		return usagef("the trace ends at %s s, before --from %s", behind.End, behind.From)
	}
	return usagef("%w (pando help times)", err)
}

// addMinDuration adds the flag --min-duration.
func (s *selection) addMinDuration(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.minDuration, "min-duration", "", "only calls that last at least `TIME`")
	completeFixed(cmd, "min-duration", nil)
}

// rows are the rows of a verb's lists and tables that are shown, and their columns.
type rows struct {
	limit   int
	columns []string
}

// addRows adds the flags --limit and --columns; names returns the columns that there are.
func (r *rows) addRows(cmd *cobra.Command, limit string, names func() []string) {
	cmd.Flags().IntVar(&r.limit, "limit", 0, limit)
	cmd.Flags().StringSliceVar(&r.columns, "columns", nil, "only these `COLUMNS`, separated by commas, in this order")
	completeFixed(cmd, "limit", nil)
	completeList(cmd, "columns", names)
}

// checkRows finds fault with the flags.
func (r *rows) checkRows() error {
	if r.limit < 0 {
		return usagef("--limit %d is negative", r.limit)
	}
	return nil
}

// columnError makes an error about the columns of a list one of usage.
func columnError(err error) error {
	var unknown *report.ColumnError
	if errors.As(err, &unknown) {
		return usagef("--columns: %w", err)
	}
	return err
}
