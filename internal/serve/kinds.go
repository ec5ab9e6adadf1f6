package serve

import (
	"context"
	"runtime"
	"time"

	"github.com/pandotrace/pando/convert/columnar"
	"github.com/pandotrace/pando/store"
)

// kind is a kind of question. Each has a gate of its own, so that none takes the places of another.
type kind uint8

const (
	small  kind = iota // what is answered from memory, or from few slices; every question begins as such
	large              // tables, summaries and pictures of much
	ranges             // parts of files
	kinds
)

const (
	// smallWork is the memory that a small answer may take, smallBytes its length: what turns out longer goes on as a large one.
	smallWork  = 4 << 20
	smallBytes = 1 << 20
	// smallEvents is the most events in the slices that a small answer needs, smallCells the most numbers in it.
	smallEvents = 1 << 16
	smallCells  = 1 << 14
	// largeWork is the memory of a large answer besides its events, eventWork that of an event of a slice that is worked on: decoded, and as a row.
	largeWork = 4 << 20
	eventWork = 128
	// rangeWork is the memory of a part of a file that is being sent.
	rangeWork = 64 << 10
	// leastMemory is the least budget.
	leastMemory = 64 << 20
)

// firstWork is the memory of a question of each kind as it begins.
var firstWork = [kinds]int64{small: smallWork, large: largeWork, ranges: rangeWork}

// Parts of the budget, in 32nds. What is left over is for garbage that has not been collected, and for connections.
const (
	cacheParts, smallParts, largeParts, rangeParts, openParts = 8, 4, 8, 1, 3
	allParts                                                  = 32
)

// newGates divides memory among the kinds.
func newGates(memory int64) (g [kinds]*gate) {
	part, processors := memory/allParts, runtime.GOMAXPROCS(0)
	g[small] = newGate(part*smallParts, 4*processors, 256, time.Second)
	g[large] = newGate(part*largeParts, max(1, processors/2), 32, time.Second)
	g[ranges] = newGate(part*rangeParts, int(part*rangeParts/rangeWork), 128, time.Second)
	return g
}

// work is what a question about a window needs.
type work struct {
	events uint64 // in slices that must be decoded
	cells  uint64 // numbers in the answer
	bytes  int64  // of memory besides
}

// isSmall reports whether a question may be answered among the small ones.
func (w work) isSmall() bool {
	return w.events <= smallEvents && w.cells <= smallCells && w.bytes <= smallBytes
}

// memory returns what the answer may take: slices are decoded on all processors, one more is written.
func (w work) memory(r *store.Reader) int64 {
	i := r.Info()
	atOnce := min(w.events, i.Events/max(i.Slices, 1)*uint64(runtime.GOMAXPROCS(0)+1))
	return largeWork + w.bytes + int64(atOnce)*eventWork
}

// needs makes the question a large one if it is. Only then it may have to wait again.
func (r *request) needs(w work) error {
	if r.kind != small || w.isSmall() {
		return nil
	}
	return r.enlarge(w.memory(r.reader()))
}

// enlarge goes on as a large answer, before anything was sent.
func (r *request) enlarge(bytes int64) error {
	r.out.leave()
	r.kind = large
	return r.enter(r.Context(), bytes)
}

// enter is admitted by the gate of the question's kind.
func (r *request) enter(ctx context.Context, bytes int64) error {
	s, err := r.gates[r.kind].enter(ctx, clientOf(r.Request), bytes, r.out.cut)
	if err == nil {
		r.out.stay = s
	}
	return err
}

// tableWork is what a table of a window needs. Parquet keeps a group of rows.
func tableWork(w window, format columnar.Format) work {
	need := work{events: w.events}
	if format == columnar.Parquet {
		need.bytes = int64(min(w.events, parquetRows) * parquetRow)
	}
	return need
}

// parquetRows is the number of rows that a row group may have, parquetRow the bytes that one is kept in until it is written.
const parquetRows, parquetRow = 128 << 10, 64

// summaryWork is what a summary needs: of a long window, the slices at its ends. Each location has numbers for its regions, of which it
// usually has few.
func summaryWork(w window) work {
	const ends, regions = 4, 32
	return work{events: min(w.events, ends*w.sliceEvents), cells: uint64(w.lines) * regions}
}

// chartWork is what a timeline of some pixels needs: slices at its ends, and a number of cells.
func chartWork(w window, pixels int) work {
	const ends = 4
	return work{events: min(w.events, ends*w.sliceEvents), cells: uint64(w.lines) * uint64(pixels)}
}
