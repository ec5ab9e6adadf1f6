package spec

import (
	"cmp"
	"slices"
)

// plainSummaryKey is a key of a table of summaries, with zeros behind.
type plainSummaryKey [4]uint64

// plainVector is what a run of children adds up to: the sums of a line, or its samples, with zeros behind.
type plainVector map[plainSummaryKey][8]uint64

// The parts of summaries: words of keys, fields of lines.
var plainParts = []struct{ words, fields int }{{2, 4}, {2, 2}, {3, 3}, {4, 8}}

const plainMetrics = 3

// summary reads the tables of a block: of each part the vectors, nil if nothing is said.
func (f *plainFile) summary(k plainKey, b []byte) (tables [4][]plainVector) {
	p := plain{b}
	if p.uvarint() != uint64(k.level) || p.uvarint() != k.number || p.uvarint() != k.lane {
		panic("another node")
	}
	width := uint64(1)
	for range k.level - 1 {
		width *= f.fanout
	}
	slices := min((k.number+1)*width*f.fanout, f.nSlices) - k.number*width*f.fanout
	for part := range tables {
		if b := p.bytes(); len(b) > 0 {
			tables[part] = readPlainSums(part, b, (slices+width-1)/width)
		}
	}
	p.extensions()
	return tables
}

// plainSums is a table of summaries while it is read.
type plainSums struct {
	p       plain
	part    int
	n       int // vectors
	model   *plainModel
	keys    []plainSummaryKey
	marks   []uint64
	class   []int
	classes int
	lines   [][][8]uint64 // by line and vector
}

func readPlainSums(part int, b []byte, children uint64) []plainVector {
	t := &plainSums{p: plain{b}, part: part}
	lines := t.p.uvarint()
	if lines == 0 {
		met["empty table"]++
		t.p.end()
		return make([]plainVector, children)
	}
	step := t.p.uvarint()
	t.n = int(t.p.uvarint())
	switch vectors := (children + step - 1) / step; {
	case binaryDigits(step) == binaryDigits(step-1) || t.n != int(vectors) || step > 1 && step/2 >= children:
		panic("runs that no writer makes")
	case lines*uint64(t.n) > 32*uint64(len(b)):
		panic("too many lines")
	case step > 1:
		met["run of several children"]++
	}
	if t.p.byte() == 1 {
		met["model of a table"]++
		m := plain{t.p.bytes()}
		t.model = m.model()
		m.end()
	}
	t.readKeys(int(lines))
	t.readSums()
	t.p.end()
	return t.vectors()
}

// block reads a block; sizes are the numbers of values of each context.
func (t *plainSums) block(sizes []int) (q queue) {
	if t.model == nil {
		for _, n := range sizes {
			var values []uint64
			for range n {
				values = append(values, t.p.uvarint())
			}
			q = append(q, values)
		}
		return q
	}
	all := t.model.decode(t.p.bytes(), sizes)
	for _, n := range sizes {
		q, all = append(q, all[:n]), all[n:]
	}
	return q
}

// base returns the first context of classes.
func (t *plainSums) base() int {
	if t.part == plainMetrics {
		return 4
	}
	return plainParts[t.part].words + 1
}

func (t *plainSums) context(line, field int) int {
	return t.base() + t.class[line]*plainParts[t.part].fields + field
}

func (t *plainSums) contexts() int { return t.base() + t.classes*plainParts[t.part].fields }

func (t *plainSums) readKeys(lines int) {
	words := plainParts[t.part].words
	q := t.block(slices.Repeat([]int{lines}, t.base()))
	for line := range lines {
		var k plainSummaryKey
		same := line > 0
		for w := range words {
			v := q.next(w)
			if same {
				if w == words-1 {
					v++
				}
				v += t.keys[line-1][w]
				same = v == t.keys[line-1][w]
			}
			k[w] = v
		}
		t.keys = append(t.keys, k)
		if t.part != plainMetrics {
			t.marks = append(t.marks, q.next(words))
		}
	}
	q.end()
	t.classify()
}

// classify numbers the lines by what their keys say besides locations.
func (t *plainSums) classify() {
	var kinds []plainSummaryKey
	for _, k := range t.keys {
		if k[0] = 0; t.part == 1 {
			k[1] = 0
		}
		kinds = append(kinds, k)
	}
	sorted := slices.Clone(kinds)
	slices.SortFunc(sorted, func(a, b plainSummaryKey) int {
		return cmp.Or(cmp.Compare(a[1], b[1]), cmp.Compare(a[2], b[2]), cmp.Compare(a[3], b[3]))
	})
	sorted = slices.Compact(sorted)
	t.classes = len(sorted)
	for _, k := range kinds {
		t.class = append(t.class, slices.Index(sorted, k))
	}
	if t.contexts() > 1<<16 {
		t.classes, t.class = 1, make([]int, len(t.keys))
	}
	if t.model != nil && len(t.model.tableOf) != t.contexts() {
		panic("a model of other contexts")
	}
}

