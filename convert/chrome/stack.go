package chrome

const (
	// maxFrames bounds the calls open at once on a thread.
	maxFrames = 1 << 20
	// maxSearch bounds how far out the begin of an end is looked for.
	maxSearch = 1 << 12
)

// frame is an open call.
type frame struct {
	region uint32
	slice  bool  // it is a slice, whose end is known
	gone   bool  // it has ended, though calls within it go on
	end    int64 // ticks
}

// stack is the open calls of a thread. Slices on it end the earlier the further in they are. The innermost frame is never gone. Frames
// that are gone stay until they are more than half of all, so that calls that cross do not move the others each time.
type stack struct {
	frames []frame
	slices []int32 // places of those that are slices and not gone
	gone   int
}

// push adds a call. It returns false if there are too many.
func (s *stack) push(f frame) bool {
	if s.gone > len(s.frames)/2 {
		s.compact()
	}
	n := len(s.frames)
	if f.slice {
		s.slices = append(s.slices, int32(n))
	}
	s.frames = append(s.frames, f)
	return n < maxFrames
}

// inner returns the place of the innermost slice, -1 if there is none.
func (s *stack) inner() int {
	if len(s.slices) == 0 {
		return -1
	}
	return int(s.slices[len(s.slices)-1])
}

// limit returns the end of the innermost slice.
func (s *stack) limit() (end int64, ok bool) {
	i := s.inner()
	if i < 0 {
		return 0, false
	}
	return s.frames[i].end, true
}

// endSlice ends the innermost slice. crossed says that there were calls within it that go on.
func (s *stack) endSlice() (region uint32, crossed bool) {
	i := s.inner()
	region, crossed = s.frames[i].region, i < len(s.frames)-1
	s.slices = s.slices[:len(s.slices)-1]
	s.drop(i)
	s.trim()
	return region, crossed
}

// find returns the innermost call that is no slice and has a region that fits, -1 if there is none.
func (s *stack) find(fits func(region uint32) bool) int {
	for i := len(s.frames) - 1; i >= max(0, len(s.frames)-maxSearch); i-- {
		if f := &s.frames[i]; !f.slice && !f.gone && fits(f.region) {
			return i
		}
	}
	return -1
}

// remove ends a call that is no slice, and those within it except for slices: crossed says that there are any.
func (s *stack) remove(i int) (crossed bool) {
	crossed = i < len(s.frames)-1
	for j := i; j < len(s.frames); j++ {
		if f := &s.frames[j]; !f.slice && !f.gone {
			s.drop(j)
		}
	}
	s.trim()
	return crossed
}

func (s *stack) drop(i int) {
	s.frames[i].gone = true
	s.gone++
}

// trim takes innermost frames away that are gone.
func (s *stack) trim() {
	for n := len(s.frames); n > 0 && s.frames[n-1].gone; n-- {
		s.frames = s.frames[:n-1]
		s.gone--
	}
}

// compact takes all frames away that are gone.
func (s *stack) compact() {
	kept := s.frames[:0]
	s.slices, s.gone = s.slices[:0], 0
	for _, f := range s.frames {
		if f.gone {
			continue
		}
		if f.slice {
			s.slices = append(s.slices, int32(len(kept)))
		}
		kept = append(kept, f)
	}
	s.frames = kept
}
