package tracegen

import (
	"fmt"

	"github.com/pandotrace/pando/trace"
)

// Exchange returns the trace of a program that sends to the right neighbour and receives from the left one in every iteration. With
// tags, each iteration has a tag of its own; lengths is the number of different lengths of messages, which are drawn. Equal
// arguments give equal traces.
func Exchange(ranks, iterations int, tags bool, lengths int64, seed uint64) *Trace {
	t := New(trace.Meta{Format: "exchange", Resolution: 1_000_000_000})
	step, work, send, receive := t.Region("step"), t.Region("work"), t.Region("MPI_Send"), t.Region("MPI_Recv")
	var locations []uint64
	for rank := range uint64(ranks) {
		t.Location(rank, t.Process(fmt.Sprintf("rank %d", rank)))
		locations = append(locations, rank)
	}
	world := t.Comm(t.CommLocations(locations...))
	n := uint64(ranks)
	drawn := newDice(seed, n)
	length := make([]uint64, ranks) // of what each rank sends
	dice := make([]dice, ranks)
	for rank := range dice {
		dice[rank] = newDice(seed, uint64(rank))
	}
	now := make([]int64, ranks)
	for i := range iterations {
		tag := uint64(0)
		if tags {
			tag = uint64(i)
		}
		for rank := range length {
			length[rank] = 8 * uint64(drawn.Int64N(lengths))
		}
		for rank := range n {
			b := t.Events(rank)
			put := func(kind trace.Kind, words ...uint64) {
				now[rank] += 50 + 10*dice[rank].Int64N(8)
				b.Append(kind, now[rank], words...)
			}
			left, right := (rank+n-1)%n, (rank+1)%n
			now[rank] = max(now[rank], int64(i)*10_000)
			put(trace.KindEnter, step)
			put(trace.KindEnter, work)
			put(trace.KindLeave, work)
			put(trace.KindEnter, send)
			put(trace.KindMpiSend, right, world, tag, length[rank])
			put(trace.KindLeave, send)
			put(trace.KindEnter, receive)
			put(trace.KindMpiRecv, left, world, tag, length[left])
			put(trace.KindLeave, receive)
			put(trace.KindLeave, step)
		}
	}
	return t
}
