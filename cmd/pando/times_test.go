package main

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// testClock is the clock of a trace that begins at tick 1000.
func testClock(resolution uint64, span int64) *clock {
	c := &clock{first: 1000, span: span, resolution: resolution}
	c.setDigits()
	return c
}

func TestDuration(t *testing.T) {
	tests := []struct {
		text       string
		resolution uint64
		want       int64
		plus       bool
	}{
		{"0", 1e9, 0, false},
		{"12345", 1e9, 12345, false},
		{"1.5s", 1e9, 1.5e9, false},
		{"1.5s", 1e6, 1.5e6, false},
		{"20ms", 1e9, 2e7, false},
		{"3us", 1e9, 3000, false},
		{"3µs", 1e9, 3000, false},
		{"3μs", 1e9, 3000, false},
		{"7ns", 1e9, 7, false},
		{"2min", 1e9, 120e9, false},
		{"1h", 1, 3600, false},
		{"+5ms", 1e9, 5e6, true},
		{"+5", 1e9, 5, true},
		{"1.s", 10, 10, false},
		{"40%", 1e9, 400, false},
		{"100%", 1e9, 1000, false},
		{"0.05%", 1e9, 1, false},  // 0.5 of a tick, rounded up
		{"0.049%", 1e9, 0, false}, // rounded down
		{"0.25ns", 2e9, 1, false}, // half a tick
		{"1s", 3, 3, false},       // thirds of a second
		{"0.333s", 3, 1, false},   // 0.999 of a tick
		{"0.1666s", 3, 0, false},  // just below half a tick
		{"1.000000000000000000001s", 1e9, 1e9, false},
		{"2305843009213693952", 1e9, 1 << 61, false},
	}
	for _, tt := range tests {
		got, plus, err := testClock(tt.resolution, 1000).duration(tt.text)
		if err != nil || got != tt.want || plus != tt.plus {
			t.Errorf("%s at %d ticks/s: %d, %v, %v, want %d, %v", tt.text, tt.resolution, got, plus, err, tt.want, tt.plus)
		}
	}
}

func TestDurationRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "no time",
		"s":                                  "no time",
		"-1s":                                "no time",
		"1.5":                                "ticks are whole",
		"1e9s":                               "no time",
		"1 s":                                "no time",
		"1S":                                 "no time",
		"1/3s":                               "no time",
		"0x10":                               "no time",
		"++1s":                               "no time",
		"1s2":                                "no time",
		"٣s":                                 "no time",
		"2305843009213693953":                "too long",
		"9999999999999999999h":               "too long",
		"99999999999999999999":               "no time",
		"1." + strings.Repeat("0", 40) + "s": "no time",
	} {
		if got, _, err := testClock(1e9, 1000).duration(text); err == nil || !strings.Contains(err.Error(), want) || exitCode(err) != exitUsage {
			t.Errorf("%q: %d, %v, want %q", text, got, err, want)
		}
	}
}

func TestWindowBounds(t *testing.T) {
	tests := []struct {
		from, to   string
		begin, end int64
		want       string // of the error
	}{
		{"", "", 1000, 2000, ""},
		{"10%", "", 1100, 2000, ""},
		{"", "100", 1000, 1100, ""},
		{"100", "+50", 1100, 1150, ""},
		{"", "+50", 1000, 1050, ""},
		{"100", "100", 1100, 1100, ""},
		{"5us", "1s", 6000, 1000001000, ""},
		{"100", "99", 0, 0, "ends before it begins"},
		{"+1", "", 0, 0, "only the end"},
		{"x", "", 0, 0, "no time"},
		{"", "x", 0, 0, "no time"},
	}
	for _, tt := range tests {
		begin, end, err := testClock(1e9, 1000).window(tt.from, tt.to)
		if tt.want != "" {
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s to %s: %v, want %q", tt.from, tt.to, err, tt.want)
			}
		} else if err != nil || begin != tt.begin || end != tt.end {
			t.Errorf("%s to %s: [%d, %d), %v, want [%d, %d)", tt.from, tt.to, begin, end, err, tt.begin, tt.end)
		}
	}
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
		if got := string(c.append(nil, c.first+tt.ticks)); got != tt.want {
			t.Errorf("%d at %d ticks/s: %s, want %s", tt.ticks, tt.resolution, got, tt.want)
		}
	}
}

// TestTimesReadBack: a time that was printed can be given back, and means the same tick.
func TestTimesReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := testClock(rapid.Uint64Range(1, 1e18).Draw(t, "resolution"), 1000)
		ticks := rapid.Int64Range(0, 1<<61).Draw(t, "ticks")
		text := string(c.append(nil, c.first+ticks))
		got, err := c.instant(text + "s")
		if err != nil || got != c.first+ticks {
			t.Fatalf("%d ticks are %s s, read as %d, %v", ticks, text, got-c.first, err)
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
