package column

import (
	"math/bits"
	"slices"

	"github.com/pandotrace/pando/format"
)

// # Classes
//
// The values of a context may be divided into classes by the values before, as what is large often comes after what is large. A division
// has t thresholds, one to four, and an order, which is how many values before count. The level of a value is the number of thresholds
// that are not above the begin of its bin; a bin that stands in for an exception counts like others. The class of the first value is 0. Behind
// a value of level v, class c is followed by
//
//	(c·(t+1) + v) mod (t+1)^order
//
// so there are (t+1)^order classes, at most 32. Class 0 has the table of the context itself, and each other class one of a context behind all others.
//
// In a divided context all tables have the total 2^10: L is 10 in place of what their bins say. All values count as symbols, those of tables with one bin, too. With one state, its first value has class 0. With four
// states, the values stand in quarters: n values are four stretches of floor(n/4), of which the first n mod 4 have one more. The first
// value of each quarter has class 0, and quarter k belongs to state k. Symbols come in turns: the first of each quarter, then the second of
// each, and so on. Offsets come in the order of the values.

// Division says how the values of a context are divided by the values before. Thresholds rise; there are 1 to MaxThresholds. Order is how many
// values before tell the class of a value, at least one.
type Division struct {
	Context    int
	Thresholds []uint64
	Order      int
}

// Classes returns how many classes there are, more than MaxClasses if these are too many.
func (d *Division) Classes() int {
	n := 1
	for i := 0; i < d.Order && n <= MaxClasses; i++ {
		n *= len(d.Thresholds) + 1
	}
	return n
}

// next returns the class behind a value of a class and a level.
func (d *Division) next(class, level int) int {
	return (class*(len(d.Thresholds)+1) + level) % d.Classes()
}

// follow returns the class behind each class and level.
func (d *Division) follow() (next [MaxClasses][MaxThresholds + 1]uint8) {
	for class := range d.Classes() {
		for level := range len(d.Thresholds) + 1 {
			next[class][level] = uint8(d.next(class, level))
		}
	}
	return next
}

const (
	// MaxThresholds is the greatest number of thresholds of a division.
	MaxThresholds = 4
	// MaxClasses is the greatest number of its classes.
	MaxClasses = 32
	// MaxDivisions is the greatest number of divisions of a model, and MaxClassBins that of the bins of all their classes. They bound what divisions take
	// in memory: bins that a model has once may be those of many classes.
	MaxDivisions, MaxClassBins = 64, 1 << 15

	classLog = 10 // log2 of the sum of the frequencies of a class
)

// classed is a divided context. The bins of all its classes have one numbering, class by class.
type classed struct {
	classes []classTable
	of      []uint8 // by bin: its class
	reach   []reach // by bin
	slots   []byte  // of each class 2^classLog: bin by slot
	steps   []step  // of each class 2^binLog: by bin
	binLog  uint8   // close together, so that those of many classes fit into a processor's cache
}

// classTable is a table of a divided context.
type classTable struct {
	*table
	base int // number of the first bin
}

// step is what coding needs of a bin besides its reach, in one load: 32 bits of its frequency out of 2^classLog, 16 of where the slots of the next class begin,
// and 16 of the bin's number among those of all classes.
type step uint64

// pop takes the symbol of a step from a state.
func (s step) pop(x uint32) uint32 {
	return uint32(s>>16&0xffff)*(x>>classLog) + x&(1<<classLog-1) - uint32(s&0xffff)
}

func (s step) frequency() frequency { return frequency(s) }
func (s step) next() uint32         { return uint32(s >> 32 & 0xffff) }
func (s step) class() uint8         { return uint8(s>>(32+classLog)) & (MaxClasses - 1) } // the next one
func (s step) number() uint16       { return uint16(s >> 48) }

// Divisions returns the divisions of contexts, in their order.
func (m *Model) Divisions() []Division { return m.divisions }

