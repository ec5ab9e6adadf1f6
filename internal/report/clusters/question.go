package clusters

import (
	"context"
	"fmt"

	"github.com/pandotrace/pando/analysis/cluster"
)

// Question is a clustering as the parameters of a request describe it.
type Question struct {
	From      []Source
	By        string // one of Ways; empty for the usual one
	Threshold float64
	Memory    int64 // in bytes; 0 for as much as clusterings usually take
	options   cluster.Options
}

// Ways lists the ways to say when locations are alike.
func Ways() []string { return cluster.Names() }

// Parse reads the question: its errors are those of who asks. Of a lattice, not all ways are possible.
func (q *Question) Parse(lattice bool) (err error) {
	q.options = cluster.Options{By: cluster.Usual, Threshold: q.Threshold, Memory: q.Memory}
	if q.By != "" {
		if q.options.By, err = cluster.Named(q.By); err != nil {
			return err
		}
	}
	if !(q.Threshold >= 0 && q.Threshold <= 1) {
		return fmt.Errorf("threshold %g: similarities are from 0 to 1", q.Threshold)
	}
	if lattice && !q.options.By.Ordered() {
		return fmt.Errorf("by %s: %w", q.By, cluster.ErrUnordered)
	}
	return nil
}

// Groups finds the groups. The question must have been read.
func (q *Question) Groups(ctx context.Context) (*Report, error) {
	c, err := Find(ctx, q.From, q.options)
	if err != nil {
		return nil, err
	}
	return New(c, q.From), nil
}

// Lattice finds the concepts. The question must have been read.
func (q *Question) Lattice(ctx context.Context) (*LatticeReport, error) {
	c, err := Find(ctx, q.From, q.options)
	if err != nil {
		return nil, err
	}
	return NewLattice(ctx, c, q.From, 0)
}
