package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/cmd/pando/internal/progress"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/trace"
)

const infoHelp = `Tell what is in a Pando file: how many locations, events, calls and messages, how long the trace
is and when it was recorded, and what its source says of it.

--bytes tells where every byte of the file goes; the lines add up to the file. Values of a slice
share one stream of bits, which is divided by what each of them costs: minus the logarithm of
its frequency to base 2, and the bits of its offset.

Of a file that is being written, or was left unfinished, NAME.part, it tells what is whole so far. --follow
prints a line now and then as more of it is written, and ends when the file has got its end, or nobody
writes it any more.

--compaction tells how much smaller the graph of shapes is than the call trees that it stands
for. What is counted is told below its tables.`

// infoVerb prints the content of a file in numbers.
type infoVerb struct {
	verb.Answering
	regions, locations, bytes, compaction, follow bool
}

func newInfo() *cobra.Command {
	v := &infoVerb{}
	cmd := &cobra.Command{
		Use:   "info FILE",
		Short: "Tell what is in a Pando file",
		Long:  infoHelp,
		Args:  verb.Arguments("FILE"),
		Example: `  pando info run.pando --regions
  pando info run.pando.part --follow`,
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.OutOrStdout(), args[0]) },
	}
	cmd.Flags().BoolVar(&v.regions, "regions", false, "add the time spent in each region")
	cmd.Flags().BoolVar(&v.locations, "locations", false, "list the locations")
	cmd.Flags().BoolVar(&v.bytes, "bytes", false, "add where every byte of the file goes (reads all of it)")
	cmd.Flags().BoolVar(&v.compaction, "compaction", false, "add how much the graph of shapes saves (reads all of the file)")
	cmd.Flags().BoolVar(&v.follow, "follow", false, "print a line for each time that more of NAME.part is written")
	v.AddAnswer(cmd, "print JSON; integers may exceed 64 bits", verb.TextFormat, verb.JSONFormat)
	verb.CompleteFiles(cmd)
	return cmd
}

func (v *infoVerb) run(out io.Writer, path string) error {
	if err := v.Choose(); err != nil {
		return err
	}
	if v.follow {
		return v.followFile(out, path)
	}
	f, err := verb.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	o := report.NewInfo(f)
	if err := v.extend(o, f); err != nil {
		return err
	}
	return v.Write(out, o)
}

// extend adds what the flags ask for.
func (v *infoVerb) extend(o *report.Info, f *report.Trace) error {
	if v.locations {
		if err := o.ListLocations(); err != nil {
			return err
		}
	}
	if v.regions {
		if err := o.AddRegions(); err != nil {
			return err
		}
	}
	for _, part := range []struct {
		wanted bool
		name   string
		add    func(context.Context, trace.Progress) error
	}{{v.bytes, "counting bytes", o.AddBytes}, {v.compaction, "counting shapes", o.AddCompaction}} {
		if !part.wanted {
			continue
		}
		bar := progress.New(part.name, "bytes", f.Info().FileBytes)
		err := part.add(context.Background(), bar.Report)
		bar.Done()
		if err != nil {
			return err
		}
	}
	return nil
}
