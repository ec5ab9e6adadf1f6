package read

const (
	// maxFrames bounds the calls open at once on a thread.
	maxFrames = 1 << 20
	// MaxSearch bounds how far out the begin of an end is looked for.
	MaxSearch = 1 << 12
)

// Frame is an open call.
type Frame struct {
	Region uint32
	Slice  bool  // it is a slice, whose end is known
	gone   bool  // it has ended, though calls within it go on
	End    int64 // ticks
}

// Stack is the open calls of a thread. Slices on it end the earlier the further in they are. The innermost frame is never gone. Frames
// that are gone stay until they are more than half of all, so that calls that cross do not move the others each time.
type Stack struct {
	Frames []Frame
	slices []int32 // places of those that are slices and not gone
	Gone   int
}

// Push adds a call. It returns false if there are too many.
func (s *Stack) Push(f Frame) bool {
	if s.Gone > len(s.Frames)/2 {
		s.compact()
	}
	n := len(s.Frames)
	if f.Slice {
		s.slices = append(s.slices, int32(n))
	}
	s.Frames = append(s.Frames, f)
	return n < maxFrames
}

// inner returns the place of the innermost slice, -1 if there is none.
func (s *Stack) inner() int {
	if len(s.slices) == 0 {
		return -1
	}
	return int(s.slices[len(s.slices)-1])
}

// Limit returns the end of the innermost slice.
func (s *Stack) Limit() (end int64, ok bool) {
	i := s.inner()
	if i < 0 {
		return 0, false
	}
	return s.Frames[i].End, true
}

// EndSlice ends the innermost slice. crossed says that there were calls within it that go on.
func (s *Stack) EndSlice() (region uint32, crossed bool) {
	i := s.inner()
	region, crossed = s.Frames[i].Region, i < len(s.Frames)-1
	s.slices = s.slices[:len(s.slices)-1]
	s.drop(i)
	s.trim()
	return region, crossed
}

// Find returns the innermost call that is no slice and has a region that fits, -1 if there is none.
func (s *Stack) Find(fits func(region uint32) bool) int {
	for i := len(s.Frames) - 1; i >= max(0, len(s.Frames)-MaxSearch); i-- {
		if f := &s.Frames[i]; !f.Slice && !f.gone && fits(f.Region) {
			return i
		}
	}
	return -1
}

// Remove ends a call that is no slice, and those within it except for slices: crossed says that there are any.
func (s *Stack) Remove(i int) (crossed bool) {
	crossed = i < len(s.Frames)-1
	for j := i; j < len(s.Frames); j++ {
		if f := &s.Frames[j]; !f.Slice && !f.gone {
			s.drop(j)
		}
	}
	s.trim()
	return crossed
}

func (s *Stack) drop(i int) {
	s.Frames[i].gone = true
	s.Gone++
}

// trim takes innermost frames away that are gone.
func (s *Stack) trim() {
	for n := len(s.Frames); n > 0 && s.Frames[n-1].gone; n-- {
		s.Frames = s.Frames[:n-1]
		s.Gone--
	}
}

// compact takes all frames away that are gone.
func (s *Stack) compact() {
	kept := s.Frames[:0]
	s.slices, s.Gone = s.slices[:0], 0
	for _, f := range s.Frames {
		if f.gone {
			continue
		}
		if f.Slice {
			s.slices = append(s.slices, int32(len(kept)))
		}
		kept = append(kept, f)
	}
	s.Frames = kept
}
