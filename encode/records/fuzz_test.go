package records

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/pandotrace/pando/encode/internal/encodetest"
	"github.com/pandotrace/pando/encode/shape"
	_ "github.com/pandotrace/pando/internal/lastwords"
	"github.com/pandotrace/pando/trace"
	"github.com/pandotrace/pando/trace/annotation"
)

func FuzzDefinitionPage(f *testing.F) {
	for seed := range uint64(4) {
		src := auxiliaryTrace(seed)
		for _, p := range pagesOf(definitionsOf(f, src), src.Meta().Table()) {
			f.Add(p.Bytes)
		}
	}
	kinds := auxiliaryTrace(0).Meta().Table()
	f.Fuzz(func(t *testing.T, b []byte) {
		encodetest.Bounded(t, len(b), func() {
			page, err := ReadPage(b, kinds)
			if encodetest.Refused(t, err) {
				return
			}
			again := pagesOf(page.Records, kinds)
			comeBack(t, page.Records, again, kinds)
			d := trace.NewDefinitions(page.Records)
			for _, l := range d.Locations {
				d.RankLocation(0, 0, l.ID)
			}
		})
	})
}

func FuzzBatches(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(appendStreams(auxiliaryOf(f, auxiliaryTrace(seed))))
		b := encodetest.Batches(f, encodetest.RandomTrace(seed))[0]
		f.Add(AppendBatch(nil, trace.StreamID{Class: trace.StreamSnapshots, Location: 1}, b))
	}
	kinds := auxiliaryTrace(0).Meta().Table()
	f.Fuzz(func(t *testing.T, b []byte) {
		encodetest.Bounded(t, len(b), func() {
			all, err := readStreams(b, kinds)
			if !encodetest.Refused(t, err) && !bytes.Equal(appendStreams(all), b) {
				t.Fatal("not canonical")
			}
		})
	})
}

func FuzzMeta(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(AppendMeta(nil, encodetest.RandomTrace(seed).Meta()))
	}
	f.Add(AppendMeta(nil, &trace.Meta{Loss: &trace.Loss{Bounds: []trace.Bound{trace.CallsBound(trace.LeftShort, 1<<10), trace.CallsBound(trace.LeftDeep, 256)}}}))
	f.Add(AppendMeta(nil, &trace.Meta{Loss: &trace.Loss{Bounds: []trace.Bound{trace.TimeBound(1000), {Class: trace.LossMetric, Bound: 2, Cell: 5}}, Original: make([]byte, trace.FingerprintSize)}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		encodetest.Bounded(t, len(b), func() {
			m, _, err := ReadMeta(b)
			if !encodetest.Refused(t, err) {
				canonical(t, AppendMeta(nil, m), b)
			}
		})
	})
}

// canonical checks that what was read is written in the same way, but for extensions, which are left out.
func canonical(t *testing.T, again, b []byte) {
	if !bytes.Equal(again, b) && len(again) >= len(b) {
		t.Fatal("not canonical")
	}
}

func FuzzKinds(f *testing.F) {
	f.Add(AppendKinds(nil, nil))
	f.Add(AppendKinds(nil, trace.Standard.All()[:10]))
	f.Add(AppendKinds(nil, encodetest.RandomTrace(0).Meta().Table().All()))
	f.Fuzz(func(t *testing.T, b []byte) {
		encodetest.Bounded(t, len(b), func() {
			specs, err := ReadKinds(b)
			if encodetest.Refused(t, err) {
				return
			}
			again := AppendKinds(nil, specs)
			canonical(t, again, b)
			if same, err := ReadKinds(again); err != nil || !reflect.DeepEqual(same, specs) {
				t.Fatalf("%v: %v, want %v", err, same, specs)
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
	d := shape.NewDictionary(table)
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

func FuzzAnnotations(f *testing.F) {
	f.Add(AppendAnnotations(nil, nil))
	f.Add(AppendAnnotations(nil, []annotation.Annotation{{Name: "a", From: -1, To: 1, Communicator: annotation.NoCommunicator, Fingerprint: []byte{1}}, {Kind: 9, Name: "b", Class: "ring", Text: "x"}}))
	f.Add(AppendAnnotations(nil, []annotation.Annotation{{Kind: annotation.Calls, Name: "a", Routine: &annotation.Routine{
		Steps: []annotation.Step{{Region: "s", Count: 3}, {Region: "t", Count: 1}}, Least: 2, Most: 9, Share: annotation.Whole, Locations: []annotation.Span{{First: 1, Last: 4}, {First: 6, Last: 6}}}}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		encodetest.Bounded(t, len(b), func() {
			list, err := ReadAnnotations(b)
			if !encodetest.Refused(t, err) {
				canonical(t, AppendAnnotations(nil, list), b)
			}
		})
	})
}
