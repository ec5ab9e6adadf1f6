package index

import (
	"cmp"
	"math"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// Call is a call that crosses a border between slices.
type Call struct {
	// Location is the location's index in the trace.
	Location uint32
	// Key is the region, or the calling context if Context is true.
	Key     uint64
	Context bool
	Flags   trace.CallFlags
	// Start and End are in ticks; Exclusive is the duration less that of the direct children.
	Start, End, Exclusive int64
	Children              uint64
	// Ordinal and EndOrdinal number the two events among the location's.
	Ordinal, EndOrdinal uint64
	// StartSlice and EndSlice are the slices of the two events.
	StartSlice, EndSlice uint64
}

// Compare orders calls by location, then by ordinal.
func (c *Call) Compare(o *Call) int {
	if d := cmp.Compare(c.Location, o.Location); d != 0 {
		return d
	}
	return cmp.Compare(c.Ordinal, o.Ordinal)
}

// CallBlock is a block of spanning calls.
type CallBlock = Block[Call]

// callRun is the calls of one location in a cell, the outermost one first. All of them cross the border in the middle of the
// cell; so each lies in the one before it, and no other call of the cell is between the two.
type callRun struct {
	cell, location uint64
	stack          uint64 // of the innermost call
}

// callLayout lays out calls. What they have in common is keys and stacks.
type callLayout struct {
	stacks
	met []bool // stacks that are those of a run
}

// callRuns are entries of calls.
type callRuns struct {
	*callLayout
	runs []callRun
}

// The counts of calls are
//
//	uvarint  number of regions
//	uvarint  number of calling contexts
//	uvarint  number of stacks

// Calls have the contexts
//
//	 0  keys: region, less the one before and 1 (the first: region); after all regions, calling contexts likewise
//	 1  stacks: outer stack, less that of the stack before
//	 2  stacks: number of the key, less that of the stack before if it has the same outer stack
//	 3  stacks: 2 · flags of the call, and 1 more if a run has the stack
//	 4  runs: cell, less that of the run before in the part
//	 5  runs: location, less that of the run before in the cell and 1 (the first: location)
//	 6  runs: stack, less 1
//	 7  cells: zigzag of base - base of the cell before in the part
//	 8  innermost calls: zigzag of ordinal - ordinal of the innermost call before in the part
//	 9  innermost calls: zigzag of middle - 1 - start slice
//	10  innermost calls: zigzag of end slice - middle
//	11  other calls: start slice of the call inside - start slice
//	12  other calls: end slice - end slice of the call inside
//	13  remainders, zigzag
const (
	callKey = iota
	callOuter
	callStackKey
	callFlags
	callCell
	callLocation
	callStack
	callStructure // contexts of the structure
)

const (
	callBase = callStructure + iota
	callOrdinal
	callBefore
	callBehind
	callStartSlice
	callEndSlice
	callRemainder
	callContexts // without those of keys
)

var callKind = kind[Call]{
	section: "calls block", remainders: callRemainder, grouped: true,
	slices:   func(c *Call) (first, last uint64) { return c.StartSlice, c.EndSlice },
	compare:  (*Call).Compare,
	together: func(a, b *Call) bool { return a.Location == b.Location },
}

// EncodeCalls returns the block, or the pages, of the spanning calls of a node and lane, all of which lie in the node. It sorts
// them. Their clocks have a period, or 0.
func (t Tree) EncodeCalls(n Node, lane uint32, period column.Period, calls []Call) [][]byte {
	return encodePages(&Block[Call]{Head: Head{Node: n, Lane: lane}, tree: t, kind: &callKind, period: period}, calls, layOutCalls)
}

// OpenCalls opens a block of spanning calls. It keeps b.
func (t Tree) OpenCalls(b []byte, limits format.Limits) (*CallBlock, error) {
	return t.CallsOf(whole(b), limits)
}

// CallsOf opens a block of spanning calls of which the first bytes have been read.
func (t Tree) CallsOf(src Source, limits format.Limits) (*CallBlock, error) {
	return open(t, &callKind, src, limits, func(d *format.Decoder, limit int) layout[Call] {
		l := &callLayout{}
		l.readCounts(d, limit)
		return l
	})
}

func layOutCalls(cells []uint64, calls []Call) (layout[Call], entries[Call]) {
	l := &callLayout{}
	g := l.plant(calls)
	e := &callRuns{callLayout: l}
	for i := range calls {
		c := &calls[i]
		if n := len(e.runs); n == 0 || e.runs[n-1].cell != cells[i] || e.runs[n-1].location != uint64(c.Location) {
			e.runs = append(e.runs, callRun{cell: cells[i], location: uint64(c.Location)})
		}
		r := &e.runs[len(e.runs)-1]
		r.stack = g.grow(r.stack, c)
	}
	numbers := g.list()
	for i := range e.runs {
		r := &e.runs[i]
		r.stack = numbers[r.stack]
		l.list[r.stack].own = true
	}
	l.number()
	return l, e
}

func (l *callLayout) things() int { return len(l.keys) + len(l.list) - 1 }

func (l *callLayout) structureCounts() []int {
	keys, stacks := len(l.keys), len(l.list)-1
	return []int{callKey: keys, callOuter: stacks, callStackKey: stacks, callFlags: stacks}
}

func (l *callLayout) check(d *format.Decoder, _ uint64) {
	if l.stacks.check(d); d.Err() == nil && !l.number() {
		d.Fail("a stack or key that no call has")
	}
	l.met = make([]bool, len(l.list))
}

func (l *callLayout) entries(n int) entries[Call] { return &callRuns{l, make([]callRun, n)} }

func (l *callLayout) note(e entries[Call]) {
	for _, r := range e.(*callRuns).runs {
		l.met[r.stack] = true
	}
}

func (l *callLayout) allNoted() bool {
	for i, met := range l.met {
		if l.list[i].own && !met {
			return false
		}
	}
	return true
}

func (e *callRuns) len() int { return len(e.runs) }

func (e *callRuns) at(i int) (cell uint64, items int) {
	r := &e.runs[i]
	return r.cell, e.list[r.stack].calls
}

func (e *callRuns) from(from, to int) entries[Call] { return &callRuns{e.callLayout, e.runs[from:to]} }

func (e *callRuns) structure(c *carrier) {
	var before callRun
	for i := range e.runs {
		r := &e.runs[i]
		r.cell = before.cell + c.value(callCell, r.cell-before.cell)
		from := uint64(0)
		if r.cell == before.cell {
			from = before.location + 1
		}
		r.location = from + c.value(callLocation, r.location-from)
		r.stack = 1 + c.value(callStack, r.stack-1)
		before = *r
	}
}

func (e *callRuns) structureCounts() []int {
	runs := len(e.runs)
	return []int{callCell: runs, callLocation: runs, callStack: runs}
}

func (e *callRuns) check(d *format.Decoder, locations uint64) {
	var before callRun
	for i, r := range e.runs {
		if r.stack == 0 || r.stack >= uint64(len(e.list)) || !e.list[r.stack].own || r.cell == before.cell && i > 0 && r.location <= before.location {
			d.Fail("run %d, of location %d and stack %d", i, r.location, r.stack)
			return
		}
		if r.location >= locations {
			d.Fail("an item of location %d, of %d", r.location, locations)
			return
		}
		before = r
	}
}

func (e *callRuns) counts(cells []cell, remainders int) []int {
	n := make([]int, e.all)
	n[callBase] = len(cells)
	for i := range cells {
		p := &cells[i]
		runs := p.last - p.first
		n[callOrdinal] += runs
		n[callStartSlice] += p.items - runs
		for _, r := range e.runs[p.first:p.last] {
			e.stacks.count(n, r.stack)
		}
	}
	n[callBefore], n[callBehind], n[callEndSlice] = n[callOrdinal], n[callOrdinal], n[callStartSlice]
	n[callRemainder] = remainders * (n[callOrdinal] + 2*n[callStartSlice])
	e.repeat(n)
	return n
}

func (e *callRuns) items(c *carrier, cells []cell, calls []Call) {
	base, ordinal := int64(0), uint64(0)
	for i := range cells {
		p := &cells[i]
		base += c.signed(callBase, e.base(p, calls)-base)
		at := 0
		for _, r := range e.runs[p.first:p.last] {
			n := e.list[r.stack].calls
			e.run(c, &r, p.middle, base, &ordinal, calls[at:at+n])
			at += n
		}
		c.broken = c.broken || base != e.base(p, calls)
		calls = calls[p.items:]
	}
}

// base returns the start of the innermost call that starts last.
func (e *callRuns) base(p *cell, calls []Call) int64 {
	base := int64(math.MinInt64)
	at := 0
	for _, r := range e.runs[p.first:p.last] {
		at += e.list[r.stack].calls
		base = max(base, calls[at-1].Start)
	}
	return base
}

// run carries the calls of a run, from the innermost one outwards.
func (l *callLayout) run(c *carrier, r *callRun, middle uint64, base int64, ordinal *uint64, calls []Call) {
	var inside *Call
	for i, n := len(calls)-1, r.stack; i >= 0; i-- {
		x, s := &calls[i], &l.list[n]
		x.Location = uint32(r.location)
		l.name(x, s)
		if inside == nil {
			l.innermost(c, s, x, middle, base, *ordinal)
			*ordinal = x.Ordinal
		} else {
			l.around(c, s, x, inside)
		}
		l.children(c, s, x, inside)
		inside, n = x, s.outer
	}
}

func (l *callLayout) innermost(c *carrier, s *stack, x *Call, middle uint64, base int64, ordinal uint64) {
	context, width := s.contexts[innermostCalls], l.widths[innermostCalls]
	x.Ordinal = ordinal + uint64(c.signed(callOrdinal, int64(x.Ordinal-ordinal)))
	x.StartSlice = middle - 1 - uint64(c.signed(callBefore, int64(middle-1-x.StartSlice)))
	x.EndSlice = middle + uint64(c.signed(callBehind, int64(x.EndSlice-middle)))
	before := int64(c.value(context, uint64(base-x.Start)))
	x.Start = base - before
	x.End = x.Start + c.longer(context+width, before, x.End-x.Start)
	x.EndOrdinal = x.Ordinal + c.value(context+2*width, x.EndOrdinal-x.Ordinal)
}

func (l *callLayout) around(c *carrier, s *stack, x, inside *Call) {
	context, width := s.contexts[outerCalls], l.widths[outerCalls]
	x.StartSlice = inside.StartSlice - c.value(callStartSlice, inside.StartSlice-x.StartSlice)
	x.EndSlice = inside.EndSlice + c.value(callEndSlice, x.EndSlice-inside.EndSlice)
	x.Start = inside.Start - c.longer(context, 0, inside.Start-x.Start)
	x.End = inside.End + c.longer(context+width, 0, x.End-inside.End)
	x.Ordinal = inside.Ordinal - c.value(context+2*width, inside.Ordinal-x.Ordinal)
	x.EndOrdinal = inside.EndOrdinal + c.value(context+3*width, x.EndOrdinal-inside.EndOrdinal)
}

// children carries the number of direct children, and the exclusive time: as what is left of the duration where the time
// of the children follows from their number.
func (l *callLayout) children(c *carrier, s *stack, x, inside *Call) {
	context, width := s.contexts[allCalls], l.widths[allCalls]
	x.Children = c.value(context, x.Children)
	rest := x.End - x.Start
	switch {
	case x.Children == 1 && inside != nil:
		rest -= inside.End - inside.Start
	case x.Children > 0:
		x.Exclusive = int64(c.value(context+width, uint64(x.Exclusive)))
		return
	}
	x.Exclusive = rest - int64(c.value(context+width, uint64(rest-x.Exclusive)))
}
