package spec

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/big"
	"strconv"

	"github.com/pandotrace/pando/encode/records"
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/trace"
)

func (x *examples) lattice() {
	x.head("7.3", "Times by the ticks of a clock")
	const period, phase, start = 11<<40 + 1<<38, 1 << 39, 1000
	x.text("A run that starts at %d, by a clock whose ticks take 11.25 ticks of the trace (period %d), with one phase, %d (half a tick of the trace).\n", start, int64(period), int64(phase))
	x.text("| value | k | (k · period + phase) / 2^40 | time |\n|---|---|---|---|")
	k := int64(0)
	for _, v := range []int64{0, 1, 4, 0, 100} {
		k += v
		x.text("| %d | %d | %g | %d |", v, k, float64(k*period+phase)/(1<<40), start+(k*period+phase)>>40)
	}
}

func (x *examples) predictions() {
	x.head("6.4", "A prediction")
	x.text("A counter that grows by two and a half in each tick, and counts in steps of 8: source 2, rate 2.5 · 2^32, unit 8. The second run begins with the first value of the run before.\n")
	x.text("| run | time | value | clock - c | expected | d | code |\n|---|---|---|---|---|---|---|")
	q := &plainPrediction{source: 2, rate: 5 << 31, unit: 8}
	c := &plainColumns{memories: map[uint64]*plainMemory{}}
	c.plainStatistics = &plainStatistics{predictions: map[uint64]*plainPrediction{1: q}}
	for _, e := range [][3]uint64{{1, 100, 256}, {1, 110, 280}, {1, 120, 304}, {1, 130, 335}, {2, 105, 264}, {2, 125, 320}} {
		run, now, value := int(e[0]), e[1], e[2]
		m := *c.memory(1)
		if m.run != run {
			m.value, m.clock = m.first, m.firstClock
		}
		expected, passed := m.value, "-"
		if m.run != 0 {
			expected, passed = m.value+q.growth(int64(now-m.clock)), fmt.Sprint(int64(now-m.clock))
		}
		d := int64(value - expected)
		code, shown := 1<<64-1-format.Zigzag(d), fmt.Sprintf("2^64 - 1 - %d", format.Zigzag(d))
		if d%q.unit == 0 {
			code = format.Zigzag(d / q.unit)
			shown = fmt.Sprint(code)
		}
		x.same("prediction", c.predicted(1, code, now, run), value)
		x.text("| %d | %d | %d | %s | %d | %d | %s |", run, now, value, passed, expected, d, shown)
	}
}

func (x *examples) counters() {
	x.head("6.4", "A counter on a lattice")
	x.text("A clock ticks each 10.25 nanoseconds: source 0, period 10.25 · 2^40. Bounds are shown divided by 2^40. The last value begins a new phase.\n")
	x.text("| value | value - v | bounds before | n | whole | part | more, of the middle | more | code |\n|---|---|---|---|---|---|---|---|---|")
	q := &plainPrediction{period: 41 << 38}
	c := &plainColumns{memories: map[uint64]*plainMemory{}}
	c.plainStatistics = &plainStatistics{predictions: map[uint64]*plainPrediction{1: q}}
	part := func(units int64) string { return strconv.FormatFloat(float64(units)/(1<<40), 'g', -1, 64) }
	for i, e := range []struct {
		value, code uint64
		ticks, more int64
	}{{1005, 1<<64 - 1 - 2010, 0, 0}, {1035, 1<<62 + 6, 3, 0}, {1046, 2, 1, 1}, {1076, 6, 3, 0}, {1082, 1<<64 - 1 - 12, 0, 0}} {
		m := *c.memory(1)
		if i == 0 {
			m.high = 1 << 40
		}
		x.same("counter", c.predicted(1, e.code, 0, 1), e.value)
		bounds := part(m.low) + " to " + part(m.high)
		if e.code >= 1<<63 {
			x.text("| %d | %d | %s | - | - | - | - | - | 2^64 - 1 - %d |", e.value, e.value-m.value, bounds, 1<<64-1-e.code)
			continue
		}
		whole, rest := e.ticks*41/4, e.ticks*41<<38%(1<<40)
		middle := int64(0)
		if m.low+m.high+2*rest >= 2<<40 {
			middle = 1
		}
		shown := fmt.Sprint(e.code)
		if e.code >= 1<<62 {
			shown = fmt.Sprintf("2^62 + %d", e.code-1<<62)
		}
		x.text("| %d | %d | %s | %d | %d | %s | %d | %d | %s |", e.value, e.value-m.value, bounds, e.ticks, whole, part(rest), middle, e.more, shown)
	}
}

