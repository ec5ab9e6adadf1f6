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
	"github.com/pandotrace/pando/trace/topology"
)

// Chart is what a picture of a timeline shows.
type Chart struct {
	Title, Subtitle string
	// Rows are the locations from top to bottom: those of one process follow each other.
	Rows []Row
	// Regions are those of the timeline, in its order.
	Regions []Region
	// Lines are the messages of the window if they are few; else Sent has how many are sent in parts of the window.
	Lines    []Line
	Sent     []Sending
	Messages uint64
	// Marks are calls that stand out, and MarksAre says what they are: "calls that are unusual for their class".
	Marks    []Mark
	MarksAre string

	timeline   *trace.Timeline
	row        map[uint64]int // of each location
	first      int64          // the trace's first event, from which the axis counts
	perTick    float64
	idle       float64 // share of time without calls
	byActivity bool    // regions of one activity have one colour and one entry of the legend
	rest       string  // what time without cells is called, in the place of "no call"
	piled      bool    // regions are piled up in their order
	highest    int     // of a row, in pixels, in the place of highestRow
}

// Row is a location, or several neighbouring ones.
type Row struct {
	Location      uint64 // the first
	Locations     int    // their number
	Process, Name string
	cells         []trace.TimelineCell
	note          string                      // below the name
	hint          func(first, end int) string // in the place of the usual one
}

// Cells returns the time that regions have of the row's pixels, of all its locations together, ordered by pixel, then region.
func (r *Row) Cells() []trace.TimelineCell { return r.cells }

// Region is a region with its share of all the time.
type Region struct {
	ID       uint64
	Name     string
	Activity trace.Activity
	Colour   color.RGBA
	Share    float64
}

// New reads the content of a picture of a window, with a row for each location. Its time is divided into the given number of pixels, see
// [Pixels]. With places on a topology, rows are in the order of their coordinates, and have them in their names; nil is the order of definition.
func New(r *store.Reader, w *store.Window, pixels int, by *topology.Places) (*Chart, error) {
	t, err := w.Timeline(pixels)
	if err != nil {
		return nil, err
	}
	d, err := r.Definitions()
	if err != nil {
		return nil, err
	}
	c := newChart(r, t)
	places := make(map[uint64]int, len(t.Locations))
	for i, id := range t.Locations {
		places[id] = i
	}
	c.rows(d, by)
	for i := range c.Rows {
		place := places[c.Rows[i].Location]
		c.Rows[i].cells = t.Cells[t.Starts[place]:t.Starts[place+1]]
	}
	c.regions(d)
	return c, nil
}

// newChart returns a chart without rows.
func newChart(r *store.Reader, t *trace.Timeline) *Chart {
	c := &Chart{timeline: t, first: r.Info().First, perTick: 1 / float64(max(r.Meta().Resolution, 1))}
	c.Subtitle = fmt.Sprintf("%s, %s locations", c.extent(r.Info()), grouped(fmt.Sprint(len(t.Locations))))
	if len(t.Locations) == 1 {
		c.Subtitle = c.extent(r.Info()) + ", 1 location"
	}
	return c
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
func (c *Chart) rows(d *trace.Definitions, by *topology.Places) {
	rank := map[string]int{}
	for _, place := range d.Places(c.timeline.Locations) {
		r := Row{Location: place.Location, Locations: 1, Name: place.Label, Process: place.RankLabel}
		if r.Process == "" && place.InProcess {
			r.Process = d.Name(trace.SpaceLocationGroup, place.Process)
		}
		if r.Process == "" {
			r.Process = r.Name
		}
		if _, ok := rank[r.Process]; !ok {
			rank[r.Process] = len(rank)
		}
		c.Rows = append(c.Rows, r)
	}
	slices.SortStableFunc(c.Rows, func(a, b Row) int { return cmp.Compare(rank[a.Process], rank[b.Process]) })
	if by != nil {
		c.arrange(by)
	}
	c.row = make(map[uint64]int, len(c.Rows))
	for i := range c.Rows {
		c.row[c.Rows[i].Location] = i
	}
}

// arrange puts rows in the order of their coordinates, and tells these.
func (c *Chart) arrange(by *topology.Places) {
	slices.SortStableFunc(c.Rows, func(a, b Row) int { return by.Compare(a.Location, b.Location) })
	for i := range c.Rows {
		r := &c.Rows[i]
		at, ok := by.At(r.Location)
		if !ok {
			continue
		}
		where := " (" + topology.Text(at) + ")"
		if r.Name = cmp.Or(r.Name, r.Process) + where; r.Process != "" {
			r.Process += where
		}
	}
	c.Subtitle += ", in the order of the " + by.Topology.Title()
}

// regions names the regions, and says how much of the time each has.
func (c *Chart) regions(d *trace.Definitions) {
	t := c.timeline
	ticks, all := make([]float64, len(t.Regions)), float64(t.To-t.From)*float64(len(t.Locations))
	for i := range c.Rows {
		for _, cell := range c.Rows[i].cells {
			ticks[cell.Region] += float64(cell.Ticks)
		}
	}
	c.idle = 1
	for i, id := range t.Regions {
		r := regionOf(d, id)
		r.Share = ticks[i] / max(all, 1)
		c.Regions = append(c.Regions, r)
		c.idle -= r.Share
	}
}

// regionOf returns a region with its name, activity and colour.
func regionOf(d *trace.Definitions, id uint64) Region {
	r := Region{ID: id, Name: d.Name(trace.SpaceRegion, id), Activity: d.RegionClass(id).Activity}
	if r.Name == "" {
		r.Name = fmt.Sprintf("region %d", id)
	}
	r.Colour = colourOf(r.Name, r.Activity)
	return r
}

// pixel returns the place of a time among the pixels.
func (c *Chart) pixel(t int64) float64 {
	from, to := c.timeline.From, c.timeline.To
	return float64(t-from) / max(float64(to-from), 1) * float64(c.timeline.Pixels)
}
