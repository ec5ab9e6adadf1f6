package main

import (
	"math"
	"testing"

	"github.com/pandotrace/pando/internal/query"
	"pgregory.net/rapid"
)

// testClock is the clock of a trace that begins at tick 1000.
func testClock(resolution uint64, span int64) *clock {
	c := &clock{Clock: query.Clock{First: 1000, Span: span, Resolution: resolution}}
	c.setDigits()
	return c
}

func TestAppendTime(t *testing.T) {
	tests := []struct {
		resolution uint64
		ticks      int64 // since the first event
		want       string
	}{
		{1e9, 0, "0.000000000"},
		{1e9, 1, "0.000000001"},
		{1e9, 1234567890, "1.234567890"},
		{1e9, -5, "-0.000000005"},
		{1e6, 1500000, "1.500000"},
		{1, 7, "7"},
		{3, 1, "0.3"},
		{3, 2, "0.7"},
		{3, 3, "1.0"},
		{16, 15, "0.94"},       // 0.9375
		{1024, 1023, "0.9990"}, // 0.99902
		{99, 98, "0.99"},
		{101, 100, "0.990"},
		{1e18, 1, "0.000000000000000001"},
		{math.MaxUint64, 1, "0.000000000000000000"},
	}
	for _, tt := range tests {
		c := testClock(tt.resolution, 1000)
		if got := string(c.append(nil, c.First+tt.ticks)); got != tt.want {
			t.Errorf("%d at %d ticks/s: %s, want %s", tt.ticks, tt.resolution, got, tt.want)
		}
	}
}

// TestTimesReadBack: a time that was printed can be given back, and means the same tick.
func TestTimesReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := testClock(rapid.Uint64Range(1, 1e18).Draw(t, "resolution"), 1000)
		ticks := rapid.Int64Range(0, 1<<61).Draw(t, "ticks")
		text := string(c.append(nil, c.First+ticks))
		got, err := c.instant(text + "s")
		if err != nil || got != c.First+ticks {
			t.Fatalf("%d ticks are %s s, read as %d, %v", ticks, text, got-c.First, err)
		}
	})
}

func TestHuman(t *testing.T) {
	for want, seconds := range map[string]float64{
		"0 s": 0, "1.500 s": 1.5, "12.35 s": 12.345678, "123.5 s": 123.45678, "1235 s": 1234.5678,
		"1.000 ms": 1e-3, "999.0 us": 999e-6, "50.00 ns": 50e-9, "-2.000 ms": -2e-3, "0.500 ns": 5e-10,
	} {
		if got := humanSeconds(seconds); got != want {
			t.Errorf("%g: %q, want %q", seconds, got, want)
		}
	}
}
