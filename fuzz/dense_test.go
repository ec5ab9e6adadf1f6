package fuzz

import (
	"bytes"
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pandotrace/pando/encode/records"
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/spec/vectors"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// heldWhile returns by how much the heap grows at most while something is done. It looks now and then, and has little garbage lie
// about, so it may miss the highest moment, and counts no more than a tenth above it, unless a busy machine makes the collector late.
func heldWhile(do func()) (most uint64) {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	before, done, ended := heap(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			most = max(most, heap())
			select {
			case <-done:
				return
			case <-time.After(200 * time.Microsecond):
			}
		}
	}()
	do()
	close(done)
	<-ended
	return most - min(most, before)
}

// heap returns the bytes of all objects that are not freed.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// Few bytes that stand for 2^61 events, or more than can be counted, are refused by arithmetic: by all that reads the slice, with as
// little memory as anything else, and yields nothing.
func TestCallsOfManyEvents(t *testing.T) {
	faults, err := vectors.DenseFaults()
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, v := range faults {
		mustBeCheapWithin(t, v.Name, v.File, format.Limits{}, questionBytes)
		if !strings.HasPrefix(v.Name, "bad-calls-of-") && v.Name != "bad-roster-of-many-events" {
			continue
		}
		tried++
		r, err := store.NewReader(t.Context(), bytes.NewReader(v.File), int64(len(v.File)), store.ReadOptions{Name: "fuzz"})
		if err != nil {
			continue
		}
		for name, ask := range refusals(r) {
			if told, err := ask(); !format.IsCorrupt(err) || told != 0 {
				t.Errorf("%s: %s tells %d things: %v", v.Name, name, told, err)
			}
		}
		if w := r.ReadStats(); w.Events != 0 {
			t.Errorf("%s: %d events are decoded", v.Name, w.Events)
		}
	}
	if tried != 3 {
		t.Errorf("%d files", tried)
	}
}

// refusals are the questions that need the events of a file of one slice: how many things they tell, and the error.
func refusals(r *store.Reader) map[string]func() (int, error) {
	all := r.All()
	return map[string]func() (int, error){
		"events":   func() (n int, err error) { return countTold(all.Events()) },
		"batches":  func() (n int, err error) { return countTold(all.Batches()) },
		"calls":    func() (n int, err error) { return countTold(all.Calls()) },
		"messages": func() (n int, err error) { return countTold(all.Messages()) },
		"summary":  func() (int, error) { _, err := r.Window(1, 3).Summary(); return 0, err },
		"timeline": func() (int, error) { _, err := r.Window(1, 3).Timeline(2); return 0, err },
		"stack":    func() (int, error) { s, err := r.CallStack(0, 2); return len(s), err },
		"source": func() (int, error) {
			s, err := r.Source().Open(trace.StreamID{Location: 0})
			if err != nil {
				return 0, err
			}
			var b trace.Batch
			err = s.Next(&b, 1000)
			return b.Len(), err
		},
		"verify": func() (int, error) {
			report, err := r.Verify(context.Background(), store.VerifyOptions{})
			if err == nil {
				err = report.Err()
			}
			return 0, err
		},
	}
}

func countTold[T any](all func(func(T, error) bool)) (n int, err error) {
	for _, err := range all {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// Files that are as dense as they may be take memory in proportion to their bytes: those of few bytes take little.
func TestDenseFiles(t *testing.T) {
	for name, change := range map[string]func(d *vectors.Dense){
		"leaves": func(d *vectors.Dense) {
			for i := range uint64(50_000) {
				_, _ = d.Dictionary.Event(0, trace.KindEnter, []uint64{i}, nil)
			}
			d.Page()
		},
		"composites": func(d *vectors.Dense) {
			d.Doubled(60_000)
			d.Page()
		},
		"long composites": func(d *vectors.Dense) {
			for i := range uint32(300) {
				d.Dictionary.Composite(append(make([]shape.Edge, 0, 301), edges(d, i)...))
			}
			d.Page()
		},
		"definitions": func(d *vectors.Dense) {
			if err := defineStrings(d, 200_000); err != nil {
				t.Fatal(err)
			}
		},
	} {
		d, err := vectors.NewDense()
		if err != nil {
			t.Fatal(err)
		}
		change(d)
		mustFit(t, name, d.Bytes())
	}
}

// Files of more than 16 kB that describe as much as they may, one by one, take at most 8 kB for each of their bytes, and their cache.
func TestLargerDenseFiles(t *testing.T) {
	const perByte, cacheBytes = 8 << 10, 16 << 20
	changes := map[string]func(d *vectors.Dense){"leaves": func(d *vectors.Dense) {
		for i := range uint64(70_000) {
			_, _ = d.Dictionary.Event(0, trace.KindEnter, []uint64{i}, nil)
		}
		d.Page()
	}}
	if os.Getenv("PANDO_SOAK") != "" {
		changes["definitions"] = func(d *vectors.Dense) {
			if err := defineStrings(d, 700_000); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, change := range changes {
		d, err := vectors.NewDense()
		if err != nil {
			t.Fatal(err)
		}
		change(d)
		file := d.Bytes()
		m, most := measureHeld(t, name, file)
		m.most = perByte*uint64(len(file)) + cacheBytes
		if m.questions(); len(file) <= 16<<10 {
			t.Errorf("%s: only %d bytes", name, len(file))
		}
		t.Logf("%s, %d bytes: %d bytes of memory at most, %d for each", name, len(file), *most, *most/uint64(len(file)))
	}
}

func edges(d *vectors.Dense, i uint32) (all []shape.Edge) {
	for j := range uint32(300) {
		all = append(all, shape.Edge{Shape: []uint32{d.Enter, d.Leave}[j%2], Count: 1 + j/2 + i})
	}
	return all
}

// defineStrings replaces the definitions by pages of strings that are all alike.
func defineStrings(d *vectors.Dense, copies int) error {
	at := slices.IndexFunc(d.Blocks, func(b damage.Block) bool { return b.Kind == format.BlockDefinitions })
	root := slices.IndexFunc(d.Blocks, func(b damage.Block) bool { return b.Kind == format.BlockRoot })
	r, err := index.ParseRoot(d.Blocks[root].Payload)
	if err != nil {
		return err
	}
	entry := slices.IndexFunc(r.Entries, func(e index.Entry) bool { return e.Kind == format.BlockDefinitions })
	listed := r.Entries[entry]
	r.Entries, r.Definitions = slices.Delete(r.Entries, entry, entry+1), nil
	var pages []damage.Block
	for defined := 0; defined < copies; defined += records.PageRecords {
		var log records.Log
		for range min(records.PageRecords, copies-defined) {
			log.Add(trace.Standard.Spec(trace.KindString), &trace.Record{Kind: trace.KindString, Words: []uint64{0, 0}})
		}
		page, b := log.Pages(uint64(defined))[0], d.Blocks[at]
		b.Raw, b.Offset = uint32(len(page.Bytes)), 1<<40+defined // where it will stand is found by this
		b.Payload, b.Codec = records.Compress(page.Bytes)
		listed.Ref.Offset = uint64(b.Offset)
		pages, r.Entries, r.Definitions = append(pages, b), append(r.Entries, listed), append(r.Definitions, page.Contents)
	}
	d.Blocks[root].Payload = r.Append(nil)
	d.Blocks = slices.Replace(d.Blocks, at, at+1, pages...)
	return nil
}
