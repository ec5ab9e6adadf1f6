package clog2

// Event ids from firstNear up to lastNear, which nearly all are, have a place in a table.
const (
	firstNear = -64
	lastNear  = 8192
	nearIDs   = lastNear - firstNear
	// maxFar bounds the number of other event ids that occur.
	maxFar = 1 << 16
)

// eventIDs are event ids that occur. Near ones are numbered from 0 on as they follow each other, far ones behind them as they come.
type eventIDs struct {
	near [nearIDs]bool
	far  map[int32]int32 // numbers
	list []int32         // the far ones, by number
}

// nearID returns the number of an event id; ok is false if it is a far one.
func nearID(id int32) (number int32, ok bool) {
	return id - firstNear, id >= firstNear && id < lastNear
}

// number returns the number of an event id that occurs.
func (e *eventIDs) number(id int32) int32 {
	if n, ok := nearID(id); ok {
		return n
	}
	return e.far[id]
}

// has reports whether an event id occurs.
func (e *eventIDs) has(id int32) bool {
	if n, ok := nearID(id); ok {
		return e.near[n]
	}
	_, ok := e.far[id]
	return ok
}

// note notes that an event id occurs.
func (e *eventIDs) note(id int32) {
	if n, ok := nearID(id); ok {
		e.near[n] = true
		return
	}
	if _, ok := e.far[id]; ok {
		return
	}
	if e.far == nil {
		e.far = map[int32]int32{}
	}
	e.far[id] = int32(nearIDs + len(e.list))
	e.list = append(e.list, id)
}

// all returns the ids in the order of their numbers.
func (e *eventIDs) all() (ids []int32) {
	for n, occurs := range e.near {
		if occurs {
			ids = append(ids, int32(n)+firstNear)
		}
	}
	return append(ids, e.list...)
}

// add adds the ids of another set; it reports whether there are not too many.
func (e *eventIDs) add(others *eventIDs) bool {
	for _, id := range others.all() {
		e.note(id)
	}
	return len(e.list) <= maxFar
}

// contains reports whether all ids of another set are in this one.
func (e *eventIDs) contains(others *eventIDs) bool {
	for _, id := range others.all() {
		if !e.has(id) {
			return false
		}
	}
	return true
}

// forget empties the set.
func (e *eventIDs) forget() { *e = eventIDs{} }
