package analyses

import (
	"cmp"
	"context"
	"io"
	"path/filepath"

	"github.com/pandotrace/pando/analysis/fold"
	"github.com/pandotrace/pando/cmd/pando/internal/outputs"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/internal/draw"
	"github.com/pandotrace/pando/internal/report/folding"
)

// FoldOptions reads the flags that say what is folded, and how. The first of them has the name flag.
func FoldOptions(flag, by, how string) (o fold.Options, err error) {
	if err := folding.CheckBy(by); err != nil {
		return o, verb.Usagef("--%s: %w", flag, err)
	}
	if o.Select, err = fold.ParseSelect(cmp.Or(how, fold.Idle.String())); err != nil {
		return o, verb.Usagef("--select: %w", err)
	}
	return o, nil
}

// FoldedOutput is where and how a folded timeline is written.
type FoldedOutput struct {
	Format outputs.Format
	Width  int       // in pixels or characters, 0 for the usual one
	Title  string    // empty for the name of the file
	ByKind bool      // colours are those of kinds of regions
	Shown  io.Writer // what the text is shown on, nil for a file
}

// Write writes the answer of a question as text, JSON or a picture. Of JSON, the question says the number of pixels.
func (o *FoldedOutput) Write(ctx context.Context, w io.Writer, q *folding.Question) error {
	title := cmp.Or(o.Title, filepath.Base(q.Trace.Path))
	dress := func(c *draw.Chart) {
		if o.ByKind && q.Select != fold.Quantiles {
			c.ColourByActivity()
		}
	}
	switch o.Format.Name {
	case verb.JSONFormat.Name:
		return q.JSON(ctx, w)
	case verb.TextFormat.Name:
		width, height := outputs.Size(o.Shown)
		return q.Text(ctx, w, draw.NewTerminal(cmp.Or(o.Width, width), height, outputs.Colours(o.Shown)), title, dress)
	}
	width := cmp.Or(o.Width, verb.UsualPicture)
	q.Pixels = draw.Pixels(width)
	chart, err := q.Chart(ctx, title, o.Format.Name == verb.SVGFormat.Name)
	if err != nil {
		return err
	}
	dress(chart)
	return o.Format.Draw(w, chart, width)
}
