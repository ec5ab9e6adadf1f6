package folding

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"maps"
	"slices"

	"github.com/pandotrace/pando/analysis/fold"
	"github.com/pandotrace/pando/internal/draw"
	"github.com/pandotrace/pando/trace"
)

// Head is what folded rows have in common. As JSON it is one object, with rows, a line for each, and then the regions that they name.
type Head struct {
	FromNs         int64  `json:"from_ns"`
	FromTicks      int64  `json:"from_ticks"`
	ToNs           int64  `json:"to_ns"`
	ToTicks        int64  `json:"to_ticks"`
	TicksPerSecond uint64 `json:"ticks_per_second"`
	// Pixels is the number of parts of equal length that the window is divided into.
	Pixels int `json:"pixels"`
	// By and Select say what is folded, and what is shown of it.
	By     string `json:"by"`
	Select string `json:"select"`
}

// Row is a group. Its lists have an entry for each pixel.
type Row struct {
	Group string `json:"group"`
	// Locations are ids.
	Locations []uint64 `json:"locations"`
	// Shown has the ids of the regions that are shown: null for no call, and for pixels in which there is nothing to choose. Those have 0 ticks.
	Shown []*uint64 `json:"shown,omitempty"`
	// Ticks is the time of all locations together in what is shown.
	Ticks []uint64 `json:"ticks,omitempty"`
	// Apart is the time less what all locations spent in each state, at least.
	Apart []uint64 `json:"apart_ticks"`
	// UtilisationLow and UtilisationHigh bound the time in which at least one location is in a call; they are equal if it is known.
	UtilisationLow  []uint64 `json:"utilisation_low_ticks"`
	UtilisationHigh []uint64 `json:"utilisation_high_ticks"`
	// BusyLeast to BusyMost are the times in calls of the locations, of which BusySum is that of all.
	BusySum   []uint64 `json:"busy_sum_ticks"`
	BusyLeast []uint64 `json:"busy_least_ticks"`
	BusyQ1    []uint64 `json:"busy_q1_ticks,omitempty"`
	BusyQ2    []uint64 `json:"busy_median_ticks,omitempty"`
	BusyQ3    []uint64 `json:"busy_q3_ticks,omitempty"`
	BusyMost  []uint64 `json:"busy_most_ticks"`
	// Errors bound by how much the time of a location in a region may be off.
	Errors []uint64 `json:"error_ticks"`
}

// Region is a region that rows show, with its looks in pictures.
type Region struct {
	Region   uint64  `json:"region"`
	Name     *string `json:"region_name"`
	Activity string  `json:"activity"`
	Colour   string  `json:"colour"`
}

// JSON writes the data, row by row.
func (q *Question) JSON(ctx context.Context, to io.Writer) error {
	if err := q.prepare(ctx); err != nil {
		return err
	}
	from, end := q.Window.Bounds()
	first, perSecond := q.Trace.Info().First, q.Trace.Meta().Resolution
	head := Head{
		FromTicks: from - first, ToTicks: end - first, FromNs: trace.Nanoseconds(from-first, perSecond), ToNs: trace.Nanoseconds(end-first, perSecond),
		TicksPerSecond: perSecond, Pixels: q.Pixels, By: q.By, Select: q.Select.String(),
	}
	w := bufio.NewWriter(to)
	b, err := json.Marshal(&head)
	if err != nil {
		return err
	}
	w.Write(b[:len(b)-1])
	w.WriteString(`,"rows":[`)
	regions, between := map[uint64]bool{}, "\n"
	for row, err := range q.rows(ctx) {
		if err != nil {
			return err
		}
		if b, err = json.Marshal(q.row(row, regions)); err != nil {
			return err
		}
		w.WriteString(between)
		w.Write(b)
		between = ",\n"
	}
	w.WriteString("\n],\"regions\":")
	if b, err = json.Marshal(q.regions(regions)); err != nil {
		return err
	}
	w.Write(b)
	w.WriteString("}\n")
	return w.Flush()
}

// row makes the data of a row, and notes the regions.
func (q *Question) row(r *fold.Row, regions map[uint64]bool) *Row {
	row := &Row{Group: q.Groups[r.Group].Name, Locations: q.Groups[r.Group].Locations, Errors: r.Errors}
	for i := range r.Pixels {
		p, b := &r.Pixels[i], &r.Pixels[i].Busy
		if q.Select == fold.Quantiles {
			row.BusyQ1, row.BusyQ2, row.BusyQ3 = append(row.BusyQ1, b.Quartiles[0]), append(row.BusyQ2, b.Quartiles[1]), append(row.BusyQ3, b.Quartiles[2])
		} else {
			row.Shown, row.Ticks = append(row.Shown, shownRegion(p)), append(row.Ticks, p.Ticks)
			if p.Kind == fold.Called {
				regions[p.Region] = true
			}
		}
		row.Apart = append(row.Apart, p.Apart)
		row.UtilisationLow, row.UtilisationHigh = append(row.UtilisationLow, b.Low), append(row.UtilisationHigh, b.High)
		row.BusySum, row.BusyLeast, row.BusyMost = append(row.BusySum, b.Sum), append(row.BusyLeast, b.Least), append(row.BusyMost, b.Most)
	}
	return row
}

// shownRegion returns the id of the region that a pixel shows, nil if it shows none.
func shownRegion(p *fold.Pixel) *uint64 {
	if p.Kind != fold.Called {
		return nil
	}
	id := p.Region
	return &id
}

// regions lists regions in the order of their definitions, behind them those without one.
func (q *Question) regions(shown map[uint64]bool) []Region {
	list := []Region{}
	add := func(id uint64) {
		if !shown[id] {
			return
		}
		delete(shown, id)
		r := draw.RegionOf(q.defs, id)
		list = append(list, Region{id, q.Trace.Names().Optional(trace.SpaceRegion, id), r.Activity.String(), draw.CSS(r.Colour)})
	}
	for _, id := range q.defs.Regions() {
		add(id)
	}
	for _, id := range sortedIDs(shown) {
		add(id)
	}
	return list
}

// sortedIDs returns ids in order.
func sortedIDs(ids map[uint64]bool) []uint64 { return slices.Sorted(maps.Keys(ids)) }
