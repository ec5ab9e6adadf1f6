package clog2

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	_ "github.com/pandotrace/pando/internal/lastwords"
	"github.com/pandotrace/pando/trace"
)

// encode writes a file, the plain way.
func (f *plainFile) encode(block int) []byte {
	head := f.strings[0]
	for i, value := range f.strings[1:] {
		head += "\x00" + preambleTitles[i] + "=\x00" + value
	}
	var body []byte
	var b []byte
	for i := range f.records {
		r := f.record(&f.records[i])
		if len(b)+len(r)+24 > block {
			body = append(body, f.ended(b, 1, block)...)
			b = b[:0]
		}
		b = append(b, r...)
	}
	body = append(body, f.ended(b, 0, block)...)
	head += fmt.Sprintf("\x00commtable_fptr=\x000\x001073741824\x00%d\x00", 1024+len(body))
	file := append(append([]byte(head), make([]byte, 1024-len(head))...), body...)
	file = f.append32(file, int32(len(f.entries)))
	for _, e := range f.entries {
		var number int32
		fmt.Sscan(e.number, &number)
		file = f.append32(file, number)
		file = f.append64(file, e.time)
		file = append(file, padded(e.host, 20)...)
		file = f.append32(file, e.comm, e.kind)
	}
	return file
}

func (f *plainFile) append32(b []byte, list ...int32) []byte {
	for _, v := range list {
		b = f.order.(binary.AppendByteOrder).AppendUint32(b, uint32(v))
	}
	return b
}

func (f *plainFile) append64(b []byte, v float64) []byte {
	return f.order.(binary.AppendByteOrder).AppendUint64(b, math.Float64bits(v))
}

func padded(s string, n int) []byte {
	b := make([]byte, n)
	copy(b, s)
	return b
}

// ended ends a block with a mark and fills it up with what must not be read.
func (f *plainFile) ended(b []byte, typ int32, block int) []byte {
	b = f.append32(f.append64(slices.Clone(b), 1e8), 0, 0, 0, typ)
	return append(b, bytes.Repeat([]byte{0x5a}, block-len(b))...)
}

func (f *plainFile) record(p *plain) []byte {
	b := f.append32(f.append64(nil, p.time), p.comm, p.rank, p.thread, p.typ)
	payload := bytes.Repeat([]byte{0x77}, plainSizes[p.typ]-24) // what is no field is anything
	fields := plainFields[p.typ]
	for i, at := range fields.ints {
		copy(payload[at:], f.append32(nil, p.ints[i]))
	}
	for i, at := range fields.texts {
		copy(payload[at[0]:at[1]], append([]byte(p.texts[i]), 0))
	}
	if fields.double > 0 {
		copy(payload[fields.double-1:], f.append64(nil, p.double))
	}
	if p.typ == 6 {
		copy(payload[8:], p.cargo[:])
	}
	return append(b, payload...)
}

// randomLog makes a log of all types of records, with events of any ids on all lines, mostly in order of time.
func randomLog(r *rand.Rand) *plainFile {
	f := &plainFile{order: binary.BigEndian}
	world, threads := 1+r.IntN(4), 1+r.IntN(3)
	f.strings = []string{"CLOG-02.44", "TRUE ", "TRUE ", "512", "128", fmt.Sprint(world), fmt.Sprint(threads), "0", "600", "-10", "5000", "20",
		fmt.Sprint(r.IntN(4)), "2", fmt.Sprint(r.IntN(3))}
	now := -1e-5
	add := func(p plain) {
		now += math.Trunc(r.ExpFloat64()*200) / 1e9
		p.time = now
		if r.IntN(200) == 0 {
			p.time -= 1e-6
		}
		f.records = append(f.records, p)
	}
	line := func() plain {
		p := plain{rank: int32(r.IntN(world)), thread: int32(r.IntN(threads))}
		if r.IntN(4) == 0 {
			p.comm = int32(r.IntN(5))
		}
		if r.IntN(300) == 0 {
			p.rank, p.thread = int32(r.IntN(99)-9), int32(r.Uint32())
		}
		return p
	}
	for comm := range int32(4) {
		for rank := range int32(world) {
			p := plain{comm: 0, rank: rank, typ: 9, ints: [5]int32{[]int32{0, 100, 100, 1000}[comm], comm, rank, (rank + comm) % int32(world), r.Int32()}, double: r.Float64()}
			p.texts[0] = strings.Repeat("h", r.IntN(20))
			add(p)
		}
	}
	formats := []string{"", "%d", "a=%s, b=%h", "%l%x%X", "e %e E %E.", "%s%s", "100%"}
	for range r.IntN(6) {
		start := []int32{4, 600, 601, 602, 9000, 9002, -5}[r.IntN(7)]
		p := plain{typ: 2, ints: [5]int32{r.Int32N(400), start, start + 1}, texts: [3]string{"red", "state of mind", formats[r.IntN(len(formats))]}}
		if r.IntN(3) == 0 {
			p = plain{typ: 3, ints: [5]int32{[]int32{-10, 5000, 5001, 777777}[r.IntN(4)]}, texts: [3]string{"", "event", formats[r.IntN(len(formats))]}}
		}
		add(p)
	}
	for range r.IntN(1500) {
		p := line()
		switch r.IntN(12) {
		case 0, 1, 2, 3, 4, 5:
			p.typ = 5
		case 6, 7:
			p.typ = 6
			for i := range p.cargo[:r.IntN(33)] {
				p.cargo[i] = byte(r.IntN(256) * r.IntN(2))
			}
			p.cargo[0] *= byte(r.IntN(2))
		case 8, 9:
			p.typ = 7
			p.ints = [5]int32{-101 - r.Int32N(2), p.comm, r.Int32N(5), r.Int32N(3), r.Int32N(1000)}
			if r.IntN(5) == 0 {
				p.ints[1] = r.Int32N(5)
			}
			if r.IntN(20) == 0 {
				p.ints = [5]int32{-r.Int32N(999), r.Int32(), r.Int32(), r.Int32(), r.Int32()}
			}
		default:
			p.typ = 2 + r.Int32N(10)
			for i := range plainFields[p.typ].ints {
				p.ints[i] = r.Int32() >> r.IntN(32)
			}
			for i := range plainFields[p.typ].texts {
				p.texts[i] = strings.Repeat("x", r.IntN(20))
			}
			if plainFields[p.typ].double > 0 {
				p.double = r.NormFloat64()
			}
			if p.typ == 2 || p.typ == 3 { // definitions are made above
				p = plain{comm: p.comm, rank: p.rank, thread: p.thread, typ: 10, texts: [3]string{"file.c"}}
			}
			if p.typ == 9 {
				p.ints[0] = 10
			}
		}
		if p.typ == 5 || p.typ == 6 {
			p.ints[0] = []int32{0, 1, 2, 3, 4, 5, 38, 600, 601, 602, 603, 9000, 9001, 9002, 9003, -10, -9, 5000, 5001, 777777, -5, -4, 123456, -999}[r.IntN(24)]
		}
		add(p)
	}
	for i := range r.IntN(4) {
		f.entries = append(f.entries, plainEntry{number: fmt.Sprint(r.Int32()), time: r.Float64(), host: "host", comm: int32(i), kind: int32(r.IntN(5) - 1)})
	}
	return f
}

