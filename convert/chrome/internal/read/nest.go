package read

import (
	"slices"

	"github.com/pandotrace/pando/convert/chrome/internal/scan"
	"github.com/pandotrace/pando/convert/chrome/internal/sorting"
)

// Begins of one time stand in the order in which they nest: the longer call is outside, whatever it is. A slice says its length; a
// begin gets its when its end is found. So threads with begins and ends are gone through once more when the records are sorted:
// begins are paired with ends, as the streams will do, and those that have company get the rank of their length. Nothing else is
// sorted again.
//
// Ends of one time, too, may stand in the file in another order than the one in which the calls nest. An end that is not of the
// innermost call makes the rest of its time be looked at as a whole: what began before that time is ended from the inside out,
// then the others begin.

// maxAtOnce bounds the begins and ends of one time that are put in order.
const maxAtOnce = 1 << 20

// openBegin is a begin whose end was not met yet.
type openBegin struct {
	region  uint32
	tied    bool // others begin at that time, so its length counts
	ordinal uint64
	at      scan.Instant
}

// edge is a begin, or an end, of which the region may be none.
type edge struct {
	o       op
	used    bool
	region  uint32
	ordinal uint64 // place among all sorted records
}

// nesting goes through sorted records and finds those that need another rank.
type nesting struct {
	names   *names
	changes *sorting.Sorter // key: ordinal and new rank
	needed  bool            // the changes make a difference
	thread  uint64
	now     scan.Instant
	open    []openBegin
	late    []edge // of this time, from the first end on that is not of the innermost call
	flagged bool   // the begins of this time are tied
	brief   uint64 // calls that take no time and were moved into others of this time
	begun   bool
}

// nest gives begins and ends of equal times the ranks by which they nest.
func (r *reader) nest() error {
	if !r.begins || !r.slices && !r.namedEnds {
		return nil // the order of the file is that of the calls
	}
	changes := sorting.New(r.Sorted.Dir, r.Sorted.Memory/2)
	n := nesting{names: &r.names, changes: changes}
	err := n.read(r.Sorted.Records())
	if err == nil {
		err = changes.Finish()
	}
	if err == nil && n.needed {
		err = r.Sorted.Rerank(changes, PlaceInFile)
	}
	if closed := changes.Close(); err == nil {
		err = closed
	}
	return err
}

func (n *nesting) read(c sorting.Records) error {
	for ordinal := uint64(0); c.Next(); ordinal++ {
		if err := n.take(c.Key(), c.Data(), ordinal); err != nil {
			return err
		}
	}
	if err := c.Failure(); err != nil {
		return err
	}
	return n.leave()
}

// take takes in the next record.
func (n *nesting) take(k sorting.Key, data []byte, ordinal uint64) error {
	if !n.begun || k.Group != n.thread {
		if err := n.leave(); err != nil {
			return err
		}
		n.begun, n.thread, n.now, n.flagged = true, k.Group, k.Time, false
		n.brief = 0
	} else if k.Time != n.now {
		if err := n.settle(); err != nil {
			return err
		}
		n.now, n.flagged, n.brief = k.Time, false, 0
	}
	u := unpacker{b: data}
	o := u.op()
	switch o {
	case OpSlice:
		return n.slice()
	case opBegin, opEnd:
	default:
		return nil
	}
	return n.edge(edge{o: o, region: uint32(u.uvarint() - 1), ordinal: ordinal})
}

// slice takes in a slice, which comes behind all begins and ends of its time. Those that are open begin together with it.
func (n *nesting) slice() error {
	if n.flagged {
		return nil
	}
	n.flagged = true
	err := n.settle()
	for i := len(n.open) - 1; i >= 0 && n.open[i].at == n.now; i-- {
		n.open[i].tied, n.needed = true, true
	}
	return err
}

