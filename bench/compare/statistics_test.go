package main

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func somes(t *rapid.T) []float64 {
	return rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), 1, 50).Draw(t, "values")
}

// atMost counts values up to a limit.
func atMost(values []float64, limit float64) (n int) {
	for _, v := range values {
		if v <= limit {
			n++
		}
	}
	return n
}

func TestSpread(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := somes(t)
		before := slices.Clone(values)
		s := spreadOf(values)
		above := len(values) - atMost(values, math.Nextafter(s.median, math.Inf(-1)))
		if 2*atMost(values, s.median) < len(values) || 2*above < len(values) {
			t.Fatalf("median %v", s.median)
		}
		if s.min != slices.Min(values) || s.max != slices.Max(values) || !slices.Equal(values, before) {
			t.Fatalf("%+v of %v", s, before)
		}
	})
	if got := spreadOf([]float64{4, 1, 3, 2}).median; got != 2.5 {
		t.Errorf("median of four: %v", got)
	}
}

// TestQuantile holds it against its definition.
func TestQuantile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values, share := somes(t), rapid.Float64Range(0.001, 1).Draw(t, "share")
		q := quantile(values, share)
		enough := func(limit float64) bool { return float64(atMost(values, limit)) >= share*float64(len(values)) }
		if !slices.Contains(values, q) || !enough(q) || enough(math.Nextafter(q, math.Inf(-1))) {
			t.Fatalf("%v", q)
		}
	})
}

func TestQuantilesAndRatiosAreByRound(t *testing.T) {
	got := quantiles([]float64{1, 2, 3, 30, 20, 10}, 2, 0.5)
	if !slices.Equal(got, []float64{2, 20}) {
		t.Errorf("quantiles %v", got)
	}
	if got := ratios([]float64{6, 10}, []float64{2, 20}); !slices.Equal(got, []float64{3, 0.5}) {
		t.Errorf("ratios %v", got)
	}
}

// TestFigure holds what is shown against the number: three digits of it.
func TestFigure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := math.Exp(rapid.Float64Range(-10, 30).Draw(t, "log"))
		shown := strings.ReplaceAll(figure(x), ",", "")
		back, err := strconv.ParseFloat(shown, 64)
		if err != nil || math.Abs(back-x) > 0.0051*x {
			t.Fatalf("%v is shown as %s", x, shown)
		}
	})
	for x, want := range map[float64]string{
		0: "0", 1: "1.00", 9.999: "10.00", 12.34: "12.3", 123.4: "123", 1234567.8: "1,234,568", 0.01234: "0.0123",
		-1234: "-1,234", math.Inf(1): "", math.NaN(): "",
	} {
		if got := figure(x); got != want {
			t.Errorf("%v is shown as %s, want %s", x, got, want)
		}
	}
}

func TestSpreadShown(t *testing.T) {
	for want, values := range map[string][]float64{
		"2.00 (1.00..3.00)": {3, 1, 2},
		"2.00":              {2, 2.001, 2},
	} {
		if got := spreadOf(values).String(); got != want {
			t.Errorf("%v is shown as %s, want %s", values, got, want)
		}
	}
}

func TestTable(t *testing.T) {
	tab := newTable("name", "n", "ratio", "note")
	tab.row("é", 12345, spread{1.5, 1, 2}, "missing")
	tab.row("longer", uint64(7), 0.25)
	want := `| name   |      n |             ratio | note    |
| ------ | -----: | ----------------: | ------- |
| é      | 12,345 | 1.50 (1.00..2.00) | missing |
| longer |      7 |             0.250 |         |
`
	if got := tab.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestModulo64 adds up signed and unsigned numbers as both sides do.
func TestModulo64(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sum, wrapped := new(big.Int), uint64(0)
		for _, n := range rapid.SliceOf(rapid.Int64()).Draw(t, "numbers") {
			sum.Add(sum, big.NewInt(n))
			wrapped += uint64(n)
		}
		if got, err := modulo64(sum.String()); got != wrapped || err != nil {
			t.Fatalf("%d, %v; want %d", got, err, wrapped)
		}
	})
	if _, err := modulo64("1.5"); err == nil {
		t.Error("1.5 passed for an integer")
	}
}

// TestDigest tells sets of lines apart, but not their orders.
func TestDigest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SliceOfN(rapid.Uint64(), lineWidth, lineWidth), 1, 9).Draw(t, "lines")
		want := digest(slices.Concat(lines...))
		if got := digest(slices.Concat(rapid.Permutation(lines).Draw(t, "order")...)); !slices.Equal(got, want) {
			t.Fatal("depends on the order")
		}
		at, word := rapid.IntRange(0, len(lines)-1).Draw(t, "line"), rapid.IntRange(0, lineWidth-1).Draw(t, "word")
		lines[at][word] ^= 1 << rapid.IntRange(0, 63).Draw(t, "bit")
		if slices.Equal(digest(slices.Concat(lines...)), want) {
			t.Fatal("a bit makes no difference")
		}
	})
}

func TestSpeeds(t *testing.T) {
	got := speeds(`goos: linux
BenchmarkDecode/otf2.a/slices 	     100	  500 ns/op	        20.5 Mevents/s	       0 B/op
BenchmarkDecode/otf2.a/slices 	     100	  500 ns/op	        21.5 Mevents/s
BenchmarkDecode 	     100	  500 ns/op	        50.0 ns/value
BenchmarkParse 	     100	  500 ns/op
PASS
`)
	if len(got) != 2 || got[0].name != "otf2.a/slices" || !slices.Equal(got[0].values, []float64{20.5, 21.5}) ||
		got[1].name != "" || !slices.Equal(got[1].values, []float64{20}) {
		t.Errorf("%+v", got)
	}
}
