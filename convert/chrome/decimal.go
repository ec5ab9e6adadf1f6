package chrome

import (
	"math"
	"math/bits"
)

// instant is a time or a duration as it stands in the text: whole microseconds, rounded down, and the rest in units of
// 10⁻⁹ µs.
type instant struct {
	us   int64
	frac uint32
}

const (
	fracDigits = 9
	fracUnit   = 1_000_000_000
	// maxMicroseconds is the end of time: ticks of it fit into the trace.
	maxMicroseconds = 1 << 61
)

var powers = [...]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}

// decimal is a number of the text: mantissa·10^exponent.
type decimal struct {
	negative bool
	mantissa uint64
	exponent int
	full     bool // it has more digits
	lost     bool // among them others than zeros
}

// parseDecimal reads a JSON number.
func parseDecimal(s []byte) (d decimal, ok bool) {
	i := 0
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		d.negative = s[i] == '-'
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
	d.exponent += e
	return d, ok
}

// digit takes in one more digit, before or behind the point. Digits that make the mantissa too large do not count.
func (d *decimal) digit(c byte, behind bool) {
	const most, last = math.MaxUint64 / 10, math.MaxUint64 % 10
	if d.mantissa > most || d.mantissa == most && c > last || d.full {
		d.full, d.lost = true, d.lost || c != 0
		if !behind {
			d.exponent++
		}
		return
	}
	d.mantissa = d.mantissa*10 + uint64(c)
	if behind {
		d.exponent--
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

// instant returns the number as microseconds; ok is false if it is beyond the end of time. exact is false if digits are lost.
func (d decimal) instant() (t instant, exact, ok bool) {
	exact = !d.lost
	m := d.mantissa
	switch e := d.exponent; {
	case m == 0:
	case e >= 0:
		if e >= len(powers) {
			return t, exact, false
		}
		high, low := bits.Mul64(m, powers[e])
		if high != 0 {
			return t, exact, false
		}
		m = low
	case -e < len(powers):
		var rest uint64
		m, rest = m/powers[-e], m%powers[-e]
		if over := -e - fracDigits; over > 0 {
			exact = exact && rest%powers[over] == 0
			rest /= powers[over]
		} else {
			rest *= powers[-over]
		}
		t.frac = uint32(rest)
	default:
		m, exact = 0, false
	}
	if m >= maxMicroseconds {
		return t, exact, false
	}
	t.us = int64(m)
	if d.negative {
		t = instant{}.minus(t)
	}
	return t, exact, true
}

func (t instant) plus(d instant) instant {
	t.us += d.us
	if t.frac += d.frac; t.frac >= fracUnit {
		t.us, t.frac = t.us+1, t.frac-fracUnit
	}
	return t
}

func (t instant) minus(d instant) instant {
	t.us -= d.us
	if t.frac < d.frac {
		t.us, t.frac = t.us-1, t.frac+fracUnit
	}
	t.frac -= d.frac
	return t
}

func (t instant) before(o instant) bool { return t.us < o.us || t.us == o.us && t.frac < o.frac }

// digits returns the number of digits behind the point, 9 at most.
func (t instant) digits() int {
	for d, f := fracDigits, t.frac; ; d-- {
		if f%10 != 0 || d == 0 {
			return d
		}
		f /= 10
	}
}

// scale says what a tick is: microseconds have this number of digits behind the point.
type scale int

// newScale returns the scale of nanoseconds, or a finer one if times have more digits and fit, or a coarser one if they do not.
func newScale(digits int, most int64) scale {
	const limit = 1 << 61
	d := max(digits, 3)
	for d > 0 && uint64(most) >= limit/powers[d] {
		d--
	}
	return scale(d)
}

// perSecond returns the number of ticks in a second.
func (s scale) perSecond() uint64 { return powers[6+s] }

// ticks returns a time in ticks, rounded down.
func (s scale) ticks(t instant) int64 {
	return t.us*int64(powers[s]) + int64(uint64(t.frac)/powers[fracDigits-s])
}

// instant returns the time of a tick.
func (s scale) instant(ticks int64) instant {
	p := int64(powers[s])
	us := ticks / p
	if ticks < us*p {
		us--
	}
	return instant{us, uint32(uint64(ticks-us*p) * powers[fracDigits-s])}
}
