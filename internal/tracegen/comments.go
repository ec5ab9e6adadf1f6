package tracegen

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// Comments makes a trace of some locations with texts: comments of long words, of which there are few. Texts of a slice repeat those of others
// more than themselves. Some events in the middle say the same letter thousands of times.
func Comments(locations, events int, seed uint64) *Trace {
	t := New(trace.Meta{Resolution: 1_000_000_000})
	r := rand.New(rand.NewPCG(seed, 1))
	words := make([]string, 24)
	for i := range words {
		words[i] = fmt.Sprintf("%016x%016x%016x", r.Uint64(), r.Uint64(), r.Uint64())
	}
	region := t.Region("step")
	for l := range uint64(locations) {
		b := t.Location(l, t.Process("process"))
		for i := range events {
			text := fmt.Sprintf("step %d: ", i)
			for range 1 + r.IntN(3) {
				text += words[r.IntN(len(words))] + " "
			}
			if i >= events/2 && i < events/2+8 {
				text = strings.Repeat("x", 4000)
			}
			at := int64(100*i) + r.Int64N(50)
			b.Append(trace.KindEnter, at, region)
			b.Append(trace.KindComment, at+10, b.PutText(text))
			b.Append(trace.KindLeave, at+50, region)
		}
	}
	return t
}
