package tiles

import (
	"math"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
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
	at := map[uint64]int{}
	for p := range pixels {
		s, err := w.Within(from+int64(p)*ticks, from+int64(p+1)*ticks).Summary(store.SummaryMetrics)
		if err != nil {
			return nil, err
		}
		for i := range s.Metrics {
			m := &s.Metrics[i]
			if m.Metric != metric || m.Member != member {
				continue
			}
			row, ok := at[m.Location]
			if !ok {
				row = len(c.Rows)
				at[m.Location] = row
				c.Rows = append(c.Rows, Curve{v.row[m.Location], make([]*float64, pixels), make([]*float64, pixels), make([]*float64, pixels)})
			}
			c.Rows[row].set(p, m)
		}
	}
	return c, nil
}

func (c *Curve) set(pixel int, m *trace.MetricTotals) {
	c.Last[pixel] = finite(m.Type.Float(m.Last))
	c.Least[pixel], c.Greatest[pixel] = c.Last[pixel], c.Last[pixel]
	if m.Count > 0 {
		c.Least[pixel], c.Greatest[pixel] = finite(m.Type.Float(m.Min)), finite(m.Type.Float(m.Max))
	}
}

// finite returns a number that JSON has, nil for others.
func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
