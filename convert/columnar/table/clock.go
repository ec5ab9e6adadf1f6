package table

import "github.com/pandotrace/pando/trace"

// Nanoseconds converts ticks of the trace's clock to nanoseconds, see [trace.Nanoseconds].
func (x *Catalog) Nanoseconds(ticks int64) int64 { return trace.Nanoseconds(ticks, x.resolution) }

// Resolution returns the number of ticks per second.
func (x *Catalog) Resolution() uint64 { return x.resolution }
