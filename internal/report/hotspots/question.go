package hotspots

import (
	"context"
	"errors"

	"github.com/pandotrace/pando/analysis/segment"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Question is a search for hot spots as the flags of the verb or the parameters of a request describe it.
type Question struct {
	Trace  *report.Trace
	Window *store.Window
	// Region is the name of the region whose calls are the segments, Group that of the first call of a loop, or AnyGroup. Finer is the number of
	// levels to go further inside.
	Region, Group string
	Finer         int
	Limit         int            // of findings; 0 for all
	Memory        int64          // in bytes; 0 for as much as searches usually take
	Progress      trace.Progress // in events
}

// AnyGroup stands for any loop without a region of its own.
const AnyGroup = "any"

// UsualFindings is the number of findings unless somebody says how many.
const UsualFindings = 20

// ErrTwice means that segments are named by a region and by a group.
var ErrTwice = errors.New("segments are calls of a region or rounds of a group, not both")

// Find finds the segments. A segment.NoneError says why there are none.
func (q *Question) Find(ctx context.Context) (*segment.Analysis, error) {
	if q.Region != "" && q.Group != "" {
		return nil, ErrTwice
	}
	opt := segment.Options{Region: q.Region, Finer: q.Finer, Memory: q.Memory, Progress: q.Progress}
	if opt.AnyGroup = q.Group == AnyGroup; !opt.AnyGroup {
		opt.Group = q.Group
	}
	return segment.Find(ctx, q.Trace.Reader, q.Window, opt)
}

// Answer finds hot spots. Where there are none, the report says why.
func (q *Question) Answer(ctx context.Context) (*Report, error) {
	a, err := q.Find(ctx)
	var none *segment.NoneError
	if errors.As(err, &none) && !none.Named {
		return NewNone(q.Trace, none), nil
	}
	if err != nil {
		return nil, err
	}
	return New(ctx, q.Trace, a, q.Limit)
}

// IsUsage reports whether an error says that a question has no answer as it was asked.
func IsUsage(err error) bool {
	var none *segment.NoneError
	return errors.Is(err, ErrTwice) || errors.As(err, &none)
}
