package tracegen

import (
	"fmt"

	"github.com/pandotrace/pando/trace"
)

// Refinement returns the trace of an irregular program, in memory: each rank refines blocks of its own to depths and in orders of its own, so that
// no two ranks have the same calls. Each has about the given number of calls. Equal arguments give equal traces.
func Refinement(ranks, calls int, seed uint64) trace.Source {
	r := &refinement{Trace: New(trace.Meta{Format: "refinement", Resolution: 1_000_000_000})}
	r.main, r.step, r.reduce = r.Region("main"), r.Region("step"), r.Region("MPI_Allreduce")
	for level := range refinementLevels {
		r.blocks = append(r.blocks, r.Region(fmt.Sprintf("block_level_%d", level)))
	}
	for _, name := range []string{"prepare", "smooth", "interpolate", "restrict", "flux", "MPI_Isend", "MPI_Irecv", "MPI_Waitall"} {
		r.kernels = append(r.kernels, r.Region(name))
	}
	for rank := range ranks {
		w := refining{refinement: r, dice: newDice(seed, uint64(rank)), left: calls}
		w.batch = r.Location(uint64(rank), r.Process(fmt.Sprintf("rank %d", rank)))
		w.run()
	}
	return r
}

// refinementLevels is the number of levels of blocks.
const refinementLevels = 8

// refinement is the program.
type refinement struct {
	*Trace
	main, step, reduce uint64
	blocks, kernels    []uint64
}

// refining is a rank that runs it.
type refining struct {
	*refinement
	dice
	batch *trace.Batch
	now   int64
	left  int // calls
}

func (w *refining) put(kind trace.Kind, region uint64) {
	w.now += 100 + 10*w.Int64N(50)
	w.batch.Append(kind, w.now, region)
}

// call makes a call of a region.
func (w *refining) call(region uint64, inside func()) {
	w.left--
	w.put(trace.KindEnter, region)
	inside()
	w.put(trace.KindLeave, region)
}

func (w *refining) run() {
	w.call(w.main, func() {
		for w.left > 0 {
			w.call(w.step, func() {
				w.block(0)
				w.call(w.reduce, func() {})
			})
		}
	})
}

// block works on a block, and refines parts of it.
func (w *refining) block(level int) {
	w.call(w.blocks[level], func() {
		for range 1 + w.IntN(5) {
			if level+1 < len(w.blocks) && w.left > 0 && w.IntN(3) > 0 {
				w.block(level + 1)
			} else {
				w.call(w.kernels[w.IntN(len(w.kernels))], func() {})
			}
		}
	})
}
