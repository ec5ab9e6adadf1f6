package slice

import (
	"slices"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/format"
)

// PairMark notes ends of messages that follow each other and are not simply paired with the next of their channel in the same slice.
type PairMark struct {
	// Endpoint is the number of the first one among those of the block, in the order of its events; Ends how many there are, at least 1.
	Endpoint, Ends uint32
	// Skip is the number of free sends of its channel that each passes over, a receive, not 0; Unpaired if their
	// partners are not in this slice.
	Skip uint32
}

// Unpaired marks endpoints without a partner in their slice.
const Unpaired = ^uint32(0)

// AppendMark marks the next endpoint of a block that has a mark.
func AppendMark(marks []PairMark, endpoint, skip uint32) []PairMark {
	if n := len(marks); n > 0 {
		if m := &marks[n-1]; m.Skip == skip && m.Endpoint+m.Ends == endpoint {
			m.Ends++
			return marks
		}
	}
	return append(marks, PairMark{endpoint, 1, skip})
}

// code returns what stands for the mark: 0 if its endpoints are unpaired, else what they skip.
func (p PairMark) code() uint64 {
	if p.Skip == Unpaired {
		return 0
	}
	return uint64(p.Skip)
}

// Marks are the pair marks of one lane in one group of slices. They stand beside the slices: which ends of a slice belong together depends
// on other lanes, and blocks of slices do not.
type Marks struct {
	Group uint64
	Lane  uint32
	// Slices are those that have marks, by rising numbers.
	Slices []SliceMarks
}

// SliceMarks are the marks of a slice, by rising endpoints.
type SliceMarks struct {
	Slice uint64
	Pairs []PairMark
}

// Of returns the marks of a slice. There need not be any marks.
func (m *Marks) Of(slice uint64) []PairMark {
	if m == nil {
		return nil
	}
	i, ok := slices.BinarySearchFunc(m.Slices, slice, func(s SliceMarks, n uint64) int {
		switch {
		case s.Slice < n:
			return -1
		case s.Slice > n:
			return 1
		}
		return 0
	})
	if !ok {
		return nil
	}
	return m.Slices[i].Pairs
}

// Memory returns about how many bytes the marks take.
func (m *Marks) Memory() int64 {
	n := 64 + 32*len(m.Slices)
	for i := range m.Slices {
		n += 12 * len(m.Slices[i].Pairs)
	}
	return int64(n)
}

// The contexts of the model of marks are
//
//	0  slices but the first one: number, less that of the one before and 1
//	1  slices: number of marks, less 1
//	2  first mark of each slice: number of its first endpoint
//	3  other marks: number of the first endpoint, less that behind the last one of the mark before
//	4  marks: number of endpoints, less 1
//	5  marks: 0 for unpaired endpoints, else the number of free sends that each passes over
const (
	markSlices = iota
	markCounts
	markFirsts
	markGaps
	markEnds
	markSkips
	markContexts
)

const marksSection = "marks block"

// Append appends marks, of which there is one at least:
//
//	uvarint  group
//	uvarint  lane
//	uvarint  number of the first slice that has marks
//	uvarint  number of slices that have marks
//	uvarint  number of marks
//	bytes    model
//	bytes    values of its contexts, coded by it
//	zeros    until there is a byte for each 8 slices and marks
func (m *Marks) Append(dst []byte) []byte {
	from := len(dst)
	counts, values := m.flatten()
	b := column.NewBuilder(markContexts)
	b.Add(counts, values)
	model := b.Build()
	for _, n := range []uint64{m.Group, uint64(m.Lane), m.Slices[0].Slice, uint64(len(m.Slices)), uint64(counts[markSkips])} {
		dst = format.AppendUvarint(dst, n)
	}
	dst = format.AppendBytes(dst, model.Append(nil))
	dst = format.AppendBytes(dst, model.Encode(nil, counts, values))
	return format.Fill(dst, from, leastMarkBytes(len(m.Slices), counts[markSkips]))
}

func leastMarkBytes(slices, marks int) int { return format.LeastBytes(slices + marks) }

