package format

// Limits bound what a reader accepts, so that hostile bytes cannot make it allocate without bound.
// The zero value of a field means the default.
type Limits struct {
	// BlockBytes is the largest size of a block, decoded (default 256 MiB).
	BlockBytes int
	// SliceEvents is the largest number of events in one block of a slice (default 16 Mi).
	SliceEvents int
	// SliceValues is the largest number of values in one block of a slice, times included (default 64 Mi).
	SliceValues int
	// Locations is the largest number of locations (default 16 Mi).
	Locations int
	// DictionaryShapes is the largest number of shapes of one dictionary, and of all their edges and words (default 16 Mi).
	DictionaryShapes int
	// NodeItems is the largest number of calls or messages in one block of spanning ones (default 1 Mi).
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
	set(&l.SliceEvents, 16<<20)
	set(&l.SliceValues, 64<<20)
	set(&l.Locations, 16<<20)
	set(&l.DictionaryShapes, 16<<20)
	set(&l.NodeItems, 1<<20)
	return l
}

// SpanLimit is above the length of any interval in a file, in ticks: times lie in [-2^61, 2^61], and an interval ends one
// tick behind its last event at most.
const SpanLimit = 1<<62 + 2
