package folding

import (
	"context"
	"fmt"
	"io"
	"iter"

	"github.com/pandotrace/pando/internal/draw"
	"github.com/pandotrace/pando/internal/report"
)

// mostTotals is the number of groups whose totals are listed as text.
const mostTotals = 40

// Text draws the rows with characters, and lists what each adds up to.
func (q *Question) Text(ctx context.Context, to io.Writer, t *draw.Terminal, title string, dress func(*draw.Chart)) error {
	c := charting{Question: q}
	q.Pixels = t.Pixels()
	chart, err := c.chart(ctx, title)
	if err != nil {
		return err
	}
	dress(chart)
	if err := chart.Terminal(to, t); err != nil {
		return err
	}
	fmt.Fprintln(to)
	report.WriteTable(to, []string{"group", "locations", "in calls", "mean", "least", "most", "apart"}, []bool{false, true, true, true, true, true, true}, c.listed())
	return c.notes(to)
}

// listed yields the totals.
func (c *charting) listed() iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for i := range c.totals {
			t := &c.totals[i]
			if i == mostTotals || !yield([]string{report.Cell(t.name), report.Grouped(t.members), t.utilisation(), percent(t.mean), percent(t.least), percent(t.most), percent(t.apart)}) {
				return
			}
		}
	}
}

// notes writes what the table does not say.
func (c *charting) notes(to io.Writer) (err error) {
	if n := len(c.totals) - mostTotals; n > 0 {
		_, err = fmt.Fprintf(to, "… and %s more (--json has all)\n", report.Plural(n, "group", "groups"))
	}
	if c.none {
		_, err = fmt.Fprintln(to, "no location is in a call in this window")
	}
	return err
}
