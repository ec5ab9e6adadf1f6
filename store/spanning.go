package store

import (
	"math"
	"slices"

	"github.com/pandotrace/pando/encode"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/trace"
)

// spanningCalls returns the calls of a lane that go on when a slice begins, or begin in it and end later, ordered by
// location and ordinal: they lie in the nodes on the way from the root to the slice.
func (r *Reader) spanningCalls(slice uint64, lane uint32) (open, begin []index.Call, err error) {
	for level := 1; level <= r.tree.Levels(r.root.Slices); level++ {
		ref, ok, err := r.nodeRef(format.BlockCalls, level, slice, lane)
		if err != nil {
			return nil, nil, err
		}
		if !ok {
			continue
		}
		calls, err := r.nodeCalls(ref, r.node(level, slice), lane)
		if err != nil {
			return nil, nil, err
		}
		for i := range calls {
			switch c := &calls[i]; {
			case c.StartSlice == slice:
				begin = append(begin, *c)
			case c.StartSlice < slice && c.EndSlice >= slice:
				open = append(open, *c)
			}
		}
	}
	order := func(a, b index.Call) int { return a.Compare(&b) }
	slices.SortFunc(open, order)
	slices.SortFunc(begin, order)
	return open, begin, nil
}

// node returns the node of a level that contains a slice.
func (r *Reader) node(level int, slice uint64) index.Node {
	return index.Node{Level: level, Index: r.tree.Ancestor(slice, level)}
}

// spanningItems are the items of a block, and what it says that it belongs to.
type spanningItems[T any] struct {
	node  index.Node
	lane  uint32
	items []T
}

// nodeCalls returns all spanning calls of a node and lane.
func (r *Reader) nodeCalls(ref format.Ref, node index.Node, lane uint32) ([]index.Call, error) {
	found, err := cached(r.cache, cacheKey{what: cachedCalls, offset: ref.Offset}, func() (s spanningItems[index.Call], bytes int64, err error) {
		b, err := r.block(format.BlockCalls, ref)
		if err != nil {
			return s, 0, err
		}
		s.node, s.lane, s.items, err = r.tree.ReadCalls(b, 0, math.MaxInt64)
		for i := range s.items {
			if int(s.items[i].Location) >= len(r.info.Locations) {
				err = format.Corruptf("calls block", -1, "location %d of %d", s.items[i].Location, len(r.info.Locations))
			}
		}
		return s, int64(120 * len(s.items)), format.At(err, r.name, int64(ref.Offset))
	})
	if err == nil && (found.node != node || found.lane != lane) {
		err = format.At(otherNode(format.BlockCalls, found.node, node), r.name, int64(ref.Offset))
	}
	return found.items, err
}

// nodeMessages returns all messages of a node.
func (r *Reader) nodeMessages(ref format.Ref, node index.Node) ([]index.Message, error) {
	found, err := cached(r.cache, cacheKey{what: cachedMessages, offset: ref.Offset}, func() (s spanningItems[index.Message], bytes int64, err error) {
		b, err := r.block(format.BlockMessages, ref)
		if err != nil {
			return s, 0, err
		}
		s.node, s.items, err = r.tree.ReadMessages(b, 0, math.MaxInt64)
		return s, int64(120 * len(s.items)), format.At(err, r.name, int64(ref.Offset))
	})
	if err == nil && found.node != node {
		err = format.At(otherNode(format.BlockMessages, found.node, node), r.name, int64(ref.Offset))
	}
	return found.items, err
}

func otherNode(kind format.BlockKind, is, should index.Node) error {
	return format.Corruptf(kind.String(), -1, "it belongs to node %d of level %d, not to node %d of level %d, or to another lane",
		is.Index, is.Level, should.Index, should.Level)
}

// sliceCalls are the calls of one lane in one slice.
type sliceCalls struct {
	// open go on when the slice begins, begin are entered in it; both are ordered by location and ordinal.
	open, begin []trace.Call
}

