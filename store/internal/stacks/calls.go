package stacks

import (
	"sync"

	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/trace"
)

// Calls are calls as columns, in runs. They are ready for use.
type Calls struct {
	trace.CallBatch
	Runs []Run
}

// Run is calls that follow each other: those of one location, ordered by ordinal.
type Run struct {
	Location uint32 // its index
	Open     bool   // they go on when the slice begins; else they are entered in it
	From, To int
}

// callBytes is the memory that a call takes.
const callBytes = 88

// Room is memory for the calls of a slice that nobody needs any longer.
var Room = sync.Pool{New: func() any { return new(Calls) }}

// Kept returns the calls of a slice that will be asked for again. They are not to be changed.
func Kept(r *read.File, slice uint64, lane uint32) (*Calls, error) {
	return cache.Get(r.Cache(), cache.Key{What: cache.LaneCalls, Offset: slice, Lane: lane}, func() (*Calls, int64, error) {
		steps, err := r.StepsOnce(slice, lane)
		if err != nil {
			return nil, 0, err
		}
		r.Cache().MakeRoom(int64(callBytes * steps.Enters))
		calls := new(Calls)
		if err := Follow(r, calls, slice, lane, steps, AllCalls); err != nil {
			return nil, 0, err
		}
		return calls, int64(callBytes*calls.Len() + 24*len(calls.Runs)), nil
	})
}

// Reset takes all calls away.
func (c *Calls) Reset() {
	c.Resize(0)
	c.Runs = c.Runs[:0]
}

// Append adds a call of a location behind others of it.
func (c *Calls) Append(location uint32, call *trace.Call) {
	n := c.Len()
	run := c.extend(location, false, n)
	c.Resize(n + 1)
	c.Set(n, call)
	run.To++
}

// AppendRange adds some calls of a location behind others of it.
func (c *Calls) AppendRange(location uint32, of *Calls, from, to int) {
	if from >= to {
		return
	}
	n := c.Len()
	run := c.extend(location, false, n)
	c.Resize(n + to - from)
	c.Copy(n, &of.CallBatch, from, to)
	run.To += to - from
}

// Add adds all calls of locations that have none yet.
func (c *Calls) Add(of *Calls) {
	n := c.Len()
	c.Resize(n + of.Len())
	c.Copy(n, &of.CallBatch, 0, of.Len())
	for _, run := range of.Runs {
		c.Runs = append(c.Runs, Run{run.Location, run.Open, n + run.From, n + run.To})
	}
}

// extend returns the last run, which it makes one of a location to which the calls from a number on belong.
func (c *Calls) extend(location uint32, open bool, at int) *Run {
	if n := len(c.Runs); n == 0 || c.Runs[n-1].Location != location || c.Runs[n-1].Open != open || c.Runs[n-1].To != at {
		c.Runs = append(c.Runs, Run{location, open, at, at})
	}
	return &c.Runs[len(c.Runs)-1]
}
