package fingerprint

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/pandotrace/pando/encode/content"
	"github.com/pandotrace/pando/store"
)

// Side is what is compared with another one: the locations of a window.
type Side struct {
	Reader *store.Reader
	Window *store.Window
}

// Pair is what two sides have on a location.
type Pair struct {
	Location uint64 // id
	// A and B are the hashes of the structure of both sides. Where a side has no location of this id, that is of no calls.
	A, B content.Hash
}

// Same reports whether a location has the same structure on both sides.
func (p *Pair) Same() bool { return p.A == p.B }

// Compare compares two windows location by location, of the same ids: in the order of side A, followed by locations that only B has,
// without those that call nothing on either side. If both
// files have hashes of structure, these are compared, and only the slices that the windows cut are read; unless they are not trusted. Else the
// structure of all slices is read. Of the windows' filters, only those of locations count. The work ends with the context.
func Compare(ctx context.Context, a, b Side, opt Options) ([]Pair, error) {
	c, err := newComparison(ctx, a, b, opt)
	if err != nil {
		return nil, err
	}
	return c.pairs()
}

// comparison is two sides whose locations have been hashed.
type comparison struct{ a, b side }

func newComparison(ctx context.Context, a, b Side, opt Options) (*comparison, error) {
	opt = opt.withDefaults()
	c := &comparison{}
	err := c.both(func(s *side) error {
		if s == &c.a {
			return s.open(ctx, a, opt.Distrust)
		}
		return s.open(ctx, b, opt.Distrust)
	})
	if err != nil {
		return nil, err
	}
	progress := &counter{report: opt.Progress}
	stored := c.a.stored && c.b.stored
	if stored {
		opt.Bases = content.Fixed
	}
	return c, c.both(func(s *side) error {
		s.opt, s.stored, s.progress = opt, stored, progress
		return s.sum()
	})
}

// both does something with the sides, at the same time: each waits for its own file.
func (c *comparison) both(do func(*side) error) error {
	var g errgroup.Group
	g.Go(func() error { return do(&c.a) })
	g.Go(func() error { return do(&c.b) })
	return g.Wait()
}

// pairs returns all locations that have calls.
func (c *comparison) pairs() (all []Pair, err error) {
	seen := map[uint64]bool{}
	for _, s := range []*side{&c.a, &c.b} {
		ids, err := s.reader.LocationIDs()
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			p := Pair{id, c.a.sums[id], c.b.sums[id]}
			if !seen[id] && p.A.N+p.B.N > 0 {
				all = append(all, p)
			}
			seen[id] = true
		}
	}
	return all, nil
}
