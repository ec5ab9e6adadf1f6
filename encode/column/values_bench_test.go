package column

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// columnsLikeTraces makes blocks of values that look like time differences of a clock that ticks every ten: each context has
// a peak and a tail, and a few contexts have most of the values.
func columnsLikeTraces(contexts, blocks, perBlock int) (counts [][]int, values [][]uint64) {
	r := rand.New(rand.NewPCG(3, 4))
	share := 0.0
	for c := range contexts {
		share += 1 / float64(c+3)
	}
	for range blocks {
		n := make([]int, contexts)
		var v []uint64
		for c := range n {
			n[c] = int(float64(perBlock) / float64(c+3) / share)
			for range n[c] {
				v = append(v, likeTrace(r, c))
			}
		}
		counts, values = append(counts, n), append(values, v)
	}
	return counts, values
}

func likeTrace(r *rand.Rand, c int) uint64 {
	ticks := 2 + uint64(c*37%50) + uint64(r.ExpFloat64()*float64(1+c%4))
	if r.IntN(16) == 0 {
		ticks += uint64(r.ExpFloat64() * float64(50+c*13%500))
	}
	return ticks*10 + uint64(r.IntN(20)/19)
}

// all counts the values.
func all(values [][]uint64) (n int) {
	for _, v := range values {
		n += len(v)
	}
	return n
}

func benchBuilder(counts [][]int, values [][]uint64) *Model { return builderOf(counts, values).Build() }

func builderOf(counts [][]int, values [][]uint64) *Builder {
	b := NewBuilder(len(counts[0]))
	for i := range counts {
		b.Add(counts[i], values[i])
	}
	return b
}

// beside is [Each] on all processors.
func beside(n int, do func(i int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	group.Wait()
}

// BenchmarkBuild makes a model of contexts that may be divided, on one processor and on all.
func BenchmarkBuild(b *testing.B) {
	counts, values := columnsLikeTraces(100, 16, 16384)
	for name, each := range map[string]Each{"one": InOrder, "all": beside} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				builder := builderOf(counts, values)
				builder.Divide()
				builder.Beside(each)
				builder.Build()
			}
			perValue(b, all(values))
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	counts, values := columnsLikeTraces(100, 16, 16384)
	m := benchBuilder(counts, values)
	var dst []byte
	for i := 0; b.Loop(); i++ {
		dst = m.Encode(dst[:0], counts[i&15], values[i&15])
	}
	b.ReportMetric(float64(len(dst)), "B/block")
	perValue(b, all(values)/16)
}

func BenchmarkDecode(b *testing.B) {
	counts, values := columnsLikeTraces(100, 16, 16384)
	m := benchBuilder(counts, values)
	var blocks [][]byte
	for i := range counts {
		blocks = append(blocks, m.Encode(nil, counts[i], values[i]))
	}
	out := make([]uint64, 16384)
	for i := 0; b.Loop(); i++ {
		if err := m.Decode(out[:len(values[i&15])], blocks[i&15], counts[i&15]); err != nil {
			b.Fatal(err)
		}
	}
	perValue(b, all(values)/16)
}

// BenchmarkParse is what a reader pays that decodes one block: parsing the model and making its tables.
func BenchmarkParse(b *testing.B) {
	counts, values := columnsLikeTraces(100, 16, 16384)
	src := benchBuilder(counts, values).Append(nil)
	b.ReportMetric(float64(len(src)), "B/model")
	for b.Loop() {
		if _, err := ParseModel(src); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPrepare is making the tables of a model.
func BenchmarkPrepare(b *testing.B) {
	counts, values := columnsLikeTraces(100, 16, 16384)
	m := benchBuilder(counts, values)
	for b.Loop() {
		prepare(m.tables)
	}
}

func perValue(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/value")
}
