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

// families has those of activities: each has hues of its own.
var families = map[trace.Activity]family{
	trace.ActivityComputation: {115, 80, 0.56, 0.30, 0.12}, trace.ActivityMPI: {5, 20, 0.48, 0.18, 0.15}, trace.ActivityPGAS: {340, 20, 0.50, 0.20, 0.14},
	trace.ActivityOpenMP: {245, 45, 0.60, 0.25, 0.12}, trace.ActivityThreads: {205, 30, 0.60, 0.22, 0.09}, trace.ActivityIO: {95, 15, 0.78, 0.12, 0.16},
	trace.ActivityGPU: {305, 30, 0.55, 0.27, 0.14}, trace.ActivityMeasurement: {0, 0, 0.55, 0.25, 0},
}

// mpiFamilies are those of MPI whose time tells different things; all others are collective operations.
var mpiFamilies = []struct {
	part string
	family
}{
	{"_Init", family{50, 10, 0.52, 0.04, 0.06}}, {"_Finalize", family{50, 10, 0.62, 0.04, 0.05}},
	{"Sendrecv", family{45, 6, 0.64, 0.06, 0.15}}, {"end", family{58, 10, 0.80, 0.06, 0.13}}, {"ecv", family{30, 8, 0.70, 0.05, 0.17}},
	{"Wait", family{80, 8, 0.87, 0.04, 0.10}}, {"Test", family{78, 8, 0.80, 0.04, 0.08}}, {"Barrier", family{355, 6, 0.74, 0.05, 0.10}},
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

// activityColour returns a colour for an activity, from the middle of its family.
func activityColour(a trace.Activity) color.RGBA {
	f := families[a]
	return oklch(f.light+f.lights/2, f.chroma, f.hue+f.hues/2)
}

// ColourByActivity gives all regions of one activity the same colour.
func (c *Chart) ColourByActivity() {
	c.byActivity = true
	for i := range c.Regions {
		c.Regions[i].Colour = activityColour(c.Regions[i].Activity)
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
