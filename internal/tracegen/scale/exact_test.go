package scale

import (
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

// Exact returns the base with its body repeated to the tick: what a played trace would be if times were not drawn.
func Exact(b *Base, repetitions int) trace.Source {
	t := tracegen.New(*b.meta)
	for _, r := range b.definitions.Log {
		t.DefineRecord(r)
	}
	for _, l := range b.locations {
		out := t.Events(l.id)
		shift := int64(0)
		put := func(from, to int) {
			for i := from; i < to; i++ {
				out.AppendFrom(&l.events, i, b.meta.Table())
				out.Times[out.Len()-1] = b.clock.time(l.events.Times[i]+shift, 0)
			}
		}
		put(0, l.to)
		for range repetitions - 1 {
			shift += b.length
			put(l.from, l.to)
		}
		put(l.to, l.events.Len())
	}
	return t
}
