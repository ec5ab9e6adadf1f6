package gather

import (
	"cmp"
	"slices"
)

// List tells the numbers of the operations of a rank on a communicator from how many of its parts ended before, and the other way round. The zero
// value says that they are the same.
type List struct {
	shifts   []shift // in order of counts
	byNumber []int   // the same in order of numbers
}

// shift is what the numbers of parts are greater than their counts, from some count on up to the next shift. It may be less than nothing, and wraps
// around then.
type shift struct{ from, by uint64 }

// Number returns the number of the operation of the rank's part that has count parts before it.
func (l List) Number(count uint64) uint64 {
	n, found := slices.BinarySearchFunc(l.shifts, count, func(s shift, count uint64) int { return cmp.Compare(s.from, count) })
	if !found {
		n--
	}
	if n < 0 {
		return count
	}
	return count + l.shifts[n].by
}

// Count returns how many parts the rank has before its part in the operation of a number; ok is false if it has none there, whatever its last part is.
func (l List) Count(number uint64) (count uint64, ok bool) {
	if len(l.shifts) == 0 {
		return number, true
	}
	at, found := slices.BinarySearchFunc(l.byNumber, number, func(i int, number uint64) int {
		return cmp.Compare(l.shifts[i].from+l.shifts[i].by, number)
	})
	if !found {
		at--
	}
	if at < 0 {
		return number, false
	}
	i := l.byNumber[at]
	count = number - l.shifts[i].by
	return count, i+1 == len(l.shifts) || count < l.shifts[i+1].from
}

// numbering makes a list of the numbers of parts, which become known in any order.
type numbering struct {
	shifts []shift
	next   uint64            // count of the part whose number comes next
	later  map[uint64]uint64 // numbers of parts behind it, by count
}

// note takes up the number of the part that has count parts before it.
func (n *numbering) note(count, number uint64) {
	if count != n.next {
		if n.later == nil {
			n.later = map[uint64]uint64{}
		}
		n.later[count] = number
		return
	}
	for ok := true; ok; number, ok = n.later[n.next] {
		delete(n.later, n.next)
		by := uint64(0)
		if len(n.shifts) > 0 {
			by = n.shifts[len(n.shifts)-1].by
		}
		if number-n.next != by {
			n.shifts = append(n.shifts, shift{n.next, number - n.next})
		}
		n.next++
	}
}

// list returns what was noted.
func (n *numbering) list() List {
	if len(n.shifts) == 0 {
		return List{}
	}
	l := List{shifts: n.shifts}
	if l.shifts[0].from > 0 {
		l.shifts = slices.Insert(l.shifts, 0, shift{})
	}
	for i := range l.shifts {
		l.byNumber = append(l.byNumber, i)
	}
	slices.SortFunc(l.byNumber, func(a, b int) int {
		return cmp.Compare(l.shifts[a].from+l.shifts[a].by, l.shifts[b].from+l.shifts[b].by)
	})
	return l
}
