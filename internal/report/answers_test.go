package report

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"github.com/pandotrace/pando/internal/draw"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
)

// opened converts a bundled trace.
func opened(t *testing.T, name string) *Trace {
	t.Helper()
	f, err := NewTrace(stored.Trace(t, tracetest.Anchor(t, name)), "trace.pando")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestTimeline: the cells of a timeline add up to the shares of its regions.
func TestTimeline(t *testing.T) {
	f := opened(t, "otf2.mg.S.8.snapmark")
	w, err := f.ParseWindow("10%", "90%")
	if err != nil {
		t.Fatal(err)
	}
	chart, err := draw.New(f.Reader, w, 500, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteTimeline(&b, f, chart); err != nil {
		t.Fatal(err)
	}
	var answer Timeline
	if err := json.Unmarshal(b.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	ticks := make([]float64, len(answer.Regions))
	for _, row := range answer.Rows {
		for _, c := range row.Cells {
			ticks[c[1]] += float64(c[2])
		}
	}
	all := float64(answer.ToTicks-answer.FromTicks) * float64(len(answer.Rows))
	for i, r := range answer.Regions {
		if math.Abs(ticks[i]/all-r.Share) > 1e-9 || ticks[i] == 0 {
			t.Errorf("region %d has a share of %g, and cells of %g", r.Region, r.Share, ticks[i]/all)
		}
	}
	from, to := w.Bounds()
	if len(answer.Rows) != 8 || answer.Pixels != 500 || answer.ToTicks-answer.FromTicks != to-from || answer.FromTicks != from-f.Info().First || len(ticks) < 3 {
		t.Errorf("%d rows, %d pixels, from %d to %d, %d regions", len(answer.Rows), answer.Pixels, answer.FromTicks, answer.ToTicks, len(ticks))
	}
}
