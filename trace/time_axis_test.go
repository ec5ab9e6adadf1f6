package trace

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	_ "github.com/pandotrace/pando/internal/lastwords"
	"pgregory.net/rapid"
)

// testAxis is the axis of a trace that begins at tick 1000.
func testAxis(resolution uint64, span int64) *TimeAxis {
	a := NewTimeAxis(1000, 999+span, resolution)
	return &a
}

func TestDuration(t *testing.T) {
	tests := []struct {
		text       string
		resolution uint64
		want       int64
	}{
		{"0", 1e9, 0},
		{"12345", 1e9, 12345},
		{"1.5s", 1e9, 1.5e9},
		{"1.5s", 1e6, 1.5e6},
		{"20ms", 1e9, 2e7},
		{"3us", 1e9, 3000},
		{"3µs", 1e9, 3000},
		{"3μs", 1e9, 3000},
		{"7ns", 1e9, 7},
		{"2min", 1e9, 120e9},
		{"1h", 1, 3600},
		{"+5ms", 1e9, 5e6},
		{"+5", 1e9, 5},
		{"1.s", 10, 10},
		{"40%", 1e9, 400},
		{"100%", 1e9, 1000},
		{"0.05%", 1e9, 1},  // 0.5 of a tick, rounded up
		{"0.049%", 1e9, 0}, // rounded down
		{"0.25ns", 2e9, 1}, // half a tick
		{"1s", 3, 3},       // thirds of a second
		{"0.333s", 3, 1},   // 0.999 of a tick
		{"0.1666s", 3, 0},  // just below half a tick
		{"1.000000000000000000001s", 1e9, 1e9},
		{"2305843009213693952", 1e9, 1 << 61},
	}
	for _, tt := range tests {
		got, err := testAxis(tt.resolution, 1000).ParseDuration(tt.text)
		if err != nil || got != tt.want {
			t.Errorf("%s at %d ticks/s: %d, %v, want %d", tt.text, tt.resolution, got, err, tt.want)
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
		if got, err := testAxis(1e9, 1000).ParseDuration(text); err == nil || !strings.Contains(err.Error(), want) {
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
		{"2us", "", 0, 0, "the trace ends at 0.000000999 s, before 2us"},
		{"2us", "+1us", 3000, 4000, ""},
		{"+1", "", 0, 0, "only the end"},
		{"x", "", 0, 0, "no time"},
		{"", "x", 0, 0, "no time"},
	}
	for _, tt := range tests {
		begin, end, err := testAxis(1e9, 1000).ParseWindow(tt.from, tt.to)
		if tt.want != "" {
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s to %s: %v, want %q", tt.from, tt.to, err, tt.want)
			}
		} else if err != nil || begin != tt.begin || end != tt.end {
			t.Errorf("%s to %s: [%d, %d), %v, want [%d, %d)", tt.from, tt.to, begin, end, err, tt.begin, tt.end)
		}
	}
}

// timePattern is the syntax of durations.
var timePattern = regexp.MustCompile(`^(\+?)(\d{1,19}(?:\.\d{0,30})?)(ns|us|µs|μs|ms|s|min|h|%|)$`)

// FuzzDuration reads durations from any text: an accepted text is of the syntax and within the bounds of times, at any resolution, and a
// text that is not of the syntax is an error.
func FuzzDuration(f *testing.F) {
	for _, text := range []string{"0", "1.5s", "20ms", "+5us", "40%", "2min", "1h", "-1s", "1e9s", "9999999999999999999h", "1.5", " 7", "%", ""} {
		f.Add(text, uint64(1e9), int64(1000))
	}
	f.Fuzz(func(t *testing.T, text string, resolution uint64, span int64) {
		if resolution == 0 || span < 1 || span > 2*maxTime+1 {
			return
		}
		ticks, err := testAxis(resolution, span).ParseDuration(text)
		if err == nil && (ticks < 0 || ticks > maxTime) {
			t.Errorf("%q: %d ticks", text, ticks)
		}
		if noTime := err != nil && strings.Contains(err.Error(), "is no time"); noTime == timePattern.MatchString(text) {
			t.Errorf("%q: %v", text, err)
		}
	})
}

func TestFormatTime(t *testing.T) {
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
		a := testAxis(tt.resolution, 1000)
		if got := a.FormatTime(a.First() + tt.ticks); got != tt.want {
			t.Errorf("%d at %d ticks/s: %s, want %s", tt.ticks, tt.resolution, got, tt.want)
		}
	}
}

// TestTimesReadBack: a time that was written can be read again, and means the same tick.
func TestTimesReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := testAxis(rapid.Uint64Range(1, 1e18).Draw(t, "resolution"), 1000)
		ticks := rapid.Int64Range(0, maxTime).Draw(t, "ticks")
		text := a.FormatTime(a.First() + ticks)
		got, err := a.ParseTime(text + "s")
		if err != nil || got != a.First()+ticks {
			t.Fatalf("%d ticks are %s s, read as %d, %v", ticks, text, got-a.First(), err)
		}
	})
}

func ExampleTimeAxis_ParseWindow() {
	axis := NewTimeAxis(1_000, 500_999, 1_000_000) // half a second from tick 1000 on, a million ticks a second
	from, to, err := axis.ParseWindow("40%", "+5ms")
	fmt.Println(from, to, err)
	fmt.Println(axis.FormatTime(from), axis.FormatTime(to))
	// Output:
	// 201000 206000 <nil>
	// 0.200000 0.205000
}
