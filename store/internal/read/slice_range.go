package read

// SliceRange is the slices first to end-1.
type SliceRange struct{ First, End uint64 }

func (r SliceRange) Contain(first, last uint64) bool { return first >= r.First && last < r.End }
