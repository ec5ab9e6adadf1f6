package record

import (
	"encoding/binary"
	"math/bits"
	"sync/atomic"
	"unsafe"
)

// Location records the events of one thread, one goroutine, or anything else that does one thing at a time. Its methods must be called by one
// goroutine at a time.
type Location struct {
	r      *Recorder
	number uint32
	last   uint64 // time of the last event, in ticks
	depth  uint32
	floor  uint32 // calls of lower classes are counted only
	order  order  // in which calls are given up
	phases phases
	missed missed
	off    bool // nothing is kept any more
	// noMetrics says that values of metrics were given up.
	noMetrics bool
	dead      bool // there was no memory for the location
	// attention is the word of the head that says whether calls are begun as usual, or one that says so of a dead location.
	attention *uint32
	kind      uint32    // of the clock; 0 if counters are read, too
	counters  *counters // of a thread; nil if there are none
	paused    bool      // the location has told that it records nothing
	stack     *[maxDepth]frame
	state     unsafe.Pointer // the location's bin
	// profile has a page for each 1<<shift regions.
	profile []*sums
	shift   uint8
	calls   [classes]chain
	events  chain
	metrics chain
	whole   *wholeRecords // of the bin of events; nil before the first one
}

// frame is an open call, as it stands in the file.
type frame struct {
	enter    uint64
	region   uint32
	flags    uint32 // eventInside, countedOnly
	children uint64 // their time, in ticks
}

// sums are the totals of a page's first region; others follow.
type sums struct{ count, inclusive, exclusive uint64 }

// chain is where the next record of a class goes.
type chain struct {
	at, end unsafe.Pointer
	last    uint64 // time of the last record
	bin     int32
}

// Location begins a location. Its name is what people call it.
func (r *Recorder) Location(name string) *Location {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := &Location{r: r, kind: r.clock, number: r.locations, shift: uint8(bits.Len(uint((r.bin-binHeader)/profileEntry)) - 1), order: r.order, phases: phases{every: &r.every}}
	for i := range l.calls {
		l.calls[i].bin = none
	}
	l.events.bin, l.metrics.bin = none, none
	l.floor = r.pool.floor
	bin := int32(none)
	if !r.closed {
		bin = r.pool.take(binLocation, l.number, 0, uint64(l.number))
	}
	if bin == none {
		l.dead, l.attention = true, &always
		return l
	}
	l.attention = r.control.attention
	r.locations++
	b := r.pool.at(bin)
	l.state = unsafe.Pointer(unsafe.SliceData(b))
	l.stack = (*[maxDepth]frame)(unsafe.Add(l.state, locationAtStack))
	r.define(defineLocation, appendText(binary.AppendUvarint(nil, uint64(l.number)), name))
	return l
}

// counter returns one of the counters of the location's bin.
func (l *Location) counter(at int) *uint64 { return (*uint64)(unsafe.Add(l.state, at)) }

// step returns the time of the next event: times of a location strictly increase, so that they alone give the order.
func (l *Location) step(t uint64) uint64 {
	if t <= l.last {
		t = l.last + 1
	}
	l.last = t
	return t
}

// Enter begins a call of a region.
func (l *Location) Enter(region Region) { l.EnterAt(region, l.clock(region)) }

// EnterAt is Enter for a caller that knows the time, in ticks of the recorder's clock.
func (l *Location) EnterAt(region Region, t uint64) {
	if atomic.LoadUint32(l.attention) != 0 {
		region = l.attend().of(region)
		if l.dead {
			return
		}
	}
	if region >= firstPhase {
		region = l.beginPhase(region)
	}
	t = l.step(t)
	d := l.depth
	if d < maxDepth {
		f := &l.stack[d]
		f.region, f.flags, f.children = uint32(region&regionMask), uint32(region>>handleShift)&^eventInside, 0
		f.enter = t
	}
	l.setDepth(d + 1)
}