// Whatever a log says, and in whatever order of its processes, the trace says it too.
func TestRandomLogs(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 7))
		f := randomLog(r)
		block := 136 + 24 + r.IntN(600)
		f.strings[3] = fmt.Sprint(block)
		a, err := inMemoryBy(int64(136+r.IntN(4000)), false, f.encode(block)) // less than a block, or some blocks
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if _, err := drain(a, 1+r.IntN(50)); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		restorer := newRestorer(t, a)
		got := restorer.records()
		want := map[uint64][]plain{}
		for id := range got {
			want[id] = nil
			for _, p := range f.records {
				if slices.ContainsFunc(restorer.lines[id], func(l restoredLine) bool {
					return int32(l.comm) == p.comm && l.rank == p.rank && l.thread == p.thread
				}) {
					want[id] = append(want[id], p)
				}
			}
		}
		total := 0
		for id := range want {
			total += len(want[id])
		}
		if total != len(f.records) {
			t.Fatalf("seed %d: the locations have %d records in all, not %d", seed, total, len(f.records))
		}
		compareRecords(t, got, want)
		if seed%5 == 0 {
			compareRecords(t, newRestorer(t, stored(t, a)).records(), want)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// FuzzLog reads any bytes as a finished log, and as the logs of two processes.
func FuzzLog(f *testing.F) {
	for seed := range uint64(8) {
		log := randomLog(rand.New(rand.NewPCG(seed, 9)))
		log.records = log.records[:min(len(log.records), 60)]
		log.strings[3] = "512"
		if seed%2 == 1 {
			log.strings[2], log.order = "FALSE", binary.LittleEndian
			log.strings[1] = "FALSE"
		}
		f.Add(log.encode(512), seed%3 == 0)
	}
	f.Fuzz(func(t *testing.T, data []byte, lenient bool) {
		a, err := inMemory(lenient, data)
		if err != nil {
			if !classed(err) {
				t.Fatalf("an error of no class: %v", err)
			}
			return
		}
		n, err := drain(a, 1000)
		if err != nil {
			t.Fatal(err)
		}
		if m, err := drain(a, 3); m != n || err != nil {
			t.Fatalf("%d records, then %d, %v", n, m, err)
		}
		log, _ := a.Definitions(0)
		trace.NewDefinitions(log)
		a.Warnings()
		if half, err := inMemory(true, data, data); err == nil {
			t.Fatalf("two logs of one process: %d locations", len(half.locations))
		} else if !classed(err) {
			t.Fatal(err)
		}
	})
}

func FuzzPreamble(f *testing.F) {
	f.Add(randomLog(rand.New(rand.NewPCG(1, 1))).encode(512)[:preambleBytes])
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := parsePreamble("log", data)
		if err != nil {
			if !classed(err) {
				t.Fatalf("an error of no class: %v", err)
			}
			return
		}
		if !Detect(data) || DetectPart(data[:min(len(data), 512)]) && p.finished {
			t.Error("read what is not detected")
		}
		if p.block < headerBytes || p.table < 0 || len(p.values) != len(preambleTitles) {
			t.Errorf("%+v", p)
		}
	})
}
