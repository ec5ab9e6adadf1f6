package store

import (
	"encoding/binary"
	"math/bits"
	"sync"

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

// sampleLog is what values of counters come to, in the order in which they came: uvarint slice, and a packed [index.MetricRow].
type sampleLog []byte

func (l *sampleLog) add(slice uint64, r *index.MetricRow) {
	*l = r.Pack(binary.AppendUvarint(*l, slice))
}

// each calls f for each entry.
func (l sampleLog) each(f func(slice uint64, r index.MetricRow)) {
	for b := []byte(l); len(b) > 0; {
		var slice uint64
		var r index.MetricRow
		slice, b = nextWord(b)
		r, b = index.UnpackMetricRow(b)
		f(slice, r)
	}
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
	l.add(part, run, &r)
	if l.entries >= logEntries && l.entries >= 2*l.kept {
		l.compact(part)
		n.bad[part] = n.bad[part] || l.over
	}
}

// logEntries is the number of entries from which on a log is compacted.
const logEntries = 1 << 15

// sumLog is rows to be added up, run by run.
//
// When it has many, those that belong together are added up: what is left grows with the number of locations, regions and partners
// of messages, not with the number of calls and messages.
type sumLog struct {
	runs          []runLog // by the place of their run
	entries, kept int      // now, and after it was last compacted
	over          bool     // a sum is too large
}

// runLog is the rows of a run, in the order in which they came, each
//
//	uvarints  words of the key, sums: as many as the part has
type runLog struct {
	b       []byte
	entries int
}

// place numbers the runs of a node: each comes between the two that it consists of.
func (r childRun) place() int { return (2*r.number+1)<<r.power - 1 }

func (l *sumLog) add(part index.Part, run childRun, r *index.Row) {
	at := run.place()
	for len(l.runs) <= at {
		l.runs = append(l.runs, runLog{})
	}
	to := &l.runs[at]
	if to.b == nil && at >= 2 {
		before := len(l.runs[at-2].b) // the run next to it is as long, mostly
		to.b = make([]byte, 0, before+before/8)
	}
	to.add(part, r)
	l.entries++
}

func (l *runLog) add(part index.Part, r *index.Row) {
	words, sums := part.Fields()
	b := l.b
	for _, w := range r.Key[:words] {
		b = binary.AppendUvarint(b, w)
	}
	for _, sum := range r.Sums[:sums] {
		b = binary.AppendUvarint(b, sum)
	}
	l.b = b
	l.entries++
}

// compacting is held while a log that takes much memory for that is compacted: 64 bytes for each entry instead of a dozen.
var compacting sync.Mutex

func (l *sumLog) compact(part index.Part) {
	if l.entries >= 2*logEntries {
		compacting.Lock()
		defer compacting.Unlock()
	}
	l.entries = 0
	for i := range l.runs {
		run := &l.runs[i]
		v, ok := index.SortVector(run.appendRows(make([]index.Row, 0, run.entries), part))
		l.over = l.over || !ok
		run.b, run.entries = run.b[:0], 0
		for i := range v {
			run.add(part, &v[i])
		}
		l.entries += run.entries
	}
	l.kept = l.entries
}

// of returns the rows of a run.
func (l *sumLog) of(run childRun) *runLog {
	if at := run.place(); at < len(l.runs) {
		return &l.runs[at]
	}
	return &runLog{}
}

// appendRows appends the rows of a part.
func (l *runLog) appendRows(dst []index.Row, part index.Part) []index.Row {
	words, sums := part.Fields()
	for b := l.b; len(b) > 0; {
		dst = append(dst, index.Row{})
		r := &dst[len(dst)-1]
		for w := range words {
			r.Key[w], b = nextWord(b)
		}
		for i := range sums {
			r.Sums[i], b = nextWord(b)
		}
	}
	return dst
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
