package report

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/draw"
	"github.com/pandotrace/pando/trace"
)

// A picture of a matrix has the sums of all cells, also where ranks share rows.
func TestMatrixPicture(t *testing.T) {
	for _, ranks := range []int{2, pictureEnds, 3*pictureEnds + 1} {
		m := &Matrix{To: 1e9, TicksPerSecond: 1e9}
		for i := range ranks {
			m.Ends = append(m.Ends, MatrixEnd{Label: fmt.Sprintf("rank %d", i), Ranks: 1, Rank: int64(i)})
			m.Cells = append(m.Cells, MatrixCell{From: i, To: (i + 1) % ranks, Count: uint64(i*i + 1), Bytes: trace.Sum{Lo: uint64(1000 * i)}})
		}
		for of, want := range map[Measure]func(*MatrixCell) float64{
			MeasureCount: func(c *MatrixCell) float64 { return float64(c.Count) }, MeasureBytes: func(c *MatrixCell) float64 { return c.Bytes.Float() },
		} {
			h := m.Picture(of)
			got, all := 0.0, 0.0
			for _, v := range h.Values {
				if !math.IsNaN(v) {
					got += v
				}
			}
			for i := range m.Cells {
				all += want(&m.Cells[i])
			}
			if got != all || len(h.Rows) > pictureEnds || ranks <= pictureEnds && len(h.Rows) != ranks {
				t.Errorf("%d ranks, %s: %g in %d rows, want %g", ranks, of, got, len(h.Rows), all)
			}
			if of == MeasureCount && (h.Scale == draw.Log) != (ranks > 2) {
				t.Errorf("%d ranks have scale %d", ranks, h.Scale)
			}
			var b bytes.Buffer
			if err := h.SVG(&b, 800); err != nil || !strings.Contains(b.String(), " bytes</title>") {
				t.Errorf("%d ranks: %v, or no hints", ranks, err)
			}
		}
	}
}
