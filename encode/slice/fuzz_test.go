package slice

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/pandotrace/pando/encode/internal/encodetest"
	"github.com/pandotrace/pando/encode/shape"
	_ "github.com/pandotrace/pando/internal/lastwords"
	"github.com/pandotrace/pando/trace"
)

// FuzzSlice decodes any slice with any dictionary and any statistics.
func FuzzSlice(f *testing.F) {
	seeds := 0
	for seed := range uint64(4) {
		c, all := cutAll(f, rand.New(rand.NewPCG(seed, 1)), encodetest.RandomTrace(2*seed+1))
		d, stats := c.dictionary, c.statistics(2, all[:2]...)
		for _, s := range all[:2] {
			f.Add(shape.NewPageWriter(d).Append(nil), stats.Append(nil), s.block(d, stats))
			seeds++
		}
	}
	d, s := small(f)
	stats := statisticsOf(d, s)
	f.Add(shape.NewPageWriter(d).Append(nil), stats.Append(nil), s.block(d, stats))
	texts, all, stats := textsOf(f)
	f.Add(shape.NewPageWriter(texts.dictionary).Append(nil), stats.Append(nil), all[1].block(texts.dictionary, stats))
	if seeds == 0 {
		f.Fatal("no seeds")
	}
	f.Fuzz(func(t *testing.T, page, model, block []byte) {
		encodetest.Bounded(t, len(page)+len(model)+len(block), func() {
			d := shape.NewDictionary(trace.Standard)
			if encodetest.Refused(t, d.AddPage(page, encodetest.Limits)) {
				return
			}
			stats, err := ParseStatistics(model, encodetest.Limits)
			if encodetest.Refused(t, err) {
				return
			}
			if !bytes.Equal(stats.Append(nil), model) {
				t.Fatal("statistics are not canonical")
			}
			d.Prepare()
			tokens, err := ParseTokenStatistics(model, encodetest.Limits)
			if err != nil {
				t.Fatal(err)
			}
			var structure Structure
			refused := encodetest.Refused(t, structure.Decode(block, d, tokens, encodetest.Limits))
			e, err := decodeBlock(block, d, stats, encodetest.Limits, noLocation)
			if !encodetest.Refused(t, err) {
				if refused {
					t.Fatal("events without a structure")
				}
				checkStructure(t, &structure, e)
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
		if encodetest.Refused(t, err) {
			return
		}
		if err := b.Check(trace.Standard); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(AppendBlock(nil, draftOf(e), stats, e.Dictionary.ColumnInfos()), block) {
		t.Fatal("not canonical")
	}
}