// Divide divides contexts of the model, in rising order. The contexts of classes are the last ones of the model. It reports false if it has too few, or if
// all classes together have too many bins.
func (m *Model) Divide(divisions []Division) bool {
	context := len(m.tableOf) - subContexts(divisions)
	if n := len(divisions); n == 0 || context <= divisions[n-1].Context {
		return n == 0
	}
	if m.classBins(divisions) > MaxClassBins {
		return false
	}
	m.divisions, m.classes = divisions, make([]*classed, context)
	for i := range divisions {
		d := &divisions[i]
		tables := []*table{m.table(d.Context)}
		for range d.Classes() - 1 {
			tables = append(tables, m.table(context))
			context++
		}
		m.classes[d.Context] = newClassed(d, tables)
	}
	return true
}

// classBins returns how many bins the classes of divisions have.
func (m *Model) classBins(divisions []Division) (n int) {
	for _, d := range divisions {
		n += len(m.table(d.Context).bins)
	}
	for _, t := range m.tableOf[len(m.tableOf)-subContexts(divisions):] {
		n += len(m.tables[t].bins)
	}
	return n
}

// Undivided returns the number of contexts without those of classes.
func (m *Model) Undivided() int { return len(m.tableOf) - subContexts(m.divisions) }

// classed returns the classes of a context, nil if it is not divided.
func (m *Model) classed(context int) *classed {
	if context < len(m.classes) {
		return m.classes[context]
	}
	return nil
}

// newClassed divides a context. There is a table for each class.
func newClassed(d *Division, tables []*table) *classed {
	most := 1
	for _, t := range tables {
		most = max(most, len(t.bins))
	}
	n, binLog := len(tables), bits.Len(uint(most-1))
	c := &classed{slots: make([]byte, n<<classLog+slack), steps: make([]step, n<<binLog), binLog: uint8(binLog)}
	for _, t := range tables {
		c.add(t, d)
	}
	return c
}

// add adds the next class.
func (c *classed) add(t *table, d *Division) {
	class, base := len(c.classes), len(c.of)
	c.classes = append(c.classes, classTable{t, base})
	c.reach = append(c.reach, t.reach...)
	parts := make([]frequency, len(t.bins))
	setFrequencies(parts, t.bins, classLog)
	slots, steps := c.slots[class<<classLog:], c.steps[class<<c.binLog:]
	for i, f := range parts {
		c.of = append(c.of, uint8(class))
		fillSlots(slots[f.start():], f.freq(), uint8(i))
		steps[i] = step(f) | step(d.next(class, levelOf(t.bins[i].lo, d.Thresholds)))<<(32+classLog) | step(base+i)<<48
	}
}

// step returns that of a bin of a class.
func (c *classed) step(class, bin uint8) step { return c.steps[int(class)<<c.binLog+int(bin)] }

// bin returns the table of a bin, and what coding needs of it.
func (c *classed) bin(number uint16) (t *table, s step) {
	class := c.of[number]
	k := &c.classes[class]
	return k.table, c.step(class, uint8(int(number)-k.base))
}

// levelOf returns how many thresholds are not above a value.
func levelOf(value uint64, thresholds []uint64) (level int) {
	for _, t := range thresholds {
		if t <= value {
			level++
		}
	}
	return level
}

// quarters returns where the values of each state begin and end: those of one, or of four.
func quarters(n int, many bool) (starts, ends [4]int) {
	ends = [4]int{n, n, n, n}
	for k := range ends {
		if many {
			ends[k] = (k+1)*(n/4) + min(k+1, n&3)
		}
	}
	return [4]int{0, ends[0], ends[1], ends[2]}, ends
}

// find finds the bins of values: for those that lie in none, the one that stands in. Quarters take turns, as each value waits for the one before.
func (c *classed) find(symbols []uint16, values []uint64, many bool) {
	starts, ends := quarters(len(values), many)
	var latest [4]step
	for i := range ends[0] {
		for k := range latest {
			if at := starts[k] + i; at < ends[k] {
				latest[k] = c.stepOf(latest[k].class(), values[at])
				symbols[at] = latest[k].number()
			}
		}
	}
}

