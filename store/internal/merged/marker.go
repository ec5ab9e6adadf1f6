package merged

import (
	"slices"
	"sort"

	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/trace"
)

// Marker chooses marks such that not too much lies between those that follow each other.
type Marker struct {
	every int // of the weights of a run's things, one is a mark
	marks []Mark
}

// NewMarker returns a marker for a number of runs, with at most `most` events between two marks.
func NewMarker(most, runs int) *Marker { return &Marker{every: max(1, most/(2*max(1, runs)))} }

// Run notes marks of a location, of which there are n things. at returns the place of one, before the weight of the first i of them.
func (m *Marker) Run(n int, at func(i int) Mark, before func(i int) int) {
	for next := m.every; n > 0 && next < before(n); {
		i := sort.Search(n, func(i int) bool { return before(i+1) > next })
		m.marks = append(m.marks, at(i))
		next = max(next+m.every, before(i+1))
	}
}

// Events notes marks among events.
func (m *Marker) Events(e *slice.Events) error {
	for i := range e.Runs {
		b, err := e.Batch(i)
		if err != nil {
			return err
		}
		run := &e.Runs[i]
		m.Run(b.Len(), func(i int) Mark { return Mark{b.Times[i], run.Location, run.First + uint64(i)} }, func(i int) int { return weightBefore(b, i) })
	}
	return nil
}

// weightBefore returns how many words, attributes and times the first i events of a batch have.
func weightBefore(b *trace.Batch, i int) int {
	n := i + int(b.Starts[i])
	if len(b.AttrStarts) > 0 {
		n += int(b.AttrStarts[i])
	}
	return n
}

// Add takes the marks that another marker has noted.
func (m *Marker) Add(o *Marker) { m.marks = append(m.marks, o.marks...) }

// Chosen returns every so manieth mark of all runs.
func (m *Marker) Chosen(runs int) (marks []Mark) {
	slices.SortFunc(m.marks, Mark.Compare)
	for i := runs; i < len(m.marks); i += max(1, runs) {
		marks = append(marks, m.marks[i])
	}
	return marks
}
