package merged

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pandotrace/pando/analysis/align"
	"github.com/pandotrace/pando/analysis/merge"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/comparison"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Question is a call tree as the flags of the verb or the parameters of a request describe it.
type Question struct {
	Sources []merge.Source
	// Level is one of Levels, empty for the usual one. Through are regions, Rename pairs OLD=NEW of names.
	Level           string
	Through, Rename []string
	// Nested leaves recursions as they are, Structure reads no times.
	Nested, Structure bool
	Memory            int64          // in bytes; 0 for as much as trees usually take
	Progress          trace.Progress // in events
	options           merge.Options
}

// Add adds the window of a trace.
func (q *Question) Add(t *report.Trace, name string, w *store.Window) {
	q.Sources = append(q.Sources, merge.Source{Name: name, Reader: t.Reader, Window: w})
}

// Levels are the ways to pair calls of one region.
func Levels() []string { return comparison.Levels()[align.Names : align.Tree+1] }

// Parse reads the question: its errors are those of who asks.
func (q *Question) Parse() (err error) {
	q.options = merge.Options{Level: align.Tree, Through: q.Through, Nested: q.Nested, StructureOnly: q.Structure}
	if q.Level != "" {
		if q.options.Level = align.Level(slices.Index(Levels(), q.Level)); !slices.Contains(Levels(), q.Level) {
			return fmt.Errorf("level is %s, not %q", strings.Join(Levels(), " or "), q.Level)
		}
	}
	q.options.Rename, err = comparison.Renames(q.Rename)
	return err
}

// RegionError says that no source has a region that is to be transparent.
type RegionError struct{ Name string }

// Error implements error.
func (e *RegionError) Error() string { return fmt.Sprintf("no trace has a region %q", e.Name) }

// check returns the error about a transparent region that no source has.
func (q *Question) check(ctx context.Context) error {
	left := slices.Clone(q.Through)
	for i := 0; len(left) > 0 && i < len(q.Sources); i++ {
		defs, err := q.Sources[i].Reader.WithContext(ctx).Definitions()
		if err != nil {
			return err
		}
		for _, id := range defs.Regions() {
			left = slices.DeleteFunc(left, func(name string) bool { return name == defs.RegionName(id) })
		}
	}
	if len(left) > 0 {
		return &RegionError{left[0]}
	}
	return nil
}

// Answer merges the trees. The question must have been read.
func (q *Question) Answer(ctx context.Context) (*Report, error) {
	if err := q.check(ctx); err != nil {
		return nil, err
	}
	q.options.Memory, q.options.Progress = q.Memory, q.Progress
	t, err := merge.Of(ctx, q.Sources, q.options)
	if err != nil {
		return nil, err
	}
	return New(t), nil
}
