package main

import (
	"bufio"
	"io"

	"github.com/spf13/cobra"
)

// infoVerb tells what is in a file.
type infoVerb struct{ json, regions, locations bool }

func newInfo() *cobra.Command {
	v := &infoVerb{}
	cmd := &cobra.Command{
		Use:   "info FILE",
		Short: "Tell what is in a Pando file",
		Args:  arguments("FILE"),
		RunE:  func(cmd *cobra.Command, args []string) error { return v.run(cmd.OutOrStdout(), args[0]) },
	}
	cmd.Flags().BoolVar(&v.regions, "regions", false, "add the time spent in each region (reads all calls)")
	cmd.Flags().BoolVar(&v.locations, "locations", false, "list the locations")
	addJSON(cmd, &v.json, "print JSON; integers may exceed 64 bits")
	return cmd
}

func (v *infoVerb) run(out io.Writer, path string) error {
	f, err := open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	o, err := newOverview(f)
	if err != nil {
		return err
	}
	if v.regions {
		if o.Regions, err = profile(f); err != nil {
			return err
		}
	}
	if v.locations {
		o.LocationList = listLocations(f)
	}
	return buffered(out, func(w *bufio.Writer) error {
		if v.json {
			return printJSON(w, o)
		}
		o.print(w, f)
		return nil
	})
}
