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

// callRun is the calls of one location in a place, the outermost one first. All of them cross the border in the middle of the
// place; so each lies in the one before it, and no other call is between the two.
type callRun struct {
	place, location uint64
	stack           uint64 // of the innermost call
}

// callLayout lays out calls. Their structure is keys, stacks and runs.
type callLayout struct {
	stacks
	runs []callRun
}

// The counts of calls are
//
//	uvarint  number of regions
//	uvarint  number of calling contexts
//	uvarint  number of stacks
//	uvarint  number of runs

// Calls have the contexts
//
//	 0  keys: region, less the one before and 1 (the first: region); after all regions, calling contexts likewise
//	 1  stacks: outer stack, less that of the stack before
//	 2  stacks: number of the key, less that of the stack before if it has the same outer stack
//	 3  stacks: flags of the call
//	 4  runs: place, less that of the run before
//	 5  runs: location, less that of the run before in the place and 1 (the first: location)
//	 6  runs: stack, less 1
//	 7  places: zigzag of base - base of the place before in the part
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
	callPlace
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
	section: "calls block", remainders: callRemainder,
	slices:   func(c *Call) (first, last uint64) { return c.StartSlice, c.EndSlice },
	compare:  (*Call).Compare,
	together: func(a, b *Call) bool { return a.Location == b.Location },
}

// EncodeCalls returns the block, or the pages, of the spanning calls of a node and lane, all of which lie in the node. It sorts
// them. Their clocks have a period, or 0.
func (t Tree) EncodeCalls(n Node, lane uint32, period column.Period, calls []Call) [][]byte {
	return encodePages(Block[Call]{Head: Head{Node: n, Lane: lane}, tree: t, kind: &callKind, period: period}, calls, layOutCalls)
}

// OpenCalls opens a block of spanning calls. It keeps b.
func (t Tree) OpenCalls(b []byte, limits format.Limits) (*CallBlock, error) {
	limit := min(limits.WithDefaults().NodeItems, format.Density*len(b))
	return open(t, &callKind, b, limit, func(d *format.Decoder) layout[Call] {
		l := &callLayout{}
		l.readCounts(d, limit)
		l.runs = make([]callRun, d.Int(limit+1))
		return l
	})
}

func layOutCalls(places []uint64, calls []Call) layout[Call] {
	l := &callLayout{}
	g := l.plant(calls)
	for i := range calls {
		c := &calls[i]
		if n := len(l.runs); n == 0 || l.runs[n-1].place != places[i] || l.runs[n-1].location != uint64(c.Location) {
			l.runs = append(l.runs, callRun{place: places[i], location: uint64(c.Location)})
		}
		r := &l.runs[len(l.runs)-1]
		r.stack = g.grow(r.stack, c)
	}
	numbers := g.list()
	for i := range l.runs {
		l.runs[i].stack = numbers[l.runs[i].stack]
	}
	l.number(l.runs)
	return l
}

func (l *callLayout) appendCounts(dst []byte) []byte {
	return format.AppendUvarint(l.stacks.appendCounts(dst), uint64(len(l.runs)))
}

func (l *callLayout) things() int { return len(l.keys) + len(l.list) - 1 + len(l.runs) }

func (l *callLayout) structure(c *carrier) {
	l.stacks.structure(c)
	var before callRun
	for i := range l.runs {
		r := &l.runs[i]
		r.place = before.place + c.value(callPlace, r.place-before.place)
		from := uint64(0)
		if r.place == before.place {
			from = before.location + 1
		}
		r.location = from + c.value(callLocation, r.location-from)
		r.stack = 1 + c.value(callStack, r.stack-1)
		before = *r
	}
}

func (l *callLayout) structureCounts() []int {
	keys, stacks, runs := len(l.keys), len(l.list)-1, len(l.runs)
	return []int{callKey: keys, callOuter: stacks, callStackKey: stacks, callFlags: stacks, callPlace: runs, callLocation: runs, callStack: runs}
}

func (l *callLayout) check(d *format.Decoder, limit int) {
	if l.stacks.check(d); d.Err() != nil {
		return
	}
	var before callRun
	for i, r := range l.runs {
		if r.stack == 0 || r.stack >= uint64(len(l.list)) || r.location > math.MaxUint32 ||
			r.place == before.place && i > 0 && r.location <= before.location {
			d.Fail("run %d, of location %d and stack %d", i, r.location, r.stack)
			return
		}
		if limit -= l.list[r.stack].calls; limit < 0 {
			d.Fail("too many calls")
			return
		}
		before = r
	}
	if !l.number(l.runs) {
		d.Fail("a stack or key that no call has")
	}
}

func (l *callLayout) locations() (n uint64) {
	for _, r := range l.runs {
		n = max(n, r.location+1)
	}
	return n
}

func (l *callLayout) entries() []entry {
	all := make([]entry, len(l.runs))
	for i, r := range l.runs {
		all[i] = entry{r.place, l.list[r.stack].calls}
	}
	return all
}

func (l *callLayout) counts(places []place, remainders int) []int {
	n := make([]int, l.all)
	n[callBase] = len(places)
	for i := range places {
		p := &places[i]
		runs := p.last - p.first
		n[callOrdinal] += runs
		n[callStartSlice] += p.items - runs
		for _, r := range l.runs[p.first:p.last] {
			l.stacks.count(n, r.stack)
		}
	}
	n[callBefore], n[callBehind], n[callEndSlice] = n[callOrdinal], n[callOrdinal], n[callStartSlice]
	n[callRemainder] = remainders * (n[callOrdinal] + 2*n[callStartSlice])
	l.repeat(n)
	return n
}

func (l *callLayout) items(c *carrier, places []place, calls []Call) {
	base, ordinal := int64(0), uint64(0)
	for i := range places {
		p := &places[i]
		base += c.signed(callBase, l.base(p, calls)-base)
		at := 0
		for _, r := range l.runs[p.first:p.last] {
			n := l.list[r.stack].calls
			l.run(c, &r, p.middle, base, &ordinal, calls[at:at+n])
			at += n
		}
		c.broken = c.broken || base != l.base(p, calls)
		calls = calls[p.items:]
	}
}

// base returns the start of the innermost call that starts last.
func (l *callLayout) base(p *place, calls []Call) int64 {
	base := int64(math.MinInt64)
	at := 0
	for _, r := range l.runs[p.first:p.last] {
		at += l.list[r.stack].calls
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