func (x *examples) ranks() {
	x.head("6.2", "Relative ranks")
	own := shape.OwnRank{Rank: 3, Size: 10}
	x.text("A location has rank 3 of 10 in the communicator.\n")
	x.text("| peer | (peer - rank) modulo size | distance | word | marked |\n|---|---|---|---|---|")
	for _, peer := range []uint64{3, 4, 2, 8, 9, 0, 10} {
		word, ok := own.Relative(peer)
		if !ok {
			x.text("| %d | - | - | %d | no |", peer, peer)
			continue
		}
		d := (peer + 10 - 3) % 10
		distance := int64(d)
		if d > 5 {
			distance -= 10
		}
		x.same("distance", word, format.Zigzag(distance))
		x.text("| %d | %d | %d | %d | yes |", peer, d, distance, word)
	}
}

func (x *examples) places() {
	x.head("10.1", "Places of a node")
	x.text("A node with 6 children. An item stands in the smallest place that has the children of both its ends; m is where the place is halved.\n")
	x.text("| place | children | m |\n|---|---|---|")
	type place struct{ number, low, high int }
	all := []place{{1, 0, 6}}
	for i := 0; i < len(all); i++ {
		p := all[i]
		m := (p.low + p.high) / 2
		if p.high-p.low == 1 {
			x.text("| %d | %d | - |", p.number, p.low)
			continue
		}
		x.text("| %d | %d to %d | %d |", p.number, p.low, p.high-1, m)
		all = append(all, place{2 * p.number, p.low, m}, place{2*p.number + 1, m, p.high})
	}
	x.text("\nSo an item from child 1 to child 2 stands in place 5, one from child 0 to child 2 in place 2, one from child 2 to child 3 in place 1, and one within child 5 in place 15.")
	x.same("the place of child 5", placeOf(5, 5, 6), 15)
	x.same("the place of children 1 and 2", placeOf(1, 2, 6), 5)
	x.same("the place of children 0 and 2", placeOf(0, 2, 6), 2)
	x.same("the place of children 2 and 3", placeOf(2, 3, 6), 1)
}

// placeOf returns the place of an item by the children of its ends.
func placeOf(from, to, children int) (place int) {
	low, high := 0, children
	for place = 1; high-low > 1; {
		m := (low + high) / 2
		switch {
		case to < m:
			place, high = 2*place, m
		case from >= m:
			place, low = 2*place+1, m
		default:
			return place
		}
	}
	return place
}

func (x *examples) ticks() {
	x.head("10.1", "Times of items in ticks")
	const period = 10<<40 + 1<<39
	x.text("With a period of 10.5 ticks of the trace (%d):\n", int64(period))
	x.text("| time d | k = floor((d · 2^40 + floor(p/2)) / p) | floor((k · p + 2^39) / 2^40) | remainder |\n|---|---|---|---|")
	for _, d := range []int64{0, 10, 11, 100, 1000} {
		k := (d<<40 + period/2) / period
		time := (k*period + 1<<39) >> 40
		x.text("| %d | %d | %d | %d |", d, k, time, d-time)
	}
	x.text("\nA remainder of 6 for k = 1 would make 17, which has 2 ticks, so it is none.")
	x.same("ticks of 17", (int64(17)<<40+period/2)/period, 2)
}

