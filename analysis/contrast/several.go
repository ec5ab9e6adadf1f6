package contrast

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/pandotrace/pando/analysis/memory"
)

// Several is a run B compared with several base runs.
type Several struct {
	// Runs are the comparisons with each base run.
	Runs []*Comparison
	// Median is that with the median of them: a run in which each call of B that most base runs have takes the median time of its partners, and
	// the calls that B lacks are as many and take as long as in the median of the base runs. Its locations, alignment and series are those of the first
	// base run. [Comparison.Findings] of it judges noise by how much each base run differs from the median of the others.
	Median *Comparison
}

// CompareSeveral compares a window with those of several base runs. All are read in step, and of one base run Median is the comparison with it.
func CompareSeveral(ctx context.Context, bases []Side, b Side, opt Options) (*Several, error) {
	if len(bases) > mostBases {
		return nil, fmt.Errorf("%d base runs: %d are the most", len(bases), mostBases)
	}
	if len(bases) == 1 {
		c, err := Compare(ctx, bases[0], b, opt)
		return &Several{[]*Comparison{c}, c}, err
	}
	opt.Bins, opt.Memory = cmp.Or(opt.Bins, defaultBins), cmp.Or(opt.Memory, memory.Usual)
	var s *Several
	_, err := withLevels(opt, func(c *Comparison) (err error) {
		s = &Several{Median: c}
		return s.compare(ctx, append(slices.Clip(bases), b))
	})
	return s, err
}

// compare compares the last side with all others.
func (s *Several) compare(ctx context.Context, sides []Side) error {
	if err := s.align(ctx, sides); err != nil || s.Median.opt.StructureOnly {
		return err
	}
	if err := inPasses(1, s.Median.Locations[1], func(passes int) error { return s.times(ctx, passes) }); err != nil {
		return err
	}
	for _, c := range s.Runs {
		if err := c.addCounters(ctx); err != nil {
			return err
		}
	}
	s.Median.Counters = s.Runs[0].Counters
	return nil
}

// align reads the structure of all sides into one forest, and aligns the last one with each of the others.
func (s *Several) align(ctx context.Context, sides []Side) error {
	m := s.Median
	all, err := m.openAll(ctx, sides)
	if err != nil {
		return err
	}
	bases := len(all) - 1
	part := m.opt
	part.Memory /= int64(bases)
	for _, src := range all[:bases] {
		c := &Comparison{Forest: m.Forest, Levels: m.Levels, opt: part, shared: m.opt.part(forestEighths), sources: [2]*source{src.copy(), all[bases].copy()}}
		if err := c.simplify(ctx); err != nil {
			return err
		}
		if err := c.pairUp(ctx, unitsOf(all...)); err != nil {
			return err
		}
		s.Runs = append(s.Runs, c)
	}
	opt := m.opt
	*m = *s.Runs[0]
	m.opt, m.Pairs = opt, slices.Clone(m.Pairs)
	m.Names[0] = fmt.Sprintf("median of %d runs", bases)
	return nil
}

// copy returns a source whose locations may be changed.
func (s *source) copy() *source {
	c := *s
	c.locations = slices.Clone(s.locations)
	return &c
}

// times reads the times of all sides. The run in which the fewest calls of B have ended goes on, so that little waits for the others.
func (s *Several) times(ctx context.Context, passes int) error {
	m := newMedians(s)
	steps := make([]func() (error, bool), len(s.Runs))
	left := len(s.Runs)
	for i, c := range s.Runs {
		c.passes = passes
		r, err := c.newTimes()
		if err != nil {
			return err
		}
		m.add(r)
		next, stop := iter.Pull(r.steps(ctx))
		steps[i] = next
		defer stop()
	}
	for left > 0 {
		i := m.behind()
		err, ok := steps[i]()
		if err != nil {
			return err
		}
		if !ok {
			m.bases[i].ended = true
			left--
		} else if m.memory() > s.Median.opt.part(waitingEighths) {
			return fmt.Errorf("%w: %w", errWaiting, m.tooMuch())
		}
	}
	for i, c := range s.Runs {
		c.take(m.bases[i].run)
	}
	m.finish(s.Median)
	s.Median.passes = passes
	return nil
}

// steps follows a run step by step.
func (r *run) steps(ctx context.Context) iter.Seq[error] {
	return func(yield func(error) bool) {
		r.pause = func() bool { return yield(nil) }
		if err := r.follow(ctx); err != nil && !errors.Is(err, errEnough) {
			yield(err)
		}
	}
}