// calls follows the call stacks of a lane through a slice.
func (r *Reader) calls(slice uint64, lane uint32) (*sliceCalls, error) {
	d, err := r.Definitions()
	if err != nil {
		return nil, err
	}
	open, begin, err := r.spanningCalls(slice, lane)
	if err != nil {
		return nil, err
	}
	events, err := r.events(slice, lane)
	if err != nil {
		return nil, err
	}
	f := follower{reader: r, definitions: d, open: open, begin: begin}
	f.base()
	if events != nil {
		f.calls = make([]trace.Call, 0, len(events.Leaves)/2+1)
		f.keys = make([]callKey, 0, len(events.Leaves)/2+1)
		err = f.slice(events)
	}
	if err == nil && len(f.begin) > 0 {
		err = format.Corruptf("calls block", -1, "location %d has no enter at event %d", f.begin[0].Location, f.begin[0].Ordinal)
	}
	return &sliceCalls{f.baseCalls, f.calls}, format.At(err, r.name, -1)
}

// follower reconstructs the calls of a slice from its events, the calls open when it begins, and the items of those that
// outlast it.
type follower struct {
	reader      *Reader
	definitions *trace.Definitions
	open, begin []index.Call // what is left of them

	baseCalls []trace.Call
	baseKeys  []callKey
	calls     []trace.Call
	keys      []callKey // of calls
	stack     []int     // indices of open calls: i for calls[i], ^i for baseCalls[i]
}

type callKey struct {
	key     uint64
	context bool
}

// base makes calls of what is open when the slice begins; those of one location are nested in their order.
func (f *follower) base() {
	f.baseCalls = make([]trace.Call, len(f.open))
	for i := range f.open {
		c := &f.baseCalls[i]
		*c = f.call(&f.open[i])
		if i > 0 && f.open[i-1].Location == f.open[i].Location {
			c.Depth, c.Parent = f.baseCalls[i-1].Depth+1, f.baseCalls[i-1].Ordinal
		}
		f.baseKeys = append(f.baseKeys, callKey{f.open[i].Key, f.open[i].Context})
	}
}

func (f *follower) call(c *index.Call) trace.Call {
	t := trace.Call{
		Location: f.reader.info.Locations[c.Location].ID, Start: c.Start, End: c.End, Exclusive: c.Exclusive,
		Children: c.Children, Ordinal: c.Ordinal, EndOrdinal: c.EndOrdinal, Parent: trace.Undefined, Flags: c.Flags,
	}
	t.Region, t.Context = f.region(callKey{c.Key, c.Context})
	return t
}

// region returns the region and the calling context of a call.
func (f *follower) region(k callKey) (region, context uint64) {
	if !k.context {
		return k.key, trace.Undefined
	}
	if c, ok := f.definitions.Contexts[k.key]; ok {
		return c.Region, k.key
	}
	return trace.Undefined, k.key
}

func (f *follower) slice(e *encode.Events) error {
	at := 0
	base := 0
	for i := range e.Runs {
		run := &e.Runs[i]
		f.stack = f.stack[:0]
		for base < len(f.open) && f.open[base].Location < run.Location {
			base++
		}
		for ; base < len(f.open) && f.open[base].Location == run.Location; base++ {
			f.stack = append(f.stack, ^base)
		}
		f.run(e, run, at)
		at += run.Events
		if err := f.outlasting(run); err != nil {
			return err
		}
	}
	return nil
}

// run follows the stack of one location.
func (f *follower) run(e *encode.Events, run *encode.Run, at int) {
	info := e.Dictionary.Info()
	id := f.reader.info.Locations[run.Location].ID
	for i := range run.Events {
		leaf := &info[e.Leaves[at+i]]
		switch leaf.Class {
		case encode.Enter, encode.ContextEnter:
			f.enter(id, callKey{leaf.Key, leaf.Class == encode.ContextEnter}, e.Times[at+i], run.First+uint64(i))
		case encode.Leave, encode.ContextLeave:
			f.leave(callKey{leaf.Key, leaf.Class == encode.ContextLeave}, e.Times[at+i], run.First+uint64(i))
		}
	}
}