// stepOf returns the step of the bin of a value of a class.
func (c *classed) stepOf(class uint8, value uint64) step {
	t := c.classes[class].table
	bin := t.find(value)
	if b := &t.bins[bin]; (value-b.lo)>>(b.bits&63) != 0 {
		bin = t.common
	}
	return c.step(class, bin)
}

// divide is [Model.divide] for a divided context, whose values begin with value `at` of the block.
func (c *classed) divide(s *scratch, at int, values []uint64, many bool) {
	symbols := s.wide[at : at+len(values)]
	c.find(symbols, values, many)
	for i, v := range values {
		r := &c.reach[symbols[i]]
		offset := v - r.lo
		if offset > r.mask {
			s.exceptions = append(s.exceptions, exception{at + i, v})
			offset = 0
		}
		s.offsets.put(offset, uint8(r.bits))
	}
}

// pushClasses encodes the symbols of a divided context, the last turn first.
func (w *symbolWriter) pushClasses(symbols []uint16, c *classed) {
	starts, ends := quarters(len(symbols), w.many)
	if !w.many {
		for i := len(symbols) - 1; i >= 0; i-- {
			w.oneOf(0, c, symbols[i])
		}
		return
	}
	for i := ends[0] - 1; i >= 0; i-- {
		for k := 3; k > 0; k-- {
			if at := starts[k] + i; at < ends[k] {
				w.oneOf(k, c, symbols[at])
			}
		}
		w.oneOf(0, c, symbols[i])
	}
}

// oneOf encodes a symbol onto a state.
func (w *symbolWriter) oneOf(state int, c *classed, symbol uint16) {
	if t, s := c.bin(symbol); t.coding() { // the symbol of a table that has one leaves a state as it is
		w.x[state&3], w.pos = push(w.x[state&3], w.words, w.pos, s.frequency(), classLog)
	}
}

// classed decodes the symbols of a divided context.
func (r *symbolReader) classed(out []uint16, c *classed) {
	var next [4]uint32 // where the slots of the next class begin
	if !r.many {
		for i := range out {
			out[i] = r.step(c, &next[0], 0)
		}
		return
	}
	starts, ends := quarters(len(out), true)
	for i := r.turns(out, c, starts, &next); i < ends[0]; i++ {
		for k, start := range starts {
			if at := start + i; at < ends[k] {
				out[at] = r.step(c, &next[k], k)
			}
		}
	}
}

// step decodes a symbol from a state.
func (r *symbolReader) step(c *classed, next *uint32, state int) uint16 {
	x := r.x[state&3]
	s := c.steps[*next>>(classLog-c.binLog)|uint32(c.slots[*next|x&(1<<classLog-1)])]
	if x = s.pop(x); x < stateMin && r.pos+2 <= len(r.src) {
		x = x<<16 | load16(r.src[r.pos:])
		r.pos += 2
	}
	r.x[state&3], *next = x, s.next()
	return s.number()
}

// turns decodes turns of four symbols as long as eight bytes of src are left, and returns their number.
func (r *symbolReader) turns(out []uint16, c *classed, starts [4]int, next *[4]uint32) int {
	x0, x1, x2, x3 := r.x[0], r.x[1], r.x[2], r.x[3]
	var n0, n1, n2, n3 uint32
	n := len(out) / 4
	o0, o1, o2, o3 := out[starts[0]:][:n], out[starts[1]:][:n], out[starts[2]:][:n], out[starts[3]:][:n]
	src, pos, slots, steps := r.src, r.pos, c.slots, c.steps
	shift := (classLog - c.binLog) & 31
	i := 0
	for ; i < n && pos+8 <= len(src); i++ {
		words, used := load64(src[pos:pos+8]), 0
		s0 := steps[n0>>shift|uint32(slots[n0|x0&(1<<classLog-1)])]
		s1 := steps[n1>>shift|uint32(slots[n1|x1&(1<<classLog-1)])]
		s2 := steps[n2>>shift|uint32(slots[n2|x2&(1<<classLog-1)])]
		s3 := steps[n3>>shift|uint32(slots[n3|x3&(1<<classLog-1)])]
		n0, n1, n2, n3 = s0.next(), s1.next(), s2.next(), s3.next()
		o0[i], o1[i], o2[i], o3[i] = s0.number(), s1.number(), s2.number(), s3.number()
		x0, words, used = refill(s0.pop(x0), words, used)
		x1, words, used = refill(s1.pop(x1), words, used)
		x2, words, used = refill(s2.pop(x2), words, used)
		x3, _, used = refill(s3.pop(x3), words, used)
		pos += used
	}
	r.x, r.pos, *next = [4]uint32{x0, x1, x2, x3}, pos, [4]uint32{n0, n1, n2, n3}
	return i
}

