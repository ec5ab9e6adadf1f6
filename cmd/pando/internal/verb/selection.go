package verb

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
	"github.com/pandotrace/pando/trace/selector"
)

// Selection is the part of a trace that the flags of a verb select.
type Selection struct {
	From, To    string
	Locations   []string
	Regions     []string
	Kinds       []string
	MinDuration string
	// Cache is for decoded blocks of all files that are opened. Without one, each file has its own.
	Cache *store.Cache
}

// AddWindow adds the flags --from and --to.
func (s *Selection) AddWindow(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.From, "from", "", "begin `TIME` of the window (help times)")
	cmd.Flags().StringVar(&s.To, "to", "", "end `TIME` of the window; +T is relative to its begin")
	CompleteFixed(cmd, "from", nil)
	CompleteFixed(cmd, "to", nil)
}

// AddLocations adds the flag --location.
func (s *Selection) AddLocations(cmd *cobra.Command) {
	cmd.Flags().StringArrayVarP(&s.Locations, "location", "L", nil, "only these `LOCATIONS`: name, pattern, 'rank 0-3', @gpu (help selecting)")
	CompleteFrom(cmd, "location", LocationsOf)
}

// AddRegions adds the flag --region.
func (s *Selection) AddRegions(cmd *cobra.Command) {
	cmd.Flags().StringArrayVarP(&s.Regions, "region", "R", nil, "only calls of these `REGIONS`: name, pattern, @mpi, '!@mpi' (help selecting)")
	CompleteFrom(cmd, "region", RegionsOf)
}

// AddKinds adds the flag --kind.
func (s *Selection) AddKinds(cmd *cobra.Command) {
	cmd.Flags().StringArrayVarP(&s.Kinds, "kind", "K", nil, "only events of these `KINDS`: name, pattern, @message (help selecting)")
	CompleteFrom(cmd, "kind", kindsOf)
}

// Open opens a file, and returns the selected window of it. The caller closes the file.
func (s *Selection) Open(path string) (*report.Trace, *store.Window, error) {
	f, err := open(path, store.ReadOptions{Cache: s.Cache, CacheBytes: cacheBytes})
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
func (s *Selection) window(f *report.Trace) (*store.Window, error) {
	w, err := f.ParseWindow(s.From, s.To)
	if err != nil {
		return nil, BadTime(err)
	}
	axis := f.TimeAxis()
	if begin, _ := w.Bounds(); s.From != "" {
		if err := axis.CheckBegin(begin, s.From); err != nil {
			return nil, BadTime(err)
		}
	}
	if len(s.Locations) > 0 {
		ids, err := f.FindLocations(s.Locations)
		if err != nil {
			return nil, Usage(err)
		}
		w = w.WithLocations(ids...)
	}
	if len(s.Regions) > 0 {
		ids, err := f.FindRegions(s.Regions)
		if err != nil {
			return nil, Usage(err)
		}
		w = w.WithRegions(ids...)
	}
	if len(s.Kinds) > 0 {
		kinds, err := selector.Kinds(f.Meta().Table(), s.Kinds)
		if err != nil {
			return nil, Usage(err)
		}
		w = w.WithKinds(kinds...)
	}
	if s.MinDuration != "" {
		d, err := axis.ParseDuration(s.MinDuration)
		if err != nil {
			return nil, BadTime(err)
		}
		w = w.WithMinDuration(d)
	}
	return w, nil
}

// BadTime makes an error about a time one of usage.
func BadTime(err error) error {
	var behind *trace.BehindEndError
	if errors.As(err, &behind) {
		return Usagef("the trace ends at %s s, before --from %s", behind.End, behind.From)
	}
	return Usagef("%w (pando help times)", err)
}

// AddMinDuration adds the flag --min-duration.
func (s *Selection) AddMinDuration(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.MinDuration, "min-duration", "", "only calls that last at least `TIME`")
	CompleteFixed(cmd, "min-duration", nil)
}

// Rows are the rows of a verb's lists and tables that are shown, and their columns.
type Rows struct {
	Limit   int
	Columns []string
}

// AddRows adds the flags --limit and --columns; names returns the columns that there are.
func (r *Rows) AddRows(cmd *cobra.Command, limit string, names func() []string) {
	cmd.Flags().IntVar(&r.Limit, "limit", 0, limit)
	cmd.Flags().StringSliceVar(&r.Columns, "columns", nil, "only these `COLUMNS`, separated by commas, in this order")
	CompleteFixed(cmd, "limit", nil)
	CompleteList(cmd, "columns", names)
}

// CheckRows finds fault with the flags.
func (r *Rows) CheckRows() error {
	if r.Limit < 0 {
		return Usagef("--limit %d is negative", r.Limit)
	}
	return nil
}

// ColumnError makes an error about the columns of a list one of usage.
func ColumnError(err error) error {
	var unknown *report.ColumnError
	if errors.As(err, &unknown) {
		return Usagef("--columns: %w", err)
	}
	return err
}
