package spec

import (
	"math/big"

	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/trace"
)

// plainShape is a leaf, or a composite of edges.
type plainShape struct {
	edges []plainEdge

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

type plainDictionary struct {
	f       *plainFile
	shapes  []plainShape
	ranks   map[[2]uint64][2]uint64 // rank and size by location and communicator
	columns map[plainColumn]int
	next    int
	pairs   map[int]uint64 // numbers of pairs of time columns, by the first column
}

// dictionary reads the pages of a lane in the epoch of a group, up to that group.
func (f *plainFile) dictionary(lane, group uint64) *plainDictionary {
	d := &plainDictionary{f: f, ranks: map[[2]uint64][2]uint64{}, columns: map[plainColumn]int{}, next: 1, pairs: map[int]uint64{}}
	for g := group / f.epochGroups * f.epochGroups; g <= group; g++ {
		if b, ok := f.blocks[plainKey{kind: 4, lane: lane, number: g}]; ok {
			d.page(b, g, lane)
		}
	}
	return d
}

func (d *plainDictionary) page(b []byte, group, lane uint64) {
	p := plain{b}
	if p.uvarint() != group || p.uvarint() != lane {
		panic("another page")
	}
	location := uint64(0)
	for range p.uvarint() {
		location += p.varint()
		communicator, rank := p.uvarint(), p.uvarint()
		d.ranks[[2]uint64{location, communicator}] = [2]uint64{rank, rank + 1 + p.uvarint()}
	}
	if p.uvarint() != uint64(len(d.shapes)) {
		panic("shapes are missing")
	}
	for range p.uvarint() {
		s := plainShape{}
		if n := p.uvarint(); n == 0 {
			d.leaf(&p, &s)
		} else {
			for range n {
				v := p.uvarint()
				e := plainEdge{uint64(len(d.shapes)) - v/2, 1}
				if v%2 == 1 {
					e.count = p.uvarint() + 2
				}
				s.edges = append(s.edges, e)
			}
		}
		d.shapes = append(d.shapes, s)
	}
	p.end()
}

func (d *plainDictionary) leaf(p *plain, s *plainShape) {
	head := p.uvarint()
	s.kind, s.relative = head/2, head%2 == 1
	for range p.uvarint() {
		s.attrs = append(s.attrs, trace.Attr{ID: p.uvarint(), Type: trace.ValueType(p.byte())})
	}
	for range p.uvarint() {
		s.words = append(s.words, p.uvarint())
	}
	spec := d.f.kinds[s.kind]
	fields, elems := spec.layout(len(s.words))
	key := uint64(0)
	for i, f := range spec.fields {
		if f.repeat {
			break
		}
		if f.key {
			key = s.words[i]
			break
		}
	}
	s.time = d.column(plainColumn{what: "time", kind: s.kind, key: key})
	s.pair = d.pairs[s.time]
	for w, field := range fields {
		if slot, ok := d.slot(s, spec, w, field, elems[w], key); ok {
			s.slots = append(s.slots, slot)
		}
	}
	for i, a := range s.attrs {
		c := d.column(plainColumn{what: "attribute", attribute: a.ID, typ: uint64(a.Type)})
		s.slots = append(s.slots, plainSlot{len(s.words) + i, c, "delta"})
	}
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
	if !f.value && !text {
		return plainSlot{}, false
	}
	c := plainColumn{what: "field", kind: s.kind, field: field, elem: elem, key: key}
	mode := "delta"
	switch {
	case f.typ == typeTime:
		mode = "time"
	case text:
		mode = "text"
	case f.typ == typeValue && field > 0 && k.fields[field-1].typ == typeCode:
		if c.typ = s.words[w-1] % 256; c.typ >= 1 && c.typ <= 8 {
			mode = "count"
		}
	}
	return plainSlot{w, d.column(c), mode}, true
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
	for range count {
		if s.edges == nil {
			dst = append(dst, s)
		} else {
			met["composite"]++
		}
		for _, e := range s.edges {
			dst = d.expand(dst, e.shape, e.count)
		}
	}
	return dst
}

// plainStatistics is a model block.
type plainStatistics struct {
	structure, values *plainModel
	pairs             map[[2]uint64]int // context, by column and number before
	columns           int
	periods           map[uint64]uint64
	counters          map[int][2]uint64 // rate and unit
}

func (f *plainFile) statistics(lane, group uint64) *plainStatistics {
	p := plain{f.blocks[plainKey{kind: 5, lane: lane, number: group}]}
	if p.uvarint() != group || p.uvarint() != lane {
		panic("another model")
	}
	s := &plainStatistics{pairs: map[[2]uint64]int{}, periods: map[uint64]uint64{}, counters: map[int][2]uint64{}}
	var pairs [][2]uint64
	column, next := uint64(0), uint64(0)
	for range p.uvarint() {
		if step := p.uvarint(); step > 0 {
			column, next = column+step, 0
		}
		before := next + p.uvarint()
		next = before + 1
		pairs = append(pairs, [2]uint64{column, before})
	}
	location, period := uint64(0), uint64(0)
	for range p.uvarint() {
		location += p.uvarint()
		period += p.varint()
		s.periods[location] = period
		location++
	}
	column = 0
	for range p.uvarint() {
		column += p.uvarint()
		rate := p.uvarint()
		s.counters[int(column)] = [2]uint64{rate, p.uvarint() + 1}
	}
	structure := plain{p.bytes()}
	s.structure, s.values = structure.model(), p.model()
	structure.end()
	p.end()
	s.columns = len(s.values.tableOf) - len(pairs)
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
	first     uint64 // ordinal
	residuals bool
	lattice   bool
	phases    [][2]uint64 // events, phase
	events    []*plainShape
	times     []uint64
	records   []model.Record
}

// plainSlice is the part of a lane in a slice.
type plainSlice struct {
	runs  []plainRun
	marks map[uint64]uint64 // by end: 0 if it is unpaired, else 1 + skip
}

// slice decodes a slice block; there may be none.
func (f *plainFile) slice(number, lane uint64) *plainSlice {
	b, ok := f.blocks[plainKey{kind: 6, lane: lane, number: number}]
	if !ok {
		return &plainSlice{}
	}
	p := plain{b}
	group := number / f.fanout
	d, s := f.dictionary(lane, group), f.statistics(lane, group)
	if p.uvarint() != number || p.uvarint() != lane || p.uvarint() != group/f.epochGroups {
		panic("another slice")
	}
	start := p.varint()
	end := start + p.uvarint()
	if bounds := f.slices[number]; bounds != [2]uint64{start, end} {
		panic("other bounds than the directory has")
	}
	runs, marks := p.runs(), map[uint64]uint64{}
	end = 0 // of a message
	for range p.uvarint() {
		end += p.uvarint()
		marks[end] = p.uvarint()
		end++
	}
	text := plain{p.bytes()}
	d.tokens(p.bytes(), s.structure, runs)
	v := newPlainColumns(p.b, s, runs)
	for i := range runs {
		v.setTimes(&runs[i], start)
	}
	for i := range runs {
		v.setRecords(d, &runs[i], &text)
	}
	text.end()
	return &plainSlice{runs, marks}
}

func (p *plain) runs() (runs []plainRun) {
	location := uint64(0)
	for range p.uvarint() {
		r := plainRun{location: location + p.uvarint()}
		location = r.location + 1
		r.first = p.uvarint()
		flags := p.byte()
		r.residuals, r.lattice = flags&1 != 0, flags&2 != 0
		if r.lattice {
			n := p.uvarint()
			for i := range n {
				events := uint64(1 << 62)
				if i < n-1 {
					events = p.uvarint() + 1
				}
				shift := p.byte()
				r.phases = append(r.phases, [2]uint64{events, p.uvarint() << shift})
			}
		}
		runs = append(runs, r)
	}
	return runs
}

// tokens expands the tokens of all runs.
func (d *plainDictionary) tokens(b []byte, m *plainModel, runs []plainRun) {
	p := plain{b}
	perRun := m.decode(p.bytes(), []int{0, 0, len(runs)})
	total := 0
	for _, n := range perRun {
		total += int(n)
	}
	flat := m.decode(p.b, []int{total, total, 0})
	at := 0
	for i := range runs {
		for range perRun[i] {
			runs[i].events = d.expand(runs[i].events, flat[at], flat[total+at]+1)
			at++
		}
	}
}

// plainColumns are the values of a slice, context by context.
type plainColumns struct {
	*plainStatistics
	left [][]uint64 // by context
}

func newPlainColumns(b []byte, s *plainStatistics, runs []plainRun) *plainColumns {
	counts := make([]int, len(s.values.tableOf))
	for i := range runs {
		r := &runs[i]
		before := uint64(0)
		for _, e := range r.events {
			counts[s.context(r.timeColumn(e), before)]++
			for _, slot := range e.slots {
				counts[s.context(slot.column, before)]++
			}
			if r.residuals {
				counts[0]++
			}
			before = e.pair
		}
	}
	values := s.values.decode(b, counts)
	c := &plainColumns{plainStatistics: s}
	for _, n := range counts {
		c.left = append(c.left, values[:n])
		values = values[n:]
	}
	return c
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

// setRecords makes the records of a run.
func (c *plainColumns) setRecords(d *plainDictionary, r *plainRun, text *plain) {
	last, lastTime := map[int]uint64{}, map[int]uint64{}
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
				v = c.predicted(slot, v, r.times[i], last, lastTime)
			}
			if slot.word < len(rec.Words) {
				rec.Words[slot.word] = v
			} else {
				met["attribute"]++
				rec.Attrs[slot.word-len(rec.Words)].Value = v
			}
		}
		if r.residuals {
			met["residual"]++
			rec.Residual = int64(unzigzag(c.next(0)))
		}
		before = e.pair
		r.records = append(r.records, rec)
	}
}

// predicted returns a value that is coded as the difference to the one before in its column.
func (c *plainColumns) predicted(slot plainSlot, v, now uint64, last, lastTime map[int]uint64) uint64 {
	value, seen := last[slot.column]
	counter, counts := c.counters[slot.column]
	if seen && counts && slot.mode == "count" {
		met["counter"]++
		x := new(big.Int).Mul(new(big.Int).SetUint64(now-lastTime[slot.column]), new(big.Int).SetUint64(counter[0]))
		expected := new(big.Int).And(x.Rsh(x, 32), new(big.Int).SetUint64(1<<64-1)).Uint64()
		value += expected - expected%counter[1] + counter[1]*unzigzag(v)
	} else {
		value += unzigzag(v)
	}
	last[slot.column], lastTime[slot.column] = value, now
	return value
}
