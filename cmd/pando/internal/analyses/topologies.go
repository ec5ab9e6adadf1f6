package analyses

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/cmd/pando/internal/outputs"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/internal/report/topologies"
	"github.com/pandotrace/pando/trace"
)

// topologiesVerb lists topologies, or infers one.
type topologiesVerb struct {
	verb.Selection
	verb.Replacing
	verb.Outcome
	inferred     bool
	output, name string
	program      string
}

// usualTopologyName is the name of an inferred topology.
const usualTopologyName = "inferred"

// NewTopologies makes the verb topologies of a version of the program.
func NewTopologies(version string) *cobra.Command {
	v := &topologiesVerb{program: "pando " + version}
	cmd := &cobra.Command{
		Use:   "topologies FILE",
		Short: "List the grids on which ranks have coordinates, or infer one from the messages",
		Long: `List the Cartesian topologies that a program has defined: grids on which the ranks of a communicator
have coordinates. pando export --tables topologies has them rank by rank.

With --inferred, find the line, ring, grid or torus that the messages of a window make, as pando patterns
does, and write the trace with it to a new file -o OUT, a Pando file or an OTF2 archive: as definitions
of a topology with the coordinates of all ranks, and a property which says that it is inferred. Ranks
follow each other along the first dimension. All that uses topologies uses it then, such as
pando timeline --order topology.`,
		Example: `  pando topologies run.pando
  pando topologies run.pando --inferred -o placed.pando
  pando topologies run.pando --inferred --from 40% --to 60% --name solver -o placed.otf2`,
		Args: verb.Arguments("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.BoolVar(&v.inferred, "inferred", false, "infer a topology from the messages, and write it to -o OUT with the trace")
	f.StringVar(&v.name, "name", usualTopologyName, "`NAME` of the inferred topology")
	v.AddWindow(cmd)
	verb.AddOutput(cmd, &v.output, "write the trace with what is inferred to `OUT`: .pando or .otf2")
	v.AddReplacing(cmd, "OUT")
	v.AddOutcome(cmd)
	verb.CompleteFixed(cmd, "name", nil)
	verb.CompleteFiles(cmd)
	return cmd
}

func (v *topologiesVerb) run(cmd *cobra.Command, path string) error {
	out := cmd.OutOrStdout()
	if v.inferred {
		return v.infer(out, path)
	}
	for _, flag := range []string{"output", "name", "from", "to"} {
		if cmd.Flags().Changed(flag) {
			return verb.Usagef("--%s belongs to --inferred: topologies that are defined are printed", flag)
		}
	}
	f, err := verb.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := topologies.List(f)
	if err != nil {
		return err
	}
	return v.TellBy(out, r.Write)
}

// infer writes the trace with a topology that its messages make.
func (v *topologiesVerb) infer(out io.Writer, path string) error {
	to, err := v.format(path)
	if err != nil {
		return err
	}
	ctx, stop := verb.Interruptible()
	defer stop()
	found, err := v.find(ctx, path)
	if err != nil {
		return err
	}
	t, err := convert.Find(ctx, path, convert.Options{})
	if err != nil {
		return err
	}
	defer t.Close()
	bar := v.Bar("writing", to.Unit, int64(0))
	by := convert.By{Program: v.program, Options: "topologies --inferred"}
	_, err = to.Write(ctx, t.Define(found.Records), v.output, convert.WriteOptions{By: by, Notes: []trace.Property{found.Property}, Replace: v.Force, Discard: v.Discard, Progress: bar.Report})
	bar.Done()
	if err != nil {
		return err
	}
	found.Output = v.output
	return v.TellBy(out, found.Write)
}

// format checks the flags, and returns the format of the output.
func (v *topologiesVerb) format(path string) (*convert.Output, error) {
	switch {
	case v.output == "" || v.output == outputs.Standard:
		return nil, verb.Usagef("--inferred writes a new file: -o OUT.pando or -o OUT.otf2")
	case path == outputs.Standard:
		return nil, verb.Usagef("--inferred reads FILE twice, which standard input cannot be")
	case v.name == "":
		return nil, verb.Usagef("--name is empty")
	}
	if err := verb.CheckOutput(v.output, v.Force); err != nil {
		return nil, err
	}
	to := convert.OutputAt(v.output)
	if to == nil || to.Name == "Chrome" {
		return nil, verb.Usagef("-o %s: the trace with the topology is called NAME.pando or NAME.otf2", v.output)
	}
	return to, to.Check(v.output, convert.WriteOptions{Replace: v.Force, Discard: v.Discard})
}

// find infers the topology.
func (v *topologiesVerb) find(ctx context.Context, path string) (*topologies.Inferred, error) {
	f, window, err := v.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	bar := v.Bar("looking at messages", "messages", 0)
	defer bar.Done()
	o, err := topologies.Infer(ctx, &topologies.Question{Trace: f, Window: window, Name: v.name, Progress: bar.Report})
	if known := (*topologies.KnownError)(nil); errors.As(err, &known) {
		return nil, verb.Usage(err)
	}
	return o, err
}
