package write

import (
	"slices"
	"sort"
)

// unfinished orders the locations that are not finished by the time that they cover, a heap; the first one holds the cut back.
type unfinished struct {
	heap   []covering
	places []int32 // by location: its place in the heap + 1, 0 if it has none
	next   []int   // places in the heap, see lowest
}

// covering says that no event of a location before a time will follow.
type covering struct {
	time     int64
	location uint32 // index
}

func (a covering) before(b covering) bool {
	return a.time < b.time || a.time == b.time && a.location < b.location
}

// len returns the number of locations.
func (u *unfinished) len() int { return len(u.heap) }

// add adds a location.
func (u *unfinished) add(c covering) {
	for len(u.places) <= int(c.location) {
		u.places = append(u.places, 0)
	}
	u.heap = append(u.heap, c)
	u.up(len(u.heap)-1, c)
}

// has reports whether a location is not finished.
func (u *unfinished) has(location uint32) bool { return u.places[location] > 0 }

// advance says that a location covers more than before.
func (u *unfinished) advance(c covering) { u.down(int(u.places[c.location])-1, c) }

// remove removes a location.
func (u *unfinished) remove(location uint32) {
	at := int(u.places[location]) - 1
	u.places[location] = 0
	last := u.heap[len(u.heap)-1]
	u.heap = u.heap[:len(u.heap)-1]
	if at < len(u.heap) {
		u.up(at, last)
		u.down(int(u.places[last.location])-1, last)
	}
}

// lowest appends the n locations that cover least, or all if they are fewer, in order. Behind an entry come its two children, so
// few entries are looked at.
func (u *unfinished) lowest(dst []uint32, n int) []uint32 {
	u.next = u.next[:0]
	if len(u.heap) > 0 {
		u.next = append(u.next, 0)
	}
	for ; n > 0 && len(u.next) > 0; n-- {
		at := u.next[0]
		u.next = u.next[:copy(u.next, u.next[1:])]
		dst = append(dst, u.heap[at].location)
		for child := 2*at + 1; child <= 2*at+2 && child < len(u.heap); child++ {
			i := sort.Search(len(u.next), func(i int) bool { return u.heap[child].before(u.heap[u.next[i]]) })
			u.next = slices.Insert(u.next, i, child)
		}
	}
	return dst
}

// up puts an entry at a place, or closer to the front, where it belongs.
func (u *unfinished) up(at int, c covering) {
	for at > 0 && c.before(u.heap[(at-1)/2]) {
		u.put(at, u.heap[(at-1)/2])
		at = (at - 1) / 2
	}
	u.put(at, c)
}

// down puts an entry at a place, or further from the front, where it belongs.
func (u *unfinished) down(at int, c covering) {
	for {
		next := 2*at + 1
		if next >= len(u.heap) {
			break
		}
		if next+1 < len(u.heap) && u.heap[next+1].before(u.heap[next]) {
			next++
		}
		if c.before(u.heap[next]) {
			break
		}
		u.put(at, u.heap[next])
		at = next
	}
	u.put(at, c)
}

func (u *unfinished) put(at int, c covering) {
	u.heap[at] = c
	u.places[c.location] = int32(at + 1)
}
