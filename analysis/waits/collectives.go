package waits

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// operation is a collective operation, with the parts of locations in it that are known.
type operation struct {
	parts    []member
	expected int
}

// member is the part of a location in an operation.
type member struct {
	series
	origin           // of the call with which it took part; unknown if none is
	kind      uint64 // of trace.EnumCollectiveOp
	root      uint64 // rank
	rank      uint64 // in the communicator
	size      uint64 // of the communicator
	ranked    bool   // the rank is known
	waiter    int32  // the call that ended its part, -1 if none does
	at        mark   // of its end
	processNo int32
}

// series is what operations are counted in, by process: those of a communicator that block, and those that do not.
type series struct {
	communicator uint64
	blocks       bool
}

// turn is an operation of a series.
type turn struct {
	series
	number uint64
}

// finish meets the end of a location's part in an operation.
func (f *flow) finish(p *place, a *act) {
	m := member{series: series{a.b, a.kind == trace.KindMpiCollectiveEnd}, kind: a.a, root: a.c, waiter: -1, at: mark{a.time, p.index, a.ordinal}, processNo: p.process}
	call := p.communicating()
	if m.blocks {
		if call != nil {
			m.origin = call.origin
		}
	} else {
		m.origin = p.started[a.d]
		delete(p.started, a.d)
	}
	if m.rank, m.size, m.ranked = f.defs.OwnRank(a.b, p.id); !m.ranked {
		m.rank = trace.Undefined
	}
	m.origin.place = p.index
	if call != nil {
		m.waiter = f.waiting(call)
	}
	f.ended = append(f.ended, m)
}

// start meets the begin of an operation that does not block.
func (f *flow) start(p *place, a *act) {
	var o origin
	if call := p.communicating(); call != nil {
		o = call.origin
	}
	p.started[a.a] = o
}

// gather puts the parts that ended last, of all locations, together to operations.
func (f *flow) gather() {
	slices.SortFunc(f.ended, func(a, b member) int { return a.at.compare(b.at) })
	for i := range f.ended {
		m := &f.ended[i]
		t := turn{m.series, f.census.next(m.series, m.processNo)}
		op := f.operations[t]
		if op == nil {
			op = &operation{expected: f.census.expected(t)}
			f.operations[t] = op
		}
		op.parts = append(op.parts, *m)
		if f.members++; len(op.parts) >= op.expected {
			delete(f.operations, t)
			f.operate(op)
		}
	}
	f.ended = f.ended[:0]
}

// operate works out an operation.
func (f *flow) operate(op *operation) {
	f.members -= len(op.parts)
	f.counts.Operations++
	slices.SortFunc(op.parts, func(a, b member) int { return cmp.Or(cmp.Compare(a.rank, b.rank), a.at.compare(b.at)) })
	known := op.parts[0].at
	sameRoot, sameKind := true, true
	for i := range op.parts {
		m := &op.parts[i]
		known = later(known, m.at)
		sameRoot = sameRoot && m.root == op.parts[0].root
		sameKind = sameKind && m.kind == op.parts[0].kind
	}
	if uint64(len(op.parts)) < op.parts[0].size {
		f.counts.Incomplete++
	}
	kind, waits := kindOf[op.parts[0].kind]
	switch {
	case !sameKind:
		f.counts.MixedKinds++
		waits = false
	case !sameRoot && waits && (kind == LateRoot || kind == EarlyRoot):
		f.counts.MixedRoots++
	}
	last := lastOf(op.parts)
	var before origin // the last one of those of smaller rank
	for i := range op.parts {
		m := &op.parts[i]
		c := candidate{kind: kind, hard: true}
		switch {
		case !waits:
		case kind == LateRoot:
			c.origin = rootOf(op.parts, m.root)
		case kind == EarlyScan:
			c.origin = before
			before = lastOfTwo(before, m.origin)
		case kind != EarlyRoot || m.ranked && m.rank == m.root:
			c.origin = last
		}
		if m.waiter >= 0 {
			f.blame(m.waiter, c, known)
		}
	}
}

// lastOf returns the origin that came last.
func lastOf(parts []member) (last origin) {
	for i := range parts {
		last = lastOfTwo(last, parts[i].origin)
	}
	return last
}

func lastOfTwo(a, b origin) origin {
	if !a.known || b.known && a.compare(&b) < 0 {
		return b
	}
	return a
}

// rootOf returns the origin of a rank; parts are in order of rank.
func rootOf(parts []member, rank uint64) origin {
	i, ok := slices.BinarySearchFunc(parts, rank, func(m member, rank uint64) int { return cmp.Compare(m.rank, rank) })
	if !ok || !parts[i].ranked {
		return origin{}
	}
	return parts[i].origin
}
