package spec

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"strings"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

func (x *examples) integers() {
	x.head("1", "Integers")
	x.text("Seven bits a byte, low ones first; a varint is the uvarint of its zigzag code.\n")
	x.text("| uvarint | bytes | varint | zigzag | bytes |\n|---|---|---|---|---|")
	for i, v := range []uint64{0, 1, 127, 128, 300, 1<<64 - 1} {
		signed := []int64{0, -1, 1, -64, 64, -1 << 63}[i]
		u, z := format.AppendUvarint(nil, v), format.AppendVarint(nil, signed)
		x.same("uvarint", (&plain{u}).uvarint(), v)
		x.same("varint", int64((&plain{z}).varint()), signed)
		x.text("| %d | %s | %d | %d | %s |", v, hexOf(u), signed, format.Zigzag(signed), hexOf(z))
	}
}

func (x *examples) checksums() {
	x.head("1, 2.2", "Checksums")
	nine := []byte("123456789")
	sum := checksum(nine)
	x.same("checksum", sum, 0xe3069283)
	x.text("The CRC-32C of the nine bytes `123456789` is %#x; in a file it stands as %s.", sum, hexOf(binary.LittleEndian.AppendUint32(nil, uint32(sum))))
}

// digitsOf returns the bits of a number of form 0.
func digitsOf(v uint64) string {
	n := binaryDigits(v)
	bits := strings.Repeat("0", n) + "1"
	for i := range max(n-1, 0) {
		bits += fmt.Sprint(v >> i & 1)
	}
	return bits
}

// packedBits returns the bytes of bits, low ones first.
func packedBits(bits string) []byte {
	b := make([]byte, (len(bits)+7)/8)
	for i, bit := range bits {
		b[i/8] |= byte(bit-'0') << (i % 8)
	}
	return b
}

func (x *examples) numbers() {
	x.head("8", "Numbers in form 0 of models")
	x.text("As many zeros as the number has binary digits, a one, and all digits but the first, low ones first.\n")
	x.text("| number | bits, the first one first |\n|---|---|")
	all := ""
	numbers := []uint64{0, 1, 2, 6, 100}
	for _, v := range numbers {
		x.text("| %d | %s |", v, digitsOf(v))
		all += digitsOf(v)
	}
	b := packedBits(all)
	s := bitStream{b: b}
	for _, v := range numbers {
		x.same("number", s.digits(), v)
	}
	x.text("\nOne after the other, these are the bytes %s.", hexOf(b))
}

// plainWriter codes adaptive bits, exactly as the text has it: the stream is a number, of which the interval that is left is known.
type plainWriter struct {
	low     *big.Int
	size    uint64
	bytes   int
	chances map[string]*plainChance
	steps   []string // what was coded, a line each
}

func newPlainWriter() *plainWriter {
	return &plainWriter{low: new(big.Int), size: 1<<32 - 1, bytes: 1, chances: map[string]*plainChance{}}
}

func (w *plainWriter) code(one uint64, bit bool) {
	if bit {
		w.size = one
	} else {
		w.low.Add(w.low, new(big.Int).SetUint64(one))
		w.size -= one
	}
	for w.size < 1<<24 {
		w.low.Lsh(w.low, 8)
		w.size <<= 8
		w.bytes++
	}
}