// edge takes in a begin or an end.
func (n *nesting) edge(e edge) error {
	top := len(n.open) - 1
	switch {
	case len(n.late) == maxAtOnce:
		if err := n.settle(); err != nil {
			return err
		}
		return n.edge(e)
	case len(n.late) > 0:
		n.late = append(n.late, e)
	case e.o == opBegin:
		n.push(e)
	case top < 0:
	case n.ends(e, top):
		return n.pop(top)
	default:
		n.late = append(n.late, e)
	}
	return nil
}

// push takes in a begin. Beyond the limit the stream is an error.
func (n *nesting) push(e edge) {
	top := len(n.open) - 1
	if top == maxFrames {
		return
	}
	tied := top >= 0 && n.open[top].at == n.now
	if tied {
		n.open[top].tied = true
	}
	n.open = append(n.open, openBegin{region: e.region, ordinal: e.ordinal, at: n.now, tied: tied})
}

// ends reports whether an end may be that of an open begin.
func (n *nesting) ends(e edge, i int) bool {
	region := n.open[i].region
	return e.region == none || e.region == region || n.names.sameName(e.region, region)
}

// pop ends a call: its length is known.
func (n *nesting) pop(i int) error {
	b := n.open[i]
	n.open = append(n.open[:i], n.open[i+1:]...)
	if !b.tied || b.at == n.now {
		return nil // what ends at once stays behind what it follows
	}
	return n.change(b.ordinal, lengthRank(n.now.Minus(b.at)), Followed)
}

// change notes the rank that a record gets. What stands behind the begin of a call that takes time follows it.
func (n *nesting) change(ordinal, rank uint64, follow ...byte) error {
	return n.changes.Add(sorting.Key{Group: ordinal, Rank: rank}, follow)
}

// Followed marks the change of a begin that others follow.
const Followed = 1

// settle puts the rest of a time in order, which began with an end that is not of the innermost call.
func (n *nesting) settle() error {
	if len(n.late) == 0 {
		return nil
	}
	before := len(n.open)
	for before > 0 && n.open[before-1].at == n.now {
		before--
	}
	ends, err := n.short(before)
	if err != nil {
		return err
	}
	inner := slices.Clone(n.open[before:])
	n.open = n.open[:before]
	taken, err := n.endAll(ends)
	if err != nil {
		return err
	}
	if err := n.order(taken, len(inner) > 0); err != nil {
		return err
	}
	for i := range inner {
		inner[i].tied = inner[i].tied || len(taken) > 0
	}
	n.open, n.late = append(n.open, inner...), n.late[:0]
	return nil
}

// short takes in the begins, pairs them with ends of the same time behind them, and returns the other ends, in their order.
func (n *nesting) short(before int) (ends []edge, err error) {
	ends = n.late[:0]
	for _, e := range n.late {
		if e.o == opBegin {
			n.push(e)
			continue
		}
		top := len(n.open) - 1
		i, low := top, max(before, top-MaxSearch)
		for i >= low && !n.ends(e, i) {
			i--
		}
		if i < low {
			ends = append(ends, e)
			continue
		}
		if i < top {
			err = n.moveIn(n.open[i].ordinal, e.ordinal)
		}
		if err == nil {
			err = n.pop(i)
		}
		if err != nil {
			return nil, err
		}
	}
	return ends, nil
}

// moveIn puts a call that takes no time into those that begin at its time, behind it in the file, and go on. Each such call gets a rank of
// its own, close to that of the length 0, so that its end stands next to its begin.
func (n *nesting) moveIn(begin, end uint64) error {
	n.needed = true
	rank := lengthRank(scan.Instant{}) - maxAtOnce + min(n.brief, maxAtOnce)
	n.brief++
	if err := n.change(begin, rank); err != nil {
		return err
	}
	return n.change(end, rank)
}

