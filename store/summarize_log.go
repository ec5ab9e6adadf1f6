package store

import (
	"encoding/binary"
	"math/bits"

	"github.com/pandotrace/pando/index"
)

// nodeTotals is what a lane adds to a node that is not complete.
type nodeTotals struct {
	tree    index.Tree
	level   int // of the node
	logs    [index.Metrics]sumLog
	samples sampleLog
	bad     [index.Parts]bool // parts that nothing can be said of
}

func newNodeTotals(tree index.Tree, level int, of *logs) *nodeTotals {
	n := &nodeTotals{tree: tree, level: level, samples: sampleLog{log{of: of}}}
	for part := range n.logs {
		n.logs[part].of = of
	}
	return n
}

// sampleLog is what values of counters come to: uvarint slice, and a packed [index.MetricRow].
type sampleLog struct{ log }

func (l *sampleLog) add(slice uint64, r *index.MetricRow) {
	l.end(r.Pack(binary.AppendUvarint(l.tail, slice)))
}

// rows calls f for each entry.
func (l *sampleLog) rows(f func(slice uint64, r index.MetricRow)) error {
	return l.each(func(b []byte) {
		for len(b) > 0 {
			var slice uint64
			var r index.MetricRow
			slice, b = nextWord(b)
			r, b = index.UnpackMetricRow(b)
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
func (n *nodeTotals) add(part index.Part, run childRun, r index.Row) {
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
	log
	runs          []int // by place: number of rows
	entries, kept int   // now, and after it was last compacted
	over          bool  // a sum is too large
}

// place numbers the runs of a node: each comes between the two that it consists of.
func (r childRun) place() int { return (2*r.number+1)<<r.power - 1 }

func (l *sumLog) add(part index.Part, place int, r *index.Row) {
	words, sums := part.Fields()
	b := binary.AppendUvarint(l.tail, uint64(place))
	for _, w := range r.Key[:words] {
		b = binary.AppendUvarint(b, w)
	}
	for _, sum := range r.Sums[:sums] {
		b = binary.AppendUvarint(b, sum)
	}
	l.end(b)
	for len(l.runs) <= place {
		l.runs = append(l.runs, 0)
	}
	l.runs[place]++
	l.entries++
}

// compact adds up what belongs together. One log is compacted at a time, since a row takes 64 bytes for that instead of a dozen.
func (l *sumLog) compact(part index.Part) {
	l.of.compacting.Lock()
	defer l.of.compacting.Unlock()
	l.of.rows.empty()
	runs, err := l.rows(part, &l.of.rows)
	if err != nil {
		return // whoever reads the log when it is needed gets the error, too
	}
	l.clear()
	clear(l.runs)
	l.entries = 0
	for place, rows := range runs {
		v, ok := index.SortVector(rows)
		l.over = l.over || !ok
		for i := range v {
			l.add(part, place, &v[i])
		}
	}
	l.kept = l.entries
	if cap(l.of.rows.rows) > 4*logEntries {
		l.of.rows = rowSpace{}
	}
}

// rows returns the rows of all runs, by their places.
func (l *sumLog) rows(part index.Part, space *rowSpace) (runs [][]index.Row, err error) {
	runs = make([][]index.Row, len(l.runs))
	all := space.take(l.entries)[:l.entries]
	for place, n := range l.runs {
		runs[place], all = all[:0:n], all[n:]
	}
	words, sums := part.Fields()
	err = l.each(func(b []byte) {
		for len(b) > 0 {
			var place uint64
			place, b = nextWord(b)
			runs[place] = append(runs[place], index.Row{})
			r := &runs[place][len(runs[place])-1]
			for w := range words {
				r.Key[w], b = nextWord(b)
			}
			for i := range sums {
				r.Sums[i], b = nextWord(b)
			}
		}
	})
	return runs, err
}

func nextWord(b []byte) (word uint64, rest []byte) {
	if b[0] < 0x80 {
		return uint64(b[0]), b[1:]
	}
	word, n := binary.Uvarint(b)
	return word, b[n:]
}

// rowSpace is memory for rows that all end at once.
type rowSpace struct{ rows []index.Row }

// take returns room for n rows.
func (s *rowSpace) take(n int) []index.Row {
	at := len(s.rows)
	if cap(s.rows)-at < n {
		at, s.rows = 0, make([]index.Row, 0, max(n, 2*cap(s.rows)))
	}
	s.rows = s.rows[:at+n]
	return s.rows[at : at : at+n]
}

// empty ends all rows.
func (s *rowSpace) empty() { s.rows = s.rows[:0] }
