package main

import (
	"bufio"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// catVerb prints records.
type catVerb struct {
	selection
	merged, byLocation, definitions, aux, json bool
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
		Args: arguments("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.OutOrStdout(), args[0]) },
	}
	v.addWindow(cmd)
	v.addLocations(cmd)
	v.addKinds(cmd)
	cmd.Flags().BoolVar(&v.merged, "merged", false, "all locations in the order of time (default)")
	cmd.Flags().BoolVar(&v.byLocation, "by-location", false, "one location after the other")
	cmd.Flags().BoolVar(&v.definitions, "definitions", false, "print the definitions")
	cmd.Flags().BoolVar(&v.aux, "aux", false, "print the records of auxiliary streams: local definitions, snapshots, markers")
	addJSON(cmd, &v.json, "print JSON, one object a line")
	return cmd
}

func (v *catVerb) run(out io.Writer, path string) error {
	if v.merged && v.byLocation {
		return usagef("--merged and --by-location exclude each other")
	}
	f, window, err := v.open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	l := newLines(f, v.json)
	return buffered(out, func(w *bufio.Writer) error {
		if !v.definitions && !v.aux {
			return v.events(w, f, window, l)
		}
		if v.definitions {
			if err := printDefinitions(w, f, l); err != nil {
				return err
			}
		}
		if v.aux {
			return printAuxiliary(w, f.Source(), l)
		}
		return nil
	})
}

func (v *catVerb) events(w *bufio.Writer, f *opened, window *store.Window, l lines) error {
	windows := []*store.Window{window}
	if v.byLocation {
		windows = nil
		for _, loc := range f.Info().Locations {
			windows = append(windows, window.WithLocations(loc.ID))
		}
	}
	from, to := window.Bounds()
	p := printProgress((to - from) * int64(len(windows)))
	defer p.done()
	for i, window := range windows {
		before := int64(i) * (to - from)
		if _, _, err := l.events(w, window, noLimit, func(t int64) { p.set(before + t - from) }); err != nil {
			return err
		}
	}
	return nil
}

func printDefinitions(w *bufio.Writer, f *opened, l lines) error {
	var buf []byte
	for i := range f.names.defs.Log {
		buf = l.definition(buf[:0], &f.names.defs.Log[i])
		if _, err := w.Write(buf); err != nil {
			return err
		}
	}
	return nil
}

func printAuxiliary(w *bufio.Writer, src trace.Source, l lines) error {
	for _, info := range src.Streams() {
		if info.Class == trace.StreamEvents {
			continue
		}
		s, err := src.Open(info.StreamID)
		if err != nil {
			return err
		}
		err = printStream(w, s, info.StreamID, l)
		s.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

func printStream(w *bufio.Writer, s trace.Stream, id trace.StreamID, l lines) error {
	const atOnce = 1024 // records
	var b trace.Batch
	var buf []byte
	for {
		err := s.Next(&b, atOnce)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		buf = buf[:0]
		for i := range b.Len() {
			buf = l.auxiliary(buf, id, &b, i)
		}
		if _, err := w.Write(buf); err != nil {
			return err
		}
	}
}
