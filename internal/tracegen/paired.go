package tracegen

import (
	"math/rand/v2"

	"github.com/pandotrace/pando/trace"
)

// Paired is a trace of events that open and close pairs of all families that files list, on some locations of some processes. No two events have
// one time.
func Paired(seed uint64, processes, threads, events int) *Trace {
	r := rand.New(rand.NewPCG(seed, 5))
	src := New(trace.Meta{Resolution: 1_000_000_000})
	region := src.Region("kernel")
	var batches []*trace.Batch
	for p := range processes {
		group := src.Process("process")
		for th := range threads {
			batches = append(batches, src.Location(uint64(10*p+th), group))
		}
	}
	t := int64(0)
	for range events {
		t += 1 + r.Int64N(20)
		b := batches[r.IntN(len(batches))]
		id := r.Uint64N(3)
		switch r.IntN(16) {
		case 0:
			b.Append(trace.KindSpanBegin, t, region, id)
		case 1:
			b.Append(trace.KindSpanEnd, t, region, id)
		case 2:
			b.Append(trace.KindRmaPut, t, 0, 1, 100, id)
		case 3:
			b.Append(trace.KindRmaOpCompleteBlocking, t, 0, id)
		case 4:
			b.Append(trace.KindIoOperationBegin, t, 0, 0, 0, 4096, id)
		case 5:
			b.Append(trace.KindIoOperationComplete, t, 0, 4096, id)
		case 6:
			b.Append(trace.KindOmpAcquireLock, t, id, 1)
		case 7:
			b.Append(trace.KindOmpReleaseLock, t, id, 1)
		case 8:
			b.Append(trace.KindIntervalBegin, t, region, id)
		case 9:
			b.Append(trace.KindIntervalEnd, t, region, id)
		case 10:
			b.Append(trace.KindArrowBegin, t, 0, 0, 0, id)
		case 11:
			b.Append(trace.KindArrowEnd, t, 0, 0, 0, id)
		case 12:
			b.Append(trace.KindRmaCollectiveBegin, t)
		case 13:
			b.Append(trace.KindRmaCollectiveEnd, t, 0, 0, 0, 0, 8, 8)
		case 14: // the model of the threads is the number of a lock of OpenMP
			b.Append(trace.KindThreadAcquireLock, t, id, 0, 1)
		case 15:
			b.Append(trace.KindThreadReleaseLock, t, id, 0, 1)
		}
	}
	return src
}
