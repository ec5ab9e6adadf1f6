package analyses

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/cmd/pando/internal/progress"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/shapes"
	"github.com/pandotrace/pando/store"
)

// shapesVerb divides calls into classes of like ones.
type shapesVerb struct {
	limited
}

// usualClasses is the number of classes that are printed unless --limit says how many.
const usualClasses = 20

// NewShapes makes the verb shapes.
func NewShapes() *cobra.Command {
	v := &shapesVerb{}
	cmd := &cobra.Command{
		Use:   "shapes FILE",
		Short: "Divide calls into classes of like ones, and say how long each takes",
		Long: `Divide the calls of a window into classes: calls of one region that have like calls inside of them,
however often these are repeated. Of each class: number of calls and locations, exclusive time with
median, median absolute deviation, 99th percentile and largest, and how many calls are unusual:
more than 5 deviations from the median. pando find --unusual lists these.

The table unusual has the 100 calls that differ most. Those of regions that wait for others are left
out of it, unless --region chooses some.`,
		Example: `  pando shapes run.pando
  pando shapes run.pando --from 40% --to 60% --limit 0
  pando shapes run.pando --json
  pando shapes run.pando --tables shapes,unusual -o tables --format parquet`,
		Args: verb.Arguments("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.OutOrStdout(), args[0]) },
	}
	v.AddWindow(cmd)
	v.AddLocations(cmd)
	v.AddRegions(cmd)
	cmd.Flags().IntVar(&v.limit, "limit", usualClasses, "print the `N` classes with most exclusive time; 0 for all")
	v.AddAnswer(cmd, "print the classes as JSON", limitedFormats()...)
	v.AddTables(cmd, "classes of calls", shapes.TableNames())
	verb.CompleteFixed(cmd, "limit", nil)
	verb.CompleteFiles(cmd)
	return cmd
}

func (v *shapesVerb) run(out io.Writer, path string) error {
	return v.answer(out, path, func(ctx context.Context, f *report.Trace, window *store.Window) (answer, error) {
		q := &shapes.Question{Trace: f, Window: window}
		if q.Waits = len(v.Regions) > 0; v.Tables != nil || v.Format == report.JSON {
			q.Unusual = shapes.UsualCalls
		}
		bar := progress.New("comparing calls", "events", 0)
		defer bar.Done()
		q.Progress = bar.Report
		r, err := shapes.Find(ctx, q)
		if err != nil {
			return answer{}, err
		}
		return answer{r.Tables, func(w io.Writer) error { return r.Write(w, v.Format, v.limit) }}, nil
	})
}
