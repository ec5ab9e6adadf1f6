package tables

import (
	"math/bits"
	"slices"

	"github.com/pandotrace/pando/format"
)

// Table holds the vectors of a node that can simply be added up: all parts but [Metrics].
type Table struct {
	Part Part
	// Step is the number of children of a run.
	Step    uint64
	Vectors int
	// Keys are ordered.
	Keys []Key

	fields int
	series []int32  // by line and field: which of the series of sums is its own, -1 if all its sums are 0
	sums   []uint64 // series by series: the sums of the first 0, 1, 2 … vectors
}

// partFields are the numbers of words of keys, and of sums, that the parts have.
var partFields = [Parts]struct{ words, fields int }{Calls: {2, 4}, Messages: {2, 2}, Collectives: {3, 3}, Metrics: {4, 8}}

// Fields returns the numbers of words of keys, and of sums, that a part has; what else a [Row] has room for is 0.
func (p Part) Fields() (words, sums int) { return partFields[p].words, partFields[p].fields }

// NewTable makes a table of the vectors of runs of `step` children. ok is false if sums get too large.
func NewTable(part Part, step uint64, vectors []Vector) (t *Table, ok bool) {
	t = &Table{Part: part, Step: step, Vectors: len(vectors), fields: partFields[part].fields}
	t.Keys = keysOf(vectors, func(r *Row) *Key { return &r.Key })
	t.series = slices.Repeat([]int32{-1}, len(t.Keys)*t.fields)
	for number, v := range vectors {
		line := 0
		for i := range v {
			for t.Keys[line] != v[i].Key {
				line++
			}
			for f, sum := range v[i].Sums[:t.fields] {
				if sum != 0 {
					t.of(line, f)[number+1] = sum
				}
			}
		}
	}
	return t, t.addUp()
}

// keysOf returns the keys of vectors, in their order. Most vectors have the same keys as the longest.
func keysOf[V ~[]R, R any](vectors []V, key func(*R) *Key) []Key {
	var longest V
	for _, v := range vectors {
		if len(v) > len(longest) {
			longest = v
		}
	}
	keys := make([]Key, len(longest))
	for i := range longest {
		keys[i] = *key(&longest[i])
	}
	n := len(keys)
	for _, v := range vectors {
		keys = appendMissing(keys, keys[:n], v, key)
	}
	if len(keys) > n {
		slices.SortFunc(keys, func(a, b Key) int { return a.Compare(&b) })
		keys = slices.Compact(keys)
	}
	return keys
}

// appendMissing appends the keys of a vector that are not among some keys in order.
func appendMissing[V ~[]R, R any](dst, keys []Key, v V, key func(*R) *Key) []Key {
	at := 0
	for i := range v {
		k := key(&v[i])
		for at < len(keys) && keys[at].Compare(k) < 0 {
			at++
		}
		if at == len(keys) || keys[at] != *k {
			dst = append(dst, *k)
		}
	}
	return dst
}

// of returns the sums of a line and field, which it makes if there are none yet.
func (t *Table) of(line, field int) []uint64 {
	s := &t.series[line*t.fields+field]
	n := t.Vectors + 1
	if *s < 0 {
		*s = int32(len(t.sums) / n)
		t.sums = append(t.sums, make([]uint64, n)...)
	}
	return t.sums[int(*s)*n:][:n]
}

// addUp turns the sums of vectors into those of all vectors up to each. It reports false if they get too large.
func (t *Table) addUp() bool {
	over := uint64(0)
	for sums := t.sums; len(sums) > 0; sums = sums[t.Vectors+1:] {
		sum, carry := uint64(0), uint64(0)
		for i, v := range sums[:t.Vectors+1] {
			sum, carry = bits.Add64(sum, v, 0)
			over |= v>>63 | sum>>63 | carry
			sums[i] = sum
		}
	}
	return over == 0
}

// Sum returns a sum of the vectors first to last-1.
func (t *Table) Sum(line, field, first, last int) uint64 {
	s := t.series[line*t.fields+field]
	if s < 0 {
		return 0
	}
	sums := t.sums[int(s)*(t.Vectors+1):]
	return sums[last] - sums[first]
}

// Vector returns the sum of the vectors first to last-1.
func (t *Table) Vector(first, last int) Vector {
	var v Vector
	for line, k := range t.Keys {
		r := Row{Key: k}
		for f := range t.fields {
			r.Sums[f] = t.Sum(line, f, first, last)
		}
		if r.Sums != [4]uint64{} {
			v = append(v, r)
		}
	}
	return v
}

// Bytes is about the memory that the table takes.
func (t *Table) Bytes() int64 { return int64(32*len(t.Keys) + 4*len(t.series) + 8*len(t.sums) + 100) }

// Encode returns the table's bytes, see [Draft.Encode].
func (t *Table) Encode() []byte { return t.Draft().Encode() }

// tooDense reports whether slots, lines times vectors or cells, are more than some bytes may stand for.
func tooDense(slots uint64, bytes int) bool {
	return format.TooDense(slots/format.SlotsInThing+min(slots%format.SlotsInThing, 1), bytes)
}

