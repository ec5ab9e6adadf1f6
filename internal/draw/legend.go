package draw

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// entry is an entry of a legend: a colour, what it stands for, and as text how much of it there is.
type entry struct {
	colour color.RGBA
	name   string
	amount string
	line   bool // it stands for a line, not for an area
	mark   bool // it stands for a mark
}

// Bounds of a legend: its number of entries, and the least share of the time that has one.
const (
	maxEntries   = 20
	minShare     = 0.0005
	legendRow    = 21
	legendColumn = 240
)

// legend lists what colours stand for, column by column.
type legend struct {
	entries       []entry
	columns, rows int
	width         float64 // of a column
}

func newLegend(entries []entry, width int) legend {
	l := legend{entries: entries, columns: max(1, (width-rightMargin-16)/legendColumn)}
	l.width = float64(width-rightMargin-16) / float64(l.columns)
	l.rows = (len(entries) + l.columns - 1) / l.columns
	return l
}

func (l *legend) height() int { return l.rows * legendRow }

func (l *legend) draw(to canvas, f faces, top int) {
	for i, e := range l.entries {
		x, y := 16+l.width*float64(i/l.rows), float64(top+i%l.rows*legendRow)
		switch {
		case e.line:
			to.line(x, y+11, x+14, y+3, 2, e.colour)
		case e.mark:
			to.quad(x+7-markSize, x+7+markSize, y+5, x+7, x+7, y+6+markSize, e.colour)
		default:
			to.rect(x, y, 14, 14, grey)
			to.rect(x+1, y+1, 12, 12, e.colour)
		}
		indent := 22.0
		if e.amount != "" {
			indent = 76
			to.text(x+68, y+11, textStyle, toEnd, ink, e.amount)
		}
		to.text(x+indent, y+11, textStyle, toStart, ink, f.fit(textStyle, e.name, l.width-indent-16))
	}
}

// percent writes a share.
func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// restName is what time without cells is called.
func (c *Chart) restName() string { return cmp.Or(c.rest, "no call") }

// legend lists the regions with most time, the largest first, and what else is to be seen.
func (c *Chart) legend() (list []entry) {
	order, what := c.named(), "regions"
	if c.byActivity {
		what = "activities"
	}
	if c.piled {
		for _, r := range order {
			list = append(list, entry{colour: r.Colour, name: r.Name, amount: percent(r.Share)})
		}
	} else {
		list = legendOf(order, what)
	}
	if c.idle > minShare {
		list = append(list, entry{colour: nothing, name: c.restName(), amount: percent(c.idle)})
	}
	if len(c.Lines) > 0 {
		list = append(list, entry{colour: messages, name: "message, from send to receive", line: true})
	}
	if len(c.Marks) > 0 {
		list = append(list, entry{colour: ink, name: c.MarksAre, mark: true})
	}
	return list
}

// legendOf lists regions with most time, the largest first, and says how many are left out.
func legendOf(regions []Region, what string) (list []entry) {
	slices.SortStableFunc(regions, func(a, b Region) int {
		switch {
		case a.Share > b.Share:
			return -1
		case a.Share < b.Share:
			return 1
		}
		return 0
	})
	rest := 0.0
	for i, r := range regions {
		if i >= maxEntries || r.Share < minShare && i > 0 {
			rest += r.Share
			continue
		}
		list = append(list, entry{colour: r.Colour, name: plainName(r.Name), amount: percent(r.Share)})
	}
	switch n := len(regions) - len(list); {
	case n == 1:
		last := regions[len(regions)-1]
		list = append(list, entry{colour: last.Colour, name: plainName(last.Name), amount: percent(rest)})
	case n > 1:
		list = append(list, entry{colour: others, name: fmt.Sprintf("%s other %s", grouped(fmt.Sprint(n)), what), amount: percent(rest)})
	}
	return list
}

// named returns the regions as the legend names them: each, or all of an activity as one.
func (c *Chart) named() []Region {
	if !c.byActivity {
		return slices.Clone(c.Regions)
	}
	var list []Region
	place := map[trace.Activity]int{}
	for _, r := range c.Regions {
		i, ok := place[r.Activity]
		if !ok {
			i = len(list)
			place[r.Activity] = i
			list = append(list, Region{Name: r.Activity.String(), Activity: r.Activity, Colour: r.Colour})
		}
		list[i].Share += r.Share
	}
	return list
}
