package scan

import (
	"fmt"
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// What C writes of the double of a decimal of up to 15 digits is read as that decimal.
func TestDouble(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mantissa, places := rapid.Int64Range(1, 1e15-1).Draw(t, "mantissa"), rapid.IntRange(0, FracDigits).Draw(t, "places")
		text := strconv.FormatInt(mantissa, 10) + "e-" + strconv.Itoa(places)
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		d, _ := ParseDecimal([]byte(text))
		want, _, _ := d.Instant()
		written := fmt.Sprintf("%.17g", f)
		if rapid.Bool().Draw(t, "negative") {
			written, want = "-"+written, Instant{}.Minus(want)
		}
		if got, ok := Double([]byte(written)); !ok || got != want {
			t.Fatalf("%s: %v, %v, want %v", written, got, ok, want)
		}
	})
}

// Digits that no double has are not those of one, nor are those of a double that has no short decimal.
func TestNoDouble(t *testing.T) {
	for _, text := range []string{"1700000000000000.123", "1700000000000000.123456789", "12345678.909999998", "0.1234567890123456789", "143376.84100000002", "29.995999999984633", "", "x", "1e400"} {
		if got, ok := Double([]byte(text)); ok {
			t.Errorf("%q is %v", text, got)
		}
	}
}

func TestPicoseconds(t *testing.T) {
	for from, want := range map[Instant]Instant{
		{5, 499}: {5, 0}, {5, 500}: {5, 1000}, {5, 999_999_499}: {5, 999_999_000}, {5, 999_999_500}: {6, 0}, {-1, 999_999_999}: {0, 0}, {math.MaxInt32, 123_456_000}: {math.MaxInt32, 123_456_000},
	} {
		if got := from.Picoseconds(); got != want {
			t.Errorf("%v is %v, want %v", from, got, want)
		}
	}
}
