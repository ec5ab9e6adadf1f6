package convert

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pandotrace/pando/edit"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Trial is the size of the Pando file of a trace with times within a bound.
type Trial struct {
	// Bound is the largest deviation of times, in ticks; 0 if all times stay.
	Bound uint64
	Bytes int64
}

// Trials tell how large the Pando file of a trace is with times within some bounds. Each encodes all of the trace, and writes nothing: that
// takes less than a histogram of its times for some bounds would, and is exact.
type Trials struct {
	// Resolution is the number of ticks per second.
	Resolution uint64
	// Unit is what bounds must be multiples of, in ticks: more than 1 if times are coarse already.
	Unit uint64

	ctx    context.Context
	of     *Trace
	bounds edit.Bounds // of counters
	opt    WriteOptions
	made   map[uint64]int64
}

// NewTrials begins trials of a trace with the same bounds for counters. The files are as opt says.
func NewTrials(ctx context.Context, t *Trace, counters []edit.CounterBound, opt WriteOptions) (*Trials, error) {
	src, err := t.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	m := src.Meta()
	opt.Accept = nil
	opt.accepting()
	r := &Trials{Resolution: max(m.Resolution, 1), Unit: 1, ctx: ctx, of: t, bounds: edit.Bounds{Counters: counters}, opt: opt, made: map[uint64]int64{}}
	if old, ok := m.Loss.Times(); ok && old.Cell > 0 {
		r.Unit = old.Cell / 2
	}
	return r, nil
}

// Coarse returns the trace with times within a bound, and counters within theirs; itself if it shall lose nothing.
func (r *Trials) Coarse(bound uint64) *Trace {
	b := r.bounds
	if b.Times = bound; bound == 0 && len(b.Counters) == 0 {
		return r.of
	}
	return r.of.Coarsen(func(*trace.Meta) (edit.Bounds, error) { return b, nil })
}

// Size returns the size of the file with times within a bound, a multiple of the unit, in bytes.
func (r *Trials) Size(bound uint64) (int64, error) {
	if n, ok := r.made[bound]; ok {
		return n, nil
	}
	var n byteCount
	if _, err := streamPando(r.ctx, r.Coarse(bound), &n, r.opt); err != nil {
		return 0, err
	}
	r.made[bound] = int64(n)
	return int64(n), nil
}

// byteCount is a number of bytes that were written.
type byteCount int64

// Write implements io.Writer.
func (n *byteCount) Write(b []byte) (int, error) {
	*n += byteCount(len(b))
	return len(b), nil
}

// Made returns the trials that were made, in order of their bounds.
func (r *Trials) Made() (list []Trial) {
	for bound, n := range r.made {
		list = append(list, Trial{bound, n})
	}
	slices.SortFunc(list, func(a, b Trial) int { return cmp.Compare(a.Bound, b.Bound) })
	return list
}

// usualBound is the bound of a search's first trial, in seconds.
const usualBound = 1e-6

// Fit searches for the finest times with which the file has at most some bytes, and returns their bound. Sizes fall as bounds rise, but for a few bytes; the one
// found has at least 97 % of the bytes, unless the next finer one had too many, or no time needs to be left out. It is a *FloorError if the file has
// more bytes with whatever bound.
func (r *Trials) Fit(budget int64) (bound uint64, err error) {
	f := &fit{budget: budget, most: trace.MaxCell / 2 / r.Unit, size: func(n uint64) (int64, error) { return r.Size(n * r.Unit) }}
	fits, err := f.search(uint64(usualBound*float64(r.Resolution)) / r.Unit)
	if err == nil && !fits {
		return 0, r.floorError(budget, f.fine*r.Unit)
	}
	return f.coarse * r.Unit, err
}

// fit searches for the least number whose size is within a budget.
type fit struct {
	budget int64
	most   uint64 // the largest number
	size   func(n uint64) (int64, error)
	// fine is the largest known number whose size is over the budget, coarse the least whose size is not. Sizes that are 0 are not known.
	fine, coarse         uint64
	fineSize, coarseSize int64
}

// Shares of the budget: sizes from the least on will do, and the next trial aims at the other one.
const (
	leastShare = 0.97
	aimedShare = 0.987
)

