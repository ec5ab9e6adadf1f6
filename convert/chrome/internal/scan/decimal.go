package scan

import (
	"math"
	"math/bits"
)

// Instant is a time or a duration as it stands in the text: whole microseconds, rounded down, and the rest in units of
// 10⁻⁹ µs.
type Instant struct {
	Micros int64
	Frac   uint32
}

const (
	FracDigits = 9
	FracUnit   = 1_000_000_000
	// MaxMicroseconds is the end of time: ticks of it fit into the trace.
	MaxMicroseconds = 1 << 61
)

// Powers are the powers of ten that fit 64 bits.
var Powers = [...]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}

// Decimal is a number of the text: mantissa·10^exponent.
type Decimal struct {
	Negative bool
	Mantissa uint64
	Exponent int
	full     bool // it has more digits
	Lost     bool // among them others than zeros
}

// ParseDecimal reads a JSON number.
func ParseDecimal(s []byte) (d Decimal, ok bool) {
	i := 0
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		d.Negative = s[i] == '-'
		i++
	}
	digits, point := 0, false
	for ; i < len(s); i++ {
		c := s[i]
		if c == '.' && !point {
			point = true
			continue
		}
		if c -= '0'; c > 9 {
			break
		}
		digits++
		d.digit(c, point)
	}
	if digits == 0 {
		return d, false
	}
	if i == len(s) {
		return d, true
	}
	if s[i]|0x20 != 'e' {
		return d, false
	}
	e, ok := parseExponent(s[i+1:])
	d.Exponent += e
	return d, ok
}

// Finer reports whether the number has more digits behind the point than a number of them, zeros at its end aside.
func (d Decimal) Finer(digits int) bool {
	return d.Exponent < -digits && d.stripped().Exponent < -digits
}

// stripped returns the number without zeros at its end, so that equal numbers are equal.
func (d Decimal) stripped() Decimal {
	for d.Mantissa > 0 && d.Mantissa%10 == 0 {
		d.Mantissa, d.Exponent = d.Mantissa/10, d.Exponent+1
	}
	return d
}

// digit takes in one more digit, before or behind the point. Digits that make the mantissa too large do not count.
func (d *Decimal) digit(c byte, behind bool) {
	const most, last = math.MaxUint64 / 10, math.MaxUint64 % 10
	if d.Mantissa > most || d.Mantissa == most && c > last || d.full {
		d.full, d.Lost = true, d.Lost || c != 0
		if !behind {
			d.Exponent++
		}
		return
	}
	d.Mantissa = d.Mantissa*10 + uint64(c)
	if behind {
		d.Exponent--
	}
}

func parseExponent(s []byte) (e int, ok bool) {
	negative := false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		negative, s = s[0] == '-', s[1:]
	}
	for _, c := range s {
		if c -= '0'; c > 9 {
			return 0, false
		}
		e = min(e*10+int(c), 1<<16)
	}
	if negative {
		e = -e
	}
	return e, len(s) > 0
}

// Instant returns the number as microseconds; ok is false if it is beyond the end of time. exact is false if digits are lost.
func (d Decimal) Instant() (t Instant, exact, ok bool) {
	exact = !d.Lost
	m := d.Mantissa
	switch e := d.Exponent; {
	case m == 0:
	case e >= 0:
		if e >= len(Powers) {
			return t, exact, false
		}
		high, low := bits.Mul64(m, Powers[e])
		if high != 0 {
			return t, exact, false
		}
		m = low
	case -e < len(Powers):
		var rest uint64
		m, rest = m/Powers[-e], m%Powers[-e]
		if over := -e - FracDigits; over > 0 {
			exact = exact && rest%Powers[over] == 0
			rest /= Powers[over]
		} else {
			rest *= Powers[-over]
		}
		t.Frac = uint32(rest)
	default:
		m, exact = 0, false
	}
	if m >= MaxMicroseconds {
		return t, exact, false
	}
	t.Micros = int64(m)
	if d.Negative {
		t = Instant{}.Minus(t)
	}
	return t, exact, true
}

// Plus returns t + d.
func (t Instant) Plus(d Instant) Instant {
	t.Micros += d.Micros
	if t.Frac += d.Frac; t.Frac >= FracUnit {
		t.Micros, t.Frac = t.Micros+1, t.Frac-FracUnit
	}
	return t
}

// Minus returns t - d.
func (t Instant) Minus(d Instant) Instant {
	t.Micros -= d.Micros
	if t.Frac < d.Frac {
		t.Micros, t.Frac = t.Micros-1, t.Frac+FracUnit
	}
	t.Frac -= d.Frac
	return t
}

// Picoseconds returns t rounded to picoseconds.
func (t Instant) Picoseconds() Instant {
	const unit = FracUnit / 1_000_000
	return t.Plus(Instant{Frac: unit / 2}).Minus(Instant{Frac: (t.Frac + unit/2) % unit})
}

// Before reports whether t is earlier than o.
func (t Instant) Before(o Instant) bool {
	return t.Micros < o.Micros || t.Micros == o.Micros && t.Frac < o.Frac
}

// Digits returns the number of digits behind the point, 9 at most.
func (t Instant) Digits() int {
	for d, f := FracDigits, t.Frac; ; d-- {
		if f%10 != 0 || d == 0 {
			return d
		}
		f /= 10
	}
}

// Scale says what a tick is: microseconds have this number of digits behind the point.
type Scale int

// NewScale returns the scale of nanoseconds, or a finer one if times have more digits and fit, or a coarser one if they do not.
func NewScale(digits int, most int64) Scale {
	const limit = 1 << 61
	d := max(digits, 3)
	for d > 0 && uint64(most) >= limit/Powers[d] {
		d--
	}
	return Scale(d)
}

// PerSecond returns the number of ticks in a second.
func (s Scale) PerSecond() uint64 { return Powers[6+s] }

// Ticks returns a time in ticks, rounded down.
func (s Scale) Ticks(t Instant) int64 {
	return t.Micros*int64(Powers[s]) + int64(uint64(t.Frac)/Powers[FracDigits-s])
}

// Instant returns the time of a tick.
func (s Scale) Instant(ticks int64) Instant {
	p := int64(Powers[s])
	us := ticks / p
	if ticks < us*p {
		us--
	}
	return Instant{us, uint32(uint64(ticks-us*p) * Powers[FracDigits-s])}
}
