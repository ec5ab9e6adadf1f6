package segment

import (
	"github.com/pandotrace/pando/analysis/calltree"
)

// line is a location that is followed. Its own time is the time in which a call is open and it does not synchronise; own times below are since
// the window's begin.
type line struct {
	id      uint64
	stack   []frame
	waiting bool                     // it synchronises, or no call is open
	since   int64                    // when it began to wait
	waited  int64                    // ticks of waiting that are over
	inside  int64                    // own time of the outermost calls that have ended
	nested  []int32                  // by nested name: open calls
	outer   []uint32                 // by nested name: outermost calls that are whole
	lost    map[calltree.Name]uint64 // by name: calls that are not
	begun   []int64                  // by record: segments that have begun
	kept    []*series                // by record; nil without segments
	groups  []*repeating             // nil without segments
}

// frame is an open call.
type frame struct {
	own    int64 // the location's own time at its begin
	start  int64
	inside int64 // own time of the calls directly inside that have ended
	key    uint32
	name   calltree.Name
	flags  frameFlags
}

type frameFlags uint8

const (
	// cut calls have begun before the window.
	cut frameFlags = 1 << iota
	// inner calls stand in another one of their name.
	inner
	// waited says that the location was waiting when the call began.
	waited
)

// repeating is a group on a location, with its segment that has not ended.
type repeating struct {
	active        bool
	at            int // number of calls around the group
	start, own    int64
	last, lastOwn int64  // the end of the last call of the body
	inside        int64  // own time of the calls directly inside of those around that had ended then
	segments      uint64 // that have ended
	covered       int64  // own time in calls of the body, and in the call around between them
}

// ownAt returns the location's own time up to an instant.
func (l *line) ownAt(now int64) int64 {
	if l.waiting {
		return l.since - l.waited
	}
	return now - l.waited
}

// lose counts a call that is not whole.
func (l *line) lose(name calltree.Name) {
	if l.lost == nil {
		l.lost = map[calltree.Name]uint64{}
	}
	l.lost[name]++
}

// set changes whether the location waits.
func (l *line) set(waiting bool, now int64) {
	if waiting == l.waiting {
		return
	}
	if l.waiting {
		l.waited += now - l.since
	} else {
		l.since = now
	}
	l.waiting = waiting
}

// group returns the segment of a group that has not ended, nil if there is none at a number of calls around it.
func (l *line) group(g int32, at int) *repeating {
	if q := l.groups[g]; q != nil && q.active && q.at == at {
		return q
	}
	return nil
}

// insideOf returns the own time of the calls that have ended directly inside of the innermost of n open calls.
func (l *line) insideOf(n int) int64 {
	if n == 0 {
		return l.inside
	}
	return l.stack[n-1].inside
}
