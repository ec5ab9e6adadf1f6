package waits

import (
	"context"
	"math"
)

// Step is a part of the critical path on one location. Times are in ticks.
type Step struct {
	Start, End int64
	// Reason is the kind of the wait that ended on the location at the step's start: the step before it is on the location that was waited for.
	// It is [Kinds] for the first step.
	Reason Kind

	place int32
}

// backward goes through waits from the last one to the first.
type backward struct {
	ctx    context.Context
	waits  *spool[link, *link]
	next   int // blocks that were not read yet
	room   []link
	places []queue
}

// steps goes back along the critical path, from a place and a time to another time, and adds its steps: the last one first.
func (b *backward) steps(place int32, from, to int64, add func(*Step) error) error {
	b.next = b.waits.len()
	visited := map[int32]bool{} // at this instant
	now := to
	for n := 1; ; n++ {
		if n%4096 == 0 && b.ctx.Err() != nil {
			return b.ctx.Err()
		}
		l, err := b.last(place, now, visited)
		if err != nil {
			return err
		}
		s := Step{Start: from, End: now, Reason: Kinds, place: place}
		if l != nil {
			s.Start, s.Reason = l.end, l.kind
		}
		if s.Start < s.End {
			clear(visited)
			if err := add(&s); err != nil {
				return err
			}
		}
		if l == nil {
			return nil
		}
		visited[place] = true
		place, now = l.cause, l.end
	}
}

// last returns the last link of a place up to a time, nil if there is none. Links that end at this time and lead to where the path was at this very
// time are passed over: clocks that are coarse, or disagree, could lead round in a circle.
func (b *backward) last(place int32, now int64, visited map[int32]bool) (*link, error) {
	q := &b.places[place]
	for {
		l := q.upTo(now, visited)
		if l != nil && l.end > b.bound() || b.next == 0 {
			return l, nil
		}
		if err := b.load(now); err != nil {
			return nil, err
		}
		if l == nil && q.upTo(now, visited) == nil {
			b.prune(b.bound())
		}
	}
}

// bound returns the time up to which the links end that were not read yet.
func (b *backward) bound() int64 {
	if b.next == 0 {
		return math.MinInt64
	}
	return b.waits.blocks[b.next-1].last
}

// load reads a block of links, and keeps those that end up to a time.
func (b *backward) load(now int64) error {
	b.next--
	list, err := b.waits.read(b.next, b.room)
	if err != nil {
		return err
	}
	if b.waits.blocks[b.next].list == nil {
		b.room = list
	}
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].end <= now {
			b.places[list[i].place].add(&list[i])
		}
	}
	return b.ctx.Err()
}

// prune drops links behind a time.
func (b *backward) prune(now int64) {
	for i := range b.places {
		for q := &b.places[i]; len(*q) > 0 && (*q)[0].end > now; {
			q.pop()
		}
	}
}
