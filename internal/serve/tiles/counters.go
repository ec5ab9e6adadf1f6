package tiles

import (
	"math"

	"github.com/pandotrace/pando/store"
)

// Curves are the values of a counter in a window, pixel by pixel.
type Curves struct {
	From  int64   `json:"from_ticks"`
	Pixel int64   `json:"pixel_ticks"`
	Rows  []Curve `json:"rows"`
}

// Curve is what a counter was on a location. A pixel without a value yet is null in all lists; one without a change has its value in all.
type Curve struct {
	Row      int        `json:"row"`
	Least    []*float64 `json:"least"`
	Greatest []*float64 `json:"greatest"`
	Last     []*float64 `json:"last"`
}

// Curves returns the values of a member of a metric in [from, from+pixels*ticks), from exact sums of each pixel.
func (v *Rows) Curves(w *store.Window, first, ticks int64, pixels int, metric, member uint64) (*Curves, error) {
	from, _ := w.Bounds()
	c := &Curves{From: from - first, Pixel: ticks, Rows: []Curve{}}
	all, err := w.Within(from, from+int64(pixels)*ticks).MetricPixels(pixels, metric, member)
	for _, line := range all {
		row := Curve{v.row[line.Location], make([]*float64, pixels), make([]*float64, pixels), make([]*float64, pixels)}
		for i, p := range line.Pixels {
			if p.Known {
				row.Least[i], row.Greatest[i], row.Last[i] = finite(line.Type.Float(p.Min)), finite(line.Type.Float(p.Max)), finite(line.Type.Float(p.Last))
			}
		}
		c.Rows = append(c.Rows, row)
	}
	return c, err
}

// finite returns a number that JSON has, nil for others.
func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