func (x *examples) postings() {
	x.head("9.3", "Bitmaps")
	x.text("| slices | bitmap | what |\n|---|---|---|")
	for _, c := range []struct {
		slices []uint64
		name   string
	}{{[]uint64{0}, "0"}, {[]uint64{0, 1, 2, 5}, "0, 1, 2, 5"}, {upTo(100), "0 to 99"}} {
		p := index.Postings{}
		for _, s := range c.slices {
			p.Add(index.Posting{What: index.PostingKind, ID: 12}, s)
		}
		b, err := p.Append(nil)
		if err != nil {
			x.t.Fatal(err)
		}
		q := plain{b}
		x.same("first slice, first lane and lists", fmt.Sprint(q.uvarint(), q.uvarint(), q.uvarint(), q.byte(), q.uvarint()), "0 0 1 2 12")
		bitmap := q.bytes()
		x.same("slices", fmt.Sprint(roaringBitmap(bitmap)), fmt.Sprint(c.slices))
		what := "an array: 12346, one container, key 0, how many less 1, its offset 16, the numbers"
		if binary.LittleEndian.Uint16(bitmap) == 12347 {
			what = "a run: 12347, one container less 1, bits of runs, key 0, how many less 1, runs 1, first 0, last - first"
		}
		x.text("| %s | %s | %s |", c.name, hexOf(bitmap), what)
	}
	x.text("\nOf 4 numbers in 2 runs, runs would take 2 + 4·2 = 10 bytes, which is not less than 2·4; of 100 in one run they take 6.")
}

func upTo(n uint64) (list []uint64) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

func (x *examples) hashes() {
	x.head("10.7", "Hashes of structure")
	sum := sha256.Sum256([]byte("main"))
	mod := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 61), big.NewInt(1))
	symbol := func(b []byte) *big.Int {
		v := new(big.Int).SetUint64(binary.LittleEndian.Uint64(b))
		return v.Mod(v, mod)
	}
	enter, leave := symbol(sum[:8]), symbol(sum[8:])
	x.text("The SHA-256 of the name `main` begins with %s. So its enters have the symbol %v, and its leaves %v.", hexOf(sum[:16]), enter, leave)
	for i, base := range []string{firstBase, secondBase} {
		b, ok := new(big.Int).SetString(base, 10)
		if !ok {
			x.t.Fatalf("base %s", base)
		}
		v := new(big.Int).Mul(enter, b)
		v.Add(v, leave).Mod(v, mod)
		x.text("The string of one call, enter and leave, has the %s sum (%v · %s + %v) modulo 2^61 - 1 = %v.", []string{"first", "second"}[i], enter, base, leave, v)
	}
}

// The bases, as section 11.2 has them.
const firstBase, secondBase = "1630477228166597776", "1996918623117814387"

func (x *examples) filling() {
	x.head("2.2", "A compressed block that is filled up")
	const raw = 100_000
	packed, codec := records.Compress(make([]byte, raw))
	x.same("codec", codec, format.CodecZstd)
	least := (raw + 127) / 128
	x.same("length", len(packed), least)
	out, err := records.Decompress(packed, codec, raw)
	if err != nil || len(out) != raw {
		x.t.Fatal(len(out), err)
	}
	at := 0
	for ; string(packed[at:at+4]) != "\x50\x2a\x4d\x18"; at++ {
	}
	n := binary.LittleEndian.Uint32(packed[at+4:])
	x.same("zeros", n, least-at-8)
	x.text("%d zeros take a zstd frame of %d bytes. They need ceil(%d / 128) = %d, so %d are missing: a skippable frame follows, %s and %d zeros.", raw, at, raw, least, least-at, hexOf(packed[at:at+8]), n)
}

func (x *examples) fingerprint() {
	x.head("4.4", "The fingerprint of one event")
	b := []byte{4 * 12}
	b = format.AppendVarint(b, 5)
	b = format.AppendUvarint(b, 3)
	location := sha256.Sum256(b)
	all := append(format.AppendUvarint(format.AppendUvarint(nil, 7), 1), location[:]...)
	sum := sha256.Sum256(all)
	f := trace.NewFingerprint(&trace.Meta{})
	batch := &trace.Batch{}
	batch.Reset(7)
	batch.Append(trace.KindEnter, 5, 3)
	f.Add(batch, 0, 1)
	x.same("fingerprint", fmt.Sprintf("%x", f.Sum()), fmt.Sprintf("%x", sum))
	x.text("Location 7 enters region 3 at time 5; the epoch is 0. The location's stream is %s, the SHA-256 of which begins with %s. Behind %s, that makes the fingerprint\n`%x`.", hexOf(b), hexOf(location[:4]), hexOf(all[:2]), sum)
}
