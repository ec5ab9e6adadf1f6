package fingerprint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"

	"golang.org/x/sync/errgroup"

	"github.com/pandotrace/pando/encode/content"
	"github.com/pandotrace/pando/encode/shape"
)

// ErrHashes means that the hashes of structure that a file has are not those of its events. [Options].Distrust leaves them aside.
var ErrHashes = errors.New("the hashes of structure of a file are not those of its events")

// Difference is the first place from which on a location has another structure on one side than on the other.
type Difference struct {
	Location uint64 // id
	// Same is the number of enters and leaves that come before, and are the same on both sides.
	Same uint64
	// A and B are the first ones that are not.
	A, B Place
}

// Place is an enter or a leave, or the end of a window.
type Place struct {
	// End says that the window has no more of them on the location. Then there is nothing else.
	End     bool
	Slice   uint64
	Ordinal uint64 // of the event on its location
	Time    int64  // in ticks
	Region  uint64 // id
	Name    string // by which the region counts
	Leave   bool
}

// Differences yields the first difference of each location that has another structure in one window than in the other, in the order of
// [Compare], which it begins with. It is found by bisection: with stored hashes, by a few blocks for each level of the tree of intervals and a few
// slices, however long the windows are; else by the structure of all slices. Slices of the two files need not begin at the same calls.
func Differences(ctx context.Context, a, b Side, opt Options) iter.Seq2[*Difference, error] {
	return func(yield func(*Difference, error) bool) {
		c, err := newComparison(ctx, a, b, opt)
		if err != nil {
			yield(nil, err)
			return
		}
		locations, err := c.different()
		if err != nil {
			yield(nil, err)
			return
		}
		if len(locations) == 0 {
			return
		}
		if err := c.both(func(s *side) error { return s.prepare(locations) }); err != nil {
			yield(nil, err)
			return
		}
		for _, id := range locations {
			if d, err := c.difference(id); !yield(d, err) || err != nil {
				return
			}
		}
	}
}

// FirstDifference returns the difference that comes first in the time of side A, of all locations; nil if there is none. Where A ends before
// B, its window's end counts.
func FirstDifference(ctx context.Context, a, b Side, opt Options) (first *Difference, err error) {
	for d, err := range Differences(ctx, a, b, opt) {
		if err != nil {
			return nil, err
		}
		if first == nil || d.A.time() < first.A.time() {
			first = d
		}
	}
	return first, nil
}

func (p *Place) time() int64 {
	if p.End {
		return math.MaxInt64
	}
	return p.Time
}

// different returns the locations that differ.
func (c *comparison) different() (locations []uint64, err error) {
	pairs, err := c.pairs()
	for _, p := range pairs {
		if !p.Same() {
			locations = append(locations, p.Location)
		}
	}
	return locations, err
}

// prepare makes a side ready to be searched.
func (s *side) prepare(locations []uint64) error {
	if err := s.define(); err != nil || s.stored {
		return err
	}
	return s.mark(locations)
}

// difference finds the first difference of a location. It looks for the first part of side A at whose end B has something else, and then
// follows the events of both sides from its begin.
func (c *comparison) difference(location uint64) (*Difference, error) {
	q := bisection{c: c, location: location, limit: c.a.sums[location].N}
	part, ok, err := c.a.search(location, q.within)
	if err != nil || q.err != nil {
		return nil, cmp.Or(q.err, err)
	}
	if !ok { // A ends where B goes on
		n := c.a.sums[location].N
		return c.follow(location, n, n+1)
	}
	return c.follow(location, part.before.N, q.limit)
}

// bisection looks for the first difference of a location.
type bisection struct {
	c        *comparison
	location uint64
	limit    uint64 // a number of symbols with which the sides differ
	err      error
}

// probes is how many prefixes are compared at once. Each may take a chain of reads from a server; so the chains are fewer than one after the
// other, and the bytes hardly more.
const probes = 3

// within returns how many of the prefixes of A are those of B.
func (q *bisection) within(prefixes []content.Hash) int {
	low, high := 0, len(prefixes)
	for low < high && q.err == nil {
		n := min(probes, high-low)
		var same [probes]bool
		var g errgroup.Group
		for i := range n {
			g.Go(func() error {
				h := prefixes[low+(high-low)*(i+1)/(n+1)]
				other, err := q.c.b.at(q.location, h.N)
				same[i] = other == h
				return err
			})
		}
		q.err = g.Wait()
		from, width := low, high-low
		for i := range n {
			at := from + width*(i+1)/(n+1)
			if !same[i] {
				high = at
				q.limit = min(q.limit, prefixes[at].N)
				break
			}
			low = at + 1
		}
	}
	return low
}

