package trace

import (
	"errors"
	"fmt"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// TimeAxis converts between ticks relative to the epoch and the times that people read and write. Its zero is the first event of a
// trace.
type TimeAxis struct {
	first      int64
	span       int64
	resolution uint64
	digits     int // decimal places of a second that tell all ticks apart, at most maxDigits
}

// maxTime is the largest time that can be written down, in ticks: what a file can hold.
const maxTime = 1 << 61

// NewTimeAxis returns the axis of a trace by the times of its first and its last event, in ticks relative to the epoch, and its clock's
// ticks per second; a resolution of 0 counts as 1.
func NewTimeAxis(first, last int64, resolution uint64) TimeAxis {
	a := TimeAxis{first: first, span: last - first + 1, resolution: max(resolution, 1)}
	for a.digits < maxDigits && pow10[a.digits] < a.resolution {
		a.digits++
	}
	return a
}

// First returns the time of the axis's zero, in ticks relative to the epoch.
func (a *TimeAxis) First() int64 { return a.first }

// Resolution returns the number of ticks per second, which is never 0.
func (a *TimeAxis) Resolution() uint64 { return a.resolution }

// Seconds returns a number of ticks in seconds.
func (a *TimeAxis) Seconds(ticks int64) float64 { return float64(ticks) / float64(a.resolution) }

// timeUnits are the units of times, as fractions of a second.
var timeUnits = []struct {
	name      string
	num, part int64
}{{"ns", 1, 1e9}, {"us", 1, 1e6}, {"µs", 1, 1e6}, {"μs", 1, 1e6}, {"ms", 1, 1e3}, {"s", 1, 1}, {"min", 60, 1}, {"h", 3600, 1}}

// Digits that a number in front of a unit may have.
const maxWhole, maxFraction = 19, 30

// cutNumber divides a text into a decimal number and the unit behind it; ok is false if it does not begin with a number.
func cutNumber(text string) (number, unit string, ok bool) {
	digits := func(from int) (to int) {
		for to = from; to < len(text) && '0' <= text[to] && text[to] <= '9'; to++ {
		}
		return to
	}
	end := digits(0)
	if end < 1 || end > maxWhole {
		return "", "", false
	}
	if end < len(text) && text[end] == '.' {
		point := end
		if end = digits(point + 1); end > point+1+maxFraction {
			return "", "", false
		}
	}
	return text[:end], text[end:], true
}

// ParseDuration reads a duration, in ticks: "1.5s", "20ms", "40%" of the trace, or a number of ticks. A + before it changes nothing.
func (a *TimeAxis) ParseDuration(text string) (ticks int64, err error) {
	v, err := a.parse(text)
	if err != nil {
		return 0, err
	}
	return wholeTicks(text, v.FloatString(0)) // rounded, halves up
}

// ParseBound reads a duration that must not be exceeded: rounded down.
func (a *TimeAxis) ParseBound(text string) (ticks int64, err error) {
	v, err := a.parse(text)
	if err != nil {
		return 0, err
	}
	return wholeTicks(text, new(big.Int).Quo(v.Num(), v.Denom()).String())
}

func wholeTicks(text, number string) (int64, error) {
	n, _ := new(big.Int).SetString(number, 10)
	if !n.IsInt64() || n.Int64() > maxTime {
		return 0, fmt.Errorf("%q is too long a time", text)
	}
	return n.Int64(), nil
}

// parse reads a duration, in ticks.
func (a *TimeAxis) parse(text string) (*big.Rat, error) {
	number, unit, ok := cutNumber(strings.TrimPrefix(text, "+"))
	v, isNumber := new(big.Rat).SetString(number)
	bad := fmt.Errorf("%q is no time: write 1.5s, 20ms, 40%% or a number of ticks", text)
	switch {
	case !ok || !isNumber:
		return nil, bad
	case unit == "%":
		v.Mul(v, big.NewRat(a.span, 100))
	case unit != "":
		seconds := unitSeconds(unit)
		if seconds == nil {
			return nil, bad
		}
		v.Mul(v, seconds).Mul(v, new(big.Rat).SetInt(new(big.Int).SetUint64(a.resolution)))
	case !v.IsInt():
		return nil, fmt.Errorf("%q: ticks are whole numbers; is the unit missing?", text)
	}
	return v, nil
}

// unitSeconds returns a unit in seconds, nil for no unit of time.
func unitSeconds(name string) *big.Rat {
	for _, u := range timeUnits {
		if u.name == name {
			return big.NewRat(u.num, u.part)
		}
	}
	return nil
}

// ParseTime reads a time: a duration since the first event. It returns ticks relative to the epoch.
func (a *TimeAxis) ParseTime(text string) (int64, error) {
	t, err := a.ParseDuration(text)
	if err == nil && strings.HasPrefix(text, "+") {
		err = fmt.Errorf("%q: only the end of a window can be relative to its begin", text)
	}
	return a.first + t, err
}

// ParseWindow reads begin and end of a window and returns them in ticks relative to the epoch. An empty text is the trace's own begin or
// end, and an end with a + before it is relative to the begin: "+20ms".
func (a *TimeAxis) ParseWindow(from, to string) (begin, end int64, err error) {
	begin, end = a.first, a.first+a.span
	if from != "" {
		if begin, err = a.ParseTime(from); err != nil {
			return 0, 0, err
		}
	}
	if to != "" {
		length, err := a.ParseDuration(to)
		if err != nil {
			return 0, 0, err
		}
		if end = a.first + length; strings.HasPrefix(to, "+") {
			end = begin + length
		}
	}
	switch {
	case end < begin && to == "":
		return 0, 0, a.behindEnd(from)
	case end < begin:
		return 0, 0, errors.New("the window ends before it begins")
	}
	return begin, end, nil
}

// CheckBegin returns a [BehindEndError] if a window, whose begin was written as from, begins behind the trace's end. Such a window is empty.
func (a *TimeAxis) CheckBegin(begin int64, from string) error {
	if begin > a.first+a.span {
		return a.behindEnd(from)
	}
	return nil
}

func (a *TimeAxis) behindEnd(from string) error {
	return &BehindEndError{End: a.FormatTime(a.first + a.span - 1), From: from}
}

// BehindEndError says that a window begins behind the end of its trace.
type BehindEndError struct {
	// End is the time of the trace's last event in seconds, see [TimeAxis.FormatTime]; From is the window's begin as it was given.
	End, From string
}

// Error implements error.
func (e *BehindEndError) Error() string { return "the trace ends at " + e.End + " s, before " + e.From }

// FormatTime returns a time, given in ticks relative to the epoch, in seconds since the first event. With the unit s behind it, ParseTime
// reads the same tick again, unless there are more than 10^18 ticks in a second.
func (a *TimeAxis) FormatTime(t int64) string { return string(a.AppendTime(nil, t)) }

// AppendTime appends what FormatTime returns.
func (a *TimeAxis) AppendTime(dst []byte, t int64) []byte {
	t -= a.first
	u := uint64(t)
	if t < 0 {
		dst, u = append(dst, '-'), -u
	}
	whole, part := u/a.resolution, a.decimals(u%a.resolution)
	if a.digits > 0 && part == pow10[a.digits] { // rounded up
		whole, part = whole+1, 0
	}
	dst = strconv.AppendUint(dst, whole, 10)
	if a.digits == 0 {
		return dst
	}
	dst = append(append(dst, '.'), zeros[:a.digits]...)
	for at := len(dst) - 1; part > 0; at-- {
		dst[at] = byte('0' + part%10)
		part /= 10
	}
	return dst
}

// decimals returns a part of a second, given in ticks, as a number with the axis's decimal places, rounded.
func (a *TimeAxis) decimals(ticks uint64) uint64 {
	if a.resolution == pow10[a.digits] {
		return ticks
	}
	hi, lo := bits.Mul64(ticks, pow10[a.digits])
	lo, carry := bits.Add64(lo, a.resolution/2, 0)
	q, _ := bits.Div64(hi+carry, lo, a.resolution)
	return q
}

// maxDigits keeps powers of ten within 64 bits.
const maxDigits = 18

const zeros = "000000000000000000"

// pow10 are the powers of ten.
var pow10 = func() (p [maxDigits + 1]uint64) {
	p[0] = 1
	for i := range maxDigits {
		p[i+1] = 10 * p[i]
	}
	return p
}()
