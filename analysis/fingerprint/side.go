package fingerprint

import (
	"context"
	"math"
	"sort"
	"sync"

	"github.com/pandotrace/pando/encode/content"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// side is one of the two that are compared.
type side struct {
	reader *store.Reader
	window *store.Window
	opt    Options
	stored bool            // the file's hashes are used
	span   store.SliceSpan // the slices of which they are used
	hasher *hasher         // nil until the definitions are read
	defs   *trace.Definitions
	sums   map[uint64]content.Hash // by location
	head   map[uint64]content.Hash // what the window has before these slices
	tail   map[uint64]content.Hash // and behind
	marks  map[uint64][]stretch    // without stored hashes, of locations that differ: their parts

	progress *counter // of both sides
}

// counter counts events of several goroutines.
type counter struct {
	mu     sync.Mutex
	done   int64
	report trace.Progress
}

func (c *counter) add(events uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done += int64(events)
	c.report.Report(c.done, 0)
}

// stretch is a part of a location: some slices, as far as they lie in the window.
type stretch struct {
	first, last   uint64
	from, to      int64
	before, after content.Hash // of the location up to its begin; after is known without stored hashes only
}

// open reads what it takes to know whether stored hashes can be used.
func (s *side) open(ctx context.Context, of Side, distrust bool) (err error) {
	s.reader, s.window = of.Reader.WithContext(ctx), of.Window.WithContext(ctx)
	if !distrust {
		s.stored, err = s.window.HasHashes()
	}
	return err
}

// define reads the definitions, unless they have been.
func (s *side) define() (err error) {
	if s.hasher != nil {
		return nil
	}
	if s.defs, err = s.reader.Definitions(); err == nil {
		s.hasher = newHasher(s.defs, s.opt)
	}
	return err
}

// sum finds out the hashes of all locations.
func (s *side) sum() (err error) {
	from, to := s.window.Bounds()
	if !s.stored {
		s.sums, err = s.sumOf(from, to)
		return err
	}
	if s.span, err = s.window.WholeSlices(); err != nil {
		return err
	}
	if s.head, err = s.sumOf(from, s.span.From); err != nil {
		return err
	}
	if s.tail, err = s.sumOf(s.span.To, to); err != nil {
		return err
	}
	s.sums = map[uint64]content.Hash{}
	for id, h := range s.head {
		s.sums[id] = h
	}
	whole, err := s.window.Hashes(s.span.First, s.span.End)
	for _, l := range whole {
		s.sums[l.Location] = s.sums[l.Location].Then(l.Hash)
	}
	for id, h := range s.tail {
		s.sums[id] = s.sums[id].Then(h)
	}
	return err
}

// sumOf returns the hashes of what locations have from one time to another, made of the events.
func (s *side) sumOf(from, to int64) (map[uint64]content.Hash, error) {
	if from >= to {
		return nil, nil
	}
	if err := s.define(); err != nil {
		return nil, err
	}
	sums := map[uint64]content.Hash{}
	for p, err := range pieces(s.reader.Info(), s.window.Within(from, to), s.hasher) {
		if err != nil {
			return nil, err
		}
		sums[p.location] = sums[p.location].Then(p.hash)
		s.progress.add(p.events)
	}
	return sums, nil
}

// mark goes through the structure of some locations and notes their parts: slices, or several of them in one where these take too much memory.
func (s *side) mark(locations []uint64) error {
	const stretchBytes = 120
	s.marks = map[uint64][]stretch{}
	marks, most := 0, max(int(s.opt.Memory/stretchBytes), 64*len(locations))
	from, to := s.window.Bounds()
	for p, err := range pieces(s.reader.Info(), s.window.WithLocations(locations...).Within(from, to), s.hasher) {
		if err != nil {
			return err
		}
		list := s.marks[p.location]
		next := stretch{first: p.slice, last: p.slice, from: p.from, to: p.to}
		if n := len(list); n > 0 {
			next.before = list[n-1].after
		}
		next.after = next.before.Then(p.hash)
		s.marks[p.location] = append(list, next)
		if marks++; marks > most {
			marks = s.thin()
		}
		s.progress.add(p.events)
	}
	return nil
}

// thin makes one of each two neighbouring parts, and returns how many are left.
func (s *side) thin() (left int) {
	for id, list := range s.marks {
		n := 0
		for i := 0; i < len(list); i += 2 {
			both, last := list[i], list[min(i+1, len(list)-1)]
			both.last, both.to, both.after = last.last, last.to, last.after
			list[n] = both
			n++
		}
		s.marks[id] = list[:n]
		left += n
	}
	return left
}

// search returns the first part with which a location is no longer within something; ok is false if it is to its end. Of prefixes, each of
// which goes on where the one before ends, within returns how many are: the first ones.
func (s *side) search(location uint64, within func(prefixes []content.Hash) int) (part stretch, ok bool, err error) {
	if !s.stored {
		part, ok = s.searchMarks(location, within)
		return part, ok, nil
	}
	from, to := s.window.Bounds()
	head := s.head[location]
	if head.N > 0 && within([]content.Hash{head}) == 0 {
		return stretch{last: math.MaxUint64, from: from, to: s.span.From}, true, nil
	}
	found, ok, err := s.window.SearchHashes(location, s.span.First, s.span.End, head, within)
	if ok || err != nil {
		return stretch{first: found.Slice, last: found.Slice, from: max(from, found.Start), to: min(to, found.End), before: found.Before}, ok, err
	}
	if tail := s.tail[location]; tail.N > 0 && within([]content.Hash{found.Before.Then(tail)}) == 0 {
		return stretch{last: math.MaxUint64, from: s.span.To, to: to, before: found.Before}, true, nil
	}
	return stretch{}, false, nil
}

// searchMarks is search without stored hashes.
func (s *side) searchMarks(location uint64, within func(prefixes []content.Hash) int) (part stretch, ok bool) {
	list := s.marks[location]
	prefixes := make([]content.Hash, len(list))
	for i := range list {
		prefixes[i] = list[i].after
	}
	if i := within(prefixes); i < len(list) {
		return list[i], true
	}
	return stretch{}, false
}

// upTo is within of the first n symbols.
func upTo(n uint64) func(prefixes []content.Hash) int {
	return func(prefixes []content.Hash) int {
		return sort.Search(len(prefixes), func(i int) bool { return prefixes[i].N > n })
	}
}
