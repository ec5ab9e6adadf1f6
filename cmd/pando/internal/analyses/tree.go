package analyses

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/cmd/pando/internal/outputs"
	"github.com/pandotrace/pando/cmd/pando/internal/progress"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/internal/report/merged"
	"github.com/pandotrace/pando/internal/report/summary"
	"github.com/pandotrace/pando/internal/stacks"
	"github.com/pandotrace/pando/store"
)

// treeVerb merges the call trees of locations.
type treeVerb struct {
	verb.Answering
	verb.Selection
	verb.Memory
	minShare string
	outliers bool
	limits   merged.Limits
	limited  bool // --limit was given
	question merged.Question
}

// usualPlaces is the number of places of a tree in text unless --limit says how many; all of a smaller tree are shown.
const usualPlaces = 100

// NewTree makes the verb tree.
func NewTree() *cobra.Command {
	v := &treeVerb{}
	cmd := &cobra.Command{
		Use:   "tree FILE...",
		Short: "Show one call tree of all locations, and who is far from the others",
		Long: `Merge the call trees of all locations into one, the program's: each place of it tells which locations
have calls there, how many, and the median, least and most time of a location. Several files are
merged, too: runs of one program, or of several versions.

Calls of a loop are one place, and calls beside each other of one region are, too. Lists of calls that
differ between locations are put in line so that as few calls as can be lack a partner. A call directly
inside of one of the same region counts as one behind it (--nested leaves it).

--outliers lists the locations whose own time at a place is far from the median of all that have the
place, instead of the tree.

-o NAME.png or NAME.svg draws the tree as an icicle. .folded, .pb.gz and .speedscope.json are for
programs that show profiles. --tables writes tables, as pando export does (docs/tables.md).`,
		Example: `  pando tree run.pando
  pando tree run.pando --outliers
  pando tree run.pando -L 'rank 0-3' --from 2s --to 4s --depth 3
  pando tree monday.pando tuesday.pando
  pando tree run.pando -o tree.svg
  pando tree run.pando -o run.folded && flamegraph.pl run.folded > run.svg
  pando tree run.pando --tables merged_calls -o calls.parquet`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return nil
			}
			return verb.Arguments("FILE")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			v.limited = cmd.Flags().Changed("limit")
			return v.run(cmd.OutOrStdout(), args)
		},
	}
	f := cmd.Flags()
	v.AddWindow(cmd)
	v.AddLocations(cmd)
	f.StringVar(&v.question.Level, "level", "tree", "pair calls of one region by their order, or by what they have inside: "+outputs.Listed(merged.Levels()))
	f.StringArrayVar(&v.question.Through, "through", nil, "make a `REGION` transparent: what it calls stands in its place")
	f.StringArrayVar(&v.question.Rename, "rename", nil, "give a region another name: `OLD=NEW`")
	f.BoolVar(&v.question.Nested, "nested", false, "leave recursions as they are")
	f.BoolVar(&v.question.Structure, "structure", false, "read no times")
	f.BoolVar(&v.outliers, "outliers", false, "list the locations that are far from the others")
	f.IntVar(&v.limits.Depth, "depth", 0, "only the first `N` levels of calls")
	f.StringVar(&v.minShare, "min-share", "", "only places that take this `SHARE` of the time (1%)")
	f.IntVar(&v.limits.Nodes, "limit", usualPlaces, "at most `N` places, those with the most time; 0 for all")
	v.AddMemory(cmd)
	v.AddAnswer(cmd, "print the tree as JSON", comparedFormats()...)
	v.AddTables(cmd, "a call tree", merged.TableNames())
	verb.CompleteFixed(cmd, "level", merged.Levels())
	for _, flag := range []string{"through", "rename", "depth", "min-share", "limit"} {
		verb.CompleteFixed(cmd, flag, nil)
	}
	verb.CompleteFiles(cmd)
	return cmd
}

func (v *treeVerb) run(out io.Writer, args []string) (err error) {
	if err := v.check(out); err != nil {
		return err
	}
	ctx, stop := verb.Interruptible()
	defer stop()
	var in verb.Inputs
	defer func() { err = errors.Join(err, in.Close()) }()
	for i, path := range args {
		if err := in.Open(&v.Selection, path); err != nil {
			return err
		}
		v.question.Add(in.Traces[i], path, in.Windows[i])
	}
	r, err := v.merge(ctx, in.Events())
	if err != nil {
		return err
	}
	if v.Tables != nil {
		r.Limit(v.limits)
		return v.WriteTablesOf(ctx, out, r.Tables)
	}
	return v.tell(out, r)
}

// check reads the flags.
func (v *treeVerb) check(out io.Writer) (err error) {
	if err := v.ChooseAnswer(out, callTreeFormats()...); err != nil {
		return err
	}
	_, isStack := stacks.FormatNamed(v.Chosen.Name)
	switch {
	case v.limits.Depth < 0:
		return verb.Usagef("--depth %d is negative", v.limits.Depth)
	case v.limits.Nodes < 0:
		return verb.Usagef("--limit %d is negative", v.limits.Nodes)
	case v.question.Structure && (v.outliers || v.minShare != "" || v.Tables == nil && (isStack || v.IsPicture())):
		return verb.Usagef("--structure reads no times, which this answer has")
	case v.outliers && (isStack || v.IsPicture()):
		return verb.Usagef("--outliers are text or JSON; as a table they are --tables call_outliers")
	}
	if err := v.question.Parse(); err != nil {
		return verb.Usagef("--%w", err)
	}
	if v.minShare != "" {
		if v.limits.MinShare, err = summary.ParseShare(v.minShare); err != nil {
			return verb.Usagef("--min-share %w", err)
		}
	}
	if !v.limited && !v.isText() {
		v.limits.Nodes = 0
	}
	if v.question.Memory, err = v.Bytes(); err != nil {
		return err
	}
	v.Cache = store.NewCache(v.question.Memory / cacheShare)
	return nil
}

// isText reports whether the answer is for people.
func (v *treeVerb) isText() bool { return v.Tables == nil && v.Chosen.Name == verb.TextFormat.Name }

func (v *treeVerb) merge(ctx context.Context, events int64) (*merged.Report, error) {
	if !v.question.Structure {
		events *= 2
	}
	bar := progress.New("merging", "events", events)
	defer bar.Done()
	v.question.Progress = bar.Report
	r, err := v.question.Answer(ctx)
	var unknown *merged.RegionError
	if errors.As(err, &unknown) {
		return nil, verb.Usagef("--through: %w", err)
	}
	return r, err
}

// tell writes the tree.
func (v *treeVerb) tell(out io.Writer, r *merged.Report) error {
	return v.Print(out, func(_ context.Context, w *bufio.Writer) error {
		if f, ok := stacks.FormatNamed(v.Chosen.Name); ok && !v.IsPicture() {
			return f.Write(w, r.Stacks())
		}
		r.Limit(v.limits)
		if v.IsPicture() {
			return v.Chosen.Draw(w, r.Picture(), verb.UsualPicture)
		}
		if v.isText() {
			r.LimitOutliers(v.limits.Nodes)
		}
		return r.Write(w, v.Format, v.outliers)
	})
}
