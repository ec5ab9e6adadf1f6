package convert

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/pandotrace/pando/edit"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/trace"
)

// A trial has the size of the file that is written, and the budget's file is within 3 % of it, whether of an archive or of a coarse Pando file.
func TestTrials(t *testing.T) {
	archive, err := Find(t.Context(), tracetest.Anchor(t, "otf2.mg.S.8.snapmark"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "coarse.pando")
	write := func(c *Trace, path string) int64 {
		t.Helper()
		w, err := OutputNamed("Pando").Write(t.Context(), c, path, WriteOptions{Replace: true})
		if err != nil {
			t.Fatal(err)
		}
		return w.Bytes
	}
	write(archive.Coarsen(func(*trace.Meta) (edit.Bounds, error) { return edit.Bounds{Times: 40}, nil }), path)
	coarse, err := Find(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for unit, found := range map[uint64]*Trace{1: archive, 40: coarse} {
		trials, err := NewTrials(t.Context(), found, nil, WriteOptions{})
		if err != nil || trials.Unit != unit {
			t.Fatal(err, trials.Unit)
		}
		whole, err := trials.Size(0)
		if err != nil {
			t.Fatal(err)
		}
		for _, share := range []float64{1.1, 0.6} {
			budget := int64(share * float64(whole))
			bound, err := trials.Fit(budget)
			if err != nil {
				t.Fatal(err)
			}
			n := write(trials.Coarse(bound), filepath.Join(t.TempDir(), "fit.pando"))
			if tried, _ := trials.Size(bound); n != tried || n > budget {
				t.Errorf("%g: %d bytes, %d in the trial, budget %d", share, n, tried, budget)
			}
			if finer, err := trials.Size(max(bound, unit) - unit); err != nil || bound > 0 && float64(n) < 0.97*float64(budget) && finer <= budget {
				t.Errorf("%g: %d bytes with a bound of %d, %d with the next one, %v", share, n, bound, finer, err)
			}
		}
		var floor *FloorError
		if _, err := trials.Fit(1000); !errors.As(err, &floor) || sumOfParts(floor) != floor.Floor || floor.Floor <= 1000 {
			t.Errorf("%v", err)
		}
		if len(trials.Made()) > 40 {
			t.Errorf("%d trials", len(trials.Made()))
		}
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "pando-floor-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func sumOfParts(e *FloorError) (sum int64) {
	for _, p := range e.Parts {
		sum += p.Bytes
	}
	return sum
}
