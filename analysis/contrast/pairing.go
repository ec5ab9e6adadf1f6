package contrast

import "github.com/pandotrace/pando/analysis/align"

// pairing is two locations that belong together.
type pairing struct {
	index    int
	lanes    [2]*lane
	segments []align.Segment
	at       [2]int // the segment of the last event that was looked up
	cells    []cell // by path
	skew     skew
	zip      *zip // if both have the same calls
}

// partnerOf returns the number of the event on the other side that belongs to an event; ok is false if only this side has it, or the other one
// is of another region. The events of a side come in order.
func (p *pairing) partnerOf(side int, event uint64) (other uint64, ok bool) {
	i, other := p.segmentOf(side, event)
	if p.at[side] = i; i == len(p.segments) {
		return 0, false
	}
	return other, p.segments[i].State == align.Equal
}

// segmentOf returns the segment that has an event, and the number of the event on the other side.
func (p *pairing) segmentOf(side int, event uint64) (at int, other uint64) {
	lacks := align.OnlyB
	if side == 1 {
		lacks = align.OnlyA
	}
	for i := p.at[side]; i < len(p.segments); i++ {
		s := &p.segments[i]
		own, others := s.A, s.B
		if side == 1 {
			own, others = s.B, s.A
		}
		if s.State == lacks || event-own >= s.Events {
			continue
		}
		return i, others + (event - own)
	}
	return len(p.segments), 0
}

// meet pairs calls of which both sides are there. At the end, all that are left are alone.
func (p *pairing) meet(end bool) {
	a, b := p.lanes[0], p.lanes[1]
	for {
		moreA, moreB := a.first < len(a.queue), b.first < len(b.queue)
		if !moreA && !moreB || !end && (!moreA || !moreB) {
			break
		}
		switch {
		case !moreB:
			a.leaveAlone()
		case !moreA:
			b.leaveAlone()
		default:
			p.heads(a, b)
		}
	}
	a.compact()
	b.compact()
}

// heads pairs the next calls of both sides, or finds that one of them is alone.
func (p *pairing) heads(a, b *lane) {
	x, y := a.queue[a.first], b.queue[b.first]
	toB, okA := p.partnerOf(0, x.event)
	if !okA {
		a.leaveAlone()
		return
	}
	if _, okB := p.partnerOf(1, y.event); !okB || y.event < toB {
		b.leaveAlone()
		return
	}
	if y.event > toB { // an enter that belongs to a leave
		a.leaveAlone()
		return
	}
	a.first, b.first = a.first+1, b.first+1
	ca, cb := &a.calls[x.call], &b.calls[y.call]
	ca.mate, cb.mate = y.call, x.call
	p.skew.add(ca.start, cb.start)
	if ca.done && cb.done {
		p.met(0, x.call)
	}
}

// leaveAlone gives up the next call of the queue.
func (l *lane) leaveAlone() {
	at, event := l.queue[l.first].call, l.queue[l.first].event
	l.first++
	c := &l.calls[at]
	c.lone = true
	if l.shared.sink != nil {
		i, _ := l.pair.segmentOf(l.side, event)
		c.renamed = i < len(l.pair.segments) && l.pair.segments[i].State == align.Different
	}
	if c.done {
		l.shared.alone(l, c)
		l.free = append(l.free, at)
	}
}

// compact drops what is done of a queue.
func (l *lane) compact() {
	if l.first == len(l.queue) {
		l.queue, l.first = l.queue[:0], 0
	} else if 2*l.first > len(l.queue) {
		n := copy(l.queue, l.queue[l.first:])
		l.queue, l.first = l.queue[:n], 0
	}
}

// met counts a pair of calls that are both done.
func (p *pairing) met(side int, at int32) {
	mate := p.lanes[side].calls[at].mate
	if side == 1 {
		at, mate = mate, at
	}
	a, b := p.lanes[0], p.lanes[1]
	a.shared.together(p, &a.calls[at], &b.calls[mate])
	a.free, b.free = append(a.free, at), append(b.free, mate)
}
