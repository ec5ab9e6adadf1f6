package read

import (
	"sync"

	"github.com/pandotrace/pando/convert/chrome/internal/sorting"
	"github.com/pandotrace/pando/trace"
)

// Work is what a stream needs while it has events. There may be very many streams, of which few have some at the same time.
type Work struct {
	Cursor sorting.Cursor
	Stack  Stack
	spans  spanHeap
	list   []attribute
	attrs  []trace.Attr
	words  []uint64
	ahead  trace.Batch // records that were not given yet, from taken on
	taken  int
}

// working is what streams need that have events, to be used again by others.
type working struct {
	mu   sync.Mutex
	free []*Work
}

// maxFreeWork is how many are kept; maxFreeRecords bounds what each has room for.
const (
	maxFreeWork    = 64
	maxFreeRecords = 4 * aheadRecords
)

// Begin returns what a stream of a location needs.
func (p *working) Begin(location uint64) *Work {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := &Work{}
	if n := len(p.free) - 1; n >= 0 {
		w, p.free = p.free[n], p.free[:n]
	}
	w.ahead.Reset(location)
	return w
}

// end takes it back.
func (p *working) end(w *Work) {
	w.Cursor.Rest()
	*w = Work{Cursor: w.Cursor, Stack: Stack{Frames: w.Stack.Frames[:0], slices: w.Stack.slices[:0]}, spans: w.spans[:0], list: w.list[:0], attrs: w.attrs[:0], words: w.words[:0], ahead: w.ahead}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) < maxFreeWork && max(cap(w.Stack.Frames), cap(w.spans), cap(w.ahead.Kinds)) <= maxFreeRecords {
		p.free = append(p.free, w)
	}
}

// rest gives back what the stream needed, as it has no more events.
func (s *stream) rest() {
	if s.Work != nil {
		s.archive.Working.end(s.Work)
		s.Work = nil
	}
}

// Step is Next, but the first one tells only when the events begin: those that come much later need not be made yet.
func (s *stream) Step(b *trace.Batch, max int) (covered int64, err error) {
	l := &s.archive.Locations.List[s.location]
	if !s.begun && l.records > 0 {
		s.begun = true
		b.Reset(l.id)
		return s.archive.scale.Ticks(l.first), s.err
	}
	if err = s.Next(b, max); err == nil {
		covered = b.Times[b.Len()-1]
	}
	return covered, err
}

var _ trace.Stepper = (*stream)(nil)
