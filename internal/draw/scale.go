package draw

import (
	"image/color"
	"math"
	"strconv"
)

// Scale says which colour a value has.
type Scale uint8

// The scales. On all of them NaN has no colour.
const (
	// Linear goes from the least value, or 0 if all are positive, to the greatest.
	Linear Scale = iota
	// Log goes from the least value above 0 to the greatest by ratios; what is not above 0 has no colour.
	Log
	// Diverging is linear, and has another hue on each side of 0.
	Diverging
	// Range is linear from the least value to the greatest, for values that are all far from 0.
	Range
)

// colourScale is a scale for some values.
type colourScale struct {
	kind       Scale
	least, top float64
	empty      bool // no value has a colour
}

func newScale(kind Scale, values []float64) colourScale {
	s := colourScale{kind: kind, least: math.Inf(1), top: math.Inf(-1)}
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) || kind == Log && v <= 0 {
			continue
		}
		s.least, s.top = min(s.least, v), max(s.top, v)
	}
	switch {
	case s.least > s.top:
		return colourScale{kind: kind, empty: true}
	case kind == Linear:
		s.least = min(s.least, 0)
	case kind == Diverging:
		s.top = max(s.top, -s.least)
		s.least = -s.top
	}
	return s
}

// at returns where on the scale a value is, from 0 to 1; ok is false for one without a colour.
func (s *colourScale) at(v float64) (share float64, ok bool) {
	switch {
	case s.empty || math.IsNaN(v) || s.kind == Log && v <= 0:
		return 0, false
	case s.least == s.top:
		return 1, true
	case s.kind == Log:
		share = (math.Log(v) - math.Log(s.least)) / (math.Log(s.top) - math.Log(s.least)) // quotients overflow
	default:
		share = (v/2 - s.least/2) / (s.top/2 - s.least/2) // halves do not overflow
	}
	return min(max(share, 0), 1), true
}

// colour returns the colour of a value, that of nothing for one without.
func (s *colourScale) colour(v float64) color.RGBA {
	share, ok := s.at(v)
	if !ok {
		return nothing
	}
	return s.ramp(share)
}

// steps is the number of colours of a scale, few enough for the palette of a picture.
const steps = 128

// ramp returns the colour of a place on the scale. From light to dark it is told apart by lightness alone.
func (s *colourScale) ramp(share float64) color.RGBA {
	share = math.Round(share*(steps-1)) / (steps - 1)
	if s.kind == Diverging {
		far := math.Abs(2*share - 1)
		hue := 250.0
		if share > 0.5 {
			hue = 45
		}
		return oklch(0.96-0.50*far, 0.15*math.Sqrt(far), hue)
	}
	return oklch(0.95-0.68*share, 0.05+0.09*math.Sin(math.Pi*(0.15+0.85*share)), 105+160*share)
}

// marks divides the scale for a legend into about n steps.
func (s *colourScale) marks(n int) (list []float64) {
	switch {
	case s.empty:
		return nil
	case s.least == s.top:
		return []float64{s.top}
	case s.kind == Log:
		return s.powers(n)
	}
	step, _ := niceStep((s.top/2 - s.least/2) / float64(n) * 2)
	if math.IsInf(step, 0) || math.IsInf(s.top/step, 0) || step == 0 {
		return []float64{s.least, s.top}
	}
	first, last := math.Ceil(s.least/step-1e-9), math.Floor(s.top/step+1e-9)
	for i := 0.0; first+i <= last && i <= 2*float64(n); i++ {
		list = append(list, (first+i)*step+0) // -0 becomes 0
	}
	return list
}

// powers divides a scale of ratios by powers of ten, or if they are few, by 1, 2 and 5 times them.
func (s *colourScale) powers(n int) (list []float64) {
	first, last := math.Ceil(math.Log10(s.least)-1e-9), math.Floor(math.Log10(s.top)+1e-9)
	for each := math.Ceil((last - first + 1) / float64(n)); first <= last; first += max(each, 1) {
		list = append(list, math.Pow(10, first))
	}
	if len(list) >= 3 {
		return list
	}
	list = nil
	for p := math.Floor(math.Log10(s.least)); p <= last; p++ {
		for _, m := range []float64{1, 2, 5} {
			if v := m * math.Pow(10, p); v >= s.least*(1-1e-9) && v <= s.top*(1+1e-9) {
				list = append(list, v)
			}
		}
	}
	if len(list) < 2 {
		return []float64{s.least, s.top}
	}
	return list
}

// plain writes a value with four digits.
func plain(v float64) string {
	if a := math.Abs(v); a >= 1e4 && a < 1e15 {
		return grouped(strconv.FormatFloat(v, 'f', 0, 64))
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}
