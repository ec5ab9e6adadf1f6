package analyses

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/cmd/pando/internal/progress"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/internal/draw"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/patterns"
	"github.com/pandotrace/pando/store"
)

// patternsVerb finds which patterns the messages of a trace make.
type patternsVerb struct {
	limited
	verb.Memory
	saving
	period, by string
	matrix     bool
}

// usualPatternTemplates is the number of templates that are listed unless --limit says how many.
const usualPatternTemplates = 10

// NewPatterns makes the verb patterns.
func NewPatterns() *cobra.Command {
	v := &patternsVerb{limited: limited{formats: drawnFormats}}
	cmd := &cobra.Command{
		Use:   "patterns FILE",
		Short: "Find which pattern the messages make: a grid, a ring, a wavefront, a butterfly",
		Long: `Find the simplest pattern that the messages between ranks make: line, ring, star, tree, grid or torus
of up to four dimensions, wavefront over a grid, butterfly, all to all. One that explains less than
80 % of the messages is not told; that is irregular. Ranks are those of MPI_COMM_WORLD as they are
numbered: of ranks that are numbered by chance, no grid is seen.

Templates are messages that are alike but for the rank that sends them: how far away the receiver
is, tag, length and communicator.

--by phase divides the window into the loops of the program and what is between them, as each rank
comes to them; --period divides it by time. --matrix shows who sends how much to whom, and so does
-o NAME.png or NAME.svg: one picture with a matrix for each phase.

--save NAME keeps the pattern in FILE as an annotation: its class, window, communicator and fingerprint,
and a --text. With --by phase, it keeps what each phase has: NAME/2/calls is what the loop of the second
one consists of, NAME/2/messages the pattern of its messages. pando annotations lists and removes them;
the trace itself stays as it is.`,
		Example: `  pando patterns run.pando
  pando patterns run.pando --from 40% --to 60%
  pando patterns run.pando --by phase
  pando patterns run.pando --by phase -o matrices.png
  pando patterns run.pando --period 100ms
  pando patterns run.pando --json --limit 0
  pando patterns run.pando --from 40% --to 60% --save halo --text 'exchange of the solver'
  pando patterns run.pando --by phase --save solver
  pando patterns run.pando --tables patterns,communication,templates -o tables --format parquet`,
		Args: verb.Arguments("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.OutOrStdout(), args[0]) },
	}
	f := cmd.Flags()
	v.AddWindow(cmd)
	v.AddLocations(cmd)
	f.StringVar(&v.by, "by", "", "divide the window into what the program does: `WHAT` phase")
	f.BoolVar(&v.matrix, "matrix", false, "show who sends how much to whom")
	f.StringVar(&v.period, "period", "", "divide the window into parts of this `TIME` (100ms)")
	f.IntVar(&v.limit, "limit", usualPatternTemplates, "list the `N` templates with most messages; 0 for all")
	v.AddMemory(cmd)
	v.AddAnswer(cmd, "print the patterns as JSON", slices.Concat(drawnFormats, verb.TablesOnly)...)
	v.saving.add(cmd)
	v.AddTables(cmd, "an analysis of patterns", patterns.TableNames())
	verb.CompleteFixed(cmd, "by", []string{byPhase})
	verb.CompleteFixed(cmd, "period", nil)
	verb.CompleteFixed(cmd, "limit", nil)
	verb.CompleteFiles(cmd)
	return cmd
}

// byPhase is what --by can say.
const byPhase = "phase"

// check finds fault with the flags.
func (v *patternsVerb) check() error {
	switch {
	case v.by != "" && v.by != byPhase:
		return verb.Usagef("--by %s: patterns are told by phase", v.by)
	case v.by != "" && v.period != "":
		return verb.Usagef("the window is divided --by phase or by --period, not both")
	}
	return nil
}

func (v *patternsVerb) run(out io.Writer, path string) error {
	if err := cmp.Or(v.check(), v.saving.check(path)); err != nil {
		return err
	}
	return v.answer(out, path, func(ctx context.Context, f *report.Trace, window *store.Window) (answer, error) {
		q := &patterns.Question{Trace: f, Window: window, Limit: v.limit, Loops: v.by == byPhase}
		var err error
		if q.Memory, err = v.Bytes(); err != nil {
			return answer{}, err
		}
		if q.Period, err = v.ticks(f); err != nil {
			return answer{}, err
		}
		r, err := v.find(ctx, q)
		if many := (*patterns.PeriodsError)(nil); errors.As(err, &many) {
			return answer{}, verb.Usagef("--period %s: %w", v.period, err)
		} else if err != nil {
			return answer{}, err
		}
		if err := v.keep(ctx, f, r); err != nil {
			return answer{}, err
		}
		return answer{r.Tables, func(w io.Writer) error { return v.tell(w, out, r) }}, nil
	})
}

// tell writes the answer: as text, with matrices after --matrix, as JSON, or as a picture.
func (v *patternsVerb) tell(w, out io.Writer, r *patterns.Report) error {
	switch {
	case v.IsPicture():
		p, err := r.Picture(mostRows)
		if err != nil {
			return err
		}
		return v.Chosen.Draw(w, p, verb.MatrixWidth)
	case v.Format == report.JSON || !v.matrix:
		return r.Write(w, v.Format)
	}
	return writeMapped(w, out, &v.Answering, r.Write, func(t *draw.Terminal) (drawing, error) { return r.Picture(t.Lines()) })
}

// keep saves the pattern if that is wanted.
func (v *patternsVerb) keep(ctx context.Context, f *report.Trace, r *patterns.Report) error {
	if v.saving.name == "" {
		return nil
	}
	list, err := r.Annotations(v.saving.name, v.saving.text)
	if errors.Is(err, patterns.ErrSeveral) {
		return verb.Usagef("--save: %w", err)
	} else if err != nil {
		return fmt.Errorf("--save: %w", err)
	}
	return v.save(ctx, f, list, v.Replacing)
}

// ticks returns the length of a period, 0 if there are none.
func (v *patternsVerb) ticks(f *report.Trace) (int64, error) {
	if v.period == "" {
		return 0, nil
	}
	axis := f.TimeAxis()
	ticks, err := axis.ParseDuration(v.period)
	if err != nil {
		return 0, verb.Usagef("--period: %w", err)
	}
	if ticks <= 0 {
		return 0, verb.Usagef("--period %s is no time", v.period)
	}
	return ticks, nil
}

func (v *patternsVerb) find(ctx context.Context, q *patterns.Question) (*patterns.Report, error) {
	bar := progress.New("looking at messages", "messages", 0)
	defer bar.Done()
	q.Progress = bar.Report
	return patterns.Find(ctx, q)
}