func (f *follower) enter(location uint64, k callKey, t int64, ordinal uint64) {
	c := trace.Call{Location: location, Start: t, Ordinal: ordinal, Depth: len(f.stack), Parent: trace.Undefined}
	c.Region, c.Context = f.region(k)
	if n := len(f.stack); n > 0 {
		c.Parent = f.at(f.stack[n-1]).Ordinal
	}
	f.stack = append(f.stack, len(f.calls))
	f.calls = append(f.calls, c)
	f.keys = append(f.keys, k)
}

func (f *follower) at(i int) *trace.Call {
	if i < 0 {
		return &f.baseCalls[^i]
	}
	return &f.calls[i]
}

func (f *follower) key(i int) callKey {
	if i < 0 {
		return f.baseKeys[^i]
	}
	return f.keys[i]
}

// leave closes the nearest open call of the key, and those further in.
func (f *follower) leave(k callKey, t int64, ordinal uint64) {
	n := len(f.stack) - 1
	for n >= 0 && f.key(f.stack[n]) != k {
		n--
	}
	if n < 0 {
		return
	}
	for top := len(f.stack) - 1; top >= n; top-- {
		if i := f.stack[top]; i >= 0 { // what began earlier is known already
			f.close(top, t, ordinal, top > n)
		}
	}
	f.stack = f.stack[:n]
}

func (f *follower) close(top int, t int64, ordinal uint64, cut bool) {
	c := &f.calls[f.stack[top]]
	c.End, c.EndOrdinal = t, ordinal
	c.Exclusive += t - c.Start // children have been taken off
	if cut {
		c.Flags |= trace.CallCut
	}
	if top > 0 && f.stack[top-1] >= 0 {
		parent := &f.calls[f.stack[top-1]]
		parent.Children++
		parent.Exclusive -= t - c.Start
	}
}

// outlasting completes the calls of a run that are open when the slice ends.
func (f *follower) outlasting(run *encode.Run) error {
	for _, i := range f.stack {
		if i < 0 {
			continue
		}
		c := &f.calls[i]
		if len(f.begin) == 0 || f.begin[0].Location != run.Location || f.begin[0].Ordinal != c.Ordinal {
			return format.Corruptf("calls block", -1, "no item for the call of location %d at event %d", c.Location, c.Ordinal)
		}
		depth, parent := c.Depth, c.Parent
		*c = f.call(&f.begin[0])
		c.Depth, c.Parent = depth, parent
		f.begin = f.begin[1:]
	}
	return nil
}

// StackAt returns the calls that are open on a location after all its events at or before t, outermost first.
func (r *Reader) StackAt(location uint64, t int64) ([]trace.Call, error) {
	index, ok := r.byID[location]
	if !ok {
		return nil, nil
	}
	slice, ok, err := r.sliceAt(t)
	if err != nil || !ok {
		return nil, err
	}
	lane := r.info.Locations[index].Lane
	if uint64(lane) >= r.root.Lanes {
		return nil, nil
	}
	calls, err := r.calls(slice, lane)
	if err != nil {
		return nil, err
	}
	next, active, err := r.nextOrdinal(slice, lane, index, t)
	if err != nil {
		return nil, err
	}
	var stack []trace.Call
	for _, list := range [][]trace.Call{calls.open, calls.begin} {
		for _, c := range list {
			if c.Location == location && (!active || c.Ordinal < next && c.EndOrdinal >= next) {
				stack = append(stack, c)
			}
		}
	}
	return stack, nil
}

// nextOrdinal returns the ordinal of a location's first event after t; active is false if it has no event in the slice.
func (r *Reader) nextOrdinal(slice uint64, lane, location uint32, t int64) (next uint64, active bool, err error) {
	e, err := r.events(slice, lane)
	if err != nil || e == nil {
		return 0, false, err
	}
	for i := range e.Runs {
		if e.Runs[i].Location == location {
			from, to := e.Span(i)
			return e.Runs[i].First + uint64(lowerBound(e.Times[from:to], t+1)), true, nil
		}
	}
	return 0, false, nil
}
