package analyses

import (
	"bufio"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/analysis/segment"
	"github.com/pandotrace/pando/cmd/pando/internal/outputs"
	"github.com/pandotrace/pando/cmd/pando/internal/progress"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/internal/draw"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/hotspots"
	"github.com/pandotrace/pando/internal/report/waits"
	"github.com/pandotrace/pando/store"
)

// hotspotsVerb finds which locations are late, and when.
type hotspotsVerb struct {
	verb.Answering
	verb.Selection
	verb.Memory
	waiting  waiting
	question hotspots.Question
}

// NewHotspots makes the verb hotspots.
func NewHotspots() *cobra.Command {
	v := &hotspotsVerb{}
	cmd := &cobra.Command{
		Use:   "hotspots FILE",
		Short: "Find which locations are late, in which segment, and in which calls",
		Long: `Cut the time of all locations into segments that repeat, such as the iterations of a program, and find who
is late: one location once, one again and again, or all of them in one segment. What differs no more
than noise does is not told.

Segments are compared by SOS time: their duration less the synchronisation inside. Where locations
meet in each segment, all take as long as the slowest, and SOS time tells which one that is.

Without flags, segments are the calls of the region, or the rounds of the loop, that have most SOS
time. --finer takes what has most inside of these, --finer=2 one level more. --region names the
region, --group the first call of a loop.

-o NAME.png or NAME.svg draws the SOS times of all segments as a map; without -o, the map is drawn below the
findings. --tables segments -o NAME.parquet writes all segments as a table (docs/tables.md).

--waits tells where locations wait for each other, and for whom: late senders, late receivers, and waits at
collective operations, as Scalasca defines them. --critical-path follows the run back from its last event,
from each wait to the location that was waited for: what lies on that path sets how long the run takes.
Tables of both are waits and critical_path.`,
		Example: `  pando hotspots run.pando
  pando hotspots run.pando --finer
  pando hotspots run.pando --region solve --from 40% --to 60%
  pando hotspots run.pando --group=rhs_
  pando hotspots run.pando -o late.svg
  pando hotspots run.pando --waits
  pando hotspots run.pando --critical-path --from 2s --to 4s
  pando hotspots run.pando --json --limit 5`,
		Args: verb.Arguments("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.OutOrStdout(), args[0]) },
	}
	f := cmd.Flags()
	v.AddWindow(cmd)
	v.AddLocations(cmd)
	f.StringVarP(&v.question.Region, "region", "R", "", "segments are the calls of this `REGION`")
	f.StringVar(&v.question.Group, "group", "", "segments are rounds of a loop without a region of its own: the one whose first call is `REGION`")
	f.IntVar(&v.question.Finer, "finer", 0, "go `N` levels further inside")
	f.Lookup("group").NoOptDefVal, f.Lookup("finer").NoOptDefVal = hotspots.AnyGroup, "1"
	v.waiting.add(cmd)
	f.IntVar(&v.question.Limit, "limit", hotspots.UsualFindings, "tell about at most `N` findings, or rows of each table of waits; 0 for all")
	v.AddMemory(cmd)
	v.AddAnswer(cmd, "print the findings as JSON", hotspotsFormats()...)
	v.AddTables(cmd, "a search for hot spots", hotspotTables())
	verb.CompleteFrom(cmd, "region", verb.RegionsOf)
	for _, flag := range []string{"group", "finer", "limit"} {
		verb.CompleteFixed(cmd, flag, nil)
	}
	verb.CompleteFiles(cmd)
	return cmd
}

// hotspotsFormats are the formats of the verb hotspots.
func hotspotsFormats() []outputs.Format {
	return slices.Concat(drawnFormats, verb.TablesOnly)
}

// drawnFormats are the formats of answers that can be drawn.
var drawnFormats = []outputs.Format{verb.TextFormat, verb.JSONFormat, verb.PNGFormat, verb.SVGFormat}

// hotspotTables lists the tables of the verb.
func hotspotTables() []string { return slices.Concat(hotspots.Analysis.Names, waits.TableNames()) }

// check reads the flags.
func (v *hotspotsVerb) check(out io.Writer) (err error) {
	q := &v.question
	switch {
	case q.Limit < 0:
		return verb.Usagef("--limit %d is negative", q.Limit)
	case q.Finer < 0:
		return verb.Usagef("--finer %d is negative", q.Finer)
	case q.Region != "" && q.Group != "":
		return verb.Usagef("segments are calls of a --region or rounds of a --group, not both")
	}
	if q.Memory, err = v.Bytes(); err != nil {
		return err
	}
	if v.waiting.asked() {
		if q.Region+q.Group != "" || q.Finer > 0 || v.Locations != nil {
			return verb.Usagef("--waits and --critical-path are of all locations and calls: no -L, no -R, no --group, no --finer")
		}
		return v.waiting.choose(&v.Answering)
	}
	return v.ChooseAnswer(out, drawnFormats...)
}

func (v *hotspotsVerb) run(out io.Writer, path string) error {
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
	if v.waiting.asked() {
		return v.waiting.answer(ctx, out, &v.Answering, f, window, v.question.Memory, v.question.Limit)
	}
	waited, err := v.waiting.tables(ctx, v.Tables, f, window, v.question.Memory)
	if err != nil {
		return err
	}
	if len(waited.Tables) > 0 && len(waited.Tables) == len(v.Tables) {
		return v.WriteTables(ctx, out, waited)
	}
	a, err := v.find(ctx, f, window)
	var none *segment.NoneError
	switch {
	case errors.As(err, &none) && none.Named:
		return verb.Usage(err)
	case errors.As(err, &none) && v.Tables == nil && !v.IsPicture():
		return v.Print(out, func(_ context.Context, w *bufio.Writer) error { return hotspots.NewNone(f, none).Write(w, v.Format) })
	case err != nil:
		return err
	case v.Tables != nil:
		return v.WriteTables(ctx, out, joined(hotspots.Tables(a, f.Info().First), waited))
	}
	return v.tell(ctx, out, f, a)
}

// tell writes the findings.
func (v *hotspotsVerb) tell(ctx context.Context, out io.Writer, f *report.Trace, a *segment.Analysis) error {
	r, err := hotspots.New(ctx, f, a, v.question.Limit)
	if err != nil {
		return err
	}
	return v.Print(out, func(_ context.Context, w *bufio.Writer) error {
		switch {
		case v.IsPicture():
			return v.Chosen.Draw(w, r.Picture(mostRows, verb.UsualPicture), verb.UsualPicture)
		case v.Format == report.JSON:
			return r.Write(w, v.Format)
		}
		return writeMapped(w, out, &v.Answering, r.Write, func(t *draw.Terminal) (drawing, error) { return r.Map(t), nil })
	})
}

// mostRows is the number of rows of a picture.
const mostRows = 320

// find finds the segments.
func (v *hotspotsVerb) find(ctx context.Context, f *report.Trace, window *store.Window) (*segment.Analysis, error) {
	bar := progress.New("following", "events", 2*int64(f.Info().Events))
	defer bar.Done()
	q := v.question
	q.Trace, q.Window, q.Progress = f, window, bar.Report
	return q.Find(ctx)
}
