package tables

import (
	"bytes"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/index/internal/indextest"
	"github.com/pandotrace/pando/trace"
)

// drawKey draws a key of a part; a few are drawn often.
func drawKey(r *rand.Rand, part Part) (k Key) {
	for w := range partFields[part].words {
		if k[w] = r.Uint64N(4); r.IntN(10) == 0 {
			k[w] = indextest.AnyNumber(r)
		}
	}
	if part == Metrics {
		k[3] = uint64([]trace.ValueType{trace.ValueUint64, trace.ValueInt64, trace.ValueDouble, trace.ValueFloat, trace.ValueNone}[r.IntN(5)])
	}
	return k
}

// drawRows draws rows as slices give them: durations and bytes are those of something.
func drawRows(r *rand.Rand, part Part, n int) []Row {
	rows := make([]Row, n)
	for i := range rows {
		row := &rows[i]
		row.Key = drawKey(r, part)
		if part == Calls && r.IntN(3) == 0 {
			row.Sums[SumBelow] = indextest.AnyNumber(r) >> 12
			continue
		}
		row.Sums[SumCount] = 1 + indextest.AnyNumber(r)>>40
		for f := 1; f < partFields[part].fields; f++ {
			if r.IntN(3) > 0 {
				row.Sums[f] = indextest.AnyNumber(r) >> 12
			}
		}
	}
	return rows
}

func drawVectors(r *rand.Rand, part Part, n int) (vectors []Vector, rows [][]Row) {
	for range n {
		rows = append(rows, drawRows(r, part, r.IntN(20)))
		v, _ := SortVector(slices.Clone(rows[len(rows)-1]))
		vectors = append(vectors, v)
	}
	return vectors, rows
}

// sumRows adds up rows, the naive way.
func sumRows(lists [][]Row) map[Key][4]uint64 {
	all := map[Key][4]uint64{}
	for _, rows := range lists {
		for _, row := range rows {
			sums := all[row.Key]
			for f, v := range row.Sums {
				sums[f] += v
			}
			all[row.Key] = sums
		}
	}
	maps.DeleteFunc(all, func(_ Key, sums [4]uint64) bool { return sums == [4]uint64{} })
	return all
}

func checkVector(t *testing.T, v Vector, want map[Key][4]uint64) {
	t.Helper()
	for i := range v {
		if i > 0 && v[i-1].Key.Compare(&v[i].Key) >= 0 {
			t.Fatalf("keys %v and %v are out of order", v[i-1].Key, v[i].Key)
		}
		if want[v[i].Key] != v[i].Sums {
			t.Fatalf("%v has the sums %v, want %v", v[i].Key, v[i].Sums, want[v[i].Key])
		}
	}
	if len(v) != len(want) {
		t.Fatalf("%d rows, want %d", len(v), len(want))
	}
}

// Vectors of any runs are the sums of their rows, also when they were written and read.
func TestTables(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		part, n := Part(r.IntN(int(Metrics))), 1+r.IntN(20)
		step := uint64(1) // or more, if that takes no more children than there are
		if n > 1 {
			step = 1 << r.IntN(3)
		}
		vectors, rows := drawVectors(r, part, n)
		table, ok := NewTable(part, step, vectors)
		if !ok {
			t.Fatalf("seed %d: sums are too large", seed)
		}
		b := table.Encode()
		read, err := ReadTable(part, b, step*uint64(n-1)+1+r.Uint64N(step))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if len(read.Keys) == 0 {
			checkVector(t, nil, sumRows(rows))
			continue
		}
		for range 10 {
			first := r.IntN(n + 1)
			last := first + r.IntN(n+1-first)
			checkVector(t, table.Vector(first, last), sumRows(rows[first:last]))
			checkVector(t, read.Vector(first, last), sumRows(rows[first:last]))
		}
		sum, _ := AddVectors(nil, vectors[0], vectors[n-1])
		checkVector(t, sum, sumRows([][]Row{rows[0], rows[n-1]}))
		if least := table.Draft().Least(); least > len(b) {
			t.Fatalf("seed %d: %d bytes, and it should take %d at least", seed, len(b), least)
		}
		if again := read.Draft().bytes(); !bytes.Equal(again, b) {
			t.Fatalf("seed %d: %d bytes become %d", seed, len(b), len(again))
		}
	}
}

