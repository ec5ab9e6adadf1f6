package main

import (
	"bufio"
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/internal/report"
)

// stackVerb shows the calls that are open at an instant.
type stackVerb struct {
	answering
	at, location string
}

func newStack() *cobra.Command {
	v := &stackVerb{}
	cmd := &cobra.Command{
		Use:     "stack FILE --at T --location L",
		Short:   "Show the calls that are open at an instant",
		Long:    "Show the call stack of a location after all its events at or before an instant, outermost call first.",
		Example: "  pando stack run.pando --at 1.5s --location 'MPI Rank 3'",
		Args:    arguments("FILE"),
		RunE:    func(cmd *cobra.Command, args []string) error { return v.run(cmd.OutOrStdout(), args[0]) },
	}
	cmd.Flags().StringVar(&v.at, "at", "", "the instant, a `TIME` (help times)")
	cmd.Flags().StringVarP(&v.location, "location", "L", "", "the `LOCATION`: name, pattern or id")
	v.addAnswer(cmd, "print JSON, one object a line", textFormat, jsonFormat)
	completeFixed(cmd, "at", nil)
	completeFrom(cmd, "location", locationsOf)
	completeFiles(cmd)
	return cmd
}

func (v *stackVerb) run(out io.Writer, path string) error {
	if v.at == "" || v.location == "" {
		return usagef("--at and --location are needed")
	}
	if err := v.choose(); err != nil {
		return err
	}
	f, err := open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	axis := f.TimeAxis()
	t, err := axis.ParseTime(v.at)
	if err != nil {
		return badTime(err)
	}
	ids, err := f.FindLocations([]string{v.location})
	if err != nil {
		return usageError{err}
	}
	if len(ids) > 1 {
		return usagef("%q fits %d locations: a stack is of one", v.location, len(ids))
	}
	calls, err := f.CallStack(ids[0], t)
	if err != nil {
		return err
	}
	return v.print(out, func(_ context.Context, w *bufio.Writer) error {
		return report.NewListing(w, f, report.ListOptions{Format: v.format}).Stack(calls)
	})
}
