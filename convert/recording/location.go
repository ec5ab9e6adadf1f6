package recording

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/pandotrace/pando/trace"
)

// location is one location of a file.
type location struct {
	f  *file
	id uint64
	// number is the one in the file.
	number uint32
	// comes from a bin of the location:
	state     *bin
	open      []call
	inside    map[uint64]uint64 // by the starts of open calls: the time of the calls inside that ended
	depth     uint32
	unmatched uint64
	deep      uint64
	lost      uint64
	marks     uint64 // that were left out
	// phases are calls that others stand for, and missed the events inside of them.
	phases, missed uint64
	// bins by what they hold; those of calls by class
	calls   [classes][]bin
	events  []bin
	metrics []bin
	profile []bin
	fixes   []fix                // of events
	kept    atomic.Pointer[kept] // when a stream was read to its end
}

// locate sorts the bins of a file by locations, and each kind by time.
func (f *file) locate() ([]*location, error) {
	byNumber := map[uint32]*location{}
	var list []*location
	of := func(n uint32) *location {
		l := byNumber[n]
		if l == nil {
			l = &location{f: f, number: n}
			byNumber[n] = l
			list = append(list, l)
		}
		return l
	}
	slices.SortStableFunc(f.bins, func(a, b bin) int { return cmp.Or(cmp.Compare(a.location, b.location), cmp.Compare(a.base, b.base)) })
	for i := range f.bins {
		b := &f.bins[i]
		if b.kind == binDefinitions {
			continue
		}
		l := of(b.location)
		switch b.kind {
		case binLocation:
			l.state = b
		case binProfile:
			l.profile = append(l.profile, *b)
		case binCalls:
			l.calls[b.class] = append(l.calls[b.class], *b)
		case binEvents:
			l.events = append(l.events, *b)
		case binMetrics:
			l.metrics = append(l.metrics, *b)
		}
	}
	for _, l := range list {
		if err := l.readState(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// readState reads the calls that are open.
func (l *location) readState() error {
	if l.state == nil {
		l.f.warnings.Add("location without its bin", "%s", l.f.path)
		return nil
	}
	buf := make([]byte, l.f.bin)
	if ok, err := l.f.load(l.state, buf); err != nil || !ok {
		return err
	}
	b := buf[binHeader:]
	l.depth, l.unmatched, l.deep, l.lost = le.Uint32(b[4:]), le.Uint64(b[16:]), le.Uint64(b[24:]), le.Uint64(b[32:])
	l.phases, l.missed, l.marks = le.Uint64(b[48:]), le.Uint64(b[56:]), le.Uint64(b[8:])
	l.tellOddities()
	frames, size, depth := b[atStack:], frameSize, l.depth
	if frozen := le.Uint32(b[40:]); frozen > 0 {
		frames, size, depth = b[atFrozen:], frozenSize, frozen
	}
	last := uint64(0)
	l.inside = map[uint64]uint64{}
	for i := range min(depth, maxDepth) {
		p := frames[int(i)*size:]
		x := call{le.Uint64(p), never, le.Uint32(p[8:])}
		if x.start <= last || x.start >= endOfTime {
			l.f.lost(*l.state, "open calls begin at %d and %d", last, x.start)
			break
		}
		last = x.start
		if size == frameSize {
			l.inside[x.start] = le.Uint64(p[16:])
		}
		if size == frameSize && le.Uint32(p[12:])&filtered != 0 {
			continue
		}
		if x.start <= l.f.end() {
			l.open = append(l.open, x)
		}
	}
	return nil
}

// tellOddities warns of what the program did that is not in the trace.
func (l *location) tellOddities() {
	for _, odd := range []struct {
		n    uint64
		kind string
		what string
	}{
		{l.unmatched, "leaves without an enter", "leaves without an enter"},
		{l.deep, "calls nested too deep", "calls that are more than 256 deep, which are left out"},
		{l.lost, "events that were lost", "events of signal handlers that interrupted another, or of regions for which there was no memory"},
		{l.marks, "markers that were left out", "markers with texts for which there was no room"},
	} {
		if odd.n > 0 {
			l.f.warnings.Add(odd.kind, "%s, location %d: %d %s", l.f.path, l.number, odd.n, odd.what)
		}
	}
}

// total is the profile of one region of a location: all its calls that have ended, kept or not.
type total struct {
	region                      uint32
	count, inclusive, exclusive uint64
}

// totals reads the profile.
func (l *location) totals() ([]total, error) {
	const entry = 24
	perBin := 1
	for perBin*2*entry <= l.f.bin-binHeader {
		perBin *= 2
	}
	buf := make([]byte, l.f.bin)
	var list []total
	for i := range l.profile {
		b := &l.profile[i]
		if ok, err := l.f.load(b, buf); err != nil {
			return nil, err
		} else if !ok {
			continue
		}
		for k := range perBin {
			p := buf[binHeader+k*entry:]
			if t := (total{b.class*uint32(perBin) + uint32(k), le.Uint64(p), le.Uint64(p[8:]), le.Uint64(p[16:])}); t.count > 0 {
				list = append(list, t)
			}
		}
	}
	return list, nil
}

// merger puts the events of a location in order.
type merger struct {
	l       *location
	chains  []*chain
	feeds   []*feed
	open    []call // that were open at the end, by their starts
	stack   []call // that are open at this point
	last    uint64
	at      int64 // of the last event, in ticks of the trace
	started bool
	kept    *kept
}

func newMerger(l *location) *merger {
	m := &merger{l: l, open: l.open, kept: &kept{}}
	for class := range l.calls {
		if len(l.calls[class]) > 0 {
			m.chains = append(m.chains, &chain{f: l.f, bins: l.calls[class], class: uint32(class), nested: l.f.reduction != byDuration && class < protected})
		}
	}
	if len(l.events) > 0 {
		m.feeds = append(m.feeds, &feed{chain: chain{f: l.f, bins: l.events}, fixes: l.fixes})
	}
	if len(l.metrics) > 0 {
		m.feeds = append(m.feeds, &feed{chain: chain{f: l.f, bins: l.metrics}})
	}
	for i := len(m.chains)/2 - 1; i >= 0; i-- {
		m.sift(i)
	}
	return m
}

// start is when the next call of a chain begins.
func start(c *chain) uint64 {
	if x, ok := c.head(); ok {
		return x.start
	}
	return never
}

// sift moves a chain down the heap of chains.
func (m *merger) sift(i int) {
	h := m.chains
	key := start(h[i])
	for {
		least, at := key, i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h); child++ {
			if s := start(h[child]); s < least {
				least, at = s, child
			}
		}
		if at == i {
			return
		}
		h[i], h[at] = h[at], h[i]
		i = at
	}
}

// err is the first error of what was read.
func (m *merger) err() error {
	for _, c := range m.chains {
		if c.err != nil {
			return c.err
		}
	}
	for _, e := range m.feeds {
		if e.err != nil {
			return e.err
		}
	}
	return nil
}

// step adds the next event to the batch. It returns false at the end.
func (m *merger) step(b *trace.Batch, a *Archive) bool {
	next, from := never, -1
	if len(m.chains) > 0 {
		next = start(m.chains[0])
	}
	if len(m.open) > 0 && m.open[0].start <= next {
		next, from = m.open[0].start, -2
	}
	for i, e := range m.feeds {
		if x, ok := e.head(); ok && x.time < next {
			next, from = x.time, i
		}
	}
	if n := len(m.stack); n > 0 && m.stack[n-1].end <= next && m.stack[n-1].end != never {
		x := m.stack[n-1]
		m.stack = m.stack[:n-1]
		m.kept.leave(x)
		m.emit(b, a, trace.KindLeave, x.end, uint64(a.region(m.l.f, x.region)))
		return true
	}
	if next == never || next > m.l.f.end() {
		m.l.kept.Store(m.kept.end(m.stack, m.l.inside))
		return false
	}
	switch {
	case from >= 0:
		e := m.feeds[from]
		e.full = false
		m.emit(b, a, e.kind, e.event.time, a.defs.numbers[m.l.f.index].translate(e.kind, e.words)...)
	case from == -2:
		x := m.open[0]
		m.open = m.open[1:]
		m.enter(b, a, x)
	default:
		x := m.chains[0].pop()
		m.sift(0)
		m.enter(b, a, x)
	}
	return true
}

// enter begins a call, if it lies within those that are open. A call that was being recorded when the program was killed may be there twice, once
// as an open one: the record counts.
func (m *merger) enter(b *trace.Batch, a *Archive, x call) {
	n := len(m.stack)
	switch {
	case n > 0 && m.stack[n-1].start == x.start:
		m.stack[n-1].end = min(m.stack[n-1].end, x.end)
	case m.started && x.start <= m.last, n > 0 && x.end > m.stack[n-1].end, n > 0 && x.end == m.stack[n-1].end && x.end != never:
		m.l.f.warnings.Add("calls that overlap", "%s: the one from %d to %d is left out", m.l.f.path, x.start, x.end)
	default:
		m.stack = append(m.stack, x)
		m.kept.enter()
		m.emit(b, a, trace.KindEnter, x.start, uint64(a.region(m.l.f, x.region)))
	}
}

func (m *merger) emit(b *trace.Batch, a *Archive, kind trace.Kind, t uint64, words ...uint64) {
	at := a.time(m.l.f, t)
	if m.started {
		at = max(at, m.at) // a clock of damaged numbers may be rounded to the past
	}
	m.last, m.at, m.started = t, at, true
	b.Append(kind, at, words...)
}
