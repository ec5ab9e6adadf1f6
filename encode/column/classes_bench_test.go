package column

import "testing"

// BenchmarkDividedContext decodes values of a context that is divided, and the same ones of one that is not.
func BenchmarkDividedContext(b *testing.B) {
	values := make([]uint64, 1<<16)
	state, level := uint64(1), uint64(0)
	for i := range values {
		state ^= state << 13
		state ^= state >> 7
		state ^= state << 17
		if state%20 == 0 {
			level = state >> 20 % 5
		}
		values[i] = state>>30%64 + level*50
	}
	counts := []int{len(values)}
	for _, divided := range []bool{false, true} {
		name := "plain"
		builder := NewBuilder(1)
		if divided {
			name = "divided"
			builder.Divide()
		}
		builder.Add(counts, values)
		m := builder.Build()
		if divided != (len(m.Divisions()) > 0) {
			b.Fatalf("%d divisions", len(m.Divisions()))
		}
		block, out := m.Encode(nil, counts, values), make([]uint64, len(values))
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := m.Decode(out, block, counts); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(values)), "ns/value")
			b.ReportMetric(float64(len(block)), "bytes")
		})
	}
}
