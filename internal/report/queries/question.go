package queries

import (
	"context"
	"errors"

	"github.com/pandotrace/pando/analysis/memory"
	"github.com/pandotrace/pando/analysis/query"
	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/catalogue"
	"github.com/pandotrace/pando/internal/report/tables"
	"github.com/pandotrace/pando/internal/rule"
	"github.com/pandotrace/pando/store"
)

// Question is a query.
type Question query.Query

// Plan plans the query of a window of a trace. Tables of analyses can be asked, too; an analysis gets as much memory as the query.
func (q *Question) Plan(ctx context.Context, t *report.Trace, w *store.Window) (*query.Plan, error) {
	asked := query.Query(*q)
	asked.Others = others(ctx, tables.Question{Trace: t, Memory: q.Memory})
	return query.New(ctx, t.Reader, w, asked)
}

// others are the tables of analyses.
func others(ctx context.Context, q tables.Question) (o query.Others) {
	for _, a := range catalogue.Analyses {
		o.Names = append(o.Names, a.Names...)
	}
	o.Table = func(name string) *table.Table {
		if a := catalogue.Find(name); a != nil {
			return a.Later(ctx, q, name)
		}
		return nil
	}
	return o
}

// IsUsage reports whether an error is a mistake of who asks. One in an expression may show when rows are read: an integer that is too large.
func IsUsage(err error) bool {
	_, asked := errors.AsType[*query.Error](err)
	_, computed := errors.AsType[*rule.Error](err)
	return asked || computed
}

// IsTooLarge reports whether the answer takes more memory than the question allows.
func IsTooLarge(err error) bool {
	return errors.Is(err, query.ErrMemory) || errors.Is(err, memory.ErrExceeded)
}