// Runs of children that no writer makes are refused: widths of runs are computed from them.
func TestRunsOfChildren(t *testing.T) {
	one := Vector{{Key: Key{1, 2}, Sums: [4]uint64{1, 5}}}
	for _, c := range []struct {
		step, children uint64
		vectors        int
		ok             bool
	}{
		{1, 1, 1, true}, {2, 2, 1, true}, {4, 3, 1, true}, {2, 3, 2, true}, {1, 16, 16, true}, {16, 16, 1, true},
		{0, 1, 1, false}, {2, 1, 1, false}, {4, 2, 1, false}, {3, 3, 1, false}, {2, 3, 1, false}, {1 << 60, 16, 1, false},
	} {
		table, _ := NewTable(Calls, c.step, slices.Repeat([]Vector{one}, c.vectors))
		if _, err := ReadTable(Calls, table.Encode(), c.children); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// Sums of 2^63 and more are no table, and no sum of vectors.
func TestTablesOverflow(t *testing.T) {
	row := func(v uint64) Vector { return Vector{{Key: Key{1, 2}, Sums: [4]uint64{1, v}}} }
	for _, c := range []struct {
		vectors []Vector
		ok      bool
	}{
		{[]Vector{row(1<<63 - 1)}, true},
		{[]Vector{row(1 << 63)}, false},
		{[]Vector{row(1 << 62), row(1<<62 - 1)}, true},
		{[]Vector{row(1 << 62), row(1 << 62)}, false},
		{[]Vector{row(math.MaxUint64), nil, row(1)}, false},
	} {
		if _, ok := NewTable(Calls, 1, c.vectors); ok != c.ok {
			t.Errorf("%v: table %v", c.vectors, ok)
		}
		if len(c.vectors) == 2 {
			if _, ok := AddVectors(nil, c.vectors[0], c.vectors[1]); ok != c.ok {
				t.Errorf("%v: sum %v", c.vectors, ok)
			}
			if _, ok := SortVector(slices.Concat(c.vectors...)); ok != c.ok {
				t.Errorf("%v: sorted %v", c.vectors, ok)
			}
		}
	}
}

// drawSamples draws values of one counter, in time order.
func drawSamples(r *rand.Rand, typ trace.ValueType, from int64) []Samples {
	list := make([]Samples, r.IntN(6))
	for i := range list {
		from += int64(indextest.AnyNumber(r) >> 20)
		value := indextest.AnyNumber(r)
		if typ.IsFloat() {
			value = uint64(r.IntN(100)) << 46
		}
		list[i] = Sample(from, value)
	}
	return list
}

// Samples that are joined in any way come to the same, and come back from tables.
func TestMetricTables(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 4))
		n, keys := 1+r.IntN(20), map[Key]int64{}
		for range r.IntN(6) {
			keys[drawKey(r, Metrics)] = -int64(indextest.AnyNumber(r) >> 4)
		}
		lists := make([]map[Key][]Samples, n)
		vectors := make([]MetricVector, n)
		for i := range lists {
			lists[i] = map[Key][]Samples{}
			for k, from := range keys {
				lists[i][k] = drawSamples(r, k.KeyType(), from)
				for _, s := range lists[i][k] {
					keys[k] = s.Last
					vectors[i] = append(vectors[i], MetricRow{k, s})
				}
			}
			vectors[i] = JoinVectors(vectors[i])
		}
		b := NewMetricTable(1, vectors).Encode()
		read, err := ReadMetricTable(b, uint64(n))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for range 10 {
			first := r.IntN(n + 1)
			last := first + r.IntN(n+1-first)
			checkSamples(t, read.Vector(first, last), keys, lists[first:last])
			checkSamples(t, JoinVectors(vectors[first:last]...), keys, lists[first:last])
		}
		if again := read.encode(); !bytes.Equal(again, b) {
			t.Fatalf("seed %d: %d bytes become %d", seed, len(b), len(again))
		}
	}
}

