package queries

import (
	"context"
	"errors"

	"github.com/pandotrace/pando/analysis/query"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/rule"
	"github.com/pandotrace/pando/store"
)

// Question is a query.
type Question query.Query

// Plan plans the query of a window of a trace.
func (q *Question) Plan(ctx context.Context, t *report.Trace, w *store.Window) (*query.Plan, error) {
	return query.New(ctx, t.Reader, w, query.Query(*q))
}

// IsUsage reports whether an error is a mistake of who asks. One in an expression may show when rows are read: an integer that is too large.
func IsUsage(err error) bool {
	_, asked := errors.AsType[*query.Error](err)
	_, computed := errors.AsType[*rule.Error](err)
	return asked || computed
}

// IsTooLarge reports whether the answer takes more memory than the question allows.
func IsTooLarge(err error) bool { return errors.Is(err, query.ErrMemory) }
