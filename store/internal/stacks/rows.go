package stacks

import (
	"sync"

	"github.com/pandotrace/pando/trace"
)

// Rows are calls as columns, in runs.
type Rows struct {
	trace.CallBatch
	Runs []Run
}

// Run is rows that follow each other: calls of one location, ordered by ordinal.
type Run struct {
	Location uint32 // its index
	Open     bool   // they go on when the slice begins; else they are entered in it
	From, To int
}

// Room is memory for the calls of a slice that nobody needs any longer.
var Room = sync.Pool{New: func() any { return new(Rows) }}

// Reset takes all calls away.
func (c *Rows) Reset() {
	c.Resize(0)
	c.Runs = c.Runs[:0]
}

// Append adds a call of a location behind others of it.
func (c *Rows) Append(location uint32, call *trace.Call) {
	c.extend(location, false)
	c.CallBatch.Append(call)
	c.Runs[len(c.Runs)-1].To++
}

// AppendRange adds the calls from to to-1 of a batch, which are of a location, behind others of it.
func (c *Rows) AppendRange(location uint32, b *trace.CallBatch, from, to int) {
	if from >= to {
		return
	}
	c.extend(location, false)
	c.CallBatch.AppendRange(b, from, to)
	c.Runs[len(c.Runs)-1].To += to - from
}

// extend makes the last run one of a location to which the next rows belong.
func (c *Rows) extend(location uint32, open bool) {
	if n := len(c.Runs); n == 0 || c.Runs[n-1].Location != location || c.Runs[n-1].Open != open {
		c.Runs = append(c.Runs, Run{location, open, c.Len(), c.Len()})
	}
}
