package store

import (
	"errors"
	"math"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/pandotrace/pando/format"
)

// slicePart is what the calls that begin and end in a slice are added up from. If the whole slice is in the window, there are
// no steps, and of the marks only the last ones.
type slicePart struct {
	begin, end bool // the window begins in the slice, and ends there
	steps      *callSteps
	marks      *callMarks
}

// noMarks are those of a lane that has no events in a slice.
var noMarks = &callMarks{}

// callFolders are memory that nobody needs any longer.
var callFolders = sync.Pool{New: func() any { return new(callFolder) }}

// parts returns the parts of what a cover wants of slices. What is not at hand is made in parallel.
func (q *summaryQuery) parts(lane uint32, c *cover, items []*spanItem) ([]slicePart, error) {
	parts := make([]slicePart, len(c.slices)+len(c.groups))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	run := func(have bool, do func() error) error {
		if have {
			return do()
		}
		group.Go(do)
		return nil
	}
	for i, slice := range c.slices {
		if err := run(q.hasPart(slice, lane), func() (err error) {
			parts[i], err = q.part(slice, lane, items)
			return err
		}); err != nil {
			return nil, errors.Join(err, group.Wait())
		}
	}
	for i, g := range c.groups {
		if err := run(q.cache.has(groupKey(g, lane)), func() (err error) {
			parts[len(c.slices)+i].marks, err = q.groupSums(g, lane, c.nodes)
			return err
		}); err != nil {
			return nil, errors.Join(err, group.Wait())
		}
	}
	return parts, group.Wait()
}

// partKey returns what the part of a slice is kept under.
func (q *summaryQuery) partKey(slice uint64, ref format.Ref) cacheKey {
	if q.within.contain(slice, slice) {
		return cacheKey{what: cachedCallSums, offset: ref.Offset}
	}
	return cacheKey{what: cachedCallMarks, offset: ref.Offset}
}

// hasPart reports whether the part of a slice is at hand.
func (q *summaryQuery) hasPart(slice uint64, lane uint32) bool {
	ref, ok, err := q.ref(slice, blockKey{kind: format.BlockSlice, lane: lane, number: slice})
	return err != nil || !ok || q.cache.has(q.partKey(slice, ref))
}

func (q *summaryQuery) part(slice uint64, lane uint32, items []*spanItem) (slicePart, error) {
	ref, ok, err := q.ref(slice, blockKey{kind: format.BlockSlice, lane: lane, number: slice})
	switch {
	case err != nil || !ok:
		return slicePart{marks: noMarks}, err
	case q.within.contain(slice, slice):
		marks, err := q.wholeSlice(slice, lane, ref, items)
		return slicePart{marks: marks}, err
	}
	return q.cutSlice(slice, lane, ref, items)
}

// groupKey returns what the sums of a group are kept under.
func groupKey(g sliceRange, lane uint32) cacheKey {
	return cacheKey{what: cachedCallGroups, offset: g.first<<16 | (g.end - g.first), lane: lane} // nodes have fewer than 2^16 children
}

// groupSums returns what a group of slices comes to, with the calls that lie in the group. Sums of its halves are kept, too: they
// are groups of other windows.
func (q *summaryQuery) groupSums(g sliceRange, lane uint32, nodes []coveredNode) (*callMarks, error) {
	return cached(q.cache, groupKey(g, lane), func() (*callMarks, int64, error) {
		half := &summaryQuery{Reader: q.Reader, w: q.Window(math.MinInt64, math.MaxInt64), within: g, path: g, contained: true, split: g.first + (g.end-g.first)/2}
		s := &callSources{summaryQuery: half, lane: lane}
		all := make([]coveredNode, len(nodes))
		for i := range nodes {
			all[i].node = nodes[i].node
		}
		var err error
		if s.items, err = half.items(lane, all); err != nil {
			return nil, 0, err
		}
		for _, h := range []sliceRange{{g.first, half.split}, {half.split, g.end}} {
			var p slicePart
			if h.end-h.first == 1 {
				p, err = half.part(h.first, lane, s.items)
			} else {
				p.marks, err = half.groupSums(h, lane, all)
			}
			if err != nil {
				return nil, 0, err
			}
			s.parts = append(s.parts, p)
		}
		m := s.sums()
		return m, m.size(), nil
	})
}

// sums adds up all of a group.
func (s *callSources) sums() *callMarks {
	m := &callMarks{}
	sum := callSummers.Get().(*callSummer)
	defer sum.end()
	sum.begin(s)
	for place := range s.lanes[s.lane] {
		if sum.place(uint32(place)); len(sum.row.cells) > 0 {
			m.runs = append(m.runs, runMarks{place: uint32(place), marks: []callMark{{cells: slices.Clone(sum.row.cells)}}})
		}
	}
	return m
}

// wholeSlice returns what a slice comes to, which is kept.
func (q *summaryQuery) wholeSlice(slice uint64, lane uint32, ref format.Ref, items []*spanItem) (*callMarks, error) {
	return cached(q.cache, q.partKey(slice, ref), func() (*callMarks, int64, error) {
		steps, err := q.stepsOnce(slice, lane, ref)
		if err != nil {
			return nil, 0, err
		}
		m, err := q.markSlice(steps, items)
		if err != nil {
			return nil, 0, err
		}
		m = m.lastOnes()
		return m, m.size(), nil
	})
}

// cutSlice returns the steps and marks of a slice at an end of the window, which are kept.
func (q *summaryQuery) cutSlice(slice uint64, lane uint32, ref format.Ref, items []*spanItem) (p slicePart, err error) {
	p.begin, p.end = slice < q.within.first, q.endsIn && slice == q.touched.end-1
	if p.steps, err = q.callSteps(slice, lane); err != nil {
		return p, err
	}
	p.marks, err = cached(q.cache, q.partKey(slice, ref), func() (*callMarks, int64, error) {
		m, err := q.markSlice(p.steps, items)
		if err != nil {
			return nil, 0, err
		}
		return m, m.size(), nil
	})
	return p, err
}

func (q *summaryQuery) markSlice(steps *callSteps, items []*spanItem) (*callMarks, error) {
	f := callFolders.Get().(*callFolder)
	defer callFolders.Put(f)
	m, err := f.marks(steps, items)
	return m, format.At(err, q.name, -1)
}
