package chrome

import "slices"

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
	below  int32 // the innermost slice up to here, -1 if there is none
	end    int64 // ticks
}

// stack is the open calls of a thread. Slices on it end the earlier the further in they are.
type stack struct{ frames []frame }

// push adds a call. It returns false if there are too many.
func (s *stack) push(f frame) bool {
	n := len(s.frames)
	f.below = int32(n)
	if !f.slice {
		f.below = s.inner(n)
	}
	s.frames = append(s.frames, f)
	return n < maxFrames
}

// inner returns the innermost of the slices among the n outermost calls, -1 if there is none.
func (s *stack) inner(n int) int32 {
	if n == 0 {
		return -1
	}
	return s.frames[n-1].below
}

// limit returns the end of the innermost slice.
func (s *stack) limit() (end int64, ok bool) {
	i := s.inner(len(s.frames))
	if i < 0 {
		return 0, false
	}
	return s.frames[i].end, true
}

// endSlice ends the innermost slice. crossed says that there were calls within it that go on.
func (s *stack) endSlice() (region uint32, crossed bool) {
	i := int(s.inner(len(s.frames)))
	region = s.frames[i].region
	crossed = i < len(s.frames)-1
	s.cutOut(i, func(frame) bool { return true })
	return region, crossed
}

// find returns the innermost call that is no slice and has a region that fits, -1 if there is none.
func (s *stack) find(fits func(region uint32) bool) int {
	for i := len(s.frames) - 1; i >= max(0, len(s.frames)-maxSearch); i-- {
		if f := &s.frames[i]; !f.slice && fits(f.region) {
			return i
		}
	}
	return -1
}

// remove ends a call that is no slice, and those within it except for slices: crossed says that there are any.
func (s *stack) remove(i int) (crossed bool) {
	crossed = i < len(s.frames)-1
	s.cutOut(i, func(f frame) bool { return f.slice })
	return crossed
}

// cutOut takes a call out, and those within it that are not to be kept.
func (s *stack) cutOut(i int, keep func(frame) bool) {
	within := s.frames[i+1:]
	s.frames = s.frames[:i]
	if len(within) == 0 {
		return
	}
	for _, f := range slices.Clone(within) {
		if keep(f) {
			s.push(f)
		}
	}
}
