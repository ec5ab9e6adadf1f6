package gather

import (
	"cmp"
	"slices"
)

// Part is what a rank does in an operation. Of is what the caller knows of it.
type Part[T any] struct {
	Rank      uint64
	Operation uint64 // of trace.EnumCollectiveOp
	// Begin and End are times; Begun is false if the begin is not known.
	Begin, End int64
	Begun      bool
	Of         T
}

// Operation is a collective operation.
type Operation[T any] struct {
	// Number is its place among those of the series, from 0.
	Number uint64
	// Typical is the part of a rank that does what most do.
	Typical Part[T]
	// Parts are those that belong together, in order of ranks.
	Parts []Part[T]
	// Others are the parts of ranks that do another operation in its place.
	Others []Part[T]
	// Extras are parts before it that no other rank has: operations by themselves, whose numbers are the ones before.
	Extras []Part[T]
	// Missing are ranks that have no part.
	Missing []Missing[T]
}

// Missing is a rank without a part in an operation. Next is its next part, nil if it has none.
type Missing[T any] struct {
	Rank uint64
	Next *Part[T]
}

// Series are the operations of a communicator. Parts of each rank are added in order, and those of all about in the order of time.
type Series[T any] struct {
	Blocks bool // ranks wait in the operations, so that times tell what belongs together
	// Each takes each operation, in order. It is valid until the next one.
	Each func(*Operation[T])
	// Most bounds the parts that wait for those of other ranks, of all series that share Waiting. Beyond it, what is there is put together.
	Most    int
	Waiting *int

	queues [][]Part[T] // by rank: parts that are in no complete operation
	ranks  []int       // those of members
	ready  int         // ranks with a part
	deep   int         // ranks with as many as are looked at to find what is missing
	number uint64      // of the operation that comes next
	odd    bool        // it has been found that first parts do not belong together
	ended  bool
}

// lookahead is the number of parts of each rank that are looked at to find out what is missing.
const lookahead = 6

// NewSeries returns the series of a communicator of a size, of which some ranks are recorded.
func NewSeries[T any](size int, ranks []int) *Series[T] {
	return &Series[T]{queues: make([][]Part[T], size), ranks: ranks, Waiting: new(int)}
}

// has reports whether a rank is one of those that are recorded, which are in order.
func (s *Series[T]) has(rank int) bool {
	_, ok := slices.BinarySearch(s.ranks, rank)
	return ok
}

// Add takes up a part of one of the ranks.
func (s *Series[T]) Add(p *Part[T]) {
	q := append(s.queues[p.Rank], *p)
	s.queues[p.Rank] = q
	*s.Waiting++
	switch len(q) {
	case 1:
		s.ready++
	case lookahead:
		s.deep++
	}
	for s.ready == len(s.ranks) && s.settleFirst() {
	}
	for *s.Waiting > s.Most && s.ready > 0 {
		s.settle()
	}
}

// End puts together what is left.
func (s *Series[T]) End() {
	s.ended = true
	for s.ready > 0 {
		s.settle()
	}
}

// settle puts first parts together, though some ranks have none.
func (s *Series[T]) settle() {
	if s.ready == len(s.ranks) && !s.odd && s.agree() {
		s.together()
		return
	}
	s.realign()
}

// pop takes the first part of a rank.
func (s *Series[T]) pop(rank int) Part[T] {
	q := s.queues[rank]
	first := q[0]
	s.queues[rank] = q[1:]
	switch len(q) {
	case 1:
		s.ready--
	case lookahead:
		s.deep--
	}
	*s.Waiting--
	return first
}

// settleFirst puts the first parts of all ranks together, and reports whether it did. It waits for more if they do not belong together.
func (s *Series[T]) settleFirst() bool {
	if s.odd = s.odd || !s.agree(); !s.odd {
		s.together()
		return true
	}
	if s.deep < len(s.ranks) {
		return false
	}
	s.realign()
	return true
}

// together makes an operation of the first parts of all ranks.
func (s *Series[T]) together() {
	o := Operation[T]{Number: s.number, Parts: make([]Part[T], len(s.ranks))}
	for i, rank := range s.ranks {
		o.Parts[i] = s.pop(rank)
	}
	o.Typical = o.Parts[0]
	s.number++
	s.Each(&o)
}

// agree reports whether the first parts may belong together: they are the same operation, and of operations in which each rank waits for all
// others, no part ends before another one begins.
func (s *Series[T]) agree() bool {
	first := &s.queues[s.ranks[0]][0]
	lastBegin, firstEnd, timed := first.Begin, first.End, first.Begun
	for _, rank := range s.ranks[1:] {
		p := &s.queues[rank][0]
		if p.Operation != first.Operation {
			return false
		}
		lastBegin, firstEnd, timed = max(lastBegin, p.Begin), min(firstEnd, p.End), timed && p.Begun
	}
	return !s.Blocks || !timed || !WaitsForAll(first.Operation) || lastBegin <= firstEnd
}

// realign puts the first parts together of those ranks that do what most do.
func (s *Series[T]) realign() {
	s.odd = false
	most := s.typical()
	o := Operation[T]{Typical: most[0]}
	for _, rank := range s.ranks {
		own := standingOf(s.queues[rank], most)
		if own == extra {
			o.Extras = append(o.Extras, s.pop(rank))
			if own = takesPart; len(s.queues[rank]) == 0 {
				own = lacks
			}
		}
		switch own {
		case lacks:
			o.Missing = append(o.Missing, Missing[T]{Rank: uint64(rank)})
		case other:
			o.Others = append(o.Others, s.pop(rank))
		default:
			o.Parts = append(o.Parts, s.pop(rank))
		}
	}
	for i := range o.Missing {
		if q := s.queues[o.Missing[i].Rank]; len(q) > 0 {
			o.Missing[i].Next = &q[0]
		}
	}
	o.Number = s.number + uint64(len(o.Extras))
	s.number = o.Number + 1
	s.Each(&o)
}

// typical returns the parts of a rank that does what most do: of those whose first part is the most frequent operation, the one whose part
// begins in the middle.
func (s *Series[T]) typical() []Part[T] {
	votes := map[uint64]int{}
	for _, q := range s.queues {
		if len(q) > 0 {
			votes[q[0].Operation]++
		}
	}
	var of []int
	best := uint64(0)
	for op, n := range votes {
		if n > votes[best] || n == votes[best] && op < best {
			best = op
		}
	}
	for rank, q := range s.queues {
		if len(q) > 0 && q[0].Operation == best {
			of = append(of, rank)
		}
	}
	slices.SortFunc(of, func(a, b int) int {
		return cmp.Or(cmp.Compare(s.queues[a][0].Begin, s.queues[b][0].Begin), cmp.Compare(a, b))
	})
	q := s.queues[of[len(of)/2]]
	return slices.Clone(q[:min(len(q), lookahead)])
}
