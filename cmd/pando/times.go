package main

import (
	"math"
	"math/bits"
	"strconv"

	"github.com/pandotrace/pando/internal/query"
	"github.com/pandotrace/pando/store"
)

// clock converts between ticks and what people write. Its zero is the trace's first event.
type clock struct {
	query.Clock
	digits int // decimal places of seconds that tell all ticks apart
	width  int // bytes of the longest time of the trace
}

func newClock(r *store.Reader) clock {
	c := clock{Clock: query.NewClock(r)}
	c.setDigits()
	c.width = len(c.append(nil, r.Info().Last))
	return c
}

func (c *clock) setDigits() {
	for c.digits < maxDigits && pow10[c.digits] < c.Resolution {
		c.digits++
	}
}

// maxDigits keeps powers of ten within 64 bits.
const maxDigits = 18

// duration reads a duration, in ticks.
func (c *clock) duration(text string) (ticks int64, err error) {
	ticks, _, err = c.Duration(text)
	return ticks, badTime(err)
}

// instant reads a time, in ticks relative to the epoch.
func (c *clock) instant(text string) (int64, error) {
	t, err := c.Instant(text)
	return t, badTime(err)
}

// window reads begin and end of a window, in ticks relative to the epoch; "" stands for the trace's own.
func (c *clock) window(from, to string) (begin, end int64, err error) {
	begin, end, err = c.Window(from, to)
	return begin, end, badTime(err)
}

func badTime(err error) error {
	if err == nil {
		return nil
	}
	return usagef("%w (pando help times)", err)
}

// append appends a time, given in ticks relative to the epoch, as seconds since the first event.
func (c *clock) append(dst []byte, t int64) []byte {
	t -= c.First
	u := uint64(t)
	if t < 0 {
		dst, u = append(dst, '-'), -u
	}
	whole, part := u/c.Resolution, c.decimals(u%c.Resolution)
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
	if c.Resolution == pow10[c.digits] {
		return ticks
	}
	hi, lo := bits.Mul64(ticks, pow10[c.digits])
	lo, carry := bits.Add64(lo, c.Resolution/2, 0)
	q, _ := bits.Div64(hi+carry, lo, c.Resolution)
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
func (c *clock) seconds(ticks int64) float64 { return float64(ticks) / float64(c.Resolution) }

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
