package write

import (
	"slices"

	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/trace"
)

// pending is a queue of the events of a location that are not in a slice yet, in the batches that they were read in.
type pending struct {
	stretches []stretch // oldest first
	Events    int       // of stretches
	copied    int       // how many came by copying so far
}

// stretch is some events of a batch, with what the writer asks of all stretches. There are a few of each location.
type stretch struct {
	timeRow
	words uint32 // of the whole batch, attributes too
}

// exactWords returns how many words and attributes the first n events have.
func (s *stretch) exactWords(n int) int {
	b, end := s.batch, int(s.from)+n
	words := int(b.Starts[end] - b.Starts[s.from])
	if len(b.AttrStarts) > 0 {
		words += int(b.AttrStarts[end] - b.AttrStarts[s.from])
	}
	return words
}

// part returns events i to j-1 of the stretch.
func (s stretch) part(i, j int) stretch {
	s.timeRow = s.timeRow.part(i, j)
	return s
}

// grow adds the next n events of the batch to a stretch that has all before them.
func (s *stretch) grow(n int) {
	b := s.batch
	s.timeRow = rowOf(b, 0, int(s.to)+n)
	s.words = uint32(len(b.Words) + len(b.Attrs))
}

// adopt appends the events of a batch, which belongs to the queue from now on.
func (p *pending) adopt(b *trace.Batch) {
	n := b.Len()
	s := stretch{timeRow: timeRow{batch: b}}
	s.grow(n)
	p.stretches = append(p.stretches, s)
	p.Events += n
}

// copy appends events, which are copied to batches of the given ones' size.
func (p *pending) copy(b *trace.Batch, free *batches, kinds *trace.Table) {
	p.Events += b.Len()
	p.copied += b.Len()
	for from := 0; from < b.Len(); {
		s := p.open(b.Location, free)
		n := min(free.size-s.len(), b.Len()-from)
		s.batch.AppendRange(b, from, from+n, kinds)
		from += n
		s.grow(n)
	}
}

// open returns the last stretch if it can be appended to, or a new one. Nothing of it was given away: what makes a slice of that does not
// expect it to grow.
func (p *pending) open(location uint64, free *batches) *stretch {
	if n := len(p.stretches); n > 0 {
		if s := &p.stretches[n-1]; s.from == 0 && s.len() < free.size {
			return s
		}
	}
	b := free.small(p.copied)
	b.Reset(location)
	p.stretches = append(p.stretches, stretch{timeRow: timeRow{batch: b}})
	return &p.stretches[len(p.stretches)-1]
}

// before returns how many events come before t.
func (p *pending) before(t int64) (n int) {
	for i := range p.stretches {
		m := p.stretches[i].before(t)
		n += m
		if m < p.stretches[i].len() {
			break
		}
	}
	return n
}

// aboutBefore returns how many events come before t, if those of a stretch are equally far apart.
func (p *pending) aboutBefore(t int64) (n int) {
	for i := range p.stretches {
		s := &p.stretches[i]
		if s.last < t {
			n += s.len()
			continue
		}
		if s.first < t {
			n += int(float64(s.len()) * (float64(t-s.first) / float64(s.last-s.first+1)))
		}
		break
	}
	return n
}

// mostWords returns the most words, attributes and times that the first n events may have.
func (p *pending) mostWords(n int) int {
	words := n
	for i := 0; n > 0; i++ {
		words += int(p.stretches[i].words)
		n -= p.stretches[i].len()
	}
	return words
}

// words returns how many words, attributes and times the first n events have.
func (p *pending) words(n int) int {
	words := n
	for i := 0; n > 0; i++ {
		s := &p.stretches[i]
		m := min(n, s.len())
		words += s.exactWords(m)
		n -= m
	}
	return words
}

// take gives the first n events away, and appends them to a list.
func (p *pending) take(n int, given []stretch) []stretch {
	p.Events -= n
	whole := 0
	for n > 0 {
		s := p.stretches[whole]
		if n < s.len() {
			given, p.stretches[whole] = append(given, s.part(0, n)), s.part(n, s.len())
			break
		}
		given = append(given, s)
		n -= s.len()
		whole++
	}
	p.stretches = slices.Delete(p.stretches, 0, whole)
	if n := len(p.stretches); cap(p.stretches) > 4*n+keptStretches {
		p.stretches = append(make([]stretch, 0, n), p.stretches...)
	}
	return given
}

// keptStretches is the room that is kept for those of a location: there may be very many, each of which needs more for a moment.
const keptStretches = 4

// release gives up the room of a queue that is empty, and to which nothing will come any longer.
func (p *pending) release() {
	if p.Events == 0 {
		p.stretches = nil
	}
}

// batches are free batches, to be filled. What takes slices apart gives them back as soon as it is through with a lane: they are
// filled again while they are in the processor's cache.
type batches struct {
	size int // events of each, about
	wide int // events that those of very many locations may have together
	free cache.Pool[*trace.Batch]
}

// forWords takes a batch with room for a number of words, and for few more.
func (s *batches) forWords(n int) *trace.Batch {
	b := s.get()
	b.Reset(0)
	if cap(b.Words) > n+n/4 {
		b.Words = nil
	}
	b.Reserve(s.size, n)
	return b
}

// Sizes of batches: those of all locations together hold a few slices' worth.
const (
	wasteEvents    = 1 << 18 // of batches that are free, at least
	batchEvents    = 1 << 17 // of a batch of each location
	wideEvents     = 1 << 20 // of a batch of each of very many locations, up to enoughEvents: each waits for memory once, as it is cold
	enoughEvents   = 128     // what a slice takes of each of them
	wideShare      = 512     // bytes of the budget for each of the wideEvents
	minBatchEvents = 24
	maxBatchEvents = 4096
	wasteText      = 1 << 14 // bytes of a batch that is filled again
	wasteWords     = 16      // for each event of it
)

// share divides the events of the batches by the number of locations.
func (s *batches) share(locations int) {
	n := max(locations, 1)
	s.size = min(max(batchEvents/n, min(s.wide/n, enoughEvents), minBatchEvents), maxBatchEvents)
}

// keep says how many events free batches may be for.
func (s *batches) keep(events int) { s.free.Limit(events / s.size) }

// get returns a batch to be filled.
func (s *batches) get() *trace.Batch {
	return cache.TakeOrNew(&s.free)
}

// small returns a batch to be appended to, for a location with a number of events so far. As long as these are few, as of most locations where
// there are very many, it has no room for more than there are.
func (s *batches) small(events int) *trace.Batch {
	if events < s.size/smallShare {
		return new(trace.Batch)
	}
	return s.get()
}

// smallShare is the part of a batch that is few events.
const smallShare = 4

// put takes a batch back, if it is of about the usual size.
func (s *batches) put(b *trace.Batch) {
	if s.size/smallShare <= cap(b.Kinds) && cap(b.Kinds) <= 2*s.size && cap(b.Words) <= wasteWords*s.size && cap(b.Text) <= wasteText {
		s.free.Put(b)
	}
}
