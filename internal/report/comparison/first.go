package comparison

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/pandotrace/pando/analysis/fingerprint"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/trace"
)

// First tells where the structures of two windows first differ, location by location. Locations are those of equal ids.
type First struct {
	A     string `json:"a"`
	B     string `json:"b"`
	Equal bool   `json:"equal"`
	// Locations is the number of locations that were compared.
	Locations   int               `json:"locations"`
	Differences []FirstDifference `json:"differences"`
}

// FirstDifference is where a location has another structure in B than in A, after a number of enters and leaves that are the same.
type FirstDifference struct {
	Location     uint64 `json:"location"`
	LocationName string `json:"location_name"`
	Same         uint64 `json:"same"`
	A            Place  `json:"a"`
	B            Place  `json:"b"`
}

// Place is an enter or leave, or the end of a window: then it has no region and no time.
type Place struct {
	What       string `json:"what"`
	RegionName string `json:"region_name"`
	Event      uint64 `json:"event"`
	Ns         int64  `json:"ns"`
	Ticks      int64  `json:"ticks"`
}

// SideOf is a file with its window.
type SideOf struct {
	Trace  *report.Trace
	Window fingerprint.Side
	Name   string
}

// NewFirst compares two windows by hashes where both files have them, else by structure.
func NewFirst(ctx context.Context, a, b SideOf, opt fingerprint.Options) (*First, error) {
	f := &First{A: a.Name, B: b.Name, Differences: []FirstDifference{}}
	pairs, err := fingerprint.Compare(ctx, a.Window, b.Window, opt)
	if err != nil {
		return nil, err
	}
	f.Locations, f.Equal = len(pairs), true
	for i := range pairs {
		f.Equal = f.Equal && pairs[i].Same()
	}
	if f.Equal {
		return f, nil
	}
	for d, err := range fingerprint.Differences(ctx, a.Window, b.Window, opt) {
		if err != nil {
			return nil, err
		}
		f.Differences = append(f.Differences, FirstDifference{d.Location, a.Trace.Label(d.Location), d.Same, placeIn(a.Trace, &d.A), placeIn(b.Trace, &d.B)})
	}
	return f, nil
}

func placeIn(t *report.Trace, p *fingerprint.Place) Place {
	switch {
	case p.End:
		return Place{What: "end"}
	case p.Leave:
		return Place{"leave", p.Name, p.Ordinal, trace.Nanoseconds(p.Time, t.Meta().Resolution), p.Time}
	}
	return Place{"enter", p.Name, p.Ordinal, trace.Nanoseconds(p.Time, t.Meta().Resolution), p.Time}
}

// Write writes the answer as text or JSON.
func (f *First) Write(w io.Writer, format report.Format) error {
	if format == report.JSON {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(f)
	}
	p := &printer{w: w}
	if f.Equal {
		fmt.Fprintf(p, "the same calls in the same order on %s\n", report.Plural(f.Locations, "location", "locations"))
		return p.err
	}
	fmt.Fprintf(p, "%s of %d differ, from\n", report.Plural(len(f.Differences), "location", "locations"), f.Locations)
	for i := range f.Differences {
		d := &f.Differences[i]
		fmt.Fprintf(p, "  %s: after %s that are the same, A %s, B %s\n", report.Printable(d.LocationName), report.Plural(d.Same, "enter or leave", "enters and leaves"), d.A.text(), d.B.text())
	}
	return p.err
}

// text says what is at a place.
func (p *Place) text() string {
	switch p.What {
	case "end":
		return "ends"
	case "leave":
		return fmt.Sprintf("leaves %s at %s", report.Cell(p.RegionName), report.Duration(float64(p.Ns)/1e9))
	}
	return fmt.Sprintf("enters %s at %s", report.Cell(p.RegionName), report.Duration(float64(p.Ns)/1e9))
}
