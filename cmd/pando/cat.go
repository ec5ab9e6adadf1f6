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
)

// catVerb prints records.
type catVerb struct {
	verb.Selection
	verb.Answering
	merged, byLocation, definitions, aux bool
}

func newCat() *cobra.Command {
	v := &catVerb{}
	cmd := &cobra.Command{
		Use:   "cat FILE",
		Short: "Print events, definitions or auxiliary records as text",
		Long: `Print all events, one a line: the time in seconds since the trace's first event, the location,
the kind, and the fields by name. References to definitions are shown by the name of what they
refer to, in quotes; by #id where it has none; as - where they refer to nothing. Attributes
follow after an @.`,
		Example: `  pando cat run.pando --from 1.5s --to +1ms
  pando cat run.pando --location 'MPI Rank 3' --kind 'Mpi*' --json
  pando cat run.pando --definitions`,
		Args: verb.Arguments("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.OutOrStdout(), args[0]) },
	}
	v.AddWindow(cmd)
	v.AddLocations(cmd)
	v.AddKinds(cmd)
	cmd.Flags().BoolVar(&v.merged, "merged", false, "all locations in the order of time (default)")
	cmd.Flags().BoolVar(&v.byLocation, "by-location", false, "one location after the other")
	cmd.Flags().BoolVar(&v.definitions, "definitions", false, "print the definitions")
	cmd.Flags().BoolVar(&v.aux, "aux", false, "print the records of auxiliary streams: local definitions, snapshots, markers")
	v.AddAnswer(cmd, "print JSON, one object a line", verb.TextFormat, verb.JSONFormat)
	verb.CompleteFiles(cmd)
	return cmd
}

func (v *catVerb) run(out io.Writer, path string) error {
	if v.merged && v.byLocation {
		return verb.Usagef("--merged and --by-location exclude each other")
	}
	if err := v.Choose(); err != nil {
		return err
	}
	f, window, err := v.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return v.Print(out, func(ctx context.Context, w *bufio.Writer) error {
		opt := report.ListOptions{Format: v.Format, Bare: true, Window: window}
		if !v.definitions && !v.aux {
			return v.events(w, f, window.WithContext(ctx), opt)
		}
		l := report.NewListing(w, f, opt)
		if v.definitions {
			if err := l.Definitions(); err != nil {
				return err
			}
		}
		if v.aux {
			return l.Auxiliary()
		}
		return nil
	})
}

func (v *catVerb) events(w *bufio.Writer, f *report.Trace, window *store.Window, opt report.ListOptions) error {
	windows := []*store.Window{window}
	if v.byLocation {
		windows = nil
		ids, err := f.LocationIDs()
		if err != nil {
			return err
		}
		for _, id := range ids {
			windows = append(windows, window.WithLocations(id))
		}
	}
	from, to := window.Bounds()
	p := progress.Printing((to - from) * int64(len(windows)))
	defer p.Done()
	done := int64(0)
	opt.Progress = func(t int64) { p.Set(done + t - from) }
	l := report.NewListing(w, f, opt)
	for _, window := range windows {
		if err := l.Events("", window.Events()); err != nil {
			return err
		}
		done += to - from
	}
	return nil
}
