package report

import (
	"bufio"
	"encoding/json"
	"io"

	"github.com/pandotrace/pando/internal/draw"
	"github.com/pandotrace/pando/trace"
)

// Timeline is the time of the locations of a window by region, pixel by pixel. As JSON it is one object whose last member is rows, with a
// line for each location.
type Timeline struct {
	// FromNs to ToTicks are the window.
	FromNs         int64  `json:"from_ns"`
	FromTicks      int64  `json:"from_ticks"`
	ToNs           int64  `json:"to_ns"`
	ToTicks        int64  `json:"to_ticks"`
	TicksPerSecond uint64 `json:"ticks_per_second"`
	// Pixels is the number of parts of equal length that the window is divided into.
	Pixels int `json:"pixels"`
	// Regions are the regions that occur, in the order of their ids.
	Regions []TimelineRegion `json:"regions"`
	// ErrorTicks has for each pixel a bound of the error of each of its cells: 0 for a pixel that was computed from events.
	ErrorTicks []uint64 `json:"error_ticks"`
	// Rows are the locations, those of one process next to each other.
	Rows []TimelineRow `json:"rows"`
}

// TimelineRegion is a region of a timeline with its looks in pictures.
type TimelineRegion struct {
	Region uint64  `json:"region"`
	Name   *string `json:"region_name"`
	// Activity is what locations do in the region: computation, MPI, OpenMP, I/O and so on; Colour is #rrggbb.
	Activity string `json:"activity"`
	Colour   string `json:"colour"`
	// Share is the region's part of all time of all locations.
	Share float64 `json:"share"`
}

// TimelineRow is the time of a location. What its cells leave of a pixel is time without a call.
type TimelineRow struct {
	Location uint64         `json:"location"`
	Name     *string        `json:"location_name"`
	Process  *uint64        `json:"process"`
	Group    *string        `json:"process_name"`
	Rank     *int64         `json:"rank"`
	Thread   *int64         `json:"thread"`
	Cells    []TimelineCell `json:"cells"`
}

// TimelineCell is the time in a pixel in which a call of a region is the innermost one: pixel, region as a place in the list of regions, and
// ticks, as a list of three numbers.
type TimelineCell [3]uint64

// WriteTimeline writes the data of a chart of a trace as JSON.
func WriteTimeline(to io.Writer, t *Trace, chart *draw.Chart) error {
	data, n := chart.Timeline(), t.names
	head := Timeline{
		FromTicks: data.From - t.clock.First(), ToTicks: data.To - t.clock.First(), TicksPerSecond: t.clock.Resolution(), Pixels: data.Pixels,
		Regions: []TimelineRegion{}, ErrorTicks: data.Errors,
	}
	for _, r := range chart.Regions {
		head.Regions = append(head.Regions, TimelineRegion{r.ID, n.Optional(trace.SpaceRegion, r.ID), r.Activity.String(), draw.CSS(r.Colour), r.Share})
	}
	head.FromNs, head.ToNs = t.clock.nanoseconds(head.FromTicks), t.clock.nanoseconds(head.ToTicks)
	row := func(i int) any {
		r := &chart.Rows[i]
		line := TimelineRow{Location: r.Location, Name: n.Optional(trace.SpaceLocation, r.Location), Cells: []TimelineCell{}}
		if id, ok := n.defs.Process(r.Location); ok {
			line.Process, line.Group = &id, n.Optional(trace.SpaceLocationGroup, id)
		}
		line.Rank, line.Thread = n.rank(r.Location)
		for _, c := range r.Cells() {
			line.Cells = append(line.Cells, TimelineCell{uint64(c.Pixel), uint64(c.Region), c.Ticks})
		}
		return &line
	}
	return writeRows(to, &head, len(chart.Rows), row)
}

// writeRows writes an object whose last member, a list, is null: with a list of n rows instead, one a line.
func writeRows(to io.Writer, head any, n int, row func(i int) any) error {
	const last = "null}"
	w := bufio.NewWriter(to)
	b, err := json.Marshal(head)
	if err != nil {
		return err
	}
	w.Write(append(b[:len(b)-len(last)], '['))
	between := "\n"
	for i := range n {
		if b, err = json.Marshal(row(i)); err != nil {
			return err
		}
		w.WriteString(between)
		w.Write(b)
		between = ",\n"
	}
	w.WriteString("\n]}\n")
	return w.Flush()
}
