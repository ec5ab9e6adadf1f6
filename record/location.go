package record

import (
	"encoding/binary"
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/pandotrace/pando/internal/ticks"
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
	kind      uint32         // of the clock; 0 if counters are read, too
	counters  *counters      // of a thread; nil if there are none
	paused    bool           // the location has told that it records nothing
	state     unsafe.Pointer // the location's bin
	mem       unsafe.Pointer // of the file
	// profile has a page for each 1<<shift regions, whose lower bits are the place in it.
	profile []*sums
	shift   uint8
	inPage  uint32
	nowhere []sums // the page of calls that are lost to the profile; nil before the first one
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
	at, end int    // of the next record, and behind the last one, in the file; both 0 if there is no bin
	last    uint64 // time of the last record
	bin     int32
	region  uint32 // of the last call; noRegion in a new bin
}

// noRegion is the number of no region.
const noRegion = 1<<32 - 1

// leave ends the bin.
func (c *chain) leave() { c.at, c.end, c.bin = 0, 0, none }

// Location begins a location. Its name is what people call it.
func (r *Recorder) Location(name string) *Location {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := &Location{r: r, mem: r.base, kind: r.clock, number: r.locations, shift: uint8(bits.Len(uint((r.bin-binHeader)/profileEntry)) - 1), order: r.order, phases: phases{every: &r.every}}
	l.inPage = 1<<l.shift - 1
	l.missed.numbered = r.mode == Last
	l.missed.any = l.missed.numbered
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
		if !r.closed {
			r.pool.stop(r.now()) // so that the file tells that something is missing
		}
		return l
	}
	l.attention = r.control.attention
	r.locations++
	b := r.pool.at(bin)
	l.state = unsafe.Pointer(unsafe.SliceData(b))
	r.define(defineLocation, appendText(binary.AppendUvarint(nil, uint64(l.number)), name))
	return l
}

// counter returns one of the counters of the location's bin.
func (l *Location) counter(at int) *uint64 { return (*uint64)(unsafe.Add(l.state, at)) }

// frame returns the open call at a depth below maxDepth.
func (l *Location) frame(depth uint32) *frame {
	return (*frame)(unsafe.Add(l.state, locationAtStack+uintptr(depth)*frameSize))
}

// step returns the time of the next event: times of a location strictly increase, so that they alone give the order.
func (l *Location) step(t uint64) uint64 {
	if t <= l.last {
		t = l.last + 1
	}
	l.last = t
	return t
}

// Enter and Leave, and what they do mostly, call nothing but each other: whatever is seldom has functions of its own, so that values stay in registers.

// Enter begins a call of a region.
func (l *Location) Enter(region Region) {
	if l.kind == clockCounter {
		l.EnterAt(region, ticks.Counter())
	} else {
		l.EnterAt(region, l.readCounters(region))
	}
}

// EnterAt is Enter for a caller that knows the time, in ticks of the recorder's clock.
func (l *Location) EnterAt(region Region, t uint64) {
	if atomic.LoadUint32(l.attention) != 0 || region >= firstPhase {
		if l.dead {
			return
		}
		region = l.attended(region)
	}
	t = l.step(t)
	d := l.depth
	if d < maxDepth {
		f := l.frame(d)
		f.region, f.flags, f.children = uint32(region&regionMask), uint32(region>>handleShift)&^eventInside, 0
		f.enter = t
	}
	l.setDepth(d + 1)
}

// attended returns what becomes of a call that begins, of a region that is a phase, or while somebody steers the program.
//
//go:noinline
func (l *Location) attended(region Region) Region {
	if atomic.LoadUint32(l.attention) != 0 {
		region = l.attend().of(region)
	}
	if region >= firstPhase {
		region = l.beginPhase(region)
	}
	return region
}

func (l *Location) setDepth(d uint32) {
	l.depth = d
	*(*uint32)(unsafe.Add(l.state, locationAtDepth)) = d
}

// Leave ends the call that was begun last.
func (l *Location) Leave() {
	if l.kind == clockCounter {
		l.LeaveAt(ticks.Counter())
	} else {
		l.LeaveAt(l.readCounters(leaving))
	}
}

