package tracegen

import "github.com/pandotrace/pando/trace"

// Shuffle returns the trace of a program without any order: ten functions call each other at random, and times are random, too.
// Equal arguments give equal traces.
func Shuffle(locations, events int, seed uint64) *Trace {
	t := New(trace.Meta{Format: "shuffle", Resolution: 1_000_000_000})
	var regions []uint64
	for range 10 {
		regions = append(regions, t.Region("function"))
	}
	process := t.Process("process")
	for i := range locations {
		d := newDice(seed, uint64(i))
		b := t.Location(uint64(i), process)
		now := int64(0)
		longest := []int64{10, 1000, 100_000}[seed%3]
		var stack []uint64
		for range events / locations {
			now += 1 + d.Int64N(longest)
			if len(stack) == 0 || len(stack) < 20 && d.IntN(2) == 0 {
				stack = append(stack, choose(d, regions))
				b.Append(trace.KindEnter, now, stack[len(stack)-1])
				continue
			}
			b.Append(trace.KindLeave, now, stack[len(stack)-1])
			stack = stack[:len(stack)-1]
		}
	}
	return t
}
