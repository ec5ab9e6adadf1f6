package layout

import (
	"io"
	"runtime"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/cache"
)

// Options of a Writer. The zero value means the defaults.
type Options struct {
	// SliceEvents is the number of events in a slice, all locations together (default 16384; more where many
	// lanes have events, so that a lane's part stays worth a block; 2796202 at most, and 262144 of a lane). A window decodes whole slices.
	SliceEvents int
	// LaneLocations is the number of locations in a lane (default 128). Locations of one process share a lane.
	LaneLocations int
	// Fanout is the number of children of a node of the interval tree (default 16).
	Fanout int
	// GroupSlices is the number of slices that share their statistics, and are written together (default Fanout). Fanout² must be a multiple
	// of it. Larger groups make files smaller, and take more memory.
	GroupSlices int
	// EpochSlices is the largest number of slices that share dictionaries of shapes (default 128, rounded up to a
	// multiple of GroupSlices).
	EpochSlices int
	// EpochBytes is the size at which a lane's dictionary ends the epoch, with the next group (default
	// 64 KiB).
	EpochBytes int
	// PageEntries is the number of blocks that a page of the directory lists at most, but for one of a single lane (default 1024). A window
	// of one location reads one page.
	PageEntries int
	// PageLocations is the number of locations of which a page has ids and lanes, and another one totals (default 4096, which is the most).
	// Up to 256 have no pages.
	PageLocations int
	// SummaryFactor multiplies what tables of summaries and bins may take (default 1, about a tenth of the events' bytes together; 1000 at
	// most). Larger ones make long windows' summaries and timelines quicker.
	SummaryFactor int
	// Workers is the number of goroutines that encode (default: the number of processors). The file does not
	// depend on it.
	Workers int
	// Memory is about how many bytes the writer takes (default 512 MiB): what else would not fit waits in temporary files. Some
	// is taken in any case, about 40 kB for each location. The file does not depend on it.
	Memory int64
	// TempDir is the folder for these (default: the system's).
	TempDir string
	// Hashes adds hashes of the structure of locations, by which files are compared without reading their events: 20 bytes for each location
	// and slice, about. Where regions get their names behind their first calls, there are none.
	Hashes bool
	// ID is the file's id; the zero value means a random one.
	ID format.FileID
	// Output says what becomes of files that are there already. By default, a file is replaced when the new one is complete.
	Output OutputOptions
}

func (o Options) WithDefaults() (Options, error) {
	set := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	set(&o.LaneLocations, 128)
	set(&o.Fanout, 16)
	set(&o.GroupSlices, o.Fanout)
	set(&o.EpochSlices, 128)
	set(&o.EpochBytes, 64<<10)
	set(&o.PageEntries, 1024)
	set(&o.PageLocations, index.PageLocations)
	set(&o.SummaryFactor, 1)
	set(&o.Workers, runtime.GOMAXPROCS(0))
	if o.Memory == 0 {
		o.Memory = DefaultMemory
	}
	switch {
	case o.SliceEvents < 0, o.LaneLocations < 1, o.EpochSlices < 1, o.EpochBytes < 1, o.PageEntries < 1, o.PageLocations < 1, o.Workers < 1, o.Memory < 1:
		return o, Invalidf("store: options must be positive")
	case o.SummaryFactor < 1 || o.SummaryFactor > maxSummaryFactor:
		return o, Invalidf("store: a summary factor of %d is not between 1 and %d", o.SummaryFactor, maxSummaryFactor)
	case o.PageLocations > index.PageLocations:
		return o, Invalidf("store: pages of %d locations are too large, of %d at most", o.PageLocations, index.PageLocations)
	case o.SliceEvents > MaxSliceEvents:
		return o, Invalidf("store: slices of %d events are too large, of %d at most", o.SliceEvents, MaxSliceEvents)
	}
	division := o.Division()
	if err := division.Check(); err != nil {
		return o, Invalidf("store: %v", err)
	}
	return o, nil
}

// Division returns how slices are divided.
func (o *Options) Division() index.Division {
	return index.Division{Fanout: uint64(o.Fanout), GroupSlices: uint64(o.GroupSlices)}
}

// maxSummaryFactor is far beyond what anybody needs, and keeps products within 64 bits.
const maxSummaryFactor = 1000

// DefaultMemory is what a writer takes by default, in bytes.
const DefaultMemory = 512 << 20

// Default sizes of slices.
const (
	defaultSliceEvents = 16384
	minLaneEvents      = 16384 // events per lane in a slice, where there are several lanes
)

// SliceBudget is the number of events in a slice, given the number of lanes with events.
func (o *Options) SliceBudget(lanes int) int {
	if o.SliceEvents > 0 {
		return o.SliceEvents
	}
	return min(max(defaultSliceEvents, minLaneEvents*lanes), MaxSliceEvents)
}

func (o *Options) EpochGroups() int { return (o.EpochSlices + o.GroupSlices - 1) / o.GroupSlices }

// ReadOptions of a Reader. The zero value means the defaults.
type ReadOptions struct {
	// CacheBytes is the budget for decoded blocks (default 256 MiB, but no more than 1000 for each byte of the file, or 16 MiB if that is more).
	CacheBytes int64
	// Cache, if there is one, is used instead, together with other readers. What a reader has in it goes when the reader is closed.
	Cache *cache.Cache
	// Limits bound what the reader accepts of a file.
	Limits format.Limits
	// Name stands for the file in messages (default: its path).
	Name string
	// Closer, if there is one, is closed together with the Reader.
	Closer io.Closer
	// Unfinished says that the file may have no end yet: then it is read as it is now, as far as its groups of slices are whole.
	Unfinished bool
}
