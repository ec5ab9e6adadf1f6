package edit

import (
	"bytes"

	"github.com/pandotrace/pando/trace"
)

// unitedLoss returns what is lost in a trace that is made of two: of each column the larger bound. A grid, and the original, stay if both traces have the same.
func unitedLoss(a, b *trace.Loss) *trace.Loss { return joinedLoss(a, b, united) }

// ApartLoss returns how far values of two traces may be from each other that were made of one original: of each column the larger bound if the cells of one are a multiple of those of the
// other, else both bounds together. That the cells are a multiple says that the coarser trace could have been made of the other one.
func ApartLoss(a, b *trace.Loss) []trace.Bound {
	l := joinedLoss(a, b, func(x, y trace.Bound) trace.Bound {
		most := max(x.Bound, y.Bound)
		if large, small := max(x.Cell, y.Cell), min(x.Cell, y.Cell); x.Bound != 0 && y.Bound != 0 && (small == 0 || large%small != 0) {
			most = x.Bound + y.Bound
		}
		return trace.Bound{Class: max(x.Class, y.Class), Metric: max(x.Metric, y.Metric), Member: max(x.Member, y.Member), Bound: most}
	})
	if l == nil {
		return nil
	}
	return l.Bounds
}

// joinedLoss joins the bounds of each column. That of a trace without one is 0.
func joinedLoss(a, b *trace.Loss, join func(x, y trace.Bound) trace.Bound) *trace.Loss {
	switch {
	case a == nil && b == nil:
		return nil
	case a == nil:
		a = &trace.Loss{}
	case b == nil:
		b = &trace.Loss{}
	}
	l := &trace.Loss{}
	if bytes.Equal(a.Original, b.Original) {
		l.Original = a.Original
	}
	for i, j := 0, 0; i < len(a.Bounds) || j < len(b.Bounds); {
		var x, y trace.Bound // of one column; that of no bound is 0
		order := 0
		if i < len(a.Bounds) && j < len(b.Bounds) {
			order = a.Bounds[i].Compare(b.Bounds[j])
		} else if i == len(a.Bounds) {
			order = 1
		} else {
			order = -1
		}
		if order <= 0 {
			x, i = a.Bounds[i], i+1
		}
		if order >= 0 {
			y, j = b.Bounds[j], j+1
		}
		l.Bounds = append(l.Bounds, join(x, y))
	}
	return l
}

// united returns the bound of a column of two traces, of which one may have none.
func united(x, y trace.Bound) trace.Bound {
	switch {
	case x == y:
		return x
	case y.Bound > x.Bound:
		x, y = y, x
	}
	x.Cell, x.Offset = 0, 0
	return x
}
