package spec

import (
	"bytes"
	"runtime"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/encode/records"
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/encode/text"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/trace"
)

// dense is bytes that stand for as many things as bytes of their kind can: all of these are alike.
type dense struct {
	bytes  []byte
	things int // at least
	filled bool
	read   func(b []byte) error
}

// densest makes dense bytes of each row of the table of section 11.1 that has a limit of its own, of a size.
var densest = map[string]func(n int) dense{
	"zstd": func(n int) dense {
		raw := make([]byte, 16*n+1000)
		stored, codec := records.Compress(raw)
		return dense{stored, (len(raw) + 15) / 16, true, func(b []byte) error {
			_, err := records.Decompress(b, codec, len(raw))
			return err
		}}
	},
	"text": func(n int) dense {
		raw := make([]byte, 128*n+1000)
		packed, _ := text.Pack([][]byte{raw})
		return dense{packed[0].Append(nil), (len(raw) + 127) / 128, true, func(b []byte) error {
			r := format.NewDecoder("text", format.AppendBytes(nil, b))
			text.Read(r, 1<<30)
			return r.Err()
		}}
	},
	"definitions": func(n int) dense {
		name := bytes.Repeat([]byte("x"), 255)
		var log records.Log
		for i := range n {
			log.Add(trace.Standard.Spec(trace.KindString), &trace.Record{Kind: trace.KindString, Words: []uint64{uint64(i), uint64(len(name))}, Text: name})
		}
		return dense{log.Pages(0)[0].Bytes, 8*n + (255*n+3)/4, true, func(b []byte) error {
			_, err := records.ReadPage(b, trace.Standard)
			return err
		}}
	},
	"shapes": func(n int) dense {
		d := shape.NewDictionary(trace.Standard)
		id, _ := d.Event(0, trace.KindOmpJoin, nil, nil)
		for range n {
			id = d.Composite([]shape.Edge{{Shape: id, Count: 2}})
		}
		return dense{shape.NewPageWriter(d).Append(nil), 2*n + 1, true, func(b []byte) error {
			return shape.NewDictionary(trace.Standard).AddPage(b, format.Limits{})
		}}
	},
	"model": func(n int) dense {
		b := column.NewBuilder(n)
		b.Add(make([]int, n), nil)
		return dense{b.Build().Append(nil), n, false, func(b []byte) error {
			_, err := column.ParseModel(b)
			return err
		}}
	},
	"marks": func(n int) dense {
		m := slice.Marks{Slices: []slice.SliceMarks{{}}}
		for i := range uint32(n) {
			m.Slices[0].Pairs = append(m.Slices[0].Pairs, slice.PairMark{Endpoint: 2 * i, Ends: 1, Skip: slice.Unpaired})
		}
		return dense{m.Append(nil), n + 1, true, func(b []byte) error {
			_, err := slice.ParseMarks(b, format.Limits{})
			return err
		}}
	},
	"calls": func(n int) dense {
		tree := index.Tree{Fanout: 2}
		calls := make([]index.Call, n)
		for i := range calls {
			calls[i] = index.Call{Location: uint32(i), End: 10, EndOrdinal: 1, EndSlice: 1, Exclusive: 10}
		}
		return dense{tree.EncodeCalls(index.Node{Level: 1}, 0, 0, calls)[0], 2 * n, true, func(b []byte) error {
			c, err := tree.OpenCalls(b, format.Limits{})
			if err == nil {
				_, err = c.All()
			}
			return err
		}}
	},
}

// Whatever bytes hold, they stand for at most 8 things each, and a writer fills up to that and no further; a reader refuses fewer bytes, and more.
func TestDensity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"zstd", "text", "definitions", "shapes", "model", "marks", "calls"}).Draw(t, "kind")
		d := densest[name](rapid.IntRange(1, 2000).Draw(t, "things"))
		least := (d.things + 7) / 8
		if len(d.bytes) < least {
			t.Fatalf("%d bytes of %s stand for %d things", len(d.bytes), name, d.things)
		}
		if err := d.read(d.bytes); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !d.filled || len(d.bytes) > least {
			return
		}
		if err := d.read(d.bytes[:len(d.bytes)-1]); !format.IsCorrupt(err) {
			t.Fatalf("%s: %d bytes are taken for %d things: %v", name, len(d.bytes)-1, d.things, err)
		}
	})
}

// What is read of the densest bytes is filled up: the rule is met, not passed by.
func TestDensestIsFilled(t *testing.T) {
	for name, of := range densest {
		d := of(20_000)
		if least := (d.things + 7) / 8; d.filled && len(d.bytes) > least+10 {
			t.Errorf("%s: %d bytes for %d things are not filled up", name, len(d.bytes), d.things)
		}
	}
}

// BenchmarkDensest tells how many bytes of memory a byte costs that stands for as much as it can.
func BenchmarkDensest(b *testing.B) {
	for name, of := range densest {
		d := of(20_000)
		b.Run(name, func(b *testing.B) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for b.Loop() {
				if err := d.read(d.bytes); err != nil {
					b.Fatal(err)
				}
			}
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)/float64(len(d.bytes)), "allocated/byte")
		})
	}
}
