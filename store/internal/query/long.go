package query

import (
	"iter"
	"slices"

	"github.com/pandotrace/pando/store/internal/ahead"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/store/internal/stacks"
)

// Of a window of long calls, a slice that is shorter than these has none of its own: only calls that cross its borders, which nodes hold.
// So a stretch of such slices is answered from nodes, and no slice of it is decoded.

// stretchSlices is the largest number of slices in a stretch: what is put in order at once is bounded.
const stretchSlices = 1024

// fits reports whether a call of the window may lie wholly in a slice. The time of its last event is before its end.
func (w *Window) fits(slice uint64) (bool, error) {
	s, err := w.Reader.Slice(slice)
	return s.End-s.Start > w.Shortest, err
}

// LongSlices returns the number of slices that must be decoded to find the calls of the window: those that are longer than the least duration.
// It reads no slice.
func (w *Window) LongSlices() (n uint64, err error) {
	w.Reader.LoadPages(w.From, w.To, read.NoDefinitions)
	first, last, err := w.Reader.Slices(w.From, w.To)
	for slice := first; slice < last && err == nil; slice++ {
		var long bool
		if long, err = w.fits(slice); long {
			n++
		}
	}
	return n, err
}

// longCalls yields what Calls does, stretch by stretch.
func (w *Window) longCalls(lanes []uint32, form callForm) iter.Seq2[*mergedCalls, error] {
	return func(yield func(*mergedCalls, error) bool) {
		w.Reader.LoadPages(w.From, w.To, read.Contexts)
		first, last, err := w.Reader.Slices(w.From, w.To)
		if err != nil {
			yield(nil, err)
			return
		}
		q := w.query(true)
		w.fetchSpanning(q, lanes, first, last)
		at := first
		next := func() (s Span, ok bool, err error) {
			if at >= last {
				return s, false, nil
			}
			s, err = w.stretch(at, last)
			s.First = at == first
			at = max(s.end, s.Slice+1)
			return s, true, err
		}
		ahead.Of[*mergedCalls](divided(w.Reader, lanes, read.Needs{Calls: true}, next, ahead.Once(func(s Span) (*mergedCalls, error) {
			if s.end > 0 {
				return w.crossing(s, lanes, form)
			}
			w.Reader.FetchSlices(lanes, read.Needs{Calls: true}, s.Slice)
			return w.spanCalls(s, lanes, s.First, form)
		}), false))(yield)
	}
}

// stretch returns the span of a slice, or of it and those behind it if calls of the window fit into none of them.
func (w *Window) stretch(at, last uint64) (Span, error) {
	s := Whole(at, false)
	for slice := at; slice < min(last, at+stretchSlices); slice++ {
		long, err := w.fits(slice)
		if err != nil || long {
			return s, err
		}
		s.end = slice + 1
	}
	return s, nil
}

// crossing returns the window's calls that begin in the slices of a stretch, and in the first one those that go on when it begins.
func (w *Window) crossing(s Span, lanes []uint32, form callForm) (*mergedCalls, error) {
	return w.collect(form, func(to *stacks.Calls) error {
		for _, lane := range lanes {
			if err := w.Reader.Alive(); err != nil {
				return err
			}
			found, err := w.Reader.CrossingCalls(s.Slice, s.end, lane, w.Shortest)
			if err != nil {
				return err
			}
			if !s.First {
				found = slices.DeleteFunc(found, func(c read.CrossingCall) bool { return c.StartSlice < s.Slice })
			}
			for i := range found {
				to.Append(w.Reader.KnownIndex(found[i].Location), &found[i].Call)
			}
		}
		return nil
	})
}
