package tracegen

import (
	"math/rand/v2"

	"github.com/pandotrace/pando/trace"
)

// Moods makes a trace of one location whose calls are short for a while, then long for a while: what takes long comes after what took long.
func Moods(calls int, seed uint64) *Trace {
	t := New(trace.Meta{Resolution: 1_000_000_000})
	r := rand.New(rand.NewPCG(seed, 1))
	region := t.Region("step")
	b := t.Location(0, t.Process("process"))
	at, mood := int64(0), int64(0)
	for range calls {
		if r.IntN(20) == 0 {
			mood = r.Int64N(5)
		}
		length := 3 + mood*400 + r.Int64N(32)
		b.Append(trace.KindEnter, at, region)
		b.Append(trace.KindLeave, at+length, region)
		at += length + 1 + r.Int64N(8)
	}
	return t
}