func (t *plainSums) readSums() {
	sizes := make([]int, t.contexts())
	for line := range t.keys {
		sizes[t.context(line, 0)] += t.n
	}
	q := t.block(sizes)
	sizes = make([]int, t.contexts())
	for line := range t.keys {
		sums := make([][8]uint64, t.n)
		for v := range sums {
			sums[v][0] = q.next(t.context(line, 0))
			for field := 1; field < plainParts[t.part].fields; field++ {
				if t.has(line, field, sums[v][0]) {
					sizes[t.context(line, field)]++
				}
			}
		}
		t.lines = append(t.lines, sums)
	}
	q.end()
	q = t.block(sizes)
	for line := range t.lines {
		t.readLine(q, line)
	}
	if t.part == 0 {
		t.readBelow(q)
	}
	q.end()
}

// has reports whether a field of a line has a value in a vector with that number.
func (t *plainSums) has(line, field int, number uint64) bool {
	if t.part > 0 || field == 1 {
		return number > 0
	}
	return field == 2 && number > 0 && t.marks[line]&1 > 0 || field == 3 && t.marks[line]&2 > 0
}

// readLine reads the sums of a line, without those of calls below.
func (t *plainSums) readLine(q queue, line int) {
	sums := t.lines[line]
	switch t.part {
	case 0:
		for v := range sums {
			for field := 1; field <= 2; field++ {
				if t.has(line, field, sums[v][0]) {
					sums[v][field] = q.next(t.context(line, field))
				}
			}
		}
	case plainMetrics:
		t.readSamples(q, line)
	default:
		for field := 1; field < plainParts[t.part].fields; field++ {
			expected := uint64(0) // of one thing
			for v := range sums {
				if n := sums[v][0]; n > 0 {
					sums[v][field] = n*expected + q.signed(t.context(line, field))
					expected = sums[v][field] / n
				}
			}
		}
	}
}

// readBelow reads the durations of calls below.
func (t *plainSums) readBelow(q queue) {
	for line := range t.lines {
		last := t.marks[line]&2 > 0
		for other := line + 1; other < len(t.keys) && t.keys[other][0] == t.keys[line][0]; other++ {
			last = last && t.marks[other]&2 == 0
		}
		for v := range t.n {
			if t.marks[line]&2 == 0 {
				break
			}
			met["calls below"]++
			d := q.signed(t.context(line, 3))
			if !last {
				t.lines[line][v][3] = t.lines[line][v][1] - d
				continue
			}
			rest := uint64(0) // what all of the location are more than those below in other lines
			for other := range t.keys {
				if t.keys[other][0] == t.keys[line][0] {
					rest += t.lines[other][v][1] - t.lines[other][v][3]
				}
			}
			t.lines[line][v][3] = rest - d
		}
	}
}

// readSamples makes number, first and last time, last, least and greatest value, and integral of what is stored.
func (t *plainSums) readSamples(q queue, line int) {
	var time, value uint64 // the last ones of the vector before
	for v := range t.lines[line] {
		s := &t.lines[line][v]
		if s[0] == 0 {
			continue
		}
		next := func(field int) uint64 { return q.next(t.context(line, field)) }
		s[1] = time + unzigzag(next(1))
		s[2] = s[1] + next(2)
		s[3] = value + unzigzag(next(3))
		s[4] = s[3] - unzigzag(next(4))
		s[5] = s[3] + unzigzag(next(5))
		s[6], s[7] = next(6), next(7)
		if typ := plainType(t.keys[line][3]); !typ.IsFloat() {
			s[6], s[7] = plainHalves(plainWhole(s[6], s[7]).Add(plainWhole(s[6], s[7]), plainProduct(typ, s[4], s[2]-s[1])))
		}
		time, value = s[2], s[3]
	}
}

// vectors checks what a table must be, and returns its lines by vector.
func (t *plainSums) vectors() []plainVector {
	all := make([]plainVector, t.n)
	for v := range all {
		all[v] = plainVector{}
	}
	for line, k := range t.keys {
		mark, empty := uint64(0), true
		for v, sums := range t.lines[line] {
			if sums != [8]uint64{} {
				all[v][k] = sums
				empty = false
			}
			if t.part == 0 && sums[2] > 0 {
				mark |= 1
			}
			if t.part == 0 && sums[3] > 0 {
				mark |= 2
			}
		}
		if empty || t.part < plainMetrics && mark != t.marks[line] {
			panic("a line that no writer makes")
		}
		if mark&1 > 0 {
			met["nested calls"]++
		}
	}
	return all
}
