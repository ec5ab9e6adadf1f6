package spec

import (
	"fmt"
	"math/big"

	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/trace"
)

// plainShape is a leaf, a composite of edges, or a recursion of a composite.
type plainShape struct {
	edges []plainEdge
	hole  uint64 // of a recursion, else 0

	kind     uint64
	relative bool
	words    []uint64
	attrs    []trace.Attr
	pair     uint64 // number of the pair of time columns
	time     int    // first of them
	slots    []plainSlot
}

type plainEdge struct{ shape, count uint64 }

// plainSlot is a value of a leaf: which word or, from the words on, which attribute; its column, and how it is coded.
type plainSlot struct {
	word, column int
	mode         string
}

type plainColumn struct {
	what           string
	kind, key      uint64
	field, elem    int
	typ, attribute uint64
}

// layout returns the field of each of n words, and its repetition.
func (k *plainKind) layout(n int) (fields, elems []int) {
	group, before := 0, 0
	for i, f := range k.fields {
		if f.repeat {
			if group == 0 {
				before = i
			}
			group++
		}
	}
	repeat := 0
	if group > 0 {
		repeat = (n - (len(k.fields) - group)) / group
	}
	for i := 0; i < len(k.fields); i++ {
		if !k.fields[i].repeat {
			fields, elems = append(fields, i), append(elems, 0)
			continue
		}
		for e := range repeat {
			for j := range group {
				fields, elems = append(fields, before+j), append(elems, e)
			}
		}
		i += group - 1
	}
	return fields, elems
}

// slot returns the column of a word if it is a value.
func (d *plainDictionary) slot(s *plainShape, k *plainKind, w, field, elem int, key uint64) (plainSlot, bool) {
	const typeTime, typeCode, typeValue, typeText, typeBytes = 9, 11, 12, 13, 14
	f := k.fields[field]
	text := f.typ == typeText || f.typ == typeBytes
	demoted := d.demoted[[2]uint64{s.kind, uint64(field)}]
	if demoted {
		met["demoted field"]++
	}
	if !f.value && !text && !demoted {
		return plainSlot{}, false
	}
	c := plainColumn{what: "field", kind: s.kind, field: field, elem: elem, key: key}
	mode, group := "predicted", k.group
	switch {
	case f.typ == typeTime:
		mode = "time"
	case text:
		mode, group = "text", 3
	case f.typ == typeValue && field > 0 && k.fields[field-1].typ == typeCode:
		c.typ = s.words[w-1] % 256
	}
	n := d.column(c)
	if n < 65533 {
		d.groups[n] = group
	}
	return plainSlot{w, n, mode}, true
}

// column returns the number of a column, or of the first one of a pair.
func (d *plainDictionary) column(c plainColumn) int {
	if n, ok := d.columns[c]; ok {
		return n
	}
	width := 1
	if c.what == "time" {
		width = 2
	}
	n := d.next
	if width == 2 {
		defer func() { d.groups[n], d.groups[n+1] = 0, 0 }()
	}
	if n+width > 65533 {
		d.next = 65536
		if n = 65535; width == 2 {
			n = 65533
		}
	} else {
		d.next += width
		d.columns[c] = n
	}
	if _, ok := d.pairs[n]; width == 2 && !ok && len(d.pairs) < 65535 {
		d.pairs[n] = uint64(len(d.pairs) + 1)
	}
	return n
}

func (d *plainDictionary) expand(dst []*plainShape, shape, count uint64) []*plainShape {
	s := &d.shapes[shape]
	all := func(edges []plainEdge, count uint64) {
		for range count {
			for _, e := range edges {
				dst = d.expand(dst, e.shape, e.count)
			}
		}
	}
	switch {
	case s.hole > 0:
		met["recursion"]++
		all(s.edges[:s.hole], count)
		all(s.edges[s.hole:s.hole+1], 1)
		all(s.edges[s.hole+1:], count)
	case s.edges == nil:
		for range count {
			dst = append(dst, s)
		}
	default:
		met["composite"]++
		all(s.edges, count)
	}
	return dst
}

// plainStatistics is a model block.
type plainStatistics struct {
	structure, values *plainModel
	successors        map[uint64]int        // context, by shape
	roster            map[uint64][]plainRun // by slice
	ids               map[uint64]uint64     // by location, of those that begin in the group
	pairs             map[[2]uint64]int     // context, by column and number before
	columns           int
	periods           map[uint64]uint64
	predictions       map[uint64]*plainPrediction
	texts             []byte // what texts share
}

