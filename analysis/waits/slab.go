package waits

// slab is a list whose places are used again.
type slab[T any] struct {
	list []T
	free []int32
}

func (s *slab[T]) add(t T) int32 {
	if n := len(s.free); n > 0 {
		at := s.free[n-1]
		s.free = s.free[:n-1]
		s.list[at] = t
		return at
	}
	s.list = append(s.list, t)
	return int32(len(s.list) - 1)
}

func (s *slab[T]) drop(at int32) { s.free = append(s.free, at) }
