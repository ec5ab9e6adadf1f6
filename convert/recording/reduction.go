package recording

import "github.com/pandotrace/pando/trace"

// givenUp returns the bounds of what there was no memory for, by a floor.
func (h *head) givenUp(floor uint32) (list []trace.Bound) {
	left := func(reason trace.LeftReason, bound uint64) { list = append(list, trace.CallsBound(reason, bound)) }
	switch {
	case floor == 0:
	case floor >= protected:
		left(trace.LeftShort, trace.MaxCell) // any duration
	case h.reduction == byDuration:
		left(trace.LeftShort, 1<<floor)
	case h.reduction == byLevel:
		left(trace.LeftLevel, uint64(protected-floor))
	case h.reduction == byOccurrence:
		left(trace.LeftLater, 1<<(protected-floor))
	default:
		if floor > h.classes {
			left(trace.LeftShort, 1<<(floor-h.classes))
		}
		left(trace.LeftClass, uint64(min(floor, h.classes)))
	}
	return list
}