func (f *plainFile) statistics(lane, group uint64) *plainStatistics {
	p := plain{f.blocks[plainKey{kind: 5, lane: lane, number: group}]}
	if epoch, _ := f.epoch(group); p.uvarint() != group || p.uvarint() != lane || p.uvarint() != epoch || p.uvarint() == 0 {
		panic("another model")
	}
	s := &plainStatistics{pairs: map[[2]uint64]int{}, periods: map[uint64]uint64{}, predictions: map[uint64]*plainPrediction{}}
	var pairs [][2]uint64
	column, next := uint64(0), uint64(0)
	head := p.uvarint()
	for range head / 2 {
		if step := p.uvarint(); step > 0 {
			column, next = column+step, 0
		}
		before := next + p.uvarint()
		next = before + 1
		pairs = append(pairs, [2]uint64{column, before})
	}
	thresholds, classes := map[int][]uint64{}, 0
	if head%2 == 1 {
		thresholds, classes = p.divisions()
	}
	location, period := uint64(0), uint64(0)
	for range p.uvarint() {
		location += p.uvarint()
		period += p.varint()
		s.periods[location] = period
		location++
	}
	s.readPredictions(&p)
	s.readSuccessors(&p)
	structure, roster := plain{p.bytes()}, plain{p.bytes()}
	if shared := storedText(p.bytes(), nil); len(shared) > 0 {
		met["dictionary of texts"]++
		s.texts = shared
	}
	s.structure, s.values = structure.model(), p.model()
	structure.end()
	p.end()
	s.readRoster(&roster)
	for location, id := range s.ids {
		if met["id in a roster"]++; f.locations[location].id != id {
			panic("another location")
		}
	}
	s.columns = len(s.values.tableOf) - len(pairs) - classes
	s.values.divide(s.columns+len(pairs), thresholds)
	for i, pair := range pairs {
		s.pairs[pair] = s.columns + i
	}
	return s
}

// context returns the context of a value.
func (s *plainStatistics) context(column int, before uint64) int {
	if c, ok := s.pairs[[2]uint64{uint64(column), before}]; ok {
		met["pair of contexts"]++
		return c
	}
	return column
}

// plainRun is one location's part of a slice.
type plainRun struct {
	location  uint64
	first     uint64   // ordinal
	count     uint64   // of events
	residuals []uint64 // numbers of the events that have one
	lattice   bool
	phases    [][2]uint64 // events, phase
	events    []*plainShape
	times     []uint64
	records   []model.Record
}

// plainSlice is the part of a lane in a slice.
type plainSlice struct {
	runs  []plainRun
	marks map[uint64]uint64 // by end: 0 if it is unpaired, else how many free sends it passes over
}

// marks returns the marks of ends of a lane in a slice.
func (f *plainFile) marks(lane, group, number uint64) map[uint64]uint64 {
	marked := map[uint64]uint64{}
	b, ok := f.blocks[plainKey{kind: 20, lane: lane, number: group}]
	if !ok {
		return marked
	}
	p := plain{b}
	if p.uvarint() != group || p.uvarint() != lane {
		panic("other marks")
	}
	first, slices, marks := p.uvarint(), int(p.uvarint()), int(p.uvarint())
	head := plain{p.bytes()}
	m := head.model()
	head.end()
	counts := []int{slices - 1, slices, slices, marks - slices, marks, marks}
	values := m.decode(p.bytes(), counts)
	p.endFilled()
	var of queue
	for _, n := range counts {
		of, values = append(of, values[:n]), values[n:]
	}
	for i := range slices {
		if i > 0 {
			first += of.next(0) + 1
		}
		end := of.next(2)
		for j := range of.next(1) + 1 {
			if j > 0 {
				end += of.next(3)
			}
			said := of.next(5)
			for range of.next(4) + 1 {
				if first == number {
					met["mark of an end"]++
					marked[end] = said
				}
				end++
			}
		}
	}
	of.end()
	return marked
}

// slice decodes a slice block; there may be none.
func (f *plainFile) slice(number, lane uint64) *plainSlice {
	b, ok := f.blocks[plainKey{kind: 6, lane: lane, number: number}]
	if !ok {
		return &plainSlice{}
	}
	p := plain{b}
	group := number / f.groupSlices
	d, s := f.dictionary(lane, group), f.statistics(lane, group)
	epoch, _ := f.epoch(group)
	if p.uvarint() != number || p.uvarint() != lane || p.uvarint() != epoch {
		panic("another slice")
	}
	start := p.varint()
	end := start + p.uvarint()
	if bounds := f.slices[number]; bounds != [2]uint64{start, end} {
		panic("other bounds than the directory has")
	}
	text := plain{storedText(p.bytes(), s.texts)}
	h := plainHead{plainStatistics: s, runs: append([]plainRun(nil), s.roster[number]...)}
	h.begin(p.bytes())
	h.readTokens(d, h.readRuns())
	h.readHeads()
	h.end()
	runs := h.runs
	v := newPlainColumns(&p, d, s, runs)
	for i := range runs {
		v.setTimes(&runs[i], start)
	}
	for i := range runs {
		v.setRecords(d, &runs[i], i+1, &text)
	}
	text.end()
	return &plainSlice{runs, f.marks(lane, group, number)}
}

