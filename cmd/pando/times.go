package main

import (
	"math"
	"math/big"
	"math/bits"
	"regexp"
	"strconv"

	"github.com/pandotrace/pando/store"
)

// clock converts between ticks and what people write. Its zero is the trace's first event.
type clock struct {
	first      int64 // time of the first event, in ticks relative to the epoch
	span       int64 // ticks from the first event to just after the last
	resolution uint64
	digits     int // decimal places of seconds that tell all ticks apart
	width      int // bytes of the longest time of the trace
}

func newClock(r *store.Reader) clock {
	info := r.Info()
	c := clock{first: info.First, span: info.Last - info.First + 1, resolution: max(r.Meta().Resolution, 1)}
	c.setDigits()
	c.width = len(c.append(nil, info.Last))
	return c
}

func (c *clock) setDigits() {
	for c.digits < maxDigits && pow10[c.digits] < c.resolution {
		c.digits++
	}
}

// maxDigits keeps powers of ten within 64 bits.
const maxDigits = 18

// timePattern is a number with a unit, or with + before it.
var timePattern = regexp.MustCompile(`^(\+?)(\d{1,19}(?:\.\d{0,30})?)(ns|us|µs|μs|ms|s|min|h|%|)$`)

// units in seconds.
var units = map[string]*big.Rat{
	"ns": big.NewRat(1, 1e9), "us": big.NewRat(1, 1e6), "µs": big.NewRat(1, 1e6), "μs": big.NewRat(1, 1e6),
	"ms": big.NewRat(1, 1e3), "s": big.NewRat(1, 1), "min": big.NewRat(60, 1), "h": big.NewRat(3600, 1),
}

// duration reads a duration, in ticks; plus says that it had a + before it.
func (c *clock) duration(text string) (ticks int64, plus bool, err error) {
	m := timePattern.FindStringSubmatch(text)
	if m == nil {
		return 0, false, usagef("%q is no time: write 1.5s, 20ms, 40%% or a number of ticks (pando help times)", text)
	}
	v, ok := new(big.Rat).SetString(m[2])
	if !ok {
		return 0, false, usagef("%q is no time", text)
	}
	switch unit := m[3]; unit {
	case "":
		if !v.IsInt() {
			return 0, false, usagef("%q: ticks are whole numbers; is the unit missing?", text)
		}
	case "%":
		v.Mul(v, big.NewRat(c.span, 100))
	default:
		v.Mul(v, units[unit]).Mul(v, new(big.Rat).SetInt(new(big.Int).SetUint64(c.resolution)))
	}
	n := rounded(v)
	if !n.IsInt64() || n.Int64() > store.MaxTime {
		return 0, false, usagef("%q is too long a time", text)
	}
	return n.Int64(), m[1] != "", nil
}

// rounded rounds a positive number to the nearest integer, halves up.
func rounded(v *big.Rat) *big.Int {
	n := new(big.Int).Lsh(v.Num(), 1)
	n.Add(n, v.Denom())
	return n.Div(n, new(big.Int).Lsh(v.Denom(), 1))
}

// instant reads a time, in ticks relative to the epoch.
func (c *clock) instant(text string) (int64, error) {
	t, plus, err := c.duration(text)
	if err == nil && plus {
		err = usagef("%q: only the end of a window can be relative to its begin", text)
	}
	return c.first + t, err
}

// window reads begin and end of a window, in ticks relative to the epoch; "" stands for the trace's own.
func (c *clock) window(from, to string) (begin, end int64, err error) {
	begin, end = c.first, c.first+c.span
	if from != "" {
		if begin, err = c.instant(from); err != nil {
			return 0, 0, err
		}
	}
	if to != "" {
		t, plus, err := c.duration(to)
		if err != nil {
			return 0, 0, err
		}
		if end = c.first + t; plus {
			end = begin + t
		}
	}
	if end < begin {
		return 0, 0, usagef("the window ends before it begins (%s to %s)", from, to)
	}
	return begin, end, nil
}

// append appends a time, given in ticks relative to the epoch, as seconds since the first event.
func (c *clock) append(dst []byte, t int64) []byte {
	t -= c.first
	u := uint64(t)
	if t < 0 {
		dst, u = append(dst, '-'), -u
	}
	whole, part := u/c.resolution, c.decimals(u%c.resolution)
	if c.digits > 0 && part == pow10[c.digits] { // rounded up
		whole, part = whole+1, 0
	}
	dst = strconv.AppendUint(dst, whole, 10)
	if c.digits == 0 {
		return dst
	}
	dst = append(append(dst, '.'), zeros[:c.digits]...)
	for at := len(dst) - 1; part > 0; at-- {
		dst[at] = byte('0' + part%10)
		part /= 10
	}
	return dst
}

// decimals returns a part of a second, given in ticks, as a number of `digits` decimal places, rounded.
func (c *clock) decimals(ticks uint64) uint64 {
	if c.resolution == pow10[c.digits] {
		return ticks
	}
	hi, lo := bits.Mul64(ticks, pow10[c.digits])
	lo, carry := bits.Add64(lo, c.resolution/2, 0)
	q, _ := bits.Div64(hi+carry, lo, c.resolution)
	return q
}

const zeros = "000000000000000000"

var pow10 = func() (p [maxDigits + 1]uint64) {
	p[0] = 1
	for i := range maxDigits {
		p[i+1] = 10 * p[i]
	}
	return p
}()

// padded appends a time like append, right-aligned in the width of the longest time.
func (c *clock) padded(dst []byte, t int64) []byte {
	return alignRight(c.append(dst, t), len(dst), c.width)
}

// seconds returns a number of ticks in seconds.
func (c *clock) seconds(ticks int64) float64 { return float64(ticks) / float64(c.resolution) }

// human returns a duration, in ticks, with four digits and a fitting unit.
func (c *clock) human(ticks int64) string { return humanSeconds(c.seconds(ticks)) }

func humanSeconds(s float64) string { return string(appendHuman(nil, s)) }

// appendHuman appends a duration, in seconds, with four digits and a fitting unit.
func appendHuman(dst []byte, s float64) []byte {
	size := math.Abs(s)
	switch {
	case s == 0:
		return append(dst, "0 s"...)
	case size >= 1:
		return append(appendFour(dst, s), " s"...)
	case size >= 1e-3:
		return append(appendFour(dst, s*1e3), " ms"...)
	case size >= 1e-6:
		return append(appendFour(dst, s*1e6), " us"...)
	}
	return append(appendFour(dst, s*1e9), " ns"...)
}

// fourDigits prints a number with four significant digits, or all of its integer part.
func fourDigits(v float64) string { return string(appendFour(nil, v)) }

func appendFour(dst []byte, v float64) []byte {
	places := 3
	for limit := 10.0; places > 0 && math.Abs(v) >= limit; limit *= 10 {
		places--
	}
	return strconv.AppendFloat(dst, v, 'f', places, 64)
}
