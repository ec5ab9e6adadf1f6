package report

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestDuration(t *testing.T) {
	for want, seconds := range map[string]float64{
		"0 s": 0, "1.500 s": 1.5, "12.35 s": 12.345678, "123.5 s": 123.45678, "1235 s": 1234.5678,
		"1.000 ms": 1e-3, "999.0 us": 999e-6, "50.00 ns": 50e-9, "-2.000 ms": -2e-3, "0.500 ns": 5e-10,
	} {
		if got := Duration(seconds); got != want {
			t.Errorf("%g: %q, want %q", seconds, got, want)
		}
	}
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -999: "-999", -1000: "-1,000", 1234567: "1,234,567"} {
		if got := Grouped(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
	for n, want := range map[uint64]string{0: "0 bytes", 999: "999 bytes", 1000: "1.000 kB", 12345678: "12.35 MB", 5e18: "5000000 TB"} {
		if got := Size(n); got != want {
			t.Errorf("%d bytes: %s, want %s", n, got, want)
		}
	}
}

func TestAlignRight(t *testing.T) {
	for _, tt := range []struct{ text, want string }{{"", "   "}, {"a", "  a"}, {"ab", " ab"}, {"abc", "abc"}, {"abcd", "abcd"}} {
		if got := string(alignRight([]byte("x"+tt.text), 1, 3)); got != "x"+tt.want {
			t.Errorf("%q: %q", tt.text, got)
		}
	}
}

// TestJSONString holds strings against those of encoding/json.
func TestJSONString(t *testing.T) {
	for _, s := range []string{"", "MPI_Send", `a"b`, `a\b`, "a<b>&c", "\x00\n\x7f", "é", "\xff", "\u2028", strings.Repeat("x", 1000)} {
		want, err := json.Marshal(s)
		if got := jsonString(s); err != nil || string(got) != string(want) {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
	}
}