// plainColumns are the values of a slice, context by context.
type plainColumns struct {
	*plainStatistics
	left     [][]uint64 // by context
	memories map[uint64]*plainMemory
}

func newPlainColumns(p *plain, d *plainDictionary, s *plainStatistics, runs []plainRun) *plainColumns {
	counts := make([]int, len(s.values.tableOf))
	for i := range runs {
		r := &runs[i]
		before := uint64(0)
		for _, e := range r.events {
			counts[s.context(r.timeColumn(e), before)]++
			for _, slot := range e.slots {
				counts[s.context(slot.column, before)]++
			}
			before = e.pair
		}
		counts[0] += len(r.residuals)
	}
	c := &plainColumns{plainStatistics: s, memories: map[uint64]*plainMemory{}, left: make([][]uint64, len(counts))}
	blocks := [4][]byte{}
	sizes := []uint64{p.uvarint(), p.uvarint(), p.uvarint()}
	for g, n := range sizes {
		blocks[g] = p.take(n)
	}
	blocks[3] = p.b
	for g, b := range blocks {
		c.readGroup(b, counts, func(context int) bool { return d.group(s.column(context)) == g })
	}
	return c
}

// readGroup reads the block of a group of values, and sets what is left of its contexts.
func (c *plainColumns) readGroup(b []byte, counts []int, has func(context int) bool) {
	of, all := make([]int, len(counts)), 0
	for context, n := range counts {
		if has(context) {
			of[context] = n
			all += n
		}
	}
	if all == 0 {
		if len(b) > 0 {
			panic("bytes of no values")
		}
		return
	}
	values := c.values.decode(b, of)
	for context, n := range of {
		if has(context) {
			c.left[context], values = values[:n], values[n:]
		}
	}
}

// group returns the group of a column.
func (d *plainDictionary) group(column int) int {
	if group, ok := d.groups[column]; ok {
		met[fmt.Sprintf("values of group %d", group)]++
		return group
	}
	return 3 // attributes, residuals, and what is shared
}

// column returns the column of a context.
func (s *plainStatistics) column(context int) int {
	for pair, c := range s.pairs {
		if c == context {
			return int(pair[0])
		}
	}
	return context
}

func (r *plainRun) timeColumn(e *plainShape) int {
	if r.lattice {
		return e.time + 1
	}
	return e.time
}

func (c *plainColumns) next(context int) uint64 {
	v := c.left[context][0]
	c.left[context] = c.left[context][1:]
	return v
}

func (c *plainColumns) setTimes(r *plainRun, start uint64) {
	now, ticks, before := start, uint64(0), uint64(0)
	phase, left := -1, uint64(0)
	for _, e := range r.events {
		v := c.next(c.context(r.timeColumn(e), before))
		before = e.pair
		if !r.lattice {
			now += v
			r.times = append(r.times, now)
			continue
		}
		if left == 0 {
			phase++
			left = r.phases[phase][0]
		}
		met["lattice"]++
		left--
		ticks += v
		x := new(big.Int).Mul(new(big.Int).SetUint64(ticks), new(big.Int).SetUint64(c.periods[r.location]))
		x.Add(x, new(big.Int).SetUint64(r.phases[phase][1])).Rsh(x, 40)
		r.times = append(r.times, start+x.Uint64())
	}
}

// setRecords makes the records of a run, which counts from 1.
func (c *plainColumns) setRecords(d *plainDictionary, r *plainRun, run int, text *plain) {
	before := uint64(0)
	for i, e := range r.events {
		rec := model.Record{Kind: trace.Kind(e.kind), Time: int64(r.times[i])}
		rec.Words = append(rec.Words, e.words...)
		rec.Attrs = append(rec.Attrs, e.attrs...)
		if e.relative {
			met["relative rank"]++
			own := d.ranks[[2]uint64{r.location, e.words[1]}]
			rec.Words[0] = (own[0] + own[1] + unzigzag(e.words[0])) % own[1]
			distance := (rec.Words[0] + own[1] - own[0]) % own[1]
			if distance > own[1]/2 {
				distance -= own[1]
			}
			if distance != unzigzag(e.words[0]) {
				panic("a distance that is not the shorter way round")
			}
		}
		for _, slot := range e.slots {
			v := c.next(c.context(slot.column, before))
			switch slot.mode {
			case "time":
				v = r.times[i] + unzigzag(v)
			case "text":
				met["text"]++
				rec.Texts = append(rec.Texts, string(text.take(v)))
				v = 0
			default:
				v = c.predicted(slot.column, v, r.times[i], run)
			}
			if slot.word < len(rec.Words) {
				rec.Words[slot.word] = v
			} else {
				met["attribute"]++
				rec.Attrs[slot.word-len(rec.Words)].Value = v
			}
		}
		before = e.pair
		r.records = append(r.records, rec)
	}
	for _, i := range r.residuals {
		met["residual"]++
		r.records[i].Residual = int64(c.predicted(0, c.next(0), r.times[i], run))
	}
}
