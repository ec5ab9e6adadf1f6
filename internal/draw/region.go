package draw

import (
	"image/color"

	"github.com/pandotrace/pando/trace"
)

// RegionColour returns the colour that pictures have for a region of a name and an activity.
func RegionColour(name string, a trace.Activity) color.RGBA { return colourOf(name, a) }

// ActivityColour returns the colour that stands for all regions of an activity.
func ActivityColour(a trace.Activity) color.RGBA { return activityColour(a) }
