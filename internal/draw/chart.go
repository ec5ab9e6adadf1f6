package draw

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Chart is what a picture shows.
type Chart struct {
	Title, Subtitle string
	// Rows are the locations from top to bottom: those of one process follow each other.
	Rows []Row
	// Regions are those of the timeline, in its order.
	Regions []Region
	// Lines are the messages of the window if they are few; else Sent has for each pixel how many are sent.
	Lines []Line
	Sent  []uint64
	// UnderWay says that Sent has how many messages are under way in the part of the window around a pixel.
	UnderWay bool
	Messages uint64

	timeline   *trace.Timeline
	first      int64 // the trace's first event, from which the axis counts
	perTick    float64
	idle       float64 // share of time without calls
	byActivity bool    // regions of one activity have one colour and one entry of the legend
}

// Row is a location.
type Row struct {
	Location      uint64
	Process, Name string
	cells         []trace.TimelineCell
}

// Cells returns the shares that regions have of the row's pixels, ordered by pixel, then region.
func (r *Row) Cells() []trace.TimelineCell { return r.cells }

// Region is a region with its share of all the time.
type Region struct {
	ID       uint64
	Name     string
	Activity trace.Activity
	Colour   color.RGBA
	Share    float64
}

// Line is a message from one row to another; times are in ticks.
type Line struct {
	From, To      int
	Sent, Arrived int64
}

// Bounds of the messages that are drawn as lines, and of those that are counted.
const (
	maxLines     = 400
	maxCounted   = 1 << 20
	messageParts = 200 // of the window, if there are more
)

// mostCounted is maxCounted; tests change it.
var mostCounted uint64 = maxCounted

// New reads the content of a picture of a window. Its time is divided into the given number of pixels, see [Pixels].
func New(r *store.Reader, w *store.Window, pixels int) (*Chart, error) {
	t, err := w.Timeline(pixels)
	if err != nil {
		return nil, err
	}
	d, err := r.Definitions()
	if err != nil {
		return nil, err
	}
	c := &Chart{timeline: t, first: r.Info().First, perTick: 1 / float64(max(r.Meta().Resolution, 1))}
	c.Subtitle = fmt.Sprintf("%s, %d locations", c.extent(r.Info()), len(t.Locations))
	if len(t.Locations) == 1 {
		c.Subtitle = c.extent(r.Info()) + ", 1 location"
	}
	c.rows(d)
	c.regions(d)
	return c, nil
}

// extent says where the window is, how long it is, and of how much of the trace.
func (c *Chart) extent(info *store.Info) string {
	length := seconds(float64(c.timeline.To-c.timeline.From) * c.perTick)
	if c.timeline.From <= info.First && c.timeline.To >= info.Last {
		return length + ", the whole trace"
	}
	return fmt.Sprintf("%s to %s: %s of %s", c.at(c.timeline.From), c.at(c.timeline.To), length, seconds(float64(info.Last-info.First)*c.perTick))
}

// at writes a time of the axis, with as many digits as the window needs.
func (c *Chart) at(t int64) string {
	span := float64(c.timeline.To-c.timeline.From) * c.perTick
	from := float64(c.timeline.From-c.first) * c.perTick
	to := float64(c.timeline.To-c.first) * c.perTick
	unit, name := unitOf(max(math.Abs(from), math.Abs(to)))
	digits := min(max(0, int(math.Ceil(-math.Log10(max(span/unit, 1e-15))))+3), 12)
	return grouped(strconv.FormatFloat(float64(t-c.first)*c.perTick/unit, 'f', digits, 64)) + " " + name
}

// Timeline returns the data of the picture.
func (c *Chart) Timeline() *trace.Timeline { return c.timeline }

// rows puts the locations in order.
func (c *Chart) rows(d *trace.Definitions) {
	t := c.timeline
	rank := map[string]int{}
	for i, id := range t.Locations {
		r := Row{Location: id, Name: d.Name(trace.SpaceLocation, id), cells: t.Cells[t.Starts[i]:t.Starts[i+1]]}
		if p, ok := d.Process(id); ok {
			r.Process = d.Name(trace.SpaceLocationGroup, p)
		}
		if r.Process == "" {
			r.Process = cmp.Or(r.Name, fmt.Sprintf("location %d", id))
		}
		if _, ok := rank[r.Process]; !ok {
			rank[r.Process] = len(rank)
		}
		c.Rows = append(c.Rows, r)
	}
	slices.SortStableFunc(c.Rows, func(a, b Row) int { return cmp.Compare(rank[a.Process], rank[b.Process]) })
}

// regions names the regions, and says how much of the time each has.
func (c *Chart) regions(d *trace.Definitions) {
	t := c.timeline
	ticks, all := make([]float64, len(t.Regions)), float64(t.To-t.From)*float64(len(t.Locations))
	for _, cell := range t.Cells {
		ticks[cell.Region] += float64(cell.Ticks)
	}
	c.idle = 1
	for i, id := range t.Regions {
		r := Region{ID: id, Name: d.Name(trace.SpaceRegion, id), Activity: d.RegionClass(id).Activity, Share: ticks[i] / max(all, 1)}
		if r.Name == "" {
			r.Name = fmt.Sprintf("region %d", id)
		}
		r.Colour = colourOf(r.Name, r.Activity)
		c.Regions = append(c.Regions, r)
		c.idle -= r.Share
	}
}

// addUnderWay counts the messages of parts of the window by its summaries: those that are under way some time in a part.
func (c *Chart) addUnderWay(w *store.Window) error {
	c.Sent, c.UnderWay = make([]uint64, c.timeline.Pixels), true
	each := max((c.timeline.Pixels+messageParts-1)/messageParts, 1)
	for first := 0; first < len(c.Sent); first += each {
		end := min(first+each, len(c.Sent))
		from, _ := c.timeline.Pixel(first)
		_, to := c.timeline.Pixel(end - 1)
		s, err := w.Within(from, to).Summary(store.SummaryMessages)
		if err != nil {
			return err
		}
		count := uint64(0)
		for _, m := range s.Messages {
			count += m.Count
		}
		for p := first; p < end; p++ {
			c.Sent[p] = count
		}
	}
	return nil
}

// AddMessages reads the messages of the window if they are few, counts them by pixel if there are more, and if that would take too
// long, by parts of the window.
func (c *Chart) AddMessages(w *store.Window) error {
	s, err := w.Summary(store.SummaryMessages)
	if err != nil {
		return err
	}
	for _, m := range s.Messages {
		c.Messages += m.Count
	}
	switch {
	case c.Messages == 0:
		return nil
	case c.Messages > mostCounted:
		return c.addUnderWay(w)
	}
	row := map[uint64]int{}
	for i := range c.Rows {
		row[c.Rows[i].Location] = i
	}
	if c.Messages > maxLines {
		c.Sent = make([]uint64, c.timeline.Pixels)
	}
	for m, err := range w.Messages() {
		if err != nil {
			return err
		}
		from, ok := row[m.SendLocation]
		to, both := row[m.ReceiveLocation]
		switch {
		case c.Sent != nil:
			if p := int(c.pixel(m.SendTime)); ok && m.SendTime >= c.timeline.From && p < len(c.Sent) {
				c.Sent[p]++
			}
		case ok && both:
			c.Lines = append(c.Lines, Line{from, to, m.SendTime, m.ReceiveTime})
		}
	}
	return nil
}

// pixel returns the place of a time among the pixels.
func (c *Chart) pixel(t int64) float64 {
	from, to := c.timeline.From, c.timeline.To
	return float64(t-from) / max(float64(to-from), 1) * float64(c.timeline.Pixels)
}
