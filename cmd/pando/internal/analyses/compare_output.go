package analyses

import (
	"bufio"
	"context"
	"io"
	"slices"

	"github.com/pandotrace/pando/analysis/contrast"
	"github.com/pandotrace/pando/cmd/pando/internal/outputs"
	"github.com/pandotrace/pando/cmd/pando/internal/progress"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/internal/report/comparison"
	"github.com/pandotrace/pando/internal/report/comparison/tables"
	"github.com/pandotrace/pando/internal/stacks"
)

// comparedFormats are the formats of comparisons. Of call trees, those that have room for two runs.
func comparedFormats() []outputs.Format {
	return slices.Concat(callTreeFormats(), verb.TablesOnly)
}

// callTreeFormats are those without tables. The flame graph of stacks is left to summaries: a picture here is another.
func callTreeFormats() []outputs.Format {
	trees := slices.DeleteFunc(verb.StackFormats(), func(f outputs.Format) bool { return f.Name == verb.SVGFormat.Name })
	return slices.Concat([]outputs.Format{verb.TextFormat}, trees, []outputs.Format{verb.JSONFormat, verb.PNGFormat, verb.SVGFormat})
}

// chooseOutput chooses the format.
func (v *compareVerb) chooseOutput(out io.Writer) error {
	switch {
	case v.Tables != nil && v.similarity:
		return verb.Usagef("--similarity is an answer of its own; as a table it is --tables similarity")
	case v.similarity:
		return v.ChooseAnswer(out, drawnFormats...)
	}
	return v.ChooseAnswer(out, callTreeFormats()...)
}

// alike returns a function that aligns all locations.
func (v *compareVerb) alike(ctx context.Context, sides []contrast.Side) func() (*contrast.Likeness, error) {
	return func() (*contrast.Likeness, error) {
		if n := len(sides); n > 1 {
			sides = []contrast.Side{sides[0], sides[n-1]}
		}
		opt := v.opt
		bar := progress.New("aligning", "pairs", 0)
		defer bar.Done()
		opt.Progress = bar.Report
		return contrast.Alike(ctx, sides, opt)
	}
}

// tellLikeness writes how alike all locations are.
func (v *compareVerb) tellLikeness(ctx context.Context, out io.Writer, sides []contrast.Side) error {
	l, err := v.alike(ctx, sides)()
	if err != nil {
		return err
	}
	r := comparison.NewLikeness(l)
	return v.Print(out, func(_ context.Context, w *bufio.Writer) error {
		if v.IsPicture() {
			return v.Chosen.Draw(w, r.Picture(), verb.MatrixWidth)
		}
		return r.Write(w, v.Format)
	})
}

// tellFirst tells where the calls of each location first differ.
func (v *compareVerb) tellFirst(ctx context.Context, out io.Writer, sides []contrast.Side) error {
	f, err := comparison.NewFirst(ctx, sides[0], sides[len(sides)-1], v.opt.Memory, nil)
	if err != nil {
		return err
	}
	return v.Print(out, func(_ context.Context, w *bufio.Writer) error { return f.Write(w, v.Format) })
}

// tell writes the outcome.
func (v *compareVerb) tell(ctx context.Context, out io.Writer, all *contrast.Several, sides []contrast.Side) error {
	if v.Tables != nil {
		return v.WriteTablesOf(ctx, out, (&tables.Source{Context: ctx, Comparison: all.Runs[0], Likeness: v.alike(ctx, sides), Bases: len(all.Runs)}).Set)
	}
	r := comparison.NewSeveral(all)
	r.Limit(v.limit)
	return v.Print(out, func(_ context.Context, w *bufio.Writer) error {
		switch f, ok := stacks.FormatNamed(v.Chosen.Name); {
		case v.IsPicture():
			p, err := r.Picture(ctx, [2]contrast.Side{sides[0], sides[len(sides)-1]}, verb.UsualPicture)
			if err != nil {
				return err
			}
			return v.Chosen.Draw(w, p, verb.UsualPicture)
		case ok && f.Name == "folded":
			return stacks.WriteFoldedColumns(w, r.Stacks(), 0, 1)
		case ok:
			return f.Write(w, r.Stacks())
		}
		return r.Write(w, v.Format)
	})
}
