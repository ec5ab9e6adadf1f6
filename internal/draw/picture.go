package draw

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
	"github.com/pandotrace/pando/trace/topology"
)

// AtOnce is the number of locations whose timelines are in memory at a time while a picture is made.
const AtOnce = 1024

// NewPicture reads the content of a picture that is as wide, with its messages. Neighbouring locations share a row if there are more than
// the picture has lines for: memory is bounded by the lines, not by the locations. The order of the rows is that of [New].
func NewPicture(r *store.Reader, w *store.Window, width int, by *topology.Places) (*Chart, error) {
	c, err := readPicture(r, w, Pixels(width), by)
	if err == nil {
		err = c.AddMessages(w)
	}
	return c, err
}

func readPicture(r *store.Reader, w *store.Window, pixels int, by *topology.Places) (*Chart, error) {
	if r.Info().Locations <= allRows {
		return New(r, w, pixels, by)
	}
	list, err := w.Timeline(1) // to know the window's locations
	if err != nil {
		return nil, err
	}
	if len(list.Locations) <= allRows {
		return New(r, w, pixels, by)
	}
	return newJoined(r, w, pixels, list.Locations, by)
}

// newJoined reads a picture whose rows are of several locations.
func newJoined(r *store.Reader, w *store.Window, pixels int, locations []uint64, by *topology.Places) (*Chart, error) {
	d, err := r.Definitions()
	if err != nil {
		return nil, err
	}
	from, to := w.Bounds()
	c := newChart(r, &trace.Timeline{From: from, To: to, Pixels: pixels, Locations: locations})
	c.rows(d, by)
	each := (len(c.Rows) + allRows - 1) / allRows
	c.Subtitle += fmt.Sprintf(", %d in each line", each)
	j := joiner{chart: c, region: map[uint64]uint32{}, row: make([]int, 0, len(c.Rows))}
	single := c.Rows
	c.Rows = nil
	for some := range slices.Chunk(single, each) {
		for i := range some {
			c.row[some[i].Location] = len(c.Rows)
		}
		c.Rows = append(c.Rows, joinedRow(some))
	}
	for some := range slices.Chunk(single, max(AtOnce/each, 1)*each) {
		if err := j.read(w, some); err != nil {
			return nil, err
		}
	}
	c.regions(d)
	return c, nil
}

// joinedRow makes one row of several.
func joinedRow(some []Row) Row {
	first, last := some[0], some[len(some)-1]
	first.Locations = len(some)
	if len(some) > 1 {
		first.Process = first.Process + " … " + last.Process
		first.Name = cmp.Or(first.Name, first.Process) + " … " + cmp.Or(last.Name, last.Process)
	}
	return first
}

// joiner adds up timelines of locations by rows.
type joiner struct {
	chart  *Chart
	region map[uint64]uint32 // places of regions
	row    []int
}

// read reads some rows.
func (j *joiner) read(w *store.Window, some []Row) error {
	ids := make([]uint64, len(some))
	for i := range some {
		ids[i] = some[i].Location
	}
	t, err := w.WithLocations(ids...).Timeline(j.chart.timeline.Pixels)
	if err != nil {
		return err
	}
	places := make([]uint32, len(t.Regions))
	for i, id := range t.Regions {
		place, ok := j.region[id]
		if !ok {
			place = uint32(len(j.region))
			j.region[id] = place
			j.chart.timeline.Regions = append(j.chart.timeline.Regions, id)
		}
		places[i] = place
	}
	of := map[int][][]trace.TimelineCell{}
	for i, id := range t.Locations {
		row := j.chart.row[id]
		of[row] = append(of[row], t.Cells[t.Starts[i]:t.Starts[i+1]])
	}
	ticks := make([]uint64, len(j.region))
	for row, lists := range of {
		j.chart.Rows[row].cells = addCells(lists, places, ticks)
	}
	return nil
}

// addCells adds up the cells of several locations. places are those of their regions; ticks has room for each region, all 0.
func addCells(lists [][]trace.TimelineCell, places []uint32, ticks []uint64) (sums []trace.TimelineCell) {
	var touched []uint32
	for {
		pixel, any := uint32(0), false
		for _, list := range lists {
			if len(list) > 0 && (!any || list[0].Pixel < pixel) {
				pixel, any = list[0].Pixel, true
			}
		}
		if !any {
			return sums
		}
		for i, list := range lists {
			for ; len(list) > 0 && list[0].Pixel == pixel; list = list[1:] {
				region := places[list[0].Region]
				if ticks[region] == 0 {
					touched = append(touched, region)
				}
				ticks[region] += list[0].Ticks
			}
			lists[i] = list
		}
		slices.Sort(touched)
		for _, region := range touched {
			sums = append(sums, trace.TimelineCell{Pixel: pixel, Region: region, Ticks: ticks[region]})
			ticks[region] = 0
		}
		touched = touched[:0]
	}
}
