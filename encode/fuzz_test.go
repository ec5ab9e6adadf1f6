package encode

import (
	"bytes"
	"math/rand/v2"
	"runtime/metrics"
	"testing"

	"github.com/pandotrace/pando/format"
	_ "github.com/pandotrace/pando/internal/lastwords"
	"github.com/pandotrace/pando/trace"
)

// fuzzLimits are small, so that an input that gets around a limit is seen by what it takes.
var fuzzLimits = format.Limits{LaneEvents: 1 << 14, LaneValues: 1 << 16, Locations: 1 << 10, DictionaryShapes: 1 << 14}

// fuzzBytes is what any input may take under these limits, besides a multiple of its size.
const fuzzBytes = 100 << 20

// bounded runs a parser, and fails if it takes too much memory.
func bounded(t *testing.T, input int, parse func()) {
	t.Helper()
	before := allocated()
	parse()
	if spent := allocated() - before; spent > fuzzBytes+1000*uint64(input) {
		t.Fatalf("%d bytes of input took %d bytes of memory", input, spent)
	}
}

func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// refused checks the error of a parser.
func refused(t *testing.T, err error) bool {
	t.Helper()
	if err != nil && !format.IsCorrupt(err) {
		t.Fatalf("%v is no CorruptError", err)
	}
	return err != nil
}

func FuzzDictionaryPage(f *testing.F) {
	for seed := range uint64(6) {
		d := NewDictionary(trace.Standard)
		w := NewPageWriter(d)
		var pages [2][]byte
		for i, b := range batchesOf(f, randomTrace(2*seed+1)) {
			addAll(f, d, b)
			pages[i%2] = w.Append(nil)
		}
		f.Add(pages[0], pages[1])
	}
	f.Add(forged(enterLeaf, flushLeaf), []byte{})
	f.Add(forged(enterLeaf, flushLeaf, edges(0, 1, 0), recursion{2, 1}), []byte{})
	f.Fuzz(func(t *testing.T, first, second []byte) {
		bounded(t, len(first)+len(second), func() {
			d := NewDictionary(trace.Standard)
			w := NewPageWriter(d)
			for _, page := range [][]byte{first, second} {
				if refused(t, d.AddPage(page, fuzzLimits)) {
					return
				}
				if !bytes.Equal(w.Append(nil), page) {
					t.Fatal("not canonical")
				}
			}
			useShapes(t, d)
		})
	})
}

// useShapes expands the shapes that are small enough.
func useShapes(t *testing.T, d *Dictionary) {
	d.Prepare()
	left := uint64(1 << 18)
	for shape := range uint32(d.Len()) {
		n := d.Events(shape)
		if n == 0 {
			t.Fatalf("shape %d has no events", shape)
		}
		if n > left {
			continue
		}
		left -= n
		leaves := d.Expand(nil, []Token{{shape, 1}})
		if uint64(len(leaves)) != n {
			t.Fatalf("shape %d has %d events, not %d", shape, len(leaves), n)
		}
		for _, l := range leaves {
			if int(l) >= len(d.Info()) {
				t.Fatalf("shape %d expands to %d, which is no leaf", shape, l)
			}
		}
	}
}

// FuzzSlice decodes any slice with any dictionary and any statistics.
func FuzzSlice(f *testing.F) {
	seeds := 0
	for seed := range uint64(4) {
		c, all := cutAll(f, rand.New(rand.NewPCG(seed, 1)), randomTrace(2*seed+1))
		d, stats := c.dictionary, c.statistics(2, all[:2]...)
		for _, s := range all[:2] {
			f.Add(NewPageWriter(d).Append(nil), stats.Append(nil), s.block(d, stats))
			seeds++
		}
	}
	d, s := small(f)
	stats := statisticsOf(d, s)
	f.Add(NewPageWriter(d).Append(nil), stats.Append(nil), s.block(d, stats))
	if seeds == 0 {
		f.Fatal("no seeds")
	}
	f.Fuzz(func(t *testing.T, page, model, block []byte) {
		bounded(t, len(page)+len(model)+len(block), func() {
			d := NewDictionary(trace.Standard)
			if refused(t, d.AddPage(page, fuzzLimits)) {
				return
			}
			stats, err := ParseStatistics(model, fuzzLimits)
			if refused(t, err) {
				return
			}
			if !bytes.Equal(stats.Append(nil), model) {
				t.Fatal("statistics are not canonical")
			}
			d.Prepare()
			e, err := DecodeSlice(block, d, stats, fuzzLimits, noLocation)
			if !refused(t, err) {
				useEvents(t, e, stats, block)
			}
		})
	})
}

