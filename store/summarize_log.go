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
	all, counts := map[childRun][]index.Row{}, l.counts()
	rows := make([]index.Row, l.entries)
	for run, n := range counts {
		all[run], rows = rows[:0:n], rows[n:]
	}
	for b := l.b; len(b) > 0; {
		run, r := childRun{}, index.Row{}
		run, b = nextRun(b)
		for w := range r.Key {
			r.Key[w], b = nextWord(b)
		}
		for i := range r.Sums {
			r.Sums[i], b = nextWord(b)
		}
		all[run] = append(all[run], r)
	}
	return all
}

// counts returns the number of rows of each run.
func (l *sumLog) counts() map[childRun]int {
	counts := map[childRun]int{}
	for b := l.b; len(b) > 0; {
		run, r := childRun{}, index.Row{}
		run, b = nextRun(b)
		counts[run]++
		for left := len(r.Key) + len(r.Sums); left > 0; b = b[1:] {
			if b[0] < 0x80 {
				left--
			}
		}
	}
	return counts
}

func nextRun(b []byte) (run childRun, rest []byte) {
	run.power = int(b[0])
	number, rest := nextWord(b[1:])
	run.number = int(number)
	return run, rest
}

func nextWord(b []byte) (word uint64, rest []byte) {
	word, n := binary.Uvarint(b)
	return word, b[n:]
}
