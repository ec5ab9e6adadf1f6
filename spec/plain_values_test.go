package spec

import "fmt"

// The decoder in the files plain_*_test.go was written from format.md alone, as plainly as it could be: it is slow, trusts
// the file, and panics where something is wrong. If it reads what the engine wrote, the text says all there is to know.

// met counts what of the text was needed to read.
var met = map[string]int{}

// plain reads bytes.
type plain struct{ b []byte }

func (p *plain) byte() byte {
	v := p.b[0]
	p.b = p.b[1:]
	return v
}

func (p *plain) take(n uint64) []byte {
	v := p.b[:n]
	p.b = p.b[n:]
	return v
}

func (p *plain) bytes() []byte { return p.take(p.uvarint()) }

// fixed reads n bytes as a number, low ones first.
func (p *plain) fixed(n int) (v uint64) {
	for i := range n {
		v |= uint64(p.byte()) << (8 * i)
	}
	return v
}

func (p *plain) uvarint() (v uint64) {
	for shift := 0; ; shift += 7 {
		b := p.byte()
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
}

func (p *plain) varint() uint64 { return unzigzag(p.uvarint()) }

// unzigzag returns a signed number modulo 2^64.
func unzigzag(v uint64) uint64 {
	if v%2 == 1 {
		return -(v/2 + 1)
	}
	return v / 2
}

// extensions passes over what stands behind a layout. Those with odd tags are not known.
func (p *plain) extensions() {
	for len(p.b) > 0 {
		if tag := p.uvarint(); tag%2 == 1 {
			panic(fmt.Sprintf("extension %d", tag))
		}
		p.take(p.uvarint())
	}
}

// end checks that nothing is left.
func (p *plain) end() {
	if len(p.b) > 0 {
		panic(fmt.Sprintf("%d bytes too many", len(p.b)))
	}
}

// endFilled checks that nothing but zeros is left.
func (p *plain) endFilled() {
	for _, b := range p.b {
		if b != 0 {
			panic("bytes were filled with something else than zeros")
		}
		met["zeros that fill"]++
	}
}

// bitStream reads bits, low ones of each byte first.
type bitStream struct {
	b     []byte
	pos   int
	spare int // bytes that may be left
}

func (s *bitStream) bits(n int) (v uint64) {
	for i := range n {
		v |= uint64(s.b[s.pos/8]>>(s.pos%8)&1) << i
		s.pos++
	}
	return v
}

// digits reads a number of form 0 of models.
func (s *bitStream) digits() uint64 {
	n := 0
	for s.bits(1) == 0 {
		n++
	}
	if n == 0 {
		return 0
	}
	return 1<<(n-1) | s.bits(n-1)
}

type plainBin struct{ begin, offsetBits, weight, start, freq uint64 }

type plainTable struct {
	bins []plainBin
	log  int
}

type plainModel struct {
	tableOf []int // by context
	tables  []plainTable

	thresholds map[int][]uint64 // of divided contexts
	classes    map[int]int      // of divided contexts: the context of class 1
}

func binaryDigits(v uint64) (n int) {
	for ; v > 0; v /= 2 {
		n++
	}
	return n
}

// setFrequencies follows the section on bins and tables.
func (t *plainTable) setFrequencies() {
	n, total := uint64(len(t.bins)), uint64(0)
	for _, b := range t.bins {
		total += 4*b.weight*b.weight + 1
	}
	if n > 1 {
		t.log = max(min(binaryDigits(total)-1, 12), binaryDigits(n-1))
	}
	t.divideSlots(total)
}

// ofClass returns the table as a divided context has it.
func (t *plainTable) ofClass() *plainTable {
	c := &plainTable{bins: append([]plainBin(nil), t.bins...), log: 10}
	total := uint64(0)
	for _, b := range t.bins {
		total += 4*b.weight*b.weight + 1
	}
	c.divideSlots(total)
	return c
}

func (t *plainTable) divideSlots(total uint64) {
	n, before := uint64(len(t.bins)), uint64(0)
	start := func(i int) uint64 { return uint64(i) + (1<<t.log-n)*before/total }
	for i := range t.bins {
		b := &t.bins[i]
		b.start = start(i)
		before += 4*b.weight*b.weight + 1
		b.freq = start(i+1) - b.start
	}
}

// heaviest returns the bin that stands in for exceptions.
func (t *plainTable) heaviest() (most int) {
	for i, b := range t.bins {
		if b.weight > t.bins[most].weight {
			most = i
		}
	}
	return most
}

// model reads a model; the bytes of form 1 go to the end.
func (p *plain) model() *plainModel {
	contexts, tables, head := int(p.uvarint()), int(p.uvarint()), p.uvarint()
	bins, form := int(head/2), head%2
	var columns [5][]uint64
	sizes := []int{contexts, tables, bins, bins, bins}
	if form == 0 {
		s := bitStream{b: p.b}
		for i, n := range sizes {
			for range n {
				columns[i] = append(columns[i], s.digits())
			}
		}
		p.take(uint64(s.pos+7) / 8)
	} else {
		met["coded model"]++
		code := p.model()
		first := code.decode(p.bytes(), []int{contexts, tables, bins})
		columns[0], columns[1], columns[2] = first[:contexts], first[contexts:contexts+tables], first[contexts+tables:]
		columns[3], columns[4] = p.coded(code, columns[2])
	}
	return newPlainModel(columns)
}

// coded reads gaps and weights, which stand in contexts by the bins' offset bits.
func (p *plain) coded(code *plainModel, digits []uint64) (gaps, weights []uint64) {
	class := func(d uint64) int {
		switch {
		case d == 0:
			return 0
		case d <= 3:
			return 1
		case d <= 7:
			return 2
		}
		return 3
	}
	counts := make([]int, 11)
	for _, d := range digits {
		counts[3+class(d)]++
		counts[7+class(d)]++
	}
	values := code.decode(p.take(uint64(len(p.b))), counts)
	byContext := make([][]uint64, 11)
	for c, n := range counts {
		byContext[c], values = values[:n], values[n:]
	}
	next := func(c int) uint64 {
		v := byContext[c][0]
		byContext[c] = byContext[c][1:]
		return v
	}
	for _, d := range digits {
		gaps, weights = append(gaps, next(3+class(d))), append(weights, next(7+class(d)))
	}
	return gaps, weights
}

func newPlainModel(columns [5][]uint64) *plainModel {
	m := &plainModel{}
	used := 0
	for _, v := range columns[0] {
		if v == 0 {
			used++
			v = uint64(used)
		}
		m.tableOf = append(m.tableOf, int(v-1))
	}
	at := 0
	for _, size := range columns[1] {
		t := plainTable{}
		reach := uint64(0)
		for range size + 1 {
			b := plainBin{begin: reach + unzigzag(columns[3][at]), offsetBits: columns[2][at], weight: columns[4][at]}
			reach = b.begin + 1<<b.offsetBits
			t.bins = append(t.bins, b)
			at++
		}
		t.setFrequencies()
		m.tables = append(m.tables, t)
	}
	return m
}

// decode reads a block of values, counts[c] of context c.
func (m *plainModel) decode(src []byte, counts []int) []uint64 {
	p := plain{src}
	exceptions := map[int]uint64{}
	at := -1
	for range p.uvarint() {
		met["exception"]++
		at += 1 + int(p.uvarint())
		exceptions[at] = p.uvarint()
	}
	symbols := 0
	for c, n := range counts {
		if len(m.table(c).bins) > 1 || len(m.thresholds[c]) > 0 {
			symbols += n
		}
	}
	words := p.words(symbols)
	var tables []*plainTable // of each value
	var all []int
	for c, n := range counts {
		if len(m.thresholds[c]) > 0 {
			t, s := m.divided(c, n, words)
			tables, all = append(tables, t...), append(all, s...)
			continue
		}
		for j := range n {
			tables, all = append(tables, m.table(c)), append(all, words.symbol(m.table(c), j%len(words.states)))
		}
	}
	offsets := words.offsets(p.b)
	values := make([]uint64, len(tables))
	for i, t := range tables {
		values[i] = t.value(all[i], offsets, exceptions, i)
	}
	offsets.end()
	return values
}

func (m *plainModel) table(context int) *plainTable { return &m.tables[m.tableOf[context]] }

// divisions reads the thresholds of divided contexts, and counts them.
func (p *plain) divisions() (thresholds map[int][]uint64, all int) {
	thresholds = map[int][]uint64{}
	context := 0
	for range p.uvarint() {
		context += int(p.uvarint())
		threshold := uint64(0)
		for range p.byte() {
			threshold += p.uvarint()
			thresholds[context] = append(thresholds[context], threshold)
			all++
		}
	}
	return thresholds, all
}

// divide divides contexts. The contexts of their classes begin with one.
func (m *plainModel) divide(next int, thresholds map[int][]uint64) {
	m.thresholds, m.classes = thresholds, map[int]int{}
	for c := range m.tableOf {
		if n := len(thresholds[c]); n > 0 {
			m.classes[c] = next
			next += n
		}
	}
}

// divided reads the symbols of n values of a divided context, and says which table each has.
func (m *plainModel) divided(context, n int, words *plainWords) (tables []*plainTable, symbols []int) {
	met["divided context"]++
	stretches := len(words.states)
	if stretches == 4 {
		met["quarters"]++
	}
	all := []*plainTable{m.table(context).ofClass()}
	for k := range m.thresholds[context] {
		all = append(all, m.table(m.classes[context]+k).ofClass())
	}
	tables, symbols = make([]*plainTable, n), make([]int, n)
	starts, classes := []int{0}, make([]int, stretches)
	for k := range stretches {
		size := n / stretches
		if k < n%stretches {
			size++
		}
		starts = append(starts, starts[k]+size)
	}
	for turn := 0; turn < starts[1]; turn++ {
		for k := range stretches {
			at := starts[k] + turn
			if at == starts[k+1] {
				continue
			}
			t := all[classes[k]]
			tables[at], symbols[at] = t, words.symbol(t, k)
			classes[k] = 0
			for _, threshold := range m.thresholds[context] {
				if threshold <= t.bins[symbols[at]].begin {
					classes[k]++
				}
			}
		}
	}
	return tables, symbols
}

// value decodes value i of a block, which has a symbol.
func (t *plainTable) value(symbol int, offsets *bitStream, exceptions map[int]uint64, i int) uint64 {
	b := t.bins[symbol]
	v := b.begin + offsets.bits(int(b.offsetBits))
	if e, ok := exceptions[i]; ok {
		if symbol != t.heaviest() || v != b.begin {
			panic("an exception that does not stand in the heaviest bin")
		}
		return e
	}
	return v
}

// plainChain reads a chain.
type plainChain struct {
	model      *plainModel
	words      *plainWords
	offsets    bitStream
	exceptions map[int]uint64
	values     int // read
}

func newPlainChain(m *plainModel, b []byte) *plainChain {
	p, c := plain{b}, &plainChain{model: m, exceptions: map[int]uint64{}}
	at := -1
	for range p.uvarint() {
		at += 1 + int(p.uvarint())
		c.exceptions[at] = p.uvarint()
	}
	c.words = p.words(0)
	c.offsets = bitStream{b: p.b}
	return c
}

// next reads a value of a context.
func (c *plainChain) next(context int) uint64 {
	t := c.model.table(context)
	v := t.value(c.words.symbol(t, 0), &c.offsets, c.exceptions, c.values)
	c.values++
	return v
}

func (c *plainChain) end() {
	c.words.offsets(nil)
	c.offsets.end()
}

// plainWords are the words of a stream of symbols.
type plainWords struct {
	plain
	states []uint64
}

// words begins to read a stream of a number of symbols.
func (p *plain) words(symbols int) *plainWords {
	if symbols < 1024 {
		w := &plainWords{plain{p.take(2 * p.uvarint())}, []uint64{0}}
		if w.refill(0); len(w.b) > 0 {
			w.refill(0)
		}
		return w
	}
	met["four states"]++
	w := &plainWords{plain{p.b}, make([]uint64, 4)} // the offsets begin where the words end
	for k := range w.states {
		w.states[k] = 65536*w.fixed(2) + w.fixed(2)
	}
	return w
}

func (w *plainWords) refill(state int) {
	if w.states[state] < 1<<16 && len(w.b) > 0 {
		w.states[state] = w.states[state]<<16 + w.fixed(2)
	}
}

func (w *plainWords) symbol(t *plainTable, state int) (symbol int) {
	if len(t.bins) == 1 {
		return 0
	}
	x := w.states[state]
	slot := x % (1 << t.log)
	for slot >= t.bins[symbol].start+t.bins[symbol].freq {
		symbol++
	}
	w.states[state] = t.bins[symbol].freq*(x>>t.log) + slot - t.bins[symbol].start
	w.refill(state)
	return symbol
}

// offsets ends the words, and returns the offsets: what stands behind one state's words, or what is left and what four states carry.
func (w *plainWords) offsets(behind []byte) *bitStream {
	if len(w.states) == 1 {
		if w.end(); w.states[0] != 0 {
			panic("a state that does not end as it must")
		}
		return &bitStream{b: behind}
	}
	s := &bitStream{b: append([]byte(nil), w.b...)}
	if len(s.b) == 0 {
		met["offsets in states alone"]++
		s.spare = 8
	}
	for _, x := range w.states {
		if x>>16 != 1 {
			panic("a state that does not end as it must")
		}
		s.b = append(s.b, byte(x), byte(x>>8))
	}
	return s
}

// end checks that nothing but zeros is left of the last byte, or of the bytes that may be zeros.
func (s *bitStream) end() {
	left := 8*len(s.b) - s.pos
	if left > max(7, 8*s.spare) {
		panic("offsets that go on")
	}
	for range left {
		if s.bits(1) != 0 {
			panic("offsets that are filled with something else than zeros")
		}
	}
}
