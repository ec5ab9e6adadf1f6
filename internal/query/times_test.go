package query

import (
	"strings"
	"testing"

	_ "github.com/pandotrace/pando/internal/lastwords"
	"github.com/pandotrace/pando/store"
)

// testClock is the clock of a trace that begins at tick 1000.
func testClock(resolution uint64, span int64) *Clock {
	return &Clock{First: 1000, Span: span, Resolution: resolution}
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
		got, plus, err := testClock(tt.resolution, 1000).Duration(tt.text)
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
		if got, _, err := testClock(1e9, 1000).Duration(text); err == nil || !strings.Contains(err.Error(), want) {
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
		begin, end, err := testClock(1e9, 1000).Window(tt.from, tt.to)
		if tt.want != "" {
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s to %s: %v, want %q", tt.from, tt.to, err, tt.want)
			}
		} else if err != nil || begin != tt.begin || end != tt.end {
			t.Errorf("%s to %s: [%d, %d), %v, want [%d, %d)", tt.from, tt.to, begin, end, err, tt.begin, tt.end)
		}
	}
}

// FuzzDuration reads times from any text: what is accepted is within the bounds of times, at any resolution.
func FuzzDuration(f *testing.F) {
	for _, text := range []string{"0", "1.5s", "20ms", "+5us", "40%", "2min", "1h", "-1s", "1e9s", "9999999999999999999h", "1.5", " 7", "%", ""} {
		f.Add(text, uint64(1e9), int64(1000))
	}
	f.Fuzz(func(t *testing.T, text string, resolution uint64, span int64) {
		if resolution == 0 || span < 1 || span > 2*store.MaxTime+1 {
			return
		}
		ticks, _, err := testClock(resolution, span).Duration(text)
		if err == nil && (ticks < 0 || ticks > store.MaxTime) {
			t.Errorf("%q: %d ticks", text, ticks)
		}
	})
}
