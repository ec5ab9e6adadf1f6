package waits

import (
	"cmp"
	"maps"
	"slices"
)

// Group is what the waits of one kind and call path add up to that have one cause.
type Group struct {
	Kind  Kind
	Path  PathID
	Cause uint64 // location
	// CausePath is the path of the call with which the cause came.
	CausePath PathID
	Tally
}

// Waiting is what the waits of one kind and call path add up to on one location.
type Waiting struct {
	Kind     Kind
	Path     PathID
	Location uint64
	Tally
}

// Tally is a number of waits and the time in them, in ticks. A call waits once, whatever number of others it waits for.
type Tally struct {
	Waits uint64
	Ticks int64
	// Longest is the length of the longest one, LongestAt when it begins; of equal ones the first.
	Longest, LongestAt int64
}

func (t *Tally) add(start, ticks int64) {
	t.Waits++
	t.Ticks += ticks
	if ticks > t.Longest || ticks == t.Longest && start < t.LongestAt {
		t.Longest, t.LongestAt = ticks, start
	}
}

// Lateness says how often a location came late, and by how much: for each message that a call waited for, from the enter of that call to the
// enter of the one that sent it. A call that ends several messages counts once for each of them; so this may be more than the time in which
// calls waited. At a collective operation, the location that came last is late once for each location that waited.
type Lateness struct {
	Kind     Kind
	Location uint64
	Tally
}

// sums adds up waits.
type sums struct {
	groups  map[groupKey]*Tally
	waiting map[waitingKey]*Tally
	causes  map[causeKey]*Tally
}

type groupKey struct {
	kind      Kind
	path      PathID
	cause     int32
	causePath PathID
}

type waitingKey struct {
	kind  Kind
	path  PathID
	place int32
}

type causeKey struct {
	kind  Kind
	place int32
}

func newSums() *sums {
	return &sums{groups: map[groupKey]*Tally{}, waiting: map[waitingKey]*Tally{}, causes: map[causeKey]*Tally{}}
}

func tallyOf[K comparable](m map[K]*Tally, k K) *Tally {
	t := m[k]
	if t == nil {
		t = &Tally{}
		m[k] = t
	}
	return t
}

func (s *sums) add(w *Wait) {
	tallyOf(s.groups, groupKey{w.Kind, w.Path, w.causePlace, w.CausePath}).add(w.Start, w.Ticks())
	tallyOf(s.waiting, waitingKey{w.Kind, w.Path, w.place}).add(w.Start, w.Ticks())
}

// late counts something that a call waited for from some time on.
func (s *sums) late(c *candidate, start, ticks int64) {
	tallyOf(s.causes, causeKey{c.kind, c.place}).add(start, ticks)
}

func (s *sums) memory() int64 {
	const entry = 112 // bytes of a key and a tally
	return entry * int64(len(s.groups)+len(s.waiting)+len(s.causes))
}

// result puts the sums in order: by time, the longest first.
func (f *flow) result(r *Result) {
	for k, t := range f.sums.groups {
		r.Groups = append(r.Groups, Group{k.kind, k.path, f.places[k.cause].id, k.causePath, *t})
	}
	for k, t := range f.sums.waiting {
		r.Waiting = append(r.Waiting, Waiting{k.kind, k.path, f.places[k.place].id, *t})
	}
	for k, t := range f.sums.causes {
		r.Late = append(r.Late, Lateness{k.kind, f.places[k.place].id, *t})
	}
	index := func(id uint64) int32 { return f.byID[id].index }
	slices.SortFunc(r.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Ticks, a.Ticks), cmp.Compare(a.Kind, b.Kind), f.paths.compare(a.Path, b.Path),
			cmp.Compare(index(a.Cause), index(b.Cause)), f.paths.compare(a.CausePath, b.CausePath))
	})
	slices.SortFunc(r.Waiting, func(a, b Waiting) int {
		return cmp.Or(cmp.Compare(b.Ticks, a.Ticks), cmp.Compare(a.Kind, b.Kind), f.paths.compare(a.Path, b.Path),
			cmp.Compare(index(a.Location), index(b.Location)))
	})
	slices.SortFunc(r.Late, func(a, b Lateness) int {
		return cmp.Or(cmp.Compare(b.Ticks, a.Ticks), cmp.Compare(a.Kind, b.Kind), cmp.Compare(index(a.Location), index(b.Location)))
	})
	for _, p := range slices.SortedFunc(maps.Values(f.byID), func(a, b *place) int { return cmp.Compare(a.index, b.index) }) {
		r.Locations = append(r.Locations, p.id)
	}
	r.Counts = f.counts
}