// head is what comes before the form.
func (t *Table) head() []byte {
	dst := format.AppendUvarint(nil, uint64(len(t.Keys)))
	if len(t.Keys) == 0 {
		return dst
	}
	dst = format.AppendUvarint(dst, t.Step)
	return format.AppendUvarint(dst, uint64(t.Vectors))
}

// blocks lays out the numbers of the table.
func (t *Table) blocks() (blocks [3]columns) {
	words := partFields[t.Part].words
	class, n := classes(t.Keys, t.Part, t.fields, words+1)
	for i := range blocks {
		blocks[i] = newColumns(words + 1 + n*t.fields)
	}
	putKeys(blocks[0], t.Keys, words)
	for line := range t.Keys {
		blocks[0].put(words, t.mark(line))
		base := words + 1 + class[line]*t.fields
		for v := range t.Vectors {
			blocks[1].put(base, t.Sum(line, SumCount, v, v+1))
		}
		if t.Part != Calls {
			t.putRates(blocks[2], line, base)
		} else {
			t.putTimes(blocks[2], line, base)
		}
	}
	if t.Part == Calls {
		t.putBelow(blocks[2], words+1, class)
	}
	return blocks
}

// Marks of a line: of calls, that there are nested ones, and that there are some below.
const (
	markNested = 1
	markBelow  = 2
)

func (t *Table) mark(line int) (mark uint64) {
	if t.Part != Calls {
		return 0
	}
	if t.series[line*t.fields+SumNested] >= 0 {
		mark |= markNested
	}
	if t.series[line*t.fields+SumBelow] >= 0 {
		mark |= markBelow
	}
	return mark
}

// putKeys lays out ordered keys: of each word the difference to the line before if all words before are equal, else the
// word. The difference of the last word is less 1.
func putKeys(c columns, keys []Key, words int) {
	var before Key
	for i, k := range keys {
		same := i > 0
		for w := range words {
			v := k[w]
			if same {
				v -= before[w]
				same = v == 0
				if w == words-1 {
					v--
				}
			}
			c.put(w, v)
		}
		before = k
	}
}

// getKeys is the inverse of putKeys.
func getKeys(r *format.Decoder, c *columnReader, lines, words int) []Key {
	keys := make([]Key, lines)
	for i := range keys {
		same := i > 0
		for w := range words {
			v := c.get(w)
			if same {
				if w == words-1 {
					v++
				}
				v += keys[i-1][w]
				if v < keys[i-1][w] || w == words-1 && v == keys[i-1][w] {
					r.Fail("keys are out of order")
				}
				same = v == keys[i-1][w]
			}
			keys[i][w] = v
		}
	}
	return keys
}

// putTimes lays out durations and those of nested calls, where there are calls.
func (t *Table) putTimes(c columns, line, base int) {
	for v := range t.Vectors {
		if t.Sum(line, SumCount, v, v+1) == 0 {
			continue
		}
		c.put(base+SumTime, t.Sum(line, SumTime, v, v+1))
		if t.mark(line)&markNested != 0 {
			c.put(base+SumNested, t.Sum(line, SumNested, v, v+1))
		}
	}
}

// putBelow lays out the durations of calls below those of lines with that mark: in the last such line of a location as what all
// durations of the location are more than all below, which is mostly 0; in others as what the durations of the line are more.
func (t *Table) putBelow(c columns, base int, class []int) {
	for first, end := 0, 0; first < len(t.Keys); first = end {
		var last int
		end, last = t.location(first)
		for line := first; line < end; line++ {
			if t.mark(line)&markBelow == 0 {
				continue
			}
			for v := range t.Vectors {
				d := t.Sum(line, SumTime, v, v+1) - t.Sum(line, SumBelow, v, v+1)
				if line == last {
					d = t.surplus(first, end, v)
				}
				c.put(base+class[line]*t.fields+SumBelow, format.Zigzag(int64(d)))
			}
		}
	}
}

// location returns the end of the lines of a location, and the last of them with calls below, -1 if there is none.
func (t *Table) location(first int) (end, last int) {
	last = -1
	for end = first; end < len(t.Keys) && t.Keys[end][0] == t.Keys[first][0]; end++ {
		if t.mark(end)&markBelow != 0 {
			last = end
		}
	}
	return end, last
}

// surplus returns what all durations of some lines in a vector are more than those below, modulo 2^64.
func (t *Table) surplus(first, end, v int) (d uint64) {
	for line := first; line < end; line++ {
		d += t.Sum(line, SumTime, v, v+1) - t.Sum(line, SumBelow, v, v+1)
	}
	return d
}

// putRates lays out sums that tend to be proportional to the number: what they differ from the average of the vector before.
func (t *Table) putRates(c columns, line, base int) {
	for f := 1; f < t.fields; f++ {
		var p proportion
		for v := range t.Vectors {
			if n := t.Sum(line, SumCount, v, v+1); n > 0 {
				sum := t.Sum(line, f, v, v+1)
				c.put(base+f, format.Zigzag(int64(sum-p.expect(n))))
				p = proportion{n, sum}
			}
		}
	}
}

// proportion is a sum of some things.
type proportion struct{ count, sum uint64 }

// expect returns the sum of n things, modulo 2^64.
func (p proportion) expect(n uint64) uint64 {
	if p.count == 0 {
		return 0
	}
	return n * (p.sum / p.count)
}