// LeaveAt is Leave for a caller that knows the time.
func (l *Location) LeaveAt(t uint64) {
	d := l.depth - 1
	if d >= maxDepth {
		l.oddLeave()
		return
	}
	f := l.frame(d)
	s := l.sums(f.region)
	if s == nil {
		l.leaveFirst(f.region, t)
		return
	}
	t = l.step(t)
	duration := t - f.enter
	s.count++
	s.inclusive += duration
	s.exclusive += duration - f.children
	class := uint32(log2(duration))
	if d > 0 {
		up := l.frame(d - 1)
		up.children += duration
		up.flags |= f.flags & eventInside
	}
	class |= f.flags & eventInside * protected
	if l.order.by != byDuration && class < protected {
		class = l.order.item(d, f, class, s.count)
	}
	if class >= l.floor && f.flags&countedOnly == 0 {
		l.write(class, f.region, t, duration)
		return
	}
	if l.phases.from == d+1 {
		l.endPhase()
	}
	l.setDepth(d)
}

// oddLeave counts a leave of a call that was never entered, or that is too deep.
//
//go:noinline
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

// leaveFirst is LeaveAt for a region for which the profile has no page yet. Where there is no memory for one, the call is lost to the profile.
//
//go:noinline
func (l *Location) leaveFirst(region uint32, t uint64) {
	if l.newPage(region) {
		l.LeaveAt(t)
		return
	}
	if l.nowhere == nil {
		l.nowhere = make([]sums, l.inPage+1)
	}
	l.nowhere[region&l.inPage] = sums{}
	page := region >> l.shift
	l.profile[page] = &l.nowhere[0]
	l.LeaveAt(t)
	l.profile[page] = nil
}

// sums returns those of a region, nil if the profile has no page for it.
func (l *Location) sums(region uint32) *sums {
	const most = 31 // no shift is longer
	page := int(region >> (l.shift & most))
	if page >= len(l.profile) || l.profile[page] == nil {
		return nil
	}
	return (*sums)(unsafe.Add(unsafe.Pointer(l.profile[page]), uintptr(region&l.inPage)*profileEntry))
}

// log2 is the logarithm of a number, in whole steps of 2.
func log2(n uint64) uintptr { return uintptr(bits.Len64(n|1) - 1) }

// write adds the innermost call to the chain of its class, and ends it. The record is a tag, the region if it is another than that of the record before, the time since that record, and the duration.
func (l *Location) write(class, region uint32, t, duration uint64) {
	c := &l.calls[class%classes]
	if c.end-c.at < maxRecord {
		l.writeFirst(class, region, t, duration)
		return
	}
	delta := t - c.last
	n, m := log2(delta)>>3, log2(duration)>>3 // sizes less 1
	at, named := unsafe.Add(l.mem, c.at), uintptr(0)
	if region != c.region {
		named = 1
	}
	tag := 0x80 | named<<6 | m<<3 | n
	*(*byte)(unsafe.Add(at, 1)) = byte(region)
	if region > maxShort && named > 0 {
		named = putRegion(unsafe.Add(at, 1), region)
	}
	*(*uint64)(unsafe.Add(at, 1+named)) = delta
	*(*uint64)(unsafe.Add(at, 2+named+n)) = duration
	publish(at, byte(tag))
	c.at += int(3 + named + n + m)
	c.last, c.region = t, region
	l.setDepth(l.depth - 1)
}

// putRegion writes the number of a region in several bytes, and returns how many.
//
//go:noinline
func putRegion(p unsafe.Pointer, region uint32) uintptr {
	return uintptr(binary.PutUvarint(unsafe.Slice((*byte)(p), binary.MaxVarintLen32), uint64(region)))
}

// writeFirst is write for a call that needs another bin.
//
//go:noinline
func (l *Location) writeFirst(class, region uint32, t, duration uint64) {
	if l.refill(&l.calls[class], binCalls, class, int(class), t) {
		l.write(class, region, t, duration)
		return
	}
	l.setDepth(l.depth - 1)
}

// maxShort is the largest region that a record gives in one byte.
const maxShort = 1<<7 - 1

// End ends the location. Calls that are open stay so.
func (l *Location) End() {
	if !l.dead {
		*(*uint32)(unsafe.Add(l.state, binHeader)) = 1
		l.r.control.left(&l.paused)
		l.counters.close()
		l.counters, l.kind = nil, l.r.clock
	}
}
