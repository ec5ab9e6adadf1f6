package clog2

// slabs are memory for the records of the next pieces of a stretch. A piece by itself would take a tenth more, since Go's sizes of small
// things are so far apart.
type slabs struct {
	size     int // elements of a new slab; 0: each allocation is a slab of its own
	times    []float64
	whats    []what
	order    []uint16
	payloads []byte
}

// slabRecords is the size of slabs when all of a file is read, if that is not smaller. The pieces that share one are in the cache together, and leave it together.
const slabRecords = 1 << 15

// records returns room for records of a piece.
func (s *slabs) records(n, payloads int) *records {
	return &records{
		times: carve(&s.times, n, s.size), whats: carve(&s.whats, n, s.size), order: carve(&s.order, n, s.size),
		payloads: carve(&s.payloads, payloads, 4*s.size),
	}
}

// carve takes n elements of a slab, of a new one if that is too small.
func carve[T any](slab *[]T, n, size int) []T {
	if n > len(*slab) {
		*slab = make([]T, max(n, size))
	}
	taken := (*slab)[:n:n]
	*slab = (*slab)[n:]
	return taken
}
