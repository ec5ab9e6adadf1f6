package stacks

import (
	"slices"
	"sync"

	"github.com/pandotrace/pando/trace"
)

// Rows are calls in runs, ready for use once they are reset.
type Rows struct {
	all  []trace.Call // the first one is no call: what ends within calls that have no row is counted there
	Runs []Run
}

// Run is rows that follow each other: calls of one location, ordered by ordinal.
type Run struct {
	Location uint32 // its index
	Open     bool   // they go on when the slice begins; else they are entered in it
	From, To int
}

// RowBytes is the memory that a call takes.
const RowBytes = 96

// Room is memory for the calls of a slice that nobody needs any longer.
var Room = sync.Pool{New: func() any { return new(Rows) }}

// Reset takes all calls away.
func (c *Rows) Reset() {
	c.resize(0)
	c.Runs = c.Runs[:0]
}

// Len returns the number of calls.
func (c *Rows) Len() int { return len(c.all) - 1 }

// Calls returns the calls, to which the numbers of runs refer. They are good until others are added.
func (c *Rows) Calls() []trace.Call { return c.all[1:] }

// resize makes the number of calls n. Calls that were there stay; what further ones are is undefined.
func (c *Rows) resize(n int) { c.all = slices.Grow(c.all, max(0, n+1-len(c.all)))[:n+1] }

// Append adds a call of a location behind others of it.
func (c *Rows) Append(location uint32, call *trace.Call) {
	run := c.extend(location, false)
	c.append(call)
	run.To++
}

func (c *Rows) append(call *trace.Call) { c.all = append(c.all, *call) }

// AppendRange adds some calls of a location behind others of it.
func (c *Rows) AppendRange(location uint32, calls []trace.Call) {
	if len(calls) == 0 {
		return
	}
	run := c.extend(location, false)
	c.all = append(c.all, calls...)
	run.To += len(calls)
}

// extend returns the last run, which it makes one of a location to which the next rows belong.
func (c *Rows) extend(location uint32, open bool) *Run {
	if n := len(c.Runs); n == 0 || c.Runs[n-1].Location != location || c.Runs[n-1].Open != open {
		c.Runs = append(c.Runs, Run{location, open, c.Len(), c.Len()})
	}
	return &c.Runs[len(c.Runs)-1]
}
