package draw

import (
	"hash/fnv"
	"image/color"
	"math"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// family is a range of colours: of hues in degrees of Oklch, and lightness; chroma is how far from grey.
type family struct{ hue, hues, light, lights, chroma float64 }

// Families differ for people who do not see red, green or blue, too: user code is light and on the blue side of grey, where these people
// see no colour of MPI; what else is blue is darker.
var families = map[trace.Activity]family{
	trace.ActivityComputation: {165, 60, 0.64, 0.24, 0.10}, trace.ActivityMPI: {12, 14, 0.46, 0.08, 0.16}, trace.ActivityPGAS: {345, 12, 0.50, 0.05, 0.16},
	trace.ActivityOpenMP: {256, 18, 0.46, 0.10, 0.16}, trace.ActivityThreads: {285, 10, 0.50, 0.05, 0.09}, trace.ActivityIO: {102, 10, 0.93, 0.03, 0.17},
	trace.ActivityGPU: {315, 20, 0.34, 0.06, 0.16}, trace.ActivityMeasurement: {0, 0, 0.57, 0.02, 0}, trace.ActivityIdle: {0, 0, 0.95, 0.01, 0},
}

// mpiFamilies are those of MPI whose time tells different things; all others are collective operations. They are steps of lightness.
var mpiFamilies = []struct {
	part string
	family
}{
	{"_Init", family{60, 10, 0.40, 0.02, 0.05}}, {"_Finalize", family{60, 10, 0.52, 0.02, 0.05}},
	{"Sendrecv", family{48, 4, 0.72, 0.02, 0.16}}, {"end", family{68, 8, 0.80, 0.03, 0.14}}, {"ecv", family{36, 8, 0.63, 0.03, 0.19}},
	{"Wait", family{85, 6, 0.875, 0.03, 0.10}}, {"Test", family{85, 6, 0.91, 0.02, 0.05}}, {"Barrier", family{20, 6, 0.36, 0.03, 0.12}},
}

// activityColours are those of Masataka Okabe and Kei Ito, Color universal design, 2008, and greys.
var activityColours = map[trace.Activity]color.RGBA{
	trace.ActivityComputation: {0, 158, 115, 255}, trace.ActivityMPI: {213, 94, 0, 255}, trace.ActivityPGAS: {230, 159, 0, 255},
	trace.ActivityOpenMP: {0, 114, 178, 255}, trace.ActivityThreads: {86, 180, 233, 255}, trace.ActivityIO: {240, 228, 66, 255},
	trace.ActivityGPU: {204, 121, 167, 255}, trace.ActivityMeasurement: {110, 110, 110, 255}, trace.ActivityIdle: {200, 200, 200, 255},
}

// familyOf returns the colours of a region.
func familyOf(name string, a trace.Activity) family {
	for _, f := range mpiFamilies {
		if a == trace.ActivityMPI && strings.Contains(name, f.part) {
			return f.family
		}
	}
	return families[a]
}

// colourOf returns the colour of a region, which depends on its name and activity alone.
func colourOf(name string, a trace.Activity) color.RGBA {
	h := fnv.New64a()
	h.Write([]byte(name))
	sum := h.Sum64()
	sum ^= sum >> 29 // names differ in their last letters
	sum *= 0xbf58476d1ce4e5b9
	sum ^= sum >> 32
	share := func(bits uint64) float64 { return float64(bits&1023) / 1023 }
	f := familyOf(name, a)
	return oklch(f.light+f.lights*share(sum>>10), f.chroma*(0.8+0.2*share(sum>>20)), f.hue+f.hues*share(sum))
}

// ColourByActivity gives all regions of one activity the same colour.
func (c *Chart) ColourByActivity() {
	c.byActivity = true
	for i := range c.Regions {
		c.Regions[i].Colour = activityColours[c.Regions[i].Activity]
	}
}

// oklch converts a colour of lightness 0 to 1, chroma, and hue in degrees to sRGB; see Björn Ottosson, A perceptual color space
// for image processing, 2020.
func oklch(lightness, chroma, hue float64) color.RGBA {
	a, b := chroma*math.Cos(hue*math.Pi/180), chroma*math.Sin(hue*math.Pi/180)
	cube := func(x float64) float64 { return x * x * x }
	l, m, s := cube(lightness+0.3963377774*a+0.2158037573*b), cube(lightness-0.1055613458*a-0.0638541728*b), cube(lightness-0.0894841775*a-1.2914855480*b)
	return color.RGBA{
		gamma(4.0767416621*l - 3.3077115913*m + 0.2309699292*s),
		gamma(-1.2684380046*l + 2.6097574011*m - 0.3413193965*s),
		gamma(-0.0041960863*l - 0.7034186147*m + 1.7076147010*s), 255,
	}
}

func gamma(v float64) uint8 {
	v = min(max(v, 0), 1)
	if v <= 0.0031308 {
		v *= 12.92
	} else {
		v = 1.055*math.Pow(v, 1/2.4) - 0.055
	}
	return uint8(math.Round(255 * v))
}
