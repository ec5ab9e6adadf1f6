package analyses

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/analysis/shapes"
	"github.com/pandotrace/pando/cmd/pando/internal/progress"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/internal/draw"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/store"
)

// Marks is the flag that says which calls a timeline marks.
type Marks struct {
	What string

	found []draw.Mark
}

// unusual is what Marks can mark, and mostMarks how many calls it marks at most: those that differ most.
const (
	unusual   = "unusual"
	mostMarks = 20
)

// Add adds the flag.
func (m *Marks) Add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&m.What, "mark", "", "mark calls: `WHAT` unusual, those that are unusual for their class (pando shapes)")
	verb.CompleteFixed(cmd, "mark", []string{unusual})
}

// Find finds the calls to be marked in a window.
func (m *Marks) Find(ctx context.Context, f *report.Trace, window *store.Window) error {
	if m.What == "" {
		return nil
	}
	if m.What != unusual {
		return verb.Usagef("--mark %s: there are marks of unusual calls", m.What)
	}
	bar := progress.New("following", "events", 2*int64(f.Info().Events))
	defer bar.Done()
	a, err := shapes.Of(ctx, f.Reader, window, shapes.Options{Unusual: mostMarks, Progress: bar.Report})
	if err != nil {
		return err
	}
	second := float64(f.Meta().Resolution)
	for i := range a.Unusual {
		u := &a.Unusual[i]
		text := fmt.Sprintf("%s: %s of its own, usually %s", report.Printable(a.Classes[u.Class].Region), report.Duration(float64(u.Own)/second), report.Duration(float64(u.Usual)/second))
		m.found = append(m.found, draw.Mark{Location: u.Location, From: u.Start, To: u.End, Text: text})
	}
	return nil
}

// On puts the marks on a timeline.
func (m *Marks) On(c *draw.Chart) {
	c.Marks, c.MarksAre = m.found, "a call that is unusual for its class"
}
