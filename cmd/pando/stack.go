package main

import (
	"bufio"
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/internal/report"
)

// stackVerb shows the calls that are open at an instant.
type stackVerb struct {
	verb.Answering
	at, location string
}

func newStack() *cobra.Command {
	v := &stackVerb{}
	cmd := &cobra.Command{
		Use:     "stack FILE --at T --location L",
		Short:   "Show the calls that are open at an instant",
		Long:    "Show the call stack of a location after all its events at or before an instant, outermost call first.",
		Example: "  pando stack run.pando --at 1.5s --location 'MPI Rank 3'",
		Args:    verb.Arguments("FILE"),
		RunE:    func(cmd *cobra.Command, args []string) error { return v.run(cmd.OutOrStdout(), args[0]) },
	}
	cmd.Flags().StringVar(&v.at, "at", "", "the instant, a `TIME` (help times)")
	cmd.Flags().StringVarP(&v.location, "location", "L", "", "the `LOCATION`: name, pattern or id")
	v.AddAnswer(cmd, "print JSON, one object a line", verb.TextFormat, verb.JSONFormat)
	verb.CompleteFixed(cmd, "at", nil)
	verb.CompleteFrom(cmd, "location", verb.LocationsOf)
	verb.CompleteFiles(cmd)
	return cmd
}

func (v *stackVerb) run(out io.Writer, path string) error {
	if v.at == "" || v.location == "" {
		return verb.Usagef("--at and --location are needed")
	}
	if err := v.Choose(); err != nil {
		return err
	}
	f, err := verb.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	axis := f.TimeAxis()
	t, err := axis.ParseTime(v.at)
	if err != nil {
		return verb.BadTime(err)
	}
	ids, err := f.FindLocations([]string{v.location})
	if err != nil {
		return verb.Usage(err)
	}
	if len(ids) > 1 {
		return verb.Usagef("%q fits %d locations: a stack is of one", v.location, len(ids))
	}
	calls, err := f.CallStack(ids[0], t)
	if err != nil {
		return err
	}
	return v.Print(out, func(_ context.Context, w *bufio.Writer) error {
		return report.NewListing(w, f, report.ListOptions{Format: v.Format}).Stack(calls)
	})
}