func (w *plainWriter) bit(bit bool, name ...any) {
	key := fmt.Sprintln(name...)
	c := w.chances[key]
	if c == nil {
		c = &plainChance{p: 1 << 15}
		w.chances[key] = c
	}
	p := c.p
	w.code(w.size>>16*c.p, bit)
	step := 5 << 16 / (5*c.m + 9)
	if bit {
		c.p += (1<<16 - c.p) * step >> 16
	} else {
		c.p -= c.p * step >> 16
	}
	c.m = min(c.m+1, 40)
	w.steps = append(w.steps, fmt.Sprintf("| %d | %d | %d | %#x |", btoi(bit), p, c.p, w.size))
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// number is N of the text.
func (w *plainWriter) number(v uint64, name ...any) {
	context, n := fmt.Sprintln(name...), binaryDigits(v)
	for i := range min(n+1, 64) {
		w.bit(i < n, context, "ones", i)
	}
	digits := "1"
	for i := range max(n-1, 0) {
		bit := v>>(n-2-i)&1 == 1
		if i < 4 {
			w.bit(bit, context, n, digits)
		} else {
			w.code(w.size/2, bit)
		}
		digits = fmt.Sprint(digits, bit)
	}
}

// end returns the stream: the least number with three bytes of zeros behind it.
func (w *plainWriter) end() []byte {
	up := new(big.Int).Add(w.low, big.NewInt(1<<24-1))
	return up.Rsh(up, 24).FillBytes(make([]byte, w.bytes))
}

func (x *examples) adaptive() {
	x.head("8", "Adaptive bits")
	x.text("The bits 1, 1, 0, 1 with one chance. `p` is the chance before and after the bit, size what is left of the interval after it.\n")
	x.text("| bit | p | p after | size |\n|---|---|---|---|")
	w := newPlainWriter()
	bits := []bool{true, true, false, true}
	for _, b := range bits {
		w.bit(b, "chance")
	}
	x.text("%s", strings.Join(w.steps, "\n"))
	stream := w.end()
	d := plainBits{chances: map[string]*plainChance{}}
	d.open(stream)
	for _, b := range bits {
		x.same("bit", d.bit("chance"), b)
	}
	d.close()
	x.text("\nThe stream is %s: the first bytes of the least number in the interval that ends in three bytes of zeros, which are not stored.\n", hexOf(stream))
	w = newPlainWriter()
	w.number(5, "context")
	w.number(0, "context")
	stream = w.end()
	d = plainBits{chances: map[string]*plainChance{}}
	d.open(stream)
	x.same("numbers", fmt.Sprint(d.number("context"), d.number("context")), "5 0")
	d.close()
	x.text("The number 5 has the binary digits 101: three ones and a zero, with the chances of no, one, two and three ones before; then the digits 0 and 1, with the chances")
	x.text("of (3 digits, 1) and (3 digits, 10). With the number 0 in the same context behind it, which is a zero with the chance of no ones, the stream is %s.", hexOf(stream))
}

// page codes an enter and a leave of a region, and the call of both.
func (x *examples) page() {
	x.head("6.1", "A page of shapes")
	x.text("The first page of a dictionary: the leaves Enter (kind 12) and Leave (kind 13) of region 3, and the call that they make.\n")
	w, lines := newPlainWriter(), []string{}
	say := func(line string) { lines = append(lines, line) }
	n := func(v uint64, context ...any) {
		w.number(v, context...)
		say(fmt.Sprintf("N(%s, %d)", strings.TrimSpace(fmt.Sprintln(context...)), v))
	}
	b := func(bit bool, chance ...any) {
		w.bit(bit, chance...)
		say(fmt.Sprintf("B(%s, %d)", strings.TrimSpace(fmt.Sprintln(chance...)), btoi(bit)))
	}
	n(0, "demotions")
	n(0, "ranks")
	n(3, "shapes")
	leaf := func(form int, kind uint64) {
		b(true, "leaf", form)
		n(kind, "kind")
		n(0, "attributes")
		k := 16 * kind % 251
		b(false, "known", k)
		n(2, "step", k) // one word: zigzag(1)
		b(false, "known", k+1)
		n(6, "step", k+1) // region 3: zigzag(3)
	}
	leaf(0, 12)
	leaf(0, 13)
	b(false, "leaf", 0)
	b(true, "composite", 0)
	for i, place := range []uint64{0, 1} {
		b(false, "end", i)
		b(true, "to a leaf", i)
		n(place, "place")
		n(0, "count of leaves")
	}
	b(true, "end", 2)
	x.code(lines...)
	page := append([]byte{0}, w.end()...)
	d := shape.NewDictionary(trace.Standard)
	if err := d.AddPage(page, format.Limits{}); err != nil {
		x.t.Fatal(err)
	}
	x.same("shapes", fmt.Sprint(d.Len(), d.Leaf(0).Kind, d.Leaf(1).Words, d.EdgesOf(2)), fmt.Sprint(3, trace.KindEnter, []uint64{3}, []shape.Edge{{Shape: 0, Count: 1}, {Shape: 1, Count: 1}}))
	x.text("\nWords of leaves are coded in the lists k = 16·kind mod 251: their number with k, the word with k + 1. All of them are new, so each is S(step k, it - 0).")
	x.text("The call's first edge has nothing that followed on two end marks before; its hash is new for each edge, and nothing followed on its shape. So the page is")
	x.text("a 0, the number of its first shape, and the stream: %s.", hexOf(page))
}

// exampleModel is a model of one table: bins are begin, offset bits, weight.
func exampleModel(contexts int, bins ...[3]uint64) []byte {
	columns := make([]uint64, contexts)
	for c := range contexts {
		columns[c] = uint64(min(c, 1))
	}
	columns = append(columns, uint64(len(bins)-1))
	for _, b := range bins {
		columns = append(columns, b[1])
	}
	reach := uint64(0)
	for _, b := range bins {
		columns = append(columns, format.Zigzag(int64(b[0]-reach)))
		reach = b[0] + 1<<b[1]
	}
	for _, b := range bins {
		columns = append(columns, b[2])
	}
	bits := ""
	for _, v := range columns {
		bits += digitsOf(v)
	}
	b := format.AppendUvarint(format.AppendUvarint(nil, uint64(contexts)), 1)
	return append(format.AppendUvarint(b, 2*uint64(len(bins))), packedBits(bits)...)
}

var exampleBins = [][3]uint64{{0, 0, 3}, {1, 2, 1}, {5, 4, 1}}

func (x *examples) tables() {
	x.head("8", "A table and its model")
	x.text("A table of three bins: the number 0, 1 to 4, and 5 to 20, with the weights 3, 1, 1. M is 37 + 5 + 5 = 47, which has 6 binary digits, so L = max(digits(2), min(5, 12)) = 5.\n")
	model := exampleModel(1, exampleBins...)
	t := (&plain{model}).model().tables[0]
	x.same("L", t.log, 5)
	x.text("| bin | begin | offset bits | weight | mass | start | frequency |\n|---|---|---|---|---|---|---|")
	for i, b := range t.bins {
		x.text("| %d | %d | %d | %d | %d | %d | %d |", i, b.begin, b.offsetBits, b.weight, 4*b.weight*b.weight+1, b.start, b.freq)
	}
	m, err := column.ParseModel(model)
	if err != nil {
		x.t.Fatal(err)
	}
	x.same("model", hexOf(m.Append(nil)), hexOf(model))
	x.text("\nstart(1) = 1 + floor((2^5 - 3)·37/47) = 23. The model of one context with this table is, in form 0: contexts 1, tables 1, 2·bins 6; the columns tables 0, sizes 2,")
	x.text("digits 0 2 4, gaps 0 0 0 (each bin begins where the one before ends), weights 3 1 1. So its bytes are %s.", hexOf(model))
}

// values codes a block of values, and shows how its symbols are decoded.
func (x *examples) values() {
	x.head("8", "A block of values")
	values := []uint64{0, 0, 3, 0, 9, 0, 30}
	model := exampleModel(1, exampleBins...)
	m, err := column.ParseModel(model)
	if err != nil {
		x.t.Fatal(err)
	}
	block := m.Encode(nil, []int{len(values)}, values)
	plainM := (&plain{model}).model()
	x.same("values", plainM.decode(block, []int{len(values)}), values)
	x.text("The values 0, 0, 3, 0, 9, 0, 30 of one context with this table. 30 lies in no bin: it is an exception, and the heaviest bin stands in its place.\n")
	p := plain{block}
	exceptions, between, value := p.uvarint(), p.uvarint(), p.uvarint()
	x.same("exceptions", fmt.Sprint(exceptions, between, value), "1 6 30")
	n := p.uvarint()
	words := make([]uint64, n)
	for i := range words {
		words[i] = p.fixed(2)
	}
	x.text("| bytes | what |\n|---|---|")
	head := len(format.AppendUvarint(format.AppendUvarint(format.AppendUvarint(nil, exceptions), between), value))
	x.text("| %s | exceptions: %d; %d values lie before it; its value is %d |", hexOf(block[:head]), exceptions, between, value)
	x.text("| %s | words: %d, %v |", hexOf(block[head:len(block)-len(p.b)]), n, words)
	x.text("| %s | offsets: 2 of the bin of 3 in two bits, 4 of the bin of 9 in four |\n", hexOf(p.b))
	x.text("The state begins as 0, and takes words while it is less than 2^16 and words are left:\n")
	x.text("| x | slot = x mod 2^5 | bin | f·floor(x/2^5) + slot - s | words taken | value |\n|---|---|---|---|---|---|")
	state, t := uint64(0), plainM.tables[0]
	take := func() string {
		taken := ""
		for state < 1<<16 && len(words) > 0 {
			taken += fmt.Sprint(" ", words[0])
			state, words = state<<16+words[0], words[1:]
		}
		return taken
	}
	x.text("| 0 | | | |%s | |", take())
	for i, v := range values {
		slot, symbol := state%32, 0
		for slot >= t.bins[symbol].start+t.bins[symbol].freq {
			symbol++
		}
		before, b := state, t.bins[symbol]
		state = b.freq*(state/32) + slot - b.start
		after, said := state, fmt.Sprint(v)
		if b.offsetBits > 0 {
			said = fmt.Sprintf("%d + %d = %d", b.begin, v-b.begin, v)
		}
		if i == 6 {
			said = "0, but it is the exception: 30"
		}
		x.text("| %d | %d | %d | %d |%s | %s |", before, slot, symbol, after, take(), said)
	}
	x.same("the last state", state, 0)
	x.text("\nThe state ends as 0, and no word is left.")
	x.fourStates(m, plainM)
}

// fourStates shows how four states end.
func (x *examples) fourStates(m *column.Model, plainM *plainModel) {
	values := make([]uint64, 1024)
	for i := range 5 {
		values[1019+i] = uint64(20 - i)
	}
	block := m.Encode(nil, []int{len(values)}, values)
	x.same("values", plainM.decode(block, []int{len(values)}), values)
	p := plain{block[1:]} // behind the number of exceptions, which is 0
	words := p.words(len(values))
	for i := range values {
		words.symbol(&plainM.tables[0], i%4)
	}
	x.same("bytes left", len(words.b), 0)
	x.same("ends", fmt.Sprintf("%x", words.states), "[1cdef 1000b 10000 10000]")
	x.text("\n1,019 zeros and 20, 19, 18, 17, 16 have 1,024 symbols, so there are four states. The last five values have the offsets 15, 14, 13, 12, 11 in four bits each: the bytes")
	x.text("ef cd 0b. These are fewer than eight, so zeros follow, and all eight stand in the ends of the states: %#x, %#x, %#x and %#x.", words.states[0], words.states[1], words.states[2], words.states[3])
	x.text("The block is a 0 for no exceptions, and %d words, of which the first two make state 0: %s times 2^16 and %s.", (len(block)-1)/2, hexOf(block[1:3]), hexOf(block[3:5]))
}
