package folding

import (
	"cmp"
	"context"
	"fmt"
	"image/color"
	"slices"
	"strings"

	"github.com/pandotrace/pando/analysis/fold"
	"github.com/pandotrace/pando/internal/draw"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/trace"
)

// rests are what the parts of pixels are called that have no colour.
var rests = map[fold.Select]string{
	fold.Max: "no call", fold.Min: "no call", fold.Diff: "no difference", fold.Idle: "no location in a call", fold.Quantiles: "above the busiest location",
}

// Chart folds as many groups as a picture has rows, neighbours together if there are more. Hints for the pointer are in pictures that have any.
func (q *Question) Chart(ctx context.Context, title string, hints bool) (*draw.Chart, error) {
	c := charting{Question: q, heights: true, hints: hints}
	return c.chart(ctx, title)
}

// charting is a chart in the making.
type charting struct {
	*Question
	// heights says that cells are as high as their share of the pixel; else that one is all of it.
	heights bool
	hints   bool
	folded  draw.Folded
	places  map[fold.State]uint32 // of regions in the chart
	totals  []total
	error   float64
	none    bool // there is no call
	made    *draw.Chart
}

// chart folds, and makes the chart.
func (c *charting) chart(ctx context.Context, title string) (*draw.Chart, error) {
	if err := c.prepare(ctx); err != nil {
		return nil, err
	}
	each := c.few(draw.MostRows)
	from, to := c.Window.Bounds()
	c.folded = draw.Folded{From: from, To: to, Pixels: c.Pixels, What: c.what(), Rest: rests[c.Select], Piled: c.Select == fold.Quantiles}
	if c.Select == fold.Quantiles && !c.heights {
		c.folded.Rest = "median without a call"
	}
	c.places, c.none = map[fold.State]uint32{}, true
	if c.Select == fold.Quantiles {
		c.levels()
	}
	for row, err := range c.rows(ctx) {
		if err != nil {
			return nil, err
		}
		c.row(row)
	}
	if each > 1 {
		c.folded.What += fmt.Sprintf(", %d in each line", each)
	}
	if c.error >= leastError {
		c.folded.What += fmt.Sprintf("; a pixel is off by %s at most", percent(c.error))
	}
	c.made = draw.NewFolded(c.Trace.Reader, &c.folded)
	c.made.Title = title
	return c.made, nil
}

// leastError is the share of a pixel from which on the text above a chart says that it may be off.
const leastError = 0.01

// row adds a row.
func (c *charting) row(r *fold.Row) {
	t := c.totalOf(r)
	c.totals, c.error, c.none = append(c.totals, t), max(c.error, t.error), c.none && t.high == 0
	row := draw.FoldedRow{Name: t.name, Note: fmt.Sprintf("%s, %s", report.Plural(t.members, "location", "locations"), t.utilisation())}
	for i := range r.Pixels {
		if p := &r.Pixels[i]; c.Select == fold.Quantiles {
			row.Cells = c.quantiles(row.Cells, p, i)
		} else if height := c.height(p, i); height > 0 {
			row.Cells = append(row.Cells, trace.TimelineCell{Pixel: uint32(i), Region: c.place(p.State), Ticks: height})
		}
	}
	if c.hints {
		h := hints{charting: c, row: c.hinted(r), members: r.Members, name: t.name}
		row.Hint = h.hint
	}
	c.folded.Rows = append(c.folded.Rows, row)
}

// height returns how high the cell of a pixel is, in ticks.
func (c *charting) height(p *fold.Pixel, pixel int) uint64 {
	switch {
	case p.Kind == fold.Nothing || p.Kind == fold.NoCall && c.Select != fold.Diff:
		return 0
	case c.Select == fold.Diff:
		return p.Apart
	case c.Select == fold.Idle && c.heights:
		return p.Busy.Low
	}
	return c.ticks(pixel)
}

// place returns the place of the region of a state in the chart.
func (c *charting) place(s fold.State) uint32 {
	at, ok := c.places[s]
	if !ok {
		at = uint32(len(c.folded.Regions))
		r := draw.Region{Name: "no call, unlike others", Activity: trace.ActivityIdle, Colour: draw.Unlike}
		if s.Kind == fold.Called {
			r = draw.RegionOf(c.defs, s.Region)
		}
		c.places[s], c.folded.Regions = at, append(c.folded.Regions, r)
	}
	return at
}