// search finds coarse, from a first guess on. If it is not there, no size that was found is less than that of fine.
func (f *fit) search(first uint64) (fits bool, err error) {
	fits, err = f.try(min(max(first, 1), f.most))
	if err == nil && !fits {
		fits, err = f.rise()
	} else if err == nil {
		_, err = f.try(0)
	}
	for step := 0; err == nil && fits && f.coarse-f.fine > 1 && float64(f.coarseSize) < leastShare*float64(f.budget); step++ {
		_, err = f.try(f.next(step))
	}
	return fits, err
}

// try learns the size of a number.
func (f *fit) try(n uint64) (fits bool, err error) {
	size, err := f.size(n)
	if fits = size <= f.budget; fits {
		f.coarse, f.coarseSize = n, size
		if n == 0 {
			f.fine = 0
		}
	} else {
		f.fine, f.fineSize = n, size
	}
	return fits, err
}

// Steps to larger numbers.
const (
	leastRise, mostRise = 8, 100
	usualPower          = 0.45 // bytes of times fall about as this power of bounds
)

// rise tries larger and larger numbers until one fits, or has no smaller file: where a trace is little more than one instant, it has a larger one.
func (f *fit) rise() (fits bool, err error) {
	for f.fine < f.most {
		n, least := f.fine, f.fineSize
		factor := math.Pow(float64(least)/float64(f.budget), 1/usualPower)
		next := f.most
		if by := uint64(min(max(factor, leastRise), mostRise)); n < f.most/by {
			next = n * by
		}
		if fits, err = f.try(next); fits || err != nil {
			return fits, err
		}
		if f.fineSize > least {
			f.fine, f.fineSize = n, least
			return false, nil
		}
	}
	return false, nil
}

// next returns a number between the known ones, by the power that leads from one to the other. Each third time the interval is halved, in case there is none.
func (f *fit) next(step int) uint64 {
	low, high := math.Log(max(float64(f.fine), 0.5)), math.Log(float64(f.coarse))
	a, b, aim := math.Log(float64(f.fineSize)), math.Log(float64(f.coarseSize)), math.Log(aimedShare*float64(f.budget))
	share := 0.5
	if step%3 != 2 {
		share = (a - aim) / (a - b)
	}
	n := math.Exp(low + (high-low)*share)
	return uint64(min(max(n, float64(f.fine+1)), float64(f.coarse-1)))
}

// FloorError says that no bound of times makes a file as small as it shall be, and what the bytes of the smallest one are for.
type FloorError struct {
	Budget, Floor int64
	Parts         []FloorPart // the largest first
}

// FloorPart is what some bytes of a file are for.
type FloorPart struct {
	Part  store.SpacePart
	Bytes int64
}

// Error implements error.
func (e *FloorError) Error() string {
	var parts []string
	for _, p := range e.Parts {
		parts = append(parts, fmt.Sprintf("%s %d", p.Part, p.Bytes))
	}
	return fmt.Sprintf("no bound of times gives a file of %d bytes: the smallest has %d, of which for %s", e.Budget, e.Floor, strings.Join(parts, ", "))
}

// floorError looks what the bytes of the smallest file are for.
func (r *Trials) floorError(budget int64, bound uint64) error {
	temp, err := os.MkdirTemp(r.of.opt.TempDir, "pando-floor-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	path := filepath.Join(temp, "trace.pando")
	if _, err := writePando(r.ctx, r.Coarse(bound), path, r.opt); err != nil {
		return err
	}
	f, err := store.Open(r.ctx, path, store.ReadOptions{})
	if err != nil {
		return err
	}
	defer f.Close()
	usage, err := f.SpaceUsage(r.ctx, nil)
	if err != nil {
		return err
	}
	e := &FloorError{Budget: budget, Floor: r.made[bound]}
	sums := map[store.SpacePart]int64{}
	for _, l := range usage.Lines {
		sums[l.Part] += l.Bytes
	}
	for part, n := range sums {
		if n > 0 {
			e.Parts = append(e.Parts, FloorPart{part, n})
		}
	}
	slices.SortFunc(e.Parts, func(a, b FloorPart) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return e
}
