package draw

import (
	"math"
	"strconv"
	"strings"
)

// units of time, in seconds.
var units = []struct {
	seconds float64
	name    string
}{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}}

// unitOf returns the unit in which a time is at least 1.
func unitOf(s float64) (seconds float64, name string) {
	for _, u := range units {
		if math.Abs(s) >= u.seconds*0.999 {
			return u.seconds, u.name
		}
	}
	return 1e-9, "ns"
}

// seconds writes a duration with three digits.
func seconds(s float64) string {
	unit, name := unitOf(s)
	return strconv.FormatFloat(s/unit, 'g', 4, 64) + " " + name
}

// axis is a division of a time into steps that are easy to read.
type axis struct {
	marks []axisMark
	unit  string
}

// axisMark is a mark at a time in seconds; one without a text is a short one.
type axisMark struct {
	at   float64
	text string
}

// newAxis divides the time from one to another, in seconds, into about n steps.
func newAxis(from, to float64, n int) axis {
	span := to - from
	if !(span > 0) || n < 1 {
		return axis{unit: "s"}
	}
	step, parts := niceStep(span / float64(n))
	unit, name := unitOf(max(span, math.Abs(to)*1e-7)) // far from the origin small units have too many digits
	digits := max(0, int(math.Ceil(-math.Log10(step/unit)-1e-9)))
	a := axis{unit: name}
	small := step / float64(parts)
	first := math.Ceil(from/small - 1e-9)
	for k := range 10 * (n + 1) { // far from 0 steps may be smaller than the numbers' last digits
		i := first + float64(k)
		if i*small > to+small*1e-9 {
			break
		}
		m := axisMark{at: i*small + 0} // -0 becomes 0
		if math.Mod(math.Abs(i), float64(parts)) == 0 {
			m.text = grouped(strconv.FormatFloat(m.at/unit, 'f', digits, 64))
		}
		a.marks = append(a.marks, m)
	}
	return a
}

// niceStep returns the least step of 1, 2 or 5 times a power of ten that is not less, and into how many parts to divide it.
func niceStep(least float64) (step float64, parts int) {
	power := math.Pow(10, math.Floor(math.Log10(least)))
	for _, s := range []struct {
		step  float64
		parts int
	}{{1, 5}, {2, 4}, {5, 5}, {10, 5}} {
		if power*s.step >= least*(1-1e-9) {
			return power * s.step, s.parts
		}
	}
	return power * 10, 5
}

// grouped puts commas between groups of three digits.
func grouped(s string) string {
	whole, rest, _ := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0 && whole[i-1] != '-'; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if rest == "" {
		return whole
	}
	return whole + "." + rest
}

// draw draws an axis of time below something; place says where a time is.
func (a axis) draw(to canvas, f faces, place func(seconds float64) float64, top, width int) {
	y, right := float64(top), float64(width-rightMargin)
	to.line(leftMargin, y, right, y, 1, ink)
	to.text(leftMargin-14, y+20, textStyle, toEnd, ink, "time since begin ["+a.unit+"]")
	edge := leftMargin - 10.0 // the first mark's text may not run into the axis' title
	for _, m := range a.marks {
		x := place(m.at)
		if m.text == "" {
			to.line(x, y, x, y+3, 1, grey)
			continue
		}
		to.line(x, y, x, y+6, 1, ink)
		half := f.width(textStyle, m.text) / 2
		if x = min(x, float64(width)-half-4); x-half >= edge {
			to.text(x, y+20, textStyle, toMiddle, ink, m.text)
			edge = x + half + 6
		}
	}
}
