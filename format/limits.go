package format

// Limits bound what a reader accepts, so that hostile bytes cannot make it allocate without bound. Most of what a file can say takes
// bytes, as Density tells, and is bounded by these; events do not. A writer stays within the defaults, or fails.
// The zero value of a field means the default.
type Limits struct {
	// BlockBytes is the largest size of a block, decoded (default 256 MiB).
	BlockBytes int
	// Events is the largest number of events in a file (default 64 Ti).
	Events int
	// SliceEvents is the largest number of events in a slice, those of all lanes together (default 4 Mi).
	SliceEvents int
	// LaneEvents is the largest number of events in one block of a slice (default 256 Ki).
	LaneEvents int
	// SliceValues is the largest number of words, attributes and times of the events of a slice (default 16 Mi).
	SliceValues int
	// LaneValues is the largest number of these in one block of a slice (default 1 Mi).
	LaneValues int
	// Locations is the largest number of locations (default 16 Mi).
	Locations int
	// DictionaryShapes is the largest number of shapes of one dictionary, their edges, words and attributes, and ranks (default 1 Gi).
	DictionaryShapes int
	// NodeItems is the largest number of calls or messages in one block of spanning ones (default 16 Mi).
	NodeItems int
}

// WithDefaults returns the limits with defaults in place of zeros.
func (l Limits) WithDefaults() Limits {
	set := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	set(&l.BlockBytes, 256<<20)
	set(&l.Events, 64<<40)
	set(&l.SliceEvents, 4<<20)
	set(&l.LaneEvents, 256<<10)
	set(&l.SliceValues, 16<<20)
	set(&l.LaneValues, 1<<20)
	set(&l.Locations, 16<<20)
	set(&l.DictionaryShapes, 1<<30)
	set(&l.NodeItems, 16<<20)
	return l
}

// SpanLimit is above the length of any interval in a file, in ticks: times lie in [-2^61, 2^61], and an interval ends one
// tick behind its last event at most.
const SpanLimit = 1<<62 + 2
