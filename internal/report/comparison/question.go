package comparison

import (
	"context"
	"errors"

	"github.com/pandotrace/pando/analysis/contrast"
)

// Side is a window of a run.
type Side = contrast.Side

// Question is a comparison as the flags of the verb or the parameters of a request describe it.
type Question struct {
	Sides  [2]Side // A and B
	Flags  Flags
	Memory int64 // in bytes; 0 for as much as comparisons usually take
}

// OptionOf returns the error about an option that names what neither side has, if that is what an error says.
func OptionOf(err error) (option *contrast.OptionError, ok bool) {
	ok = errors.As(err, &option)
	return option, ok
}

// options returns the options of the comparison.
func (q *Question) options() (contrast.Options, error) {
	opt, _, err := q.Flags.Parse()
	opt.Memory = q.Memory
	return opt, err
}

// Compare answers the question.
func (q *Question) Compare(ctx context.Context) (*contrast.Comparison, error) {
	opt, err := q.options()
	if err != nil {
		return nil, err
	}
	return contrast.Compare(ctx, q.Sides[0], q.Sides[1], opt)
}

// Alike tells how alike all pairs of locations are.
func (q *Question) Alike(ctx context.Context) (*contrast.Likeness, error) {
	opt, err := q.options()
	if err != nil {
		return nil, err
	}
	return contrast.Alike(ctx, q.Sides[:], opt)
}
