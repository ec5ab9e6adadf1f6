package comparison

import (
	"context"
	"fmt"
	"io"

	"github.com/pandotrace/pando/analysis/contrast"
	"github.com/pandotrace/pando/analysis/fingerprint"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/store"
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
	Location      uint64 `json:"location"`
	LocationLabel string `json:"location_label"`
	Same          uint64 `json:"same"`
	A             Place  `json:"a"`
	B             Place  `json:"b"`
}

// Place is an enter or leave, or the end of a window: then it has no region and no time.
type Place struct {
	What       string `json:"what"`
	RegionName string `json:"region_name"`
	Event      uint64 `json:"event"`
	Ns         int64  `json:"ns"`
	Ticks      int64  `json:"ticks"`
}

// NewFirst compares two windows by hashes where both files have them, else by structure.
func NewFirst(ctx context.Context, a, b contrast.Side, memory int64, progress trace.Progress) (*First, error) {
	opt := fingerprint.Options{Memory: memory, Progress: progress}
	sides := [2]fingerprint.Side{{Reader: a.Reader, Window: a.Window}, {Reader: b.Reader, Window: b.Window}}
	f := &First{A: a.Name, B: b.Name, Differences: []FirstDifference{}}
	pairs, err := fingerprint.Compare(ctx, sides[0], sides[1], opt)
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
	labels, err := labelsOf(ctx, a, b)
	if err != nil {
		return nil, err
	}
	for d, err := range fingerprint.Differences(ctx, sides[0], sides[1], opt) {
		if err != nil {
			return nil, err
		}
		f.Differences = append(f.Differences, FirstDifference{d.Location, labels[d.Location], d.Same, placeIn(a.Reader, &d.A), placeIn(b.Reader, &d.B)})
	}
	return f, nil
}

// labelsOf returns what people call the locations of two sides.
func labelsOf(ctx context.Context, a, b contrast.Side) (map[uint64]string, error) {
	labels := map[uint64]string{}
	for _, s := range []contrast.Side{b, a} {
		defs, err := s.Reader.WithContext(ctx).Definitions()
		if err != nil {
			return nil, err
		}
		ids, err := s.Reader.LocationIDs()
		if err != nil {
			return nil, err
		}
		for _, p := range defs.Places(ids) {
			labels[p.Location] = p.Label
		}
	}
	return labels, nil
}

func placeIn(r *store.Reader, p *fingerprint.Place) Place {
	what := "enter"
	switch {
	case p.End:
		return Place{What: "end"}
	case p.Leave:
		what = "leave"
	}
	return Place{what, p.Name, p.Ordinal, trace.Nanoseconds(p.Time, r.Meta().Resolution), p.Time}
}

// Write writes the answer as text or JSON.
func (f *First) Write(w io.Writer, format report.Format) error {
	if format == report.JSON {
		return report.WriteJSON(w, f)
	}
	p := &report.Printer{To: w}
	if f.Equal {
		fmt.Fprintf(p, "the same calls in the same order on %s\n", report.Plural(f.Locations, "location", "locations"))
		return p.Err
	}
	fmt.Fprintf(p, "%s of %d differ, from\n", report.Plural(len(f.Differences), "location", "locations"), f.Locations)
	for i := range f.Differences {
		d := &f.Differences[i]
		fmt.Fprintf(p, "  %s: after %s that are the same, A %s, B %s\n", report.Printable(d.LocationLabel), report.Plural(d.Same, "enter or leave", "enters and leaves"), d.A.text(), d.B.text())
	}
	return p.Err
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
