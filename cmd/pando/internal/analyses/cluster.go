package analyses

import (
	"bufio"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/analysis/cluster"
	"github.com/pandotrace/pando/cmd/pando/internal/outputs"
	"github.com/pandotrace/pando/cmd/pando/internal/progress"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/internal/report/clusters"
)

// clusterVerb finds groups of locations that are alike.
type clusterVerb struct {
	verb.Answering
	verb.Selection
	verb.Memory
	by                       string
	threshold                float64
	lattice, representatives bool
	limit                    int
	opt                      cluster.Options
}

// dotFormat is the language of Graphviz.
var dotFormat = outputs.Format{Name: "dot", Endings: []string{".dot", ".gv"}}

// NewCluster returns the verb.
func NewCluster() *cobra.Command {
	v := &clusterVerb{}
	cmd := &cobra.Command{
		Use:   "cluster FILE...",
		Short: "Find which locations are alike, and what tells groups of them apart",
		Long: `Put locations into groups by what they call, of one file or several, and tell what each group has
that the others lack. Each group has a name that holds for its members and no other location with
calls, such as "every 4th rank", and a number: -L @group:2 of all verbs selects the second group by
pairs of the whole file, -L @group:tree:2 that by trees.

--by says what locations of a group have in common; each but calls is finer than the one before:

  functions  the regions that they call
  pairs      the pairs of a region and what it calls
  contexts   the call paths
  calls      how often they call each region (finer than functions)
  tree       all calls, in order
  messages   all calls, in order, with the distances of those they send to and receive from

--threshold 0.9 merges groups in which any two locations are 90 % alike: by what they have in common,
as a share of all that any of the two has (by calls and finer: of the numbers of calls).
--representatives lists one location for each group, the one that is most like all others.

--lattice shows what locations have in common: a concept is a set of locations with all functions,
pairs or call paths that all of them have. -o NAME.dot draws it for Graphviz.`,
		Example: `  pando cluster run.pando
  pando cluster run.pando --by tree
  pando cluster run.pando --by contexts --threshold 0.9 --representatives
  pando cluster monday.pando tuesday.pando --by tree --json
  pando cluster run.pando --by functions --lattice
  pando cluster run.pando --lattice -o lattice.dot && dot -Tsvg lattice.dot > lattice.svg
  pando cluster run.pando --tables clusters -o clusters.parquet
  pando summary run.pando -L @group:2`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return nil
			}
			return verb.Arguments("FILE")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.OutOrStdout(), args) },
	}
	f := cmd.Flags()
	v.AddWindow(cmd)
	v.AddLocations(cmd)
	f.StringVar(&v.by, "by", cluster.Usual.String(), "what locations of a group have in common: `WHAT` "+outputs.Listed(cluster.Names()))
	f.Float64Var(&v.threshold, "threshold", 0, "merge groups in which any two locations have at least this `SIMILARITY`, up to 1")
	f.BoolVar(&v.lattice, "lattice", false, "show what locations have in common, as a lattice of concepts")
	f.BoolVar(&v.representatives, "representatives", false, "list a location for each group")
	f.IntVar(&v.limit, "limit", 0, "tell about at most `N` groups (default 40)")
	v.AddMemory(cmd)
	v.AddAnswer(cmd, "print the groups, or the lattice, as JSON", clusteredFormats()...)
	v.AddTables(cmd, "a clustering", clusters.TableNames())
	verb.CompleteFixed(cmd, "by", cluster.Names())
	for _, flag := range []string{"threshold", "limit"} {
		verb.CompleteFixed(cmd, flag, nil)
	}
	verb.CompleteFiles(cmd)
	return cmd
}

// clusteredFormats are the formats of clusters; dot is of lattices.
func clusteredFormats() []outputs.Format {
	return slices.Concat(clusterFormats, verb.TablesOnly)
}

// clusterFormats are those without tables.
var clusterFormats = []outputs.Format{verb.TextFormat, verb.JSONFormat, dotFormat}

func (v *clusterVerb) run(out io.Writer, args []string) (err error) {
	if err := v.check(out); err != nil {
		return err
	}
	ctx, stop := verb.Interruptible()
	defer stop()
	var in verb.Inputs
	defer func() { err = errors.Join(err, in.Close()) }()
	var from []clusters.Source
	for i, path := range args {
		if err := in.Open(&v.Selection, path); err != nil {
			return err
		}
		from = append(from, clusters.Source{Trace: in.Traces[i], Window: in.Windows[i]})
	}
	c, err := v.find(ctx, from, in.Events())
	if err != nil {
		return err
	}
	return v.tell(ctx, out, c, from)
}

// check reads the flags.
func (v *clusterVerb) check(out io.Writer) (err error) {
	if v.opt.By, err = cluster.Named(v.by); err != nil {
		return verb.Usagef("--by: %w", err)
	}
	switch v.opt.Threshold = v.threshold; {
	case v.threshold < 0 || v.threshold > 1 || v.threshold != v.threshold:
		return verb.Usagef("--threshold %g: similarities are from 0 to 1", v.threshold)
	case v.limit < 0:
		return verb.Usagef("--limit %d is negative", v.limit)
	case v.lattice && (v.representatives || v.Tables != nil):
		return verb.Usagef("--lattice is an answer of its own: no --representatives; as a table it is --tables concepts")
	case v.lattice && !v.opt.By.Ordered():
		return verb.Usagef("--lattice --by %s: %w", v.by, cluster.ErrUnordered)
	}
	if v.opt.Memory, err = v.Bytes(); err != nil {
		return err
	}
	return v.chooseOutput(out)
}

// chooseOutput chooses the format.
func (v *clusterVerb) chooseOutput(out io.Writer) error {
	if err := v.ChooseAnswer(out, clusterFormats...); err != nil {
		return err
	}
	if v.Chosen.Name == dotFormat.Name && !v.lattice {
		return verb.Usagef("only lattices are written for Graphviz: add --lattice")
	}
	return nil
}

// find clusters the locations.
func (v *clusterVerb) find(ctx context.Context, from []clusters.Source, events int64) (*cluster.Clusters, error) {
	bar := progress.New("clustering", "events", events)
	defer bar.Done()
	v.opt.Progress = bar.Report
	return clusters.Find(ctx, from, v.opt)
}

// tell writes the answer.
func (v *clusterVerb) tell(ctx context.Context, out io.Writer, c *cluster.Clusters, from []clusters.Source) error {
	if v.Tables != nil {
		set, err := clusters.Tables(ctx, c, from, v.Tables)
		if err != nil {
			return err
		}
		return v.WriteTables(ctx, out, set)
	}
	if v.lattice {
		l, err := clusters.NewLattice(ctx, c, from, 0)
		if err != nil {
			return err
		}
		return v.Print(out, func(_ context.Context, w *bufio.Writer) error {
			if v.Chosen.Name == dotFormat.Name {
				return l.WriteDOT(w)
			}
			return l.Write(w, v.Format)
		})
	}
	r := clusters.New(c, from)
	r.Limit, r.Representatives = v.limit, v.representatives
	return v.Print(out, func(_ context.Context, w *bufio.Writer) error { return r.Write(w, v.Format) })
}
