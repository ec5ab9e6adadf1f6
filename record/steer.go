package record

import (
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Pause stops recording until Resume. Calls that are begun meanwhile are counted in the profile only, and messages and other events are left out; calls that were begun before are recorded
// when they end. Locations tell by an event that they were paused and resumed, with the next thing that they would have recorded.
func (r *Recorder) Pause() { r.control.steer(wantPause, "") }

// Resume ends a pause.
func (r *Recorder) Resume() { r.control.steer(wantResume, "") }

// Paused reports whether recording is paused.
func (r *Recorder) Paused() bool { return r.control.now.Load().paused }

// SetFilter replaces the rules of Options.Filter, for calls that begin from now on. An Enter looks into a table of regions as long as the rules are not those of the begin.
func (r *Recorder) SetFilter(rules string) error {
	err := CheckFilter(rules)
	if err == nil {
		r.control.steer(wantRules, rules)
	}
	return err
}

// steering says what becomes of calls and events.
type steering struct {
	paused bool
	// out says by the numbers of regions which are left out; nil: their handles say it.
	out []bool
}

// of returns the handle of a region whose calls are counted only, or are not.
func (s *steering) of(region Region) Region {
	number := region & regionMask
	switch {
	case s.paused:
		return region | filteredOut
	case int(number) >= len(s.out):
		return region
	case s.out[number]:
		return region | filteredOut
	}
	return region &^ filteredOut
}

var (
	nothing = &steering{paused: true}
	always  = uint32(steered) // is the attention of locations that record nothing
)

// control is how the program and other processes steer a recorder.
type control struct {
	head []byte // of the file
	// attention is the word of the head that events look at.
	attention *uint32
	now       atomic.Pointer[steering] // is changed with the lock held

	mu      sync.Mutex
	closed  bool
	regions []string // names, by numbers
	rules   string   // that handles of regions know
	filter  string   // the rules now
	untold  int      // locations that have told that they are paused, and not yet that they go on
}

func newControl(mem []byte, rules string) *control {
	c := &control{head: mem[:headSize], attention: (*uint32)(unsafe.Pointer(&mem[atAttention])), rules: rules, filter: rules}
	c.now.Store(&steering{})
	return c
}

// handle decides on a region that is defined now, and returns what programs get for it: its number, and the bit if the rules of the begin leave it out.
func (c *control) handle(name string) Region {
	c.mu.Lock()
	defer c.mu.Unlock()
	handle := Region(len(c.regions))
	c.regions = append(c.regions, name)
	if s := c.now.Load(); s.out != nil { // who has the table before sees its old length
		c.now.Store(&steering{s.paused, append(s.out, leftOut(c.filter, name))})
	}
	if leftOut(c.rules, name) {
		handle |= filteredOut
	}
	return handle
}

func (c *control) steer(wanted uint32, rules string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.take(wanted, rules)
	}
}

// answer does what another process asks for. Only one location comes to take the request.
func (c *control) answer() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if before := atomic.AndUint32(c.attention, ^uint32(requestWaits)); before&requestWaits == 0 || c.closed {
		return
	}
	le, rules := binary.LittleEndian, c.head[atRules:atRules+maxFilter]
	n := 0
	for n < maxFilter-1 && rules[n] != 0 {
		n++
	}
	c.take(le.Uint32(c.head[atWanted:]), string(rules[:n]))
	atomic.StoreUint32((*uint32)(unsafe.Pointer(&c.head[atAnswered])), le.Uint32(c.head[atAsked:]))
}

// take does what is wanted. The lock must be held.
func (c *control) take(wanted uint32, rules string) {
	s := &steering{paused: c.now.Load().paused}
	filtered := c.filter != ""
	switch {
	case wanted&wantPause != 0:
		s.paused = true
	case wanted&wantResume != 0:
		s.paused = false
	}
	if wanted&wantRules != 0 {
		c.filter = rules
		clear(c.head[atFilter : atFilter+maxFilter])
		copy(c.head[atFilter:atFilter+maxFilter-1], rules)
	}
	if c.filter != c.rules {
		s.out = make([]bool, len(c.regions))
		for i, name := range c.regions {
			s.out[i] = leftOut(c.filter, name)
		}
	}
	le := binary.LittleEndian
	le.PutUint32(c.head[atPaused:], 0)
	if s.paused {
		le.PutUint32(c.head[atPaused:], 1)
	}
	if s.paused || filtered || c.filter != "" {
		le.PutUint32(c.head[atChanged:], 1)
	}
	c.now.Store(s)
	c.heed()
}

// heed has events look at the steering as long as there is any. The lock must be held.
func (c *control) heed() {
	if s := c.now.Load(); s.paused || s.out != nil || c.untold > 0 {
		atomic.OrUint32(c.attention, steered)
	} else {
		atomic.AndUint32(c.attention, ^uint32(steered))
	}
}

// answerIfAsked is for locations that record nothing, but see requests.
func (c *control) answerIfAsked() {
	if word := atomic.LoadUint32(c.attention); word&requestWaits != 0 && word&hasEnded == 0 {
		c.answer()
	}
}

// attend does what attention asks for. It returns what becomes of the next call or event of a location that has told that it is paused, or not, and whether it must tell something else now.
func (c *control) attend(paused *bool) (s *steering, news bool) {
	switch word := atomic.LoadUint32(c.attention); {
	case word&hasEnded != 0:
		return nothing, false
	case word&requestWaits != 0:
		c.answer()
	}
	if s = c.now.Load(); s.paused == *paused {
		return s, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if s = c.now.Load(); s.paused == *paused {
		return s, false
	}
	if *paused = s.paused; s.paused {
		c.untold++
	} else {
		c.untold--
	}
	c.heed()
	return s, true
}

// left says of a location that ends that nobody waits for it to tell.
func (c *control) left(paused *bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if *paused {
		*paused = false
		c.untold--
		c.heed()
	}
}

// close ends it: locations that go on record nothing.
func (c *control) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	atomic.OrUint32(c.attention, hasEnded)
}

// attend returns what becomes of the location's next call or event, and tells if it is paused or resumed.
func (l *Location) attend() *steering {
	if l.dead {
		return nothing
	}
	if l.phases.from != 0 {
		l.r.control.answerIfAsked()
		return nothing
	}
	s, news := l.r.control.attend(&l.paused)
	if news && !l.off {
		const on, off = 1, 2
		mode := uint64(on)
		if s.paused {
			mode = off
		}
		l.protect(kindOnOff, mode)
	}
	return s
}

// CheckFilter returns why rules cannot be those of Options.Filter: they are too long, or have a zero byte.
func CheckFilter(rules string) error {
	for i := range len(rules) {
		if rules[i] == 0 {
			return fmt.Errorf("record: byte %d of the filter is 0", i)
		}
	}
	if len(rules) >= maxFilter {
		return fmt.Errorf("record: a filter of %d bytes; it may have %d", len(rules), maxFilter-1)
	}
	return nil
}