// offsets makes values of symbols. It reports false if offsets end early or leave their bins.
func (c *classed) offsets(out []uint64, symbols []uint16, r *bitReader) bool {
	left := uint64(0) // negative if an offset leaves its bin
	for at := 0; ; {
		at, left = c.offsetsOf(out, symbols, at, left, r)
		if at == len(out) {
			return left>>63 == 0
		}
		if !r.toTail() {
			return false
		}
	}
}

// offsetsOf is that of a table, for symbols of all classes.
func (c *classed) offsetsOf(out []uint64, symbols []uint16, i int, left uint64, r *bitReader) (int, uint64) {
	data, pos, reaches := r.data, r.pos, c.reach
	symbols = symbols[:len(out)]
	for ; uint(i) < uint(len(out)) && pos>>3+8 <= uint(len(data)); i++ {
		b := &reaches[symbols[i]]
		offset := load64(data[pos>>3:pos>>3+8]) >> (pos & 7) & b.mask
		left |= b.last - offset
		out[i] = b.lo + offset
		pos += uint(b.bits)
	}
	r.pos = pos
	return i, left
}

// AppendDivisions appends, if there are any,
//
//	uvarint  number of divisions
//	each     uvarint context - the one before, byte number of thresholds + 16·(order - 1), uvarints: the first, then each less the one before
func AppendDivisions(dst []byte, divisions []Division) []byte {
	if len(divisions) == 0 {
		return dst
	}
	dst = format.AppendUvarint(dst, uint64(len(divisions)))
	context := 0
	for _, d := range divisions {
		dst = append(format.AppendUvarint(dst, uint64(d.Context-context)), byte(len(d.Thresholds)|(d.Order-1)<<4))
		context = d.Context
		before := uint64(0)
		for _, t := range d.Thresholds {
			dst = format.AppendUvarint(dst, t-before)
			before = t
		}
	}
	return dst
}

// ReadDivisions reads what AppendDivisions wrote of one or more divisions.
func ReadDivisions(r *format.Decoder) []Division {
	divisions := make([]Division, r.Count(3, MaxDivisions))
	context := 0
	for i := range divisions {
		step := r.Int(MaxContexts)
		if context += step; step == 0 && i > 0 || context >= MaxContexts {
			r.Fail("context %d is divided twice or does not exist", context)
		}
		divisions[i] = readDivision(r, context)
	}
	if r.Err() == nil && len(divisions) == 0 {
		r.Fail("no division")
	}
	if r.Err() != nil {
		return nil
	}
	return divisions
}

func readDivision(r *format.Decoder, context int) Division {
	head := r.Byte()
	d := Division{context, make([]uint64, head&15), int(head>>4) + 1}
	if n := len(d.Thresholds); n == 0 || n > MaxThresholds || d.Classes() > MaxClasses {
		r.Fail("a division with %d thresholds and order %d", n, d.Order)
		return d
	}
	before := uint64(0)
	for i := range d.Thresholds {
		step := r.Uvarint()
		if step == 0 || before+step < before {
			r.Fail("thresholds of a division that do not rise")
		}
		before += step
		d.Thresholds[i] = before
	}
	return d
}

// wideSymbols makes room for the symbols of divided contexts, in a block of n values.
func (m *Model) wideSymbols(s *scratch, n int) {
	if m.classes != nil {
		s.wide = slices.Grow(s.wide[:0], n)[:n]
	}
}
