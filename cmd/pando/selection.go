package main

import (
	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// selection is the part of a trace that the flags of a verb select.
type selection struct {
	from, to    string
	locations   []string
	regions     []string
	kinds       []string
	minDuration string
}

// addWindow adds the flags --from and --to, which may also be written --until.
func (s *selection) addWindow(cmd *cobra.Command) {
	s.addBounds(cmd, "to")
	cmd.Flags().StringVar(&s.to, "until", "", "end of the window")
	cmd.Flags().Lookup("until").Hidden = true
}

// addBounds adds the flag --from and one for the window's end.
func (s *selection) addBounds(cmd *cobra.Command, end string) {
	cmd.Flags().StringVar(&s.from, "from", "", "begin `TIME` of the window (help times)")
	cmd.Flags().StringVar(&s.to, end, "", "end `TIME` of the window; +T is relative to its begin")
}

func (s *selection) addLocations(cmd *cobra.Command) {
	cmd.Flags().StringArrayVarP(&s.locations, "location", "L", nil, "only these `LOCATIONS`: name, pattern or id (help selecting)")
}

func (s *selection) addRegions(cmd *cobra.Command) {
	cmd.Flags().StringArrayVarP(&s.regions, "region", "R", nil, "only calls of these `REGIONS`: name, pattern or id")
}

func (s *selection) addKinds(cmd *cobra.Command) {
	cmd.Flags().StringArrayVarP(&s.kinds, "kind", "K", nil, "only events of these `KINDS`: name or pattern")
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
		kinds, err := findKinds(f.Meta().Table(), s.kinds)
		if err != nil {
			return nil, usageError{err}
		}
		w = w.WithKinds(kinds...)
	}
	if s.minDuration != "" {
		axis := f.TimeAxis()
		d, err := axis.ParseDuration(s.minDuration)
		if err != nil {
			return nil, badTime(err)
		}
		w = w.WithMinDuration(d)
	}
	return w, nil
}

// findKinds returns the kinds of a table that one of the patterns matches: also kinds that do not occur in a file.
func findKinds(table *trace.Table, patterns []string) (kinds []trace.Kind, err error) {
	list, err := trace.ParsePatterns(true, patterns)
	if err != nil {
		return nil, err
	}
	for _, s := range table.All() {
		if trace.MatchAny(list, "", s.Name) {
			kinds = append(kinds, s.ID)
		}
	}
	return kinds, trace.CheckUsed("kind of event", list)
}

// badTime makes an error about a time one of usage.
func badTime(err error) error { return usagef("%w (pando help times)", err) }