// useEvents checks decoded events: times in order and inside, batches sound, the block in its only form.
func useEvents(t *testing.T, e *Events, stats *Statistics, block []byte) {
	for i := range e.Runs {
		from, to := e.Span(i)
		before := e.Start
		for _, at := range e.Times[from:to] {
			if at < before || at >= e.End {
				t.Fatalf("time %d after %d in the slice [%d, %d)", at, before, e.Start, e.End)
			}
			before = at
		}
		b, err := e.Batch(i)
		if refused(t, err) {
			return
		}
		if err := b.Check(trace.Standard); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(AppendSlice(nil, draftOf(e), stats), block) {
		t.Fatal("not canonical")
	}
}

func FuzzRecords(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(appendRecords(definitionsOf(f, auxiliaryTrace(seed))))
	}
	kinds := auxiliaryTrace(0).Meta().Table()
	f.Fuzz(func(t *testing.T, b []byte) {
		bounded(t, len(b), func() {
			records, err := ReadRecords(b, kinds)
			if refused(t, err) {
				return
			}
			if !bytes.Equal(appendRecords(records), b) {
				t.Fatal("not canonical")
			}
			d := trace.NewDefinitions(records)
			for _, l := range d.Locations {
				d.RankLocation(0, 0, l.ID)
			}
		})
	})
}

func FuzzBatches(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(appendStreams(auxiliaryOf(f, auxiliaryTrace(seed))))
		b := batchesOf(f, randomTrace(seed))[0]
		f.Add(AppendBatch(nil, trace.StreamID{Class: trace.StreamSnapshots, Location: 1}, b))
	}
	kinds := auxiliaryTrace(0).Meta().Table()
	f.Fuzz(func(t *testing.T, b []byte) {
		bounded(t, len(b), func() {
			all, err := readStreams(b, kinds)
			if !refused(t, err) && !bytes.Equal(appendStreams(all), b) {
				t.Fatal("not canonical")
			}
		})
	})
}

func FuzzMeta(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(AppendMeta(nil, randomTrace(seed).Meta()))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		bounded(t, len(b), func() {
			m, err := ReadMeta(b)
			if !refused(t, err) && !bytes.Equal(AppendMeta(nil, m), b) {
				t.Fatal("not canonical")
			}
		})
	})
}

func FuzzKinds(f *testing.F) {
	f.Add(AppendKinds(nil, nil))
	f.Add(AppendKinds(nil, trace.Standard.All()[:10]))
	f.Add(AppendKinds(nil, randomTrace(0).Meta().Table().All()))
	f.Fuzz(func(t *testing.T, b []byte) {
		bounded(t, len(b), func() {
			specs, err := ReadKinds(b)
			if refused(t, err) {
				return
			}
			if !bytes.Equal(AppendKinds(nil, specs), b) {
				t.Fatal("not canonical")
			}
			useKinds(t, specs)
		})
	})
}

// useKinds makes leaves of events of kinds that nobody made with care.
func useKinds(t *testing.T, specs []*trace.Spec) {
	table := &trace.Table{}
	for _, s := range specs {
		if err := table.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	d := NewDictionary(table)
	for _, s := range specs {
		for n := range 6 {
			words := make([]uint64, n)
			for w := range words {
				words[w] = uint64(n - w - 1)
			}
			_, ok := s.Count(words)
			if _, err := d.Event(0, s.ID, words, nil); (err == nil) != ok {
				t.Fatalf("%d words as a %s: %v", n, s.Name, err)
			}
		}
	}
}
