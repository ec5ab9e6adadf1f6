package nodes

import (
	"encoding/binary"
	"math/bits"

	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/store/internal/blockio"
	"github.com/pandotrace/pando/store/internal/layout"
)

// Totals is what a lane adds to a node that is not complete.
type Totals struct {
	tree    index.Tree
	level   int // of the node
	logs    [tables.Metrics]sumLog
	samples sampleLog
	Bad     [tables.Parts]bool // parts that nothing can be said of
}

func newTotals(tree index.Tree, level int, of *blockio.Logs) *Totals {
	n := &Totals{tree: tree, level: level, samples: sampleLog{blockio.Log{Of: of}}}
	for part := range n.logs {
		n.logs[part].Of = of
	}
	return n
}

// AddSample adds what the values of a counter in a slice come to.
func (n *Totals) AddSample(slice uint64, r *tables.MetricRow) { n.samples.add(slice, r) }

// Rows returns how many rows wait in the parts.
func (n *Totals) Rows() (rows int) {
	for part := range n.logs {
		rows += n.logs[part].entries
	}
	return rows
}

// TakeRows takes the rows of a part, by the places of their runs.
func (n *Totals) TakeRows(part tables.Part, space *blockio.RowSpace) ([][]tables.Row, error) {
	log := &n.logs[part]
	defer log.Clear()
	return log.rows(part, space)
}

// TakeSamples takes what values of counters came to, and calls f for each.
func (n *Totals) TakeSamples(f func(slice uint64, r tables.MetricRow)) error {
	defer n.samples.Clear()
	return n.samples.rows(f)
}

// sampleLog is what values of counters come to: uvarint slice, and a packed [tables.MetricRow].
type sampleLog struct{ blockio.Log }

func (l *sampleLog) add(slice uint64, r *tables.MetricRow) {
	l.End(r.Pack(binary.AppendUvarint(l.Tail, slice)))
}

// rows calls f for each entry.
func (l *sampleLog) rows(f func(slice uint64, r tables.MetricRow)) error {
	return l.Each(func(b []byte) {
		for len(b) > 0 {
			var slice uint64
			var r tables.MetricRow
			slice, b = layout.NextWord(b)
			r, b = tables.UnpackMetricRow(b)
			f(slice, r)
		}
	})
}

// Run is a run of 2^Power children of a node, the first of which is a multiple of that.
type Run struct{ Power, Number int }

// RunOf returns the smallest run of the node's children that has two slices.
func (n *Totals) RunOf(from, to uint64) Run {
	a, b := n.tree.Ancestor(from, n.level-1)%n.tree.Fanout, n.tree.Ancestor(to, n.level-1)%n.tree.Fanout
	power := bits.Len64(a ^ b)
	return Run{power, int(a >> power)}
}

// Add adds what lies in a run of children: calls and messages with both their ends, events with themselves.
func (n *Totals) Add(part tables.Part, run Run, r tables.Row) {
	l := &n.logs[part]
	l.add(part, run.Place(), &r)
	if l.entries >= logEntries && l.entries >= 2*l.kept {
		l.compact(part)
		n.Bad[part] = n.Bad[part] || l.over
	}
}

// logEntries is the number of entries from which on a log is compacted.
const logEntries = 1 << 15

// sumLog is rows to be added up, run by run, of each
//
//	uvarints  place of its run; words of the key, sums: as many as the part has
//
// When it has many, those that belong together are added up: what is left grows with the number of locations, regions and partners
// of messages, not with the number of calls and messages.
type sumLog struct {
	blockio.Log
	runs          []int // by place: number of rows
	entries, kept int   // now, and after it was last compacted
	over          bool  // a sum is too large
}

// Place numbers the runs of a node: each comes between the two that it consists of.
func (r Run) Place() int { return (2*r.Number+1)<<r.Power - 1 }

func (l *sumLog) add(part tables.Part, place int, r *tables.Row) {
	words, sums := part.Fields()
	b := binary.AppendUvarint(l.Tail, uint64(place))
	for _, w := range r.Key[:words] {
		b = binary.AppendUvarint(b, w)
	}
	for _, sum := range r.Sums[:sums] {
		b = binary.AppendUvarint(b, sum)
	}
	l.End(b)
	for len(l.runs) <= place {
		l.runs = append(l.runs, 0)
	}
	l.runs[place]++
	l.entries++
}

// compact adds up what belongs together. One log is compacted at a time, since a row takes 64 bytes for that instead of a dozen.
func (l *sumLog) compact(part tables.Part) {
	l.Of.Compacting.Lock()
	defer l.Of.Compacting.Unlock()
	l.Of.Rows.Empty()
	runs, err := l.rows(part, &l.Of.Rows)
	if err != nil {
		return // reading the log returns the error, too
	}
	l.Clear()
	clear(l.runs)
	l.entries = 0
	for place, rows := range runs {
		v, ok := tables.SortVector(rows)
		l.over = l.over || !ok
		for i := range v {
			l.add(part, place, &v[i])
		}
	}
	l.kept = l.entries
	if cap(l.Of.Rows.Rows) > 4*logEntries {
		l.Of.Rows = blockio.RowSpace{}
	}
}

// rows returns the rows of all runs, by their places.
func (l *sumLog) rows(part tables.Part, space *blockio.RowSpace) (runs [][]tables.Row, err error) {
	runs = make([][]tables.Row, len(l.runs))
	all := space.Take(l.entries)[:l.entries]
	for place, n := range l.runs {
		runs[place], all = all[:0:n], all[n:]
	}
	words, sums := part.Fields()
	err = l.Each(func(b []byte) {
		for len(b) > 0 {
			var place uint64
			place, b = layout.NextWord(b)
			runs[place] = append(runs[place], tables.Row{})
			r := &runs[place][len(runs[place])-1]
			for w := range words {
				r.Key[w], b = layout.NextWord(b)
			}
			for i := range sums {
				r.Sums[i], b = layout.NextWord(b)
			}
		}
	})
	return runs, err
}
