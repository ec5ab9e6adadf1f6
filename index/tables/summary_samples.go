package tables

import (
	"math"
	"slices"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// Samples is what consecutive values of one counter come to. Without values all of it is 0.
type Samples struct {
	Count uint64
	// First and Last are the times of the first and the last value.
	First, Last int64
	// Value is the last value, Min and Max are the extremes.
	Value, Min, Max uint64
	// Integral is the integral from First to Last of integers, each of which holds until the next one.
	Integral trace.Sum
	// Float is the same for floats.
	Float float64
}

// Sample returns one value.
func Sample(t int64, value uint64) Samples {
	return Samples{Count: 1, First: t, Last: t, Value: value, Min: value, Max: value}
}

// Hold adds the part of an integral in which a value holds for some ticks.
func (s *Samples) Hold(typ trace.ValueType, value, ticks uint64) {
	switch {
	case ticks == 0:
	case typ.IsFloat():
		s.Float += typ.Float(value) * float64(ticks)
	default:
		s.Integral = s.Integral.Plus(typ.Times(value, ticks))
	}
}

// Join appends samples of the same counter that come later.
func (s *Samples) Join(typ trace.ValueType, o *Samples) {
	if s.Count == 0 || o.Count == 0 {
		if o.Count > 0 {
			*s = *o
		}
		return
	}
	s.Hold(typ, s.Value, uint64(o.First-s.Last))
	s.Integral, s.Float = s.Integral.Plus(o.Integral), s.Float+o.Float
	s.Count += o.Count
	s.Last, s.Value = o.Last, o.Value
	if typ.Compare(o.Min, s.Min) < 0 {
		s.Min = o.Min
	}
	if typ.Compare(o.Max, s.Max) > 0 {
		s.Max = o.Max
	}
}

// KeyType returns the type of the values of a key of [Metrics].
func (k *Key) KeyType() trace.ValueType { return trace.ValueType(k[3]) }

// MetricRow is what a vector says of one counter.
type MetricRow struct {
	Key Key
	Samples
}

// MetricVector is the samples of a run of children, ordered by key, none of them empty.
type MetricVector []MetricRow

// JoinVectors joins vectors that follow each other in time.
func JoinVectors(vectors ...MetricVector) MetricVector {
	var all MetricVector
	for _, v := range vectors {
		all = append(all, v...)
	}
	slices.SortStableFunc(all, func(a, b MetricRow) int { return a.Key.Compare(&b.Key) })
	joined := all[:0]
	for i := range all {
		if n := len(joined); n > 0 && joined[n-1].Key == all[i].Key {
			joined[n-1].Join(all[i].Key.KeyType(), &all[i].Samples)
		} else {
			joined = append(joined, all[i])
		}
	}
	return joined
}

// MetricTable holds the vectors of metrics of a node.
type MetricTable struct {
	// Step and Vectors are those of [Table].
	Step    uint64
	Vectors int
	// Keys are ordered.
	Keys []Key

	cells []Samples // by line and vector
}

// NewMetricTable makes a table of the vectors of runs of `step` children.
func NewMetricTable(step uint64, vectors []MetricVector) *MetricTable {
	t := &MetricTable{Step: step, Vectors: len(vectors)}
	t.Keys = keysOf(vectors, func(r *MetricRow) *Key { return &r.Key })
	t.cells = make([]Samples, len(t.Keys)*t.Vectors)
	for number, v := range vectors {
		line := 0
		for i := range v {
			for t.Keys[line] != v[i].Key {
				line++
			}
			t.cells[line*t.Vectors+number] = v[i].Samples
		}
	}
	return t
}

// Join appends those of a line in the vectors first to last-1 to samples.
func (t *MetricTable) Join(s *Samples, line, first, last int) {
	for i := first; i < last; i++ {
		s.Join(t.Keys[line].KeyType(), &t.cells[line*t.Vectors+i])
	}
}

// Vector returns the vectors first to last-1, joined.
func (t *MetricTable) Vector(first, last int) (v MetricVector) {
	for line, k := range t.Keys {
		row := MetricRow{Key: k}
		t.Join(&row.Samples, line, first, last)
		if row.Count > 0 {
			v = append(v, row)
		}
	}
	return v
}

// Bytes is about the memory that the table takes.
func (t *MetricTable) Bytes() int64 { return int64(32*len(t.Keys) + 88*len(t.cells) + 100) }

// Encode does what [Table.Encode] does.
func (t *MetricTable) Encode() []byte {
	if len(t.Keys) == 0 {
		return t.encode()
	}
	if b := t.encode(); !tooDense(uint64(len(t.cells)), len(b)) {
		return b
	}
	return nil
}

// encode appends what [Draft.bytes] does; there are no marks. The third block has the fields of [Samples].
func (t *MetricTable) encode() []byte {
	if len(t.Keys) == 0 {
		return t.head()
	}
	blocks := t.blocks()
	return append(t.head(), form(blocks[:])...)
}

// head is what comes before the form.
func (t *MetricTable) head() []byte {
	dst := format.AppendUvarint(nil, uint64(len(t.Keys)))
	if len(t.Keys) == 0 {
		return dst
	}
	dst = format.AppendUvarint(dst, t.Step)
	return format.AppendUvarint(dst, uint64(t.Vectors))
}

const metricWords = 4

func (t *MetricTable) blocks() (blocks [3]columns) {
	fields := partFields[Metrics].fields
	class, n := classes(t.Keys, Metrics, fields, metricWords)
	for i := range blocks {
		blocks[i] = newColumns(metricWords + n*fields)
	}
	putKeys(blocks[0], t.Keys, metricWords)
	for line, k := range t.Keys {
		base := metricWords + class[line]*fields
		var before Samples
		for _, s := range t.cells[line*t.Vectors:][:t.Vectors] {
			blocks[1].put(base, s.Count)
			if s.Count == 0 {
				continue
			}
			for f, v := range s.code(k.KeyType(), &before) {
				blocks[2].put(base+1+f, v)
			}
			before = s
		}
	}
	return blocks
}

// code returns what is stored of samples, given those of the vector before that has any:
//
//	first time, less the last time before (0 without), zigzag
//	last time - first time
//	last value, less the last value before (0 without), zigzag
//	last value - least value, zigzag
//	greatest value - last value, zigzag
//	lower and upper half of the integral; of integers less their least value times (last time - first time)
//
// of which all differences are modulo 2^64, or 2^128. Floats are taken as their bits.
func (s *Samples) code(typ trace.ValueType, before *Samples) [7]uint64 {
	ticks := uint64(s.Last - s.First)
	integral := trace.Sum{Lo: math.Float64bits(s.Float)}
	if !typ.IsFloat() {
		integral = s.Integral.Minus(typ.Times(s.Min, ticks))
	}
	return [...]uint64{
		format.Zigzag(s.First - before.Last), ticks, format.Zigzag(int64(s.Value - before.Value)),
		format.Zigzag(int64(s.Value - s.Min)), format.Zigzag(int64(s.Max - s.Value)), integral.Lo, uint64(integral.Hi),
	}
}

// decode is the inverse of code.
func (s *Samples) decode(typ trace.ValueType, before *Samples, c [7]uint64) {
	s.First = before.Last + format.Unzigzag(c[0])
	s.Last = s.First + int64(c[1])
	s.Value = before.Value + uint64(format.Unzigzag(c[2]))
	s.Min = s.Value - uint64(format.Unzigzag(c[3]))
	s.Max = s.Value + uint64(format.Unzigzag(c[4]))
	if typ.IsFloat() {
		s.Float = math.Float64frombits(c[5])
		return
	}
	s.Integral = trace.Sum{Lo: c[5], Hi: int64(c[6])}.Plus(typ.Times(s.Min, c[1]))
}

// ReadMetricTable does for metrics what [ReadTable] does for other parts.
func ReadMetricTable(b []byte, children uint64) (*MetricTable, error) {
	r := format.NewDecoder(summarySection, b)
	t := &MetricTable{}
	if lines := readHead(r, &t.Step, &t.Vectors, children); lines > 0 {
		t.read(r, lines)
	}
	return t, r.Finish()
}

func (t *MetricTable) read(r *format.Decoder, lines int) {
	fields := partFields[Metrics].fields
	b := newBlockReader(r)
	heads := b.block(slices.Repeat([]int{lines}, metricWords))
	if r.Err() != nil {
		return
	}
	t.Keys = getKeys(r, heads, lines, metricWords)
	for i := range t.Keys {
		if t.Keys[i][3] > math.MaxUint8 {
			r.Fail("values of type %d", t.Keys[i][3])
		}
	}
	class, n := classes(t.Keys, Metrics, fields, metricWords)
	sizes := make([]int, metricWords+n*fields)
	b.contexts(len(sizes))
	for _, c := range class {
		sizes[metricWords+c*fields] += t.Vectors
	}
	counts := b.block(sizes)
	if r.Err() != nil {
		return
	}
	t.cells = make([]Samples, lines*t.Vectors)
	clear(sizes)
	for line, c := range class {
		base := metricWords + c*fields
		for v, n := range counts.take(base, t.Vectors) {
			t.cells[line*t.Vectors+v].Count = n
			for f := 1; f < fields && n > 0; f++ {
				sizes[base+f]++
			}
		}
	}
	if c := b.block(sizes); r.Err() == nil {
		t.readCells(r, c, class)
	}
}

// readCells reads the samples whose numbers are known. They must be in time order, and those of each line more than none.
func (t *MetricTable) readCells(r *format.Decoder, c *columnReader, class []int) {
	fields := partFields[Metrics].fields
	for line, k := range t.Keys {
		base := metricWords + class[line]*fields
		var before Samples
		for v := range t.Vectors {
			s := &t.cells[line*t.Vectors+v]
			if s.Count == 0 {
				continue
			}
			var code [7]uint64
			for f := range code {
				code[f] = c.get(base + 1 + f)
			}
			s.decode(k.KeyType(), &before, code)
			if s.Count >= maxSum || s.Last < s.First || before.Count > 0 && s.First < before.Last || s.code(k.KeyType(), &before) != code {
				r.Fail("line %d: samples %d are out of range", line, v)
			}
			before = *s
		}
		if before.Count == 0 {
			r.Fail("line %d is empty", line)
		}
	}
}
