package folding

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/pandotrace/pando/analysis/fold"
	"github.com/pandotrace/pando/analysis/memory"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Question is what of a trace is folded, and how.
type Question struct {
	Trace  *report.Trace
	Window *store.Window
	// By is the name of a way to group locations, empty for the finest that folds any. Groups, if there are any, are taken instead, and By is
	// what they are.
	By     string
	Groups []fold.Group
	fold.Options

	defs    *trace.Definitions
	axis    trace.Raster
	found   int  // locations that are folded
	without bool // there is nothing to fold
}

// byGroups is what groups that were given are called.
const byGroups = "group"

// prepare finds the groups.
func (q *Question) prepare(ctx context.Context) (err error) {
	if q.defs, err = q.Trace.WithContext(ctx).Definitions(); err != nil {
		return err
	}
	from, to := q.Window.Bounds()
	if from >= to {
		return fold.ErrEmpty
	}
	q.axis = trace.Raster{From: from, Length: uint64(to - from), Pixels: q.Pixels}
	ids, err := q.Window.LocationIDs()
	if err != nil {
		return err
	}
	if q.Groups == nil {
		err = q.group(ctx, ids)
	} else if q.By == "" {
		q.By = byGroups
	}
	if err != nil {
		return err
	}
	q.keep(ids)
	if q.found == 0 {
		return fold.ErrNoLocations
	}
	return nil
}

// group finds the groups that By names.
func (q *Question) group(ctx context.Context, ids []uint64) (err error) {
	if of, ok, err := clustersBy(q.By); ok {
		if err == nil {
			q.Groups, err = q.clusters(ctx, of)
		}
		return err
	}
	by := fold.Usual(q.defs, ids)
	if q.By != "" {
		if by, err = fold.ParseBy(q.By); err != nil {
			return err
		}
	}
	q.By = by.String()
	q.Groups, err = fold.Groups(q.defs, ids, by)
	return err
}

// keep leaves out locations that the window does not have, and groups without any.
func (q *Question) keep(ids []uint64) {
	chosen, kept := make(map[uint64]bool, len(ids)), []fold.Group{}
	for _, id := range ids {
		chosen[id] = true
	}
	q.found = 0
	for _, g := range q.Groups {
		g.Locations = slices.DeleteFunc(slices.Clone(g.Locations), func(id uint64) bool { return !chosen[id] })
		if q.found += len(g.Locations); len(g.Locations) > 0 {
			kept = append(kept, g)
		}
	}
	q.Groups = kept
}

// few joins neighbouring groups until there are no more than a number, and returns how many became one.
func (q *Question) few(most int) (each int) {
	each = (len(q.Groups) + most - 1) / most
	if each <= 1 {
		return 1
	}
	var joined []fold.Group
	for some := range slices.Chunk(q.Groups, each) {
		g := fold.Group{Name: some[0].Name}
		if len(some) > 1 {
			g.Name += " … " + some[len(some)-1].Name
		}
		for i := range some {
			g.Locations = append(g.Locations, some[i].Locations...)
		}
		joined = append(joined, g)
	}
	q.Groups = joined
	return each
}

// rows folds.
func (q *Question) rows(ctx context.Context) iter.Seq2[*fold.Row, error] {
	return fold.Rows(ctx, q.Trace.Reader, q.Window, q.Groups, q.Options)
}

// ticks returns the length of a pixel.
func (q *Question) ticks(pixel int) uint64 {
	return uint64(q.axis.Border(pixel+1) - q.axis.Border(pixel))
}

// selected says what rows show.
var selected = map[fold.Select]string{
	fold.Max: "state with most time", fold.Min: "state with least time", fold.Diff: "where they differ", fold.Idle: "when any is in a call", fold.Quantiles: "quartiles of the time in calls",
}

// what says what is folded, and what rows show.
func (q *Question) what() string {
	locations, one := report.Plural(q.found, "location", "locations"), ""
	if q.By != fold.ByAll.String() {
		one = " by " + q.By
	}
	return fmt.Sprintf("%s%s: %s", locations, one, selected[q.Select])
}

// IsUsage reports whether an error says that a question has no answer as it was asked: another selection may have one.
func IsUsage(err error) bool {
	return slices.ContainsFunc([]error{fold.ErrEmpty, fold.ErrNoLocations, fold.ErrNoNodes, fold.ErrNoDevices, memory.ErrExceeded}, func(e error) bool { return errors.Is(err, e) })
}