// Steps of the quantiles: of pictures from the bottom up, of the terminal by the median.
var (
	bandNames   = []string{"the least busy location", "up to the first quartile", "up to the median", "up to the third quartile", "up to the busiest location"}
	medianNames = []string{"median below 20 % in calls", "median 20 to 40 %", "median 40 to 60 %", "median 60 to 80 %", "median from 80 % on"}
)

// levels makes the regions of quantiles: the more locations are in calls, the darker.
func (c *charting) levels() {
	colours, names := draw.Steps(len(bandNames)), medianNames
	if c.heights {
		slices.Reverse(colours)
		names = bandNames
	}
	for i, name := range names {
		c.folded.Regions = append(c.folded.Regions, draw.Region{Name: name, Colour: color.RGBA(colours[i])})
	}
}

// quantiles appends the cells of a pixel: from the least to the most, or the step of the median.
func (c *charting) quantiles(cells []trace.TimelineCell, p *fold.Pixel, pixel int) []trace.TimelineCell {
	all, b := c.ticks(pixel), &p.Busy
	if !c.heights {
		if b.Quartiles[1] == 0 || all == 0 {
			return cells
		}
		step := min(int(float64(b.Quartiles[1])/float64(all)*float64(len(medianNames))), len(medianNames)-1)
		return append(cells, trace.TimelineCell{Pixel: uint32(pixel), Region: uint32(step), Ticks: all})
	}
	low := uint64(0)
	for i, v := range []uint64{b.Least, b.Quartiles[0], b.Quartiles[1], b.Quartiles[2], b.Most} {
		if v > low {
			cells = append(cells, trace.TimelineCell{Pixel: uint32(pixel), Region: uint32(i), Ticks: v - low})
			low = v
		}
	}
	return cells
}

// hinted is what hints need of a pixel.
type hinted struct {
	fold.State
	ticks, apart                uint64
	low, high, least, sum, most float64
}

// hinted keeps what hints need of a row.
func (c *charting) hinted(r *fold.Row) []hinted {
	list := make([]hinted, len(r.Pixels))
	for i := range r.Pixels {
		p, b := &r.Pixels[i], &r.Pixels[i].Busy
		list[i] = hinted{p.State, p.Ticks, p.Apart, float64(b.Low), float64(b.High), float64(b.Least), float64(b.Sum), float64(b.Most)}
	}
	return list
}

// hints say what happened on a row.
type hints struct {
	*charting
	row     []hinted
	members int
	name    string
}

// hint says what happened from one pixel up to another: which state is shown for most of it, and how much of the time locations are in calls.
func (h *hints) hint(first, end int) string {
	all, shown, sum := 0.0, map[fold.State]uint64{}, hinted{}
	for i := first; i < end; i++ {
		p := &h.row[i]
		all += float64(h.ticks(i))
		sum.low, sum.high, sum.least, sum.most, sum.sum = sum.low+p.low, sum.high+p.high, sum.least+p.least, sum.most+p.most, sum.sum+p.sum
		sum.apart += p.apart
		if p.Kind != fold.Nothing {
			shown[p.State] += p.ticks
		}
	}
	if all == 0 {
		return h.name + ", no time"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s to %s\n", h.name, h.made.At(h.axis.Border(first)), h.made.At(h.axis.Border(end)))
	for _, s := range mostOf(shown) {
		fmt.Fprintf(&b, "%s %s\n", percent(float64(shown[s])/all/float64(h.members)), h.stateName(s))
	}
	if h.Select == fold.Diff {
		fmt.Fprintf(&b, "locations differ in %s of the time\n", percent(float64(sum.apart)/all))
	}
	fmt.Fprintf(&b, "at least one of %d in a call: %s; each: %s to %s, %s in the mean", h.members, between(sum.low/all, sum.high/all),
		percent(sum.least/all), percent(sum.most/all), percent(sum.sum/all/float64(h.members)))
	return b.String()
}

// mostHinted is the number of states that a hint names.
const mostHinted = 3

// mostOf returns the states with most time.
func mostOf(shown map[fold.State]uint64) (list []fold.State) {
	for s := range shown {
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b fold.State) int {
		return cmp.Or(cmp.Compare(shown[b], shown[a]), cmp.Compare(b.Kind, a.Kind), cmp.Compare(a.Region, b.Region))
	})
	return list[:min(len(list), mostHinted)]
}

// stateName returns the name of a state.
func (c *charting) stateName(s fold.State) string {
	if s.Kind != fold.Called {
		return "no call"
	}
	return report.Printable(draw.RegionOf(c.defs, s.Region).Name)
}