// at returns the hash of the first n symbols of a location, of all if there are fewer.
func (s *side) at(location, n uint64) (content.Hash, error) {
	if all := s.sums[location]; n == 0 {
		return content.Hash{}, nil
	} else if n >= all.N {
		return all, nil
	}
	part, _, err := s.search(location, upTo(n))
	sum := part.before
	if err != nil || sum.N == n {
		return sum, err
	}
	for p, err := range s.piecesOf(location, &part) {
		if err != nil {
			return content.Hash{}, err
		}
		if sum.N+p.hash.N > n {
			return sum.Then(p.first(n - sum.N)), nil
		}
		sum = sum.Then(p.hash)
	}
	return sum, nil
}

// piecesOf yields the pieces of a location in a part of it.
func (s *side) piecesOf(location uint64, of *stretch) iter.Seq2[*piece, error] {
	return func(yield func(*piece, error) bool) {
		for p, err := range pieces(s.reader.Info(), s.window.WithLocations(location).Within(of.from, of.to), s.hasher) {
			if err == nil && (p.slice < of.first || p.slice > of.last) {
				continue
			}
			if !yield(p, err) {
				return
			}
		}
	}
}

// symbol is an enter or a leave, with its hash. It is valid until the next one.
type symbol struct {
	hash  content.Hash
	place Place
	view  *shape.View
	leaf  uint32
}

// symbols yields the enters and leaves of a location from the n-th one on, and behind limit of them those that are read anyhow.
func (s *side) symbols(location, n, limit uint64) iter.Seq2[*symbol, error] {
	return func(yield func(*symbol, error) bool) {
		part, ok, err := s.search(location, upTo(n))
		if err != nil {
			yield(nil, err)
		}
		if !ok || err != nil {
			return
		}
		end, ok, err := s.search(location, upTo(limit-1))
		if err != nil {
			yield(nil, err)
			return
		}
		if !ok {
			_, end.to = s.window.Bounds()
			end.last = math.MaxUint64
		}
		part.last, part.to = end.last, end.to
		s.eventsOf(location, &part, n-part.before.N, yield)
	}
}

// eventsOf yields the enters and leaves of a part of a location, but the first ones.
func (s *side) eventsOf(location uint64, of *stretch, skip uint64, yield func(*symbol, error) bool) {
	var sym symbol // used again for each: there may be very many
	for run, err := range s.window.WithLocations(location).Within(of.from, of.to).Times() {
		if err != nil {
			yield(nil, err)
			return
		}
		if run.Slice < of.first || run.Slice > of.last {
			continue
		}
		shapes := s.hasher.of(run.Shapes)
		for i, leaf := range run.Leaves {
			h := shapes.Leaf(leaf)
			if h.N == 0 {
				continue
			}
			if skip > 0 {
				skip--
				continue
			}
			sym = symbol{h, Place{Slice: run.Slice, Ordinal: run.First + uint64(i), Time: run.Times[i]}, run.Shapes, leaf}
			if !yield(&sym, nil) {
				return
			}
		}
	}
}

// place completes the place of a symbol; that of nil is the end.
func (s *side) place(of *symbol) Place {
	if of == nil {
		return Place{End: true}
	}
	leaf, _ := of.view.Leaf(of.view.LeafID(of.leaf))
	k, leave, _ := content.KeyOf(&leaf)
	p := of.place
	p.Region, p.Leave = s.hasher.calls.Region(k), leave
	p.Name = s.defs.RegionName(p.Region)
	return p
}

// follow compares the events of a location on both sides, from the n-th symbol on, until they differ.
func (c *comparison) follow(location, n, limit uint64) (*Difference, error) {
	a, stopA := iter.Pull2(c.a.symbols(location, n, limit))
	defer stopA()
	b, stopB := iter.Pull2(c.b.symbols(location, n, limit))
	defer stopB()
	var x, y *symbol
	var errA, errB error
	var first errgroup.Group // each may wait for its file
	first.Go(func() error { x, errA, _ = a(); return nil })
	y, errB, _ = b()
	_ = first.Wait() // there is no error
	for ; ; n++ {
		switch {
		case errA != nil || errB != nil:
			return nil, cmp.Or(errA, errB)
		case x == nil && n < c.a.sums[location].N || y == nil && n < c.b.sums[location].N || x == nil && y == nil:
			return nil, fmt.Errorf("fingerprint: location %d: %w (pando verify --deep tells of which)", location, ErrHashes)
		case x == nil || y == nil || x.hash != y.hash:
			return &Difference{location, n, c.a.place(x), c.b.place(y)}, nil
		}
		x, errA, _ = a()
		y, errB, _ = b()
	}
}
