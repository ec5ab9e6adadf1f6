package otf

import (
	"io"
	"math"
	"sync"
	"sync/atomic"

	"github.com/pandotrace/pando/trace"
)

// part is a file of a stream, with the records of its processes.
type part struct {
	indexed
	archive *Archive
	file    file
	grammar *grammar
	scope   *scope
	// snapshots says that of an event file the snapshots count, not the events.
	snapshots bool
	// inline says that there are snapshots among the events.
	inline atomic.Bool

	mu    sync.Mutex
	next  *pass // that has not begun; nil if there is none
	begun bool  // some pass has
}

// pass is one way through a file, for one or more of its processes. They share it as long as all of them read on; records that one
// of them has to pass over wait for the others.
type pass struct {
	part  *part
	quiet bool // there was a pass before, which told what is odd

	mu      sync.Mutex
	reader  *reader // nil before the first record is read
	members []*member
	byID    map[uint64]*member
	free    []*trace.Batch
	err     error // after the records
}

// member is a process on a pass.
type member struct {
	pass  *pass
	sink  *sink
	taken int    // records of the sink's batch that were given
	given uint64 // records that were given in all
	lost  bool   // the others went on: the records since then are to be read again
}

// join gives a process its place on a pass that has not begun.
func (p *part) join(process uint64) *member {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next == nil || p.next.byID[process] != nil {
		p.next = newPass(p)
	}
	return p.next.take(process)
}

func newPass(p *part) *pass { return &pass{part: p, byID: map[uint64]*member{}} }

// take takes a process along.
func (p *pass) take(process uint64) *member {
	m := &member{pass: p, sink: &sink{location: process}}
	p.members = append(p.members, m)
	p.byID[process] = m
	return m
}

// start makes sure that nobody joins a pass any more.
func (p *part) start(next *pass) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next == next {
		p.next = nil
	}
	next.quiet = p.begun
	p.begun = true
}

// begin makes the reader at the first read of a record.
func (p *pass) begin() {
	p.part.start(p)
	a, warn := p.part.archive, &p.part.archive.context.warnings
	if p.quiet {
		warn = &trace.Warnings{}
	}
	t := newText(p.part.file.open(a.context.lenient, warn), p.part.file.path, a.window)
	sinks := make([]*sink, len(p.part.processes))
	for i, process := range p.part.processes {
		if m := p.byID[process]; m != nil {
			sinks[i], m.sink.batch = m.sink, p.batch(process)
		} else {
			sinks[i] = &sink{location: process}
		}
	}
	p.reader = newReader(t, &a.context, p.part.grammar, p.part.scope, p.part.id, sinks)
	p.reader.snapshots = p.reader.snapshots || p.part.snapshots
	p.reader.quiet = p.quiet
}

// batch returns an empty batch.
func (p *pass) batch(location uint64) *trace.Batch {
	b := &trace.Batch{}
	if n := len(p.free); n > 0 {
		b, p.free = p.free[n-1], p.free[:n-1]
	}
	b.Reset(location)
	return b
}

// read gives a member its next records. If it does not search, it may come back without any. No later record of the member is earlier
// than covered.
func (p *pass) read(m *member, b *trace.Batch, max int, search bool) (covered int64, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reader == nil {
		p.begin()
	}
	if m.lost {
		return 0, errLost
	}
	if len(p.members) == 1 {
		return p.direct(m, b, max, search)
	}
	return p.shared(m, b, max, search)
}

// direct reads into the batch of the only member.
func (p *pass) direct(m *member, b *trace.Batch, max int, search bool) (covered int64, err error) {
	r := p.reader
	m.sink.batch, r.max = b, max
	for again := true; again && b.Len() == 0; again = search {
		if err := p.advance(m.sink); err != nil && b.Len() == 0 {
			return 0, err
		}
	}
	m.given += uint64(b.Len())
	return p.covered(m, b, r.pos == len(r.data)), nil
}

// shared gives a member what waits for it, and reads on if nothing does.
func (p *pass) shared(m *member, b *trace.Batch, max int, search bool) (covered int64, err error) {
	p.reader.max = maxRecords
	for again := true; again && m.sink.batch.Len() == 0; again = search {
		if err := p.advance(m.sink); err != nil && m.sink.batch.Len() == 0 {
			return 0, err
		}
		p.unburden(m)
	}
	n := min(max, m.sink.batch.Len()-m.taken)
	b.AppendRange(m.sink.batch, m.taken, m.taken+n, trace.Standard)
	m.taken += n
	m.given += uint64(n)
	return p.covered(m, b, p.drained(m)), nil
}

// drained reports whether nothing waits for a member, and then makes its batch empty.
func (p *pass) drained(m *member) bool {
	const spare = 4 // batches to keep
	if m.taken < m.sink.batch.Len() {
		return false
	}
	if len(p.free) < spare {
		p.free = append(p.free, m.sink.batch)
	}
	m.taken, m.sink.batch = 0, p.batch(m.sink.location)
	return true
}

// covered returns the time that no record of a member after those of a batch is earlier than. all says that no others were read
// yet.
func (p *pass) covered(m *member, b *trace.Batch, all bool) int64 {
	switch {
	case all && p.err == nil && !p.reader.due(m.sink):
		return p.reader.time
	case b.Len() > 0:
		return b.Times[b.Len()-1]
	}
	return math.MinInt64
}

// advance reads the lines of the window, or of the next one, for all members; at the end it gives one of them what is left.
func (p *pass) advance(s *sink) error {
	r := p.reader
	if p.err == nil {
		p.err = r.read()
		if p.err == io.EOF {
			r.ending()
		}
		p.part.inline.CompareAndSwap(false, r.skipped && !r.snapshots)
		r.settle(s)
		return nil
	}
	if p.err == io.EOF {
		r.conclude(s)
	}
	return p.err
}

// unburden gives up the other members if too much waits for them, or if one of them has no room for more.
func (p *pass) unburden(m *member) {
	waiting := 0
	for _, o := range p.members {
		if o != m && o.sink.batch != nil {
			waiting += o.sink.batch.Len() - o.taken
		}
	}
	stuck := p.err == nil && p.reader.pos < len(p.reader.data) && p.reader.cur != m.sink
	if waiting <= p.part.archive.window && !stuck {
		return
	}
	for _, o := range p.members {
		if o != m && o.sink.batch != nil && o.sink.batch.Len() > o.taken {
			o.lost, o.sink.batch = true, nil
		}
	}
}

// leave ends a member's part in the pass.
func (p *pass) leave(m *member) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m.lost, m.sink.batch = true, nil
}
