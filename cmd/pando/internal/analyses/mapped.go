package analyses

import (
	"io"

	"github.com/pandotrace/pando/cmd/pando/internal/outputs"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/internal/draw"
	"github.com/pandotrace/pando/internal/report"
)

// drawing is what can be drawn with characters.
type drawing interface {
	Terminal(to io.Writer, t *draw.Terminal) error
}

// writeMapped writes an answer as text, and below it a drawing for the terminal that it is shown on. out is where the verb prints; w is that, or the file that a names.
func writeMapped(w, out io.Writer, a *verb.Answering, text func(io.Writer, report.Format) error, drawn func(*draw.Terminal) (drawing, error)) error {
	if a.Output != "" && a.Output != outputs.Standard {
		out = nil
	}
	width, height := outputs.Size(out)
	t := draw.NewTerminal(width, height, outputs.Colours(out))
	d, err := drawn(t)
	if err != nil {
		return err
	}
	if err := text(w, report.Text); err != nil {
		return err
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return err
	}
	return d.Terminal(w, t)
}
