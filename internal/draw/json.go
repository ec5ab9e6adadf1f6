package draw

import (
	"encoding/json"
	"io"
)

// jsonHead is the first line of a timeline as JSON.
type jsonHead struct {
	From    int64        `json:"from"`
	To      int64        `json:"to"`
	Pixels  int          `json:"pixels"`
	Regions []jsonRegion `json:"regions"`
	Errors  []uint64     `json:"errors"`
}

type jsonRegion struct {
	ID     uint64  `json:"id"`
	Name   string  `json:"name"`
	Kind   Kind    `json:"kind"`
	Colour string  `json:"colour"`
	Share  float64 `json:"share"`
}

// jsonRow is the line of a location. Cells are pixel, region as a place in the list of the head, and ticks.
type jsonRow struct {
	Location uint64      `json:"location"`
	Process  string      `json:"process"`
	Name     string      `json:"name"`
	Cells    [][3]uint64 `json:"cells"`
}

// JSON writes the data of the picture, one object a line: the window with its regions, then the locations.
func (c *Chart) JSON(w io.Writer) error {
	t, e := c.timeline, json.NewEncoder(w)
	e.SetEscapeHTML(false)
	head := jsonHead{t.From, t.To, t.Pixels, []jsonRegion{}, t.Errors}
	for _, r := range c.Regions {
		head.Regions = append(head.Regions, jsonRegion{r.ID, r.Name, r.Kind, hex(r.Colour), r.Share})
	}
	if err := e.Encode(&head); err != nil {
		return err
	}
	for _, r := range c.Rows {
		row := jsonRow{r.Location, r.Process, r.Name, make([][3]uint64, len(r.cells))}
		for i, cell := range r.cells {
			row.Cells[i] = [3]uint64{uint64(cell.Pixel), uint64(cell.Region), cell.Ticks}
		}
		if err := e.Encode(&row); err != nil {
			return err
		}
	}
	return nil
}
