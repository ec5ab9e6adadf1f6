package serve

import (
	"context"
	"runtime"
	"time"

	"github.com/pandotrace/pando/convert/columnar"
	"github.com/pandotrace/pando/internal/report/summary"
	"github.com/pandotrace/pando/internal/serve/gate"
	"github.com/pandotrace/pando/store"
)

// kind is a kind of question. Each kind has a gate of its own, so that no kind takes the turns or the memory of another.
type kind uint8

const (
	small  kind = iota // answers from memory, or from few slices; every question begins as a small one
	large              // long tables, and summaries and pictures of many events
	ranges             // parts of files
	kinds
	direct = kinds // answers about the server, by no gate: they tell how it is when it has too much to do
)

// kindNames are the names of kinds in metrics.
var kindNames = [kinds]string{"small", "large", "ranges"}

const (
	// smallWork is the memory of a small answer, smallBytes its largest length. An answer that turns out longer becomes a large one.
	smallWork  = 4 << 20
	smallBytes = 1 << 20
	// smallEvents is the largest number of events in the slices that a small answer needs, smallCells that of numbers in it.
	smallEvents = 1 << 16
	smallCells  = 1 << 14
	// largeWork is the memory of a large answer without its events. eventWork is the memory of one event, decoded and as a row.
	largeWork = 4 << 20
	eventWork = 128
	// rangeWork is the memory of a part of a file that is being sent.
	rangeWork = 64 << 10
	// leastMemory is the least budget.
	leastMemory = 64 << 20
)

// firstWork is the memory of a question of each kind as it begins.
var firstWork = [kinds]int64{small: smallWork, large: largeWork, ranges: rangeWork}

// Parts of the budget, in 32nds. The rest is for garbage that has not been collected, and for connections.
const (
	cacheParts, smallParts, largeParts, rangeParts, openParts = 7, 4, 8, 1, 3
	allParts                                                  = 32
)

// newGates divides memory among the kinds.
func newGates(memory int64) (g [kinds]*gate.Gate) {
	part, processors := memory/allParts, runtime.GOMAXPROCS(0)
	g[small] = gate.New(gate.Limits{Room: part * smallParts, Turns: 4 * processors, Places: 256, Patience: time.Second})
	g[large] = gate.New(gate.Limits{Room: part * largeParts, Turns: max(1, processors/2), Places: 32, Patience: time.Second})
	g[ranges] = gate.New(gate.Limits{Room: part * rangeParts, Turns: int(part * rangeParts / rangeWork), Places: 128, Patience: time.Second})
	return g
}

// work is the cost of a question about a window.
type work struct {
	events uint64 // in slices that must be decoded
	cells  uint64 // numbers in the answer
	bytes  int64  // of memory besides
}

// isSmall reports whether a question may be answered among the small ones.
func (w work) isSmall() bool {
	return w.events <= smallEvents && w.cells <= smallCells && w.bytes <= smallBytes
}

// memory returns the memory of the answer, in bytes: a slice for each processor that decodes one, and one that is written.
func (w work) memory(r *store.Reader) int64 {
	i := r.Info()
	atOnce := min(w.events, i.Events/max(i.Slices, 1)*uint64(runtime.GOMAXPROCS(0)+1))
	return largeWork + w.bytes + int64(atOnce)*eventWork
}

// needs makes a question with more work than a small one a large question, which may have to wait again.
func (r *request) needs(w work) error {
	if r.kind != small || w.isSmall() {
		return nil
	}
	return r.enlarge(w.memory(r.reader()))
}

// enlarge makes the question a large one. Nothing may have been sent.
func (r *request) enlarge(bytes int64) error {
	r.out.leave()
	r.kind = large
	return r.enter(r.Context(), bytes)
}

// enter waits until the gate of the question's kind admits it.
func (r *request) enter(ctx context.Context, bytes int64) error {
	begin := time.Now()
	s, err := r.gates[r.kind].Enter(ctx, clientOf(r.Request), bytes, r.out.cut)
	r.out.waited += time.Since(begin)
	if err == nil {
		r.out.stay = s
	}
	return err
}

// tableWork returns the cost of a table of a window. Parquet keeps a group of rows in memory. A limit does not bound the slices that are
// read: those before the last row may have none.
func tableWork(w window, opt *columnar.Options) work {
	need := work{events: w.events}
	if opt.Format == columnar.Parquet {
		rows := min(w.events, parquetRows)
		if opt.Limit > 0 {
			rows = min(rows, uint64(opt.Limit))
		}
		need.bytes = int64(rows * parquetRow)
	}
	return need
}

// parquetRows is the largest number of rows of a row group, parquetRow the memory of a row until its group is written, in bytes.
const parquetRows, parquetRow = 128 << 10, 64

// summaryWork returns the cost of a summary: the slices at the ends of the window, and numbers for the regions of each location, which are
// usually few. Call paths follow all events.
func summaryWork(w window, by string) work {
	const ends, regions = 4, 32
	if by == summary.ByCallPath {
		return work{events: w.events, bytes: callPathMemory}
	}
	return work{events: min(w.events, ends*w.sliceEvents), cells: uint64(w.lines) * regions}
}

// callPathMemory bounds the memory for the call paths of an answer, in bytes.
const callPathMemory = 64 << 20

// analysisMemory bounds the memory for an analysis, in bytes.
const analysisMemory = 64 << 20

// chartWork returns the cost of a timeline: slices at the ends of the window, and a cell for each pixel of each location.
func chartWork(w window, pixels int) work {
	const ends = 4
	return work{events: min(w.events, ends*w.sliceEvents), cells: uint64(w.lines) * uint64(pixels)}
}