// endAll ends open calls from the inside out while ends fit, and returns the ends in that order.
func (n *nesting) endAll(ends []edge) (taken []uint64, err error) {
	if len(ends) == 1 {
		return n.endOne(ends[0])
	}
	w := n.waiting(ends)
	for i, misses := len(n.open)-1, 0; i >= 0 && misses < MaxSearch && len(taken) < len(ends); i-- {
		e := w.next(n.nameOf(n.open[i].region))
		if e < 0 {
			misses++ // it goes on
			continue
		}
		taken = append(taken, ends[e].ordinal)
		if err := n.endAmong(i); err != nil {
			return nil, err
		}
	}
	for i := range ends {
		if !ends[i].used {
			taken = append(taken, ends[i].ordinal) // an end without a begin
		}
	}
	return taken, nil
}

// endOne ends the innermost call that a single end may be of.
func (n *nesting) endOne(e edge) (taken []uint64, err error) {
	name, regions := n.nameOf(e.region), n.names.regions.list
	last := len(n.open) - 1
	for i := last; i >= 0 && i > last-MaxSearch; i-- {
		if name == none || regions[n.open[i].region].a == name {
			err = n.endAmong(i)
			break
		}
	}
	return []uint64{e.ordinal}, err
}

// waiting is ends of one time that are not taken.
type waiting struct {
	ends   []edge
	names  []uint32         // of the ends, if there are few
	byName map[uint32][]int // places of ends by name, if there are many
}

func (n *nesting) waiting(ends []edge) *waiting {
	const few = 8
	w := &waiting{ends: ends}
	if len(ends) > few {
		w.byName = map[uint32][]int{}
	}
	for i, e := range ends {
		name := n.nameOf(e.region)
		if len(ends) > few {
			w.byName[name] = append(w.byName[name], i)
		} else {
			w.names = append(w.names, name)
		}
	}
	return w
}

// next takes the first end of a name, or else the first one without a name. It returns -1 if there is neither.
func (w *waiting) next(name uint32) int {
	i := w.first(name)
	if i < 0 {
		i = w.first(none)
	}
	if i >= 0 {
		w.ends[i].used = true
	}
	return i
}

func (w *waiting) first(name uint32) int {
	if list := w.byName[name]; len(list) > 0 {
		w.byName[name] = list[1:]
		return list[0]
	}
	for i, other := range w.names {
		if other == name && !w.ends[i].used {
			return i
		}
	}
	return -1
}

// nameOf returns the name of a region, none if it has none.
func (n *nesting) nameOf(region uint32) uint32 {
	if region == none {
		return none
	}
	return n.names.regions.list[region].a
}

// endAmong ends a call that others may be within, which go on. Those that began with it are longer.
func (n *nesting) endAmong(i int) error {
	n.needed = n.needed || i+1 < len(n.open) && n.open[i+1].at == n.open[i].at
	return n.pop(i)
}

// order gives ends, which were taken in this order, ranks before all that begins, if they do not stand so in the file.
func (n *nesting) order(taken []uint64, inner bool) error {
	sorted := true
	for i := 1; i < len(taken); i++ {
		sorted = sorted && taken[i-1] < taken[i]
	}
	if sorted && !inner {
		return nil
	}
	n.needed = true
	for i, ordinal := range taken {
		if err := n.change(ordinal, uint64(i)+1); err != nil {
			return err
		}
	}
	return nil
}

// leave ends a thread. What was not ended is longer than all else.
func (n *nesting) leave() error {
	if err := n.settle(); err != nil {
		return err
	}
	for _, b := range n.open {
		if b.tied {
			if err := n.change(b.ordinal, SliceRank, Followed); err != nil {
				return err
			}
		}
	}
	n.open = n.open[:0]
	return nil
}

// lengthRank returns the rank of a call of some length: in 10⁻⁹ µs up to 8 s, in nanoseconds beyond.
func lengthRank(d scan.Instant) uint64 {
	const fine, nanoseconds, most = 1 << 23, 1000, 1 << 61 / 1000
	length := uint64(min(d.Micros, fine)) * scan.FracUnit
	if d.Micros < fine {
		length += uint64(d.Frac)
	} else {
		length += uint64(min(d.Micros, most)-fine)*nanoseconds + uint64(d.Frac)/(scan.FracUnit/nanoseconds)
	}
	return SliceRank | (1<<63 - 1 - length)
}
