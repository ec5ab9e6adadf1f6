package layout

import (
	"github.com/pandotrace/pando/format"
)

// Limits are those of a reader by default. The writer stays within them: what it cannot divide, it refuses to write.
var Limits = format.Limits{}.WithDefaults()

// MaxSliceEvents is the greatest budget of a slice: one may have half as many events again, see cutAt.
var MaxSliceEvents = Limits.SliceEvents * 2 / 3

// MaxDepth is the greatest number of calls that contain each other: those of a location are not divided among pages of items.
var MaxDepth = Limits.NodeItems - 1<<16

// The directory's pages: a page is closed where a node of level 2 is, once it describes enough slices. How many
// are enough grows with the file, so that the root, which lists the pages, stays small.
const (
	MinPageSlices = 256
	RootPages     = 1024
)

// PageLevel is the highest level of the nodes that pages list.
const PageLevel = 2

// MaxTime bounds times: those of events lie in [-MaxTime, MaxTime], in ticks relative to the epoch.
const MaxTime = 1 << 61
