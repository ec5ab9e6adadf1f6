package vectors

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/format"
)

// marks adds files with faulty marks of ends, made of the first block of marks.
func (f *faulty) marks() {
	for _, v := range []struct {
		name, says string
		change     func(m *slice.Marks, at *slice.PairMark) // which is a mark of the first slice
	}{
		{"marks-of-another-group", "it belongs to group", func(m *slice.Marks, _ *slice.PairMark) { m.Group++ }},
		{"marks-of-a-slice-of-another-group", "is not of group", func(m *slice.Marks, _ *slice.PairMark) { m.Slices[len(m.Slices)-1].Slice += 100 }},
		{"mark-of-an-end-that-is-not-there", "a pair mark of end", func(m *slice.Marks, _ *slice.PairMark) {
			pairs := m.Slices[0].Pairs
			pairs[len(pairs)-1].Ends += 1000
		}},
		{"mark-of-a-send-that-passes-over-others", "is a send that passes over", func(_ *slice.Marks, at *slice.PairMark) { at.Skip = 1 }},
		{"marks-that-are-one", "are out of range", func(m *slice.Marks, _ *slice.PairMark) {
			of := &m.Slices[0]
			last := of.Pairs[len(of.Pairs)-1]
			of.Pairs = append(of.Pairs, slice.PairMark{Endpoint: last.Endpoint + last.Ends, Ends: 1, Skip: last.Skip})
		}},
	} {
		f.mark(v.name, v.says, v.change)
	}
}

// mark adds a file with changed marks: with that mark of the first slice of which an error says something.
func (f *faulty) mark(name, says string, change func(m *slice.Marks, at *slice.PairMark)) {
	block := f.first(format.BlockMarks)
	for i := 0; ; i++ {
		m, err := slice.ParseMarks(f.blocks[block].Payload, format.Limits{})
		if err != nil || i == len(m.Slices[0].Pairs) {
			f.err = errors.Join(f.err, err, fmt.Errorf("%s: no mark does it", name))
			return
		}
		change(m, &m.Slices[0].Pairs[i])
		file := f.with(block, m.Append(nil))
		if _, err := readAll(file); err != nil && strings.Contains(err.Error(), says) {
			f.add(name, "content", file)
			return
		}
	}
}
