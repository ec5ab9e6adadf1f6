package growing

import (
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/write/match"
	"github.com/pandotrace/pando/trace"
)

// location is what is known of a location's events so far.
type location struct {
	match.Location
	events, calls, depth uint64
	first, last          int64
	stack                []openCall
}

// openCall is a call that was entered and not left.
type openCall struct {
	key        uint64
	context    bool
	start      int64
	ordinal    uint64
	slice      uint64
	children   uint64
	childTicks int64
}

// item makes a call that ends of it.
func (c *openCall) item(location uint32, end int64, ordinal, slice uint64, flags trace.CallFlags) index.Call {
	return index.Call{
		Location: location, Key: c.key, Context: c.context, Flags: flags,
		Start: c.start, End: end, Exclusive: end - c.start - c.childTicks, Children: c.children,
		Ordinal: c.ordinal, EndOrdinal: ordinal, StartSlice: c.slice, EndSlice: slice,
	}
}

// enter opens a call.
func (l *location) enter(info *shape.LeafInfo, t int64, slice uint64) {
	l.stack = append(l.stack, openCall{key: info.Key, context: info.Class == shape.ContextEnter, start: t, ordinal: l.events, slice: slice})
	l.calls++
	l.depth = max(l.depth, uint64(len(l.stack)))
}

// leave closes the nearest open call that an event leaves, and those further in. Those that cross slices become items of nodes.
func (l *lane) leave(of *location, info *shape.LeafInfo, t int64, slice uint64) {
	context := info.Class == shape.ContextLeave
	at := len(of.stack) - 1
	for at >= 0 && (of.stack[at].key != info.Key || of.stack[at].context != context) {
		at--
	}
	if at < 0 {
		l.orphans++
		return
	}
	for top := len(of.stack) - 1; top >= at; top-- {
		c, flags := &of.stack[top], trace.CallFlags(0)
		if top > at {
			flags = trace.CallCut
			l.cut++
		}
		if c.slice != slice {
			i := c.item(of.Index, t, of.events, slice, flags)
			level, _ := l.tree.Smallest(c.slice, slice)
			l.calls.At(level).Calls.AddCall(&i)
		}
		if top > 0 {
			around := &of.stack[top-1]
			around.children++
			around.childTicks += t - c.start
		}
	}
	of.stack = of.stack[:at]
}

// open returns the calls that are open, as if they ended with the last event of all locations: the innermost first.
func (l *location) open(end int64, slice uint64) []index.Call {
	items := make([]index.Call, 0, len(l.stack))
	inside := openCall{}
	for top := len(l.stack) - 1; top >= 0; top-- {
		c := l.stack[top]
		if top < len(l.stack)-1 {
			c.children++
			c.childTicks += end - inside.start
		}
		inside = c
		items = append(items, c.item(l.Index, end, l.events, slice, trace.CallOpen))
	}
	return items
}
