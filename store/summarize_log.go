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
	samples []sampleEntry
	bad     [index.Parts]bool // parts that nothing can be said of
}

type sampleEntry struct {
	slice uint64
	index.MetricRow
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
	l.add(run, &r)
	if l.entries >= logEntries && l.entries >= 2*l.kept {
		l.compact()
		n.bad[part] = n.bad[part] || l.over
	}
}

// logEntries is the number of entries from which on a log is compacted.
const logEntries = 1 << 15

// sumLog is rows to be added up, in the order in which they came, each
//
//	uvarints  power and number of the run of children, words of the key, sums
//
// When it has many, those that belong together are added up: what is left grows with the number of locations, regions and partners
// of messages, not with the number of calls and messages.
type sumLog struct {
	b             []byte
	entries, kept int  // now, and after it was last compacted
	over          bool // a sum is too large
}

func (l *sumLog) add(run childRun, r *index.Row) {
	b := append(l.b, byte(run.power))
	b = binary.AppendUvarint(b, uint64(run.number))
	for _, w := range r.Key {
		b = binary.AppendUvarint(b, w)
	}
	for _, sum := range r.Sums {
		b = binary.AppendUvarint(b, sum)
	}
	l.b = b
	l.entries++
}

func (l *sumLog) compact() {
	b := l.b
	all := l.rows()
	l.b, l.entries = b[:0], 0
	for run, rows := range all {
		v, ok := index.SortVector(rows)
		l.over = l.over || !ok
		for i := range v {
			l.add(run, &v[i])
		}
	}
	l.kept = l.entries
}

// rows returns all rows by run.
func (l *sumLog) rows() map[childRun][]index.Row {
	all := map[childRun][]index.Row{}
	b := l.b
	next := func() uint64 {
		v, n := binary.Uvarint(b)
		b = b[n:]
		return v
	}
	for len(b) > 0 {
		run, r := childRun{int(next()), int(next())}, index.Row{}
		for w := range r.Key {
			r.Key[w] = next()
		}
		for i := range r.Sums {
			r.Sums[i] = next()
		}
		all[run] = append(all[run], r)
	}
	return all
}
