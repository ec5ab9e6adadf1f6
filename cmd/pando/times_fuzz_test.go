package main

import (
	"testing"

	_ "github.com/pandotrace/pando/internal/lastwords"
	"github.com/pandotrace/pando/store"
)

// FuzzDuration reads times from any text: what is accepted is within the bounds of times, at any resolution.
func FuzzDuration(f *testing.F) {
	for _, text := range []string{"0", "1.5s", "20ms", "+5us", "40%", "2min", "1h", "-1s", "1e9s", "9999999999999999999h", "1.5"} {
		f.Add(text, uint64(1e9), int64(1000))
	}
	f.Fuzz(func(t *testing.T, text string, resolution uint64, span int64) {
		if resolution == 0 || span < 1 || span > 2*store.MaxTime+1 {
			return
		}
		ticks, _, err := testClock(resolution, span).duration(text)
		if err != nil && exitCode(err) != exitUsage {
			t.Errorf("%q: %v is no mistake of usage", text, err)
		}
		if err == nil && (ticks < 0 || ticks > 2*store.MaxTime+1) {
			t.Errorf("%q: %d ticks", text, ticks)
		}
	})
}
