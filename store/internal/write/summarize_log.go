package write

import (
	"encoding/binary"
	"math/bits"

	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/store/internal/blockio"
	"github.com/pandotrace/pando/store/internal/layout"
)

// nodeTotals is what a lane adds to a node that is not complete.
type nodeTotals struct {
	tree    index.Tree
	level   int // of the node
	logs    [tables.Metrics]sumLog
	samples sampleLog
	bad     [tables.Parts]bool // parts that nothing can be said of
}

func newNodeTotals(tree index.Tree, level int, of *blockio.Logs) *nodeTotals {
	n := &nodeTotals{tree: tree, level: level, samples: sampleLog{blockio.Log{Of: of}}}
	for part := range n.logs {
		n.logs[part].Of = of
	}
	return n
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

// childRun is a run of 2^power children of a node, the first of which is a multiple of that.
type childRun struct{ power, number int }

// runOf returns the smallest run of the node's children that has two slices.
func (n *nodeTotals) runOf(from, to uint64) childRun {
	a, b := n.tree.Ancestor(from, n.level-1)%n.tree.Fanout, n.tree.Ancestor(to, n.level-1)%n.tree.Fanout
	power := bits.Len64(a ^ b)
	return childRun{power, int(a >> power)}
}

// add adds what lies in a run of children: calls and messages with both their ends, events with themselves.
func (n *nodeTotals) add(part tables.Part, run childRun, r tables.Row) {
	l := &n.logs[part]
	l.add(part, run.place(), &r)
	if l.entries >= logEntries && l.entries >= 2*l.kept {
		l.compact(part)
		n.bad[part] = n.bad[part] || l.over
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

// place numbers the runs of a node: each comes between the two that it consists of.
func (r childRun) place() int { return (2*r.number+1)<<r.power - 1 }

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
	empty(&l.Of.Rows)
	runs, err := l.rows(part, &l.Of.Rows)
	if err != nil {
		return // whoever reads the log when it is needed gets the error, too
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
	all := take(space, l.entries)[:l.entries]
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

// take returns room for n rows.
func take(s *blockio.RowSpace, n int) []tables.Row {
	at := len(s.Rows)
	if cap(s.Rows)-at < n {
		at, s.Rows = 0, make([]tables.Row, 0, max(n, 2*cap(s.Rows)))
	}
	s.Rows = s.Rows[:at+n]
	return s.Rows[at : at : at+n]
}

// reserve ends all rows, and makes room for n that are taken piece by piece.
func reserve(s *blockio.RowSpace, n int) {
	if empty(s); cap(s.Rows) < n {
		s.Rows = make([]tables.Row, 0, n)
	}
}

// empty ends all rows.
func empty(s *blockio.RowSpace) { s.Rows = s.Rows[:0] }