// checkSamples compares with all values joined one by one. Floats are joined exactly here: they have few digits.
func checkSamples(t *testing.T, got MetricVector, keys map[Key]int64, lists []map[Key][]Samples) {
	t.Helper()
	n := 0
	for k := range keys {
		var want Samples
		for _, list := range lists {
			for _, s := range list[k] {
				want.Join(k.KeyType(), &s)
			}
		}
		if want.Count == 0 {
			continue
		}
		n++
		i := slices.IndexFunc(got, func(r MetricRow) bool { return r.Key == k })
		if i < 0 || math.Abs(got[i].Float-want.Float) > 1e-9*math.Abs(want.Float) {
			t.Fatalf("%v: %+v, want %+v", k, got, want)
		}
		if want.Float = got[i].Float; !reflect.DeepEqual(got[i].Samples, want) {
			t.Fatalf("%v: %+v, want %+v", k, got[i].Samples, want)
		}
	}
	if len(got) != n {
		t.Fatalf("%d rows, want %d", len(got), n)
	}
}

func drawSummary(r *rand.Rand) *Summary {
	s := &Summary{Node: index.Node{Level: 1 + r.IntN(5), Index: indextest.AnyNumber(r)}, Lane: uint32(indextest.AnyNumber(r))}
	for part := range Metrics {
		if r.IntN(4) > 0 {
			vectors, _ := drawVectors(r, part, 1+r.IntN(16))
			table, _ := NewTable(part, 1, vectors)
			s.Sections[part] = table.Encode()
		}
	}
	row := MetricRow{drawKey(r, Metrics), Sample(int64(indextest.AnyNumber(r)>>2), indextest.AnyNumber(r))}
	s.Sections[Metrics] = NewMetricTable(1, []MetricVector{{row}, nil, {row}}).Encode()
	if r.IntN(4) == 0 {
		s.Extensions = format.AppendExtension(nil, 2*r.Uint64N(1000), []byte("later"))
	}
	return s
}

// again lays a table out once more, as section has it; one without lines is its head.
func again(section, head []byte, lines int, blocks func() [3]columns) []byte {
	if lines == 0 {
		return head
	}
	all := blocks()
	return sameForm(section, head, all[:])
}

// A block of summaries has one form only, and so has each of its tables.
func FuzzSummary(f *testing.F) {
	indextest.AddSeeds(f, func(r *rand.Rand) { f.Add(drawSummary(r).Append(nil), uint64(1+r.IntN(16))) })
	f.Fuzz(func(t *testing.T, b []byte, children uint64) {
		s, err := ReadSummary(b)
		if indextest.Refused(t, err) {
			return
		}
		if !bytes.Equal(s.Append(nil), b) {
			t.Fatalf("not canonical: %+v", s)
		}
		for part, section := range s.Sections[:Metrics] {
			table, err := ReadTable(Part(part), section, max(1, children))
			if !indextest.Refused(t, err) && !bytes.Equal(again(section, table.head(), len(table.Keys), table.blocks), section) {
				t.Fatalf("table of part %d is not canonical: %+v", part, table)
			}
		}
		metrics, err := ReadMetricTable(s.Sections[Metrics], max(1, children))
		if !indextest.Refused(t, err) && !bytes.Equal(again(s.Sections[Metrics], metrics.head(), len(metrics.Keys), metrics.blocks), s.Sections[Metrics]) {
			t.Fatalf("table of metrics is not canonical: %+v", metrics)
		}
	})
}
