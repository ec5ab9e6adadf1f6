package main

import (
	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/internal/query"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// selection is what the flags of a verb select of a trace.
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
func (s *selection) open(path string) (*opened, *store.Window, error) {
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
func (s *selection) window(f *opened) (*store.Window, error) {
	from, to, err := f.clock.window(s.from, s.to)
	if err != nil {
		return nil, err
	}
	w := f.Window(from, to)
	if len(s.locations) > 0 {
		ids, err := f.names.selectLocations(f.Info().Locations, s.locations)
		if err != nil {
			return nil, err
		}
		w = w.WithLocations(ids...)
	}
	if len(s.regions) > 0 {
		ids, err := f.names.selectRegions(s.regions)
		if err != nil {
			return nil, err
		}
		w = w.WithRegions(ids...)
	}
	if len(s.kinds) > 0 {
		kinds, err := selectKinds(f.Meta().Table(), s.kinds)
		if err != nil {
			return nil, err
		}
		w = w.WithKinds(kinds...)
	}
	if s.minDuration != "" {
		d, err := f.clock.duration(s.minDuration)
		if err != nil {
			return nil, err
		}
		w = w.WithMinDuration(d)
	}
	return w, nil
}

func (n *names) selectLocations(locations []store.LocationInfo, texts []string) (ids []uint64, err error) {
	ids, err = query.Locations(n.defs, locations, n.labels, texts)
	return ids, badName(err)
}

func (n *names) selectRegions(texts []string) (ids []uint64, err error) {
	ids, err = query.Regions(n.defs, texts)
	return ids, badName(err)
}

// selectKinds selects among all kinds of the table: that a kind does not occur in a file is no mistake.
func selectKinds(table *trace.Table, texts []string) (kinds []trace.Kind, err error) {
	patterns, err := query.Patterns(true, texts)
	if err != nil {
		return nil, badName(err)
	}
	for _, s := range table.All() {
		if query.Fits(patterns, "", s.Name) {
			kinds = append(kinds, s.ID)
		}
	}
	return kinds, badName(query.Unused("kind of event", patterns))
}

func badName(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}
