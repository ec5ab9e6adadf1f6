package align

import (
	"math"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/encode/shape"
)

// What one event costs that is of another region on the other side, or lacking there.
const (
	otherEvent   = 3
	lackingEvent = 2
)

// What a call costs that has another name on the other side, or is lacking there: each has two events, its enter and its leave.
const (
	renamed = 2 * otherEvent
	lacking = 2 * lackingEvent
)

// Cost is what is known of the least cost of an alignment, at its level. High is the cost of an alignment that was found; no alignment
// costs less than Low. Costs saturate at 2^64-1.
type Cost struct{ Low, High uint64 }

// Proven reports whether no alignment of the level is better than the one that was found.
func (c Cost) Proven() bool { return c.Low == c.High }

// exactly returns a cost that is proven.
func exactly(n uint64) Cost { return Cost{n, n} }

func (c Cost) plus(o Cost) Cost { return Cost{shape.Plus(c.Low, o.Low), shape.Plus(c.High, o.High)} }

func (c Cost) add(n uint64) Cost { return Cost{shape.Plus(c.Low, n), shape.Plus(c.High, n)} }

func (c Cost) times(n uint64) Cost { return Cost{shape.Times(c.Low, n), shape.Times(c.High, n)} }

// or returns the cost of the better of two.
func (c Cost) or(o Cost) Cost { return Cost{min(c.Low, o.Low), min(c.High, o.High)} }

// without subtracts a part from a sum that has it; of a saturated sum nothing can be subtracted.
func without(sum, part uint64) uint64 {
	if sum == math.MaxUint64 {
		return sum
	}
	return sum - part
}

// atLeast returns a lower bound for the cost of two collections of calls of which only the numbers by name are known. Both are ordered by
// name. A surplus on one side is renamed to one on the other, or lacking.
func atLeast(a, b []calltree.Surplus) uint64 {
	var onlyA, onlyB uint64
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].Name < b[0].Name:
			onlyA = shape.Plus(onlyA, a[0].Calls)
			a = a[1:]
		case len(a) == 0 || b[0].Name < a[0].Name:
			onlyB = shape.Plus(onlyB, b[0].Calls)
			b = b[1:]
		default:
			if x, y := a[0].Calls, b[0].Calls; x > y {
				onlyA = shape.Plus(onlyA, x-y)
			} else {
				onlyB = shape.Plus(onlyB, y-x)
			}
			a, b = a[1:], b[1:]
		}
	}
	return surplusCost(onlyA, onlyB)
}

// surplusCost returns the least cost of calls that have no partner of their name.
func surplusCost(a, b uint64) uint64 {
	both := min(a, b)
	return shape.Plus(shape.Times(renamed, both), shape.Times(lacking, max(a, b)-both))
}
