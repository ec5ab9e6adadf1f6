package main

import (
	"bufio"
	"io"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/internal/report"
)

func newStack() *cobra.Command {
	var at, location string
	var json bool
	cmd := &cobra.Command{
		Use:     "stack FILE --at T --location L",
		Short:   "Show the calls that are open at an instant",
		Long:    "Show the call stack of a location after all its events at or before an instant, outermost call first.",
		Example: "  pando stack run.pando --at 1.5s --location 'MPI Rank 3'",
		Args:    arguments("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if at == "" || location == "" {
				return usagef("--at and --location are needed")
			}
			return runStack(cmd.OutOrStdout(), args[0], at, location, json)
		},
	}
	cmd.Flags().StringVar(&at, "at", "", "the instant, a `TIME` (help times)")
	cmd.Flags().StringVarP(&location, "location", "L", "", "the `LOCATION`: name, pattern or id")
	addJSON(cmd, &json, "print JSON, one object a line")
	return cmd
}

func runStack(out io.Writer, path, at, location string, json bool) error {
	f, err := open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	axis := f.TimeAxis()
	t, err := axis.ParseTime(at)
	if err != nil {
		return badTime(err)
	}
	ids, err := f.FindLocations([]string{location})
	if err != nil {
		return usageError{err}
	}
	if len(ids) > 1 {
		return usagef("%q fits %d locations: a stack is of one", location, len(ids))
	}
	calls, err := f.CallStack(ids[0], t)
	if err != nil {
		return err
	}
	return buffered(out, func(w *bufio.Writer) error {
		return report.NewListing(w, f, report.ListOptions{Format: formatOf(json)}).Stack(calls)
	})
}
