package analyses

import (
	"bufio"
	"context"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/analysis/fold"
	"github.com/pandotrace/pando/cmd/pando/internal/outputs"
	"github.com/pandotrace/pando/cmd/pando/internal/progress"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/internal/draw"
	"github.com/pandotrace/pando/internal/report/folding"
	"github.com/pandotrace/pando/store"
)

// foldVerb folds many locations to few rows.
type foldVerb struct {
	verb.Answering
	verb.Selection
	verb.Memory
	by, how, title, colour string
	exact, quick           bool
	width, pixels          int
	opt                    fold.Options
}

// NewFold makes the verb fold.
func NewFold() *cobra.Command {
	v := &foldVerb{}
	cmd := &cobra.Command{
		Use:   "fold FILE",
		Short: "Fold the timelines of many locations to a few rows",
		Long: `Fold the timelines of the threads of each process, of the processes of each node, of the streams of each
accelerator, of locations that are alike (cluster, or cluster:tree, see pando cluster), or of all
locations to one row each. --select says what a row shows of a pixel:

  max        the state with most time, of all locations together; no call is a state, too
  min        the state with least time: what is rare
  diff       nothing where all locations spent the pixel alike; else the state with least time
             among those in which they differ, as high as they differ
  idle       no call only if no location has one, else the region with most time; as high as the time in
             which at least one location is in a call
  quantiles  how the time in calls is distributed: of the location with least, of the quartiles, with most

Below the rows stands for each group in how much of the time at least one of its locations is in a call.
With --region, other regions count as no call: -R '!@mpi' --select idle tells when nobody computes.

Without --by, locations are folded by process, by node, or all: by the first that folds any.
-o NAME.png or NAME.svg writes a picture, -o NAME.json or --json the data. --tables folded writes a table
(docs/tables.md). Times of wide pixels come from bins, which may be off at the borders of pixels by what the
data says; --exact reads all events. --quick leaves open in how much of the time any location is in a
call where only events tell it, and tells bounds.`,
		Example: `  pando fold run.pando
  pando fold run.pando --by node --select idle -o nodes.png
  pando fold run.pando --by all --select diff
  pando fold run.pando --by cluster --select quantiles
  pando fold run.pando --by device -L @gpu --select idle
  pando fold run.pando --by node -R '!@mpi' --select quantiles -o load.svg
  pando fold run.pando --tables folded -o folded.parquet`,
		Args: verb.Arguments("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.OutOrStdout(), args[0]) },
	}
	f := cmd.Flags()
	v.AddWindow(cmd)
	v.AddLocations(cmd)
	v.AddRegions(cmd)
	f.StringVar(&v.by, "by", "", "fold by `WHAT`: "+outputs.Listed(folding.Bys()))
	f.StringVar(&v.how, "select", "", "`WHAT` a row shows of a pixel (default idle): "+outputs.Listed(fold.Selects()))
	f.BoolVar(&v.exact, "exact", false, "read all events of the window")
	f.BoolVar(&v.quick, "quick", false, "tell bounds where only events tell when any location is in a call")
	f.IntVar(&v.width, "width", 0, "`PIXELS` of a picture from left to right (default 1600), or characters of text")
	f.IntVar(&v.pixels, "pixels", 1000, "divide the window into `N` parts, in JSON and tables")
	f.StringVar(&v.title, "title", "", "`TEXT` above a picture (default: the file's name)")
	f.StringVar(&v.colour, "colour", "region", "colour by `WHAT`: region, or kind (computation, MPI, OpenMP, I/O …)")
	v.AddMemory(cmd)
	v.AddAnswer(cmd, "print the data as JSON", slices.Concat(foldedFormats, verb.TablesOnly)...)
	v.AddTables(cmd, "a fold", []string{folding.TableName})
	verb.CompleteFixed(cmd, "by", folding.Bys())
	verb.CompleteFixed(cmd, "select", fold.Selects())
	verb.CompleteFixed(cmd, "colour", []string{"region", "kind"})
	for _, flag := range []string{"width", "pixels", "title"} {
		verb.CompleteFixed(cmd, flag, nil)
	}
	verb.CompleteFiles(cmd)
	return cmd
}

// foldedFormats are the formats of folded timelines, without those of their table.
var foldedFormats = []outputs.Format{verb.TextFormat, verb.PNGFormat, verb.SVGFormat, verb.JSONFormat}

// check reads the flags.
func (v *foldVerb) check(out io.Writer) (err error) {
	switch {
	case v.colour != "region" && v.colour != "kind":
		return verb.Usagef("--colour %s is neither region nor kind", v.colour)
	case v.pixels < 1 || v.pixels > store.MaxPixels:
		return verb.Usagef("--pixels %d is not between 1 and %d", v.pixels, store.MaxPixels)
	}
	if err := v.ChooseAnswer(out, foldedFormats...); err != nil {
		return err
	}
	least := 1
	if v.IsPicture() {
		least = draw.MinWidth
	}
	if v.width != 0 && (v.width < least || v.width > draw.MaxWidth) {
		return verb.Usagef("--width %d is not between %d and %d", v.width, least, draw.MaxWidth)
	}
	v.opt, err = FoldOptions("by", v.by, v.how)
	if err == nil {
		v.opt.Memory, err = v.Bytes()
	}
	v.opt.Exact, v.opt.Quick = v.exact, v.quick
	return err
}

func (v *foldVerb) run(out io.Writer, path string) error {
	if err := v.check(out); err != nil {
		return err
	}
	ctx, stop := verb.Interruptible()
	defer stop()
	f, window, err := v.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	bar := progress.New("folding", "locations", 0)
	defer bar.Done()
	v.opt.Progress = bar.Report
	q := &folding.Question{Trace: f, Window: window, By: v.by, Options: v.opt}
	if err = v.answer(ctx, out, q); folding.IsUsage(err) {
		return verb.Usage(err)
	}
	return err
}

// answer writes the answer.
func (v *foldVerb) answer(ctx context.Context, out io.Writer, q *folding.Question) error {
	q.Pixels = v.pixels
	if v.Tables != nil {
		set, err := q.Tables(ctx)
		if err != nil {
			return err
		}
		return v.WriteTables(ctx, out, set)
	}
	o := FoldedOutput{Format: v.Chosen, Width: v.width, Title: v.title, ByKind: v.colour == "kind"}
	if v.Output == "" || v.Output == outputs.Standard {
		o.Shown = out
	}
	return v.Print(out, func(_ context.Context, w *bufio.Writer) error { return o.Write(ctx, w, q) })
}
