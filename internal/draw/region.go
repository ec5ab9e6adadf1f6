package draw

import (
	"image/color"

	"github.com/pandotrace/pando/trace"
)

// RegionColour returns the colour that pictures have for a region of a name and an activity.
func RegionColour(name string, a trace.Activity) color.RGBA { return colourOf(name, a) }
