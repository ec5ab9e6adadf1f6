package main

import (
	"bufio"
	"io"

	"github.com/spf13/cobra"
)

const infoHelp = `Tell what is in a Pando file: how many locations, events, calls and messages, how long the trace
is and when it was recorded, and what its source says of it.

--bytes tells where every byte of the file goes; the lines add up to the file. Values of a slice
share one stream of bits, which is divided by what each of them costs: minus the logarithm of
its frequency to base 2, and the bits of its offset.

--compaction tells how much smaller the graph of shapes is than the call trees that it stands
for. What is counted is told below its tables.`

// infoVerb tells what is in a file.
type infoVerb struct{ json, regions, locations, bytes, compaction bool }

func newInfo() *cobra.Command {
	v := &infoVerb{}
	cmd := &cobra.Command{
		Use:   "info FILE",
		Short: "Tell what is in a Pando file",
		Long:  infoHelp,
		Args:  arguments("FILE"),
		RunE:  func(cmd *cobra.Command, args []string) error { return v.run(cmd.OutOrStdout(), args[0]) },
	}
	cmd.Flags().BoolVar(&v.regions, "regions", false, "add the time spent in each region")
	cmd.Flags().BoolVar(&v.locations, "locations", false, "list the locations")
	cmd.Flags().BoolVar(&v.bytes, "bytes", false, "add where every byte of the file goes (reads all of it)")
	cmd.Flags().BoolVar(&v.compaction, "compaction", false, "add how much the graph of shapes saves (reads all of the file)")
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
	if err == nil {
		err = v.extend(o, f)
	}
	if err != nil {
		return err
	}
	return buffered(out, func(w *bufio.Writer) error {
		if v.json {
			return printJSON(w, o)
		}
		o.print(w, f)
		return nil
	})
}

// extend adds what the flags ask for.
func (v *infoVerb) extend(o *overview, f *opened) (err error) {
	if v.regions {
		o.Regions, err = profile(f)
	}
	if v.locations {
		o.LocationList = listLocations(f)
	}
	if v.bytes && err == nil {
		o.ByteLines, err = countBytes(f)
	}
	if v.compaction && err == nil {
		o.Compaction, err = compact(f)
	}
	return err
}