func (l *Location) setDepth(d uint32) {
	l.depth = d
	*(*uint32)(unsafe.Add(l.state, locationAtDepth)) = d
}

// Leave ends the call that was begun last.
func (l *Location) Leave() { l.LeaveAt(l.clock(leaving)) }

// LeaveAt is Leave for a caller that knows the time.
func (l *Location) LeaveAt(t uint64) {
	d := l.depth - 1
	if d >= maxDepth {
		l.oddLeave()
		return
	}
	t = l.step(t)
	f := &l.stack[d]
	duration := t - f.enter
	if page := int(f.region >> l.shift); page < len(l.profile) && l.profile[page] != nil {
		l.count(l.profile[page], f, duration)
	} else if page := l.newPage(f.region); page != nil {
		l.count(page, f, duration)
	}
	class := uint32(bits.Len64(duration)) - 1
	if d > 0 {
		up := &l.stack[d-1]
		up.children += duration
		up.flags |= f.flags & eventInside
	}
	class |= f.flags & eventInside * protected
	if l.order.by != byDuration && class < protected {
		class = l.order.item(d, f, class, l.counted(f.region))
	}
	if class >= l.floor && !l.off && f.flags&countedOnly == 0 {
		l.write(class, f.region, t, duration)
	} else if l.phases.from == d+1 {
		l.endPhase()
	}
	l.setDepth(d)
}

// oddLeave counts a leave of a call that was never entered, or that is too deep.
func (l *Location) oddLeave() {
	switch {
	case l.dead:
	case l.depth == 0:
		*l.counter(locationAtUnmatched)++
	default:
		*l.counter(locationAtDeep)++
		l.setDepth(l.depth - 1)
	}
}

// count adds a call to the profile.
func (l *Location) count(page *sums, f *frame, duration uint64) {
	s := l.entry(page, f.region)
	s.count++
	s.inclusive += duration
	s.exclusive += duration - f.children
}

// entry returns the sums of a region in its page.
func (l *Location) entry(page *sums, region uint32) *sums {
	return (*sums)(unsafe.Add(unsafe.Pointer(page), uintptr(region&(1<<l.shift-1))*profileEntry))
}

// counted returns how many calls of a region the profile has.
func (l *Location) counted(region uint32) uint64 {
	if page := int(region >> l.shift); page < len(l.profile) && l.profile[page] != nil {
		return l.entry(l.profile[page], region).count
	}
	return 0
}

// maxShort is the largest region that a record gives in two bytes.
const maxShort = 1<<16 - 1

// write adds a call to the chain of its class: tag, region, time since the record before, duration.
func (l *Location) write(class, region uint32, t, duration uint64) {
	c := &l.calls[class]
	if uintptr(c.end)-uintptr(c.at) < maxRecord || c.bin == none {
		if !l.refill(c, binCalls, class, int(class), t) {
			return
		}
	}
	delta := t - c.last
	n, m := (bits.Len64(delta|1)+7)>>3, (bits.Len64(duration)+7)>>3
	tag := byte(0x80 | (n - 1) | (m-1)<<3)
	p := unsafe.Add(c.at, 1)
	if region <= maxShort {
		*(*uint16)(p) = uint16(region)
		p = unsafe.Add(p, 2)
	} else {
		*(*uint32)(p) = region
		p = unsafe.Add(p, 4)
		tag |= 0x40
	}
	*(*uint64)(p) = delta
	p = unsafe.Add(p, n)
	*(*uint64)(p) = duration
	publish(c.at, tag)
	c.at, c.last = unsafe.Add(p, m), t
}

// End ends the location. Calls that are open stay so.
func (l *Location) End() {
	if !l.dead {
		*(*uint32)(unsafe.Add(l.state, binHeader)) = 1
		l.r.control.left(&l.paused)
		l.counters.close()
		l.counters, l.kind = nil, l.r.clock
	}
}