// flatten lists the values of the contexts one after the other.
func (m *Marks) flatten() (counts []int, values []uint64) {
	var of [markContexts][]uint64
	for i := range m.Slices {
		s := &m.Slices[i]
		if i > 0 {
			of[markSlices] = append(of[markSlices], s.Slice-m.Slices[i-1].Slice-1)
		}
		of[markCounts] = append(of[markCounts], uint64(len(s.Pairs)-1))
		of[markFirsts] = append(of[markFirsts], uint64(s.Pairs[0].Endpoint))
		for j, p := range s.Pairs {
			if j > 0 {
				of[markGaps] = append(of[markGaps], uint64(p.Endpoint-s.Pairs[j-1].Endpoint-s.Pairs[j-1].Ends))
			}
			of[markEnds] = append(of[markEnds], uint64(p.Ends-1))
			of[markSkips] = append(of[markSkips], p.code())
		}
	}
	for _, list := range of {
		counts, values = append(counts, len(list)), append(values, list...)
	}
	return counts, values
}

// ParseMarks reads what Append wrote.
func ParseMarks(b []byte, limits format.Limits) (*Marks, error) {
	r := format.NewDecoder(marksSection, b)
	m := &Marks{Group: r.Uvarint(), Lane: uint32(r.Int(1 << 32))}
	first, n, total := r.Uvarint(), r.Int(1<<16), r.Int(1<<31)
	if n == 0 || total < n || format.TooDense(uint64(n+total), len(b)) {
		r.Fail("%d slices with %d marks in %d bytes", n, total, len(b))
	}
	model, block := r.Bytes(), r.Bytes()
	if r.Err() != nil {
		return nil, r.Err()
	}
	coded, err := column.ParseModel(model)
	if err != nil {
		return nil, err
	}
	if coded.Contexts() != markContexts {
		return nil, format.Corruptf(marksSection, -1, "%d contexts, should be %d", coded.Contexts(), markContexts)
	}
	counts := []int{n - 1, n, n, total - n, total, total}
	values := make([]uint64, 2*n-1+3*total)
	if err := coded.Decode(values, block, counts); err != nil {
		return nil, err
	}
	var of [markContexts][]uint64
	for i, n := range counts {
		of[i], values = values[:n], values[n:]
	}
	m.read(r, first, of, limits.WithDefaults())
	return m, r.FinishFilled(leastMarkBytes(n, total))
}

// read makes slices and marks of the values of the contexts.
func (m *Marks) read(r *format.Decoder, slice uint64, of [markContexts][]uint64, limits format.Limits) {
	n, left := len(of[markCounts]), len(of[markSkips])
	pairs := make([]PairMark, left)
	m.Slices = make([]SliceMarks, 0, n)
	for i := range n {
		if i > 0 {
			slice += of[markSlices][i-1] + 1
		}
		if i > 0 && (of[markSlices][i-1] >= 1<<16 || slice <= m.Slices[i-1].Slice) || of[markCounts][i] >= uint64(len(pairs)-(n-1-i)) {
			r.Fail("slice %d of those that have marks is out of range", i)
			return
		}
		marks := int(of[markCounts][i]) + 1
		s := SliceMarks{slice, pairs[:marks:marks]}
		if !readPairMarks(s.Pairs, of[markFirsts][i], of[markGaps][:marks-1], of[markEnds], of[markSkips], uint64(limits.LaneEvents)) {
			r.Fail("marks of slice %d are out of range", slice)
			return
		}
		of[markGaps], of[markEnds], of[markSkips], pairs = of[markGaps][marks-1:], of[markEnds][marks:], of[markSkips][marks:], pairs[marks:]
		m.Slices = append(m.Slices, s)
	}
	if len(pairs) > 0 {
		r.Fail("%d marks belong to no slice", len(pairs))
	}
}

// readPairMarks sets the marks of a slice, of endpoints below a limit.
func readPairMarks(marks []PairMark, first uint64, gaps, ends, skips []uint64, limit uint64) bool {
	next := uint64(0)
	for i := range marks {
		gap := first
		if i > 0 {
			gap = gaps[i-1]
		}
		if max(gap, ends[i]) >= limit || next+gap+ends[i] >= limit || skips[i] >= 1<<32-1 {
			return false
		}
		m := PairMark{Endpoint: uint32(next + gap), Ends: uint32(ends[i] + 1), Skip: uint32(skips[i])}
		if skips[i] == 0 {
			m.Skip = Unpaired
		}
		if i > 0 && gap == 0 && marks[i-1].Skip == m.Skip { // they are one
			return false
		}
		marks[i] = m
		next += gap + ends[i] + 1
	}
	return true
}
