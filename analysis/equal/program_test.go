package equal

import (
	"context"
	"strings"
	"testing"

	"github.com/pandotrace/pando/convert/otf"
	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/trace"
)

// Two runs of one program, one recorded as OTF and one as OTF2, did the same.
func TestProgramsInTwoFormats(t *testing.T) {
	a, err := otf.Open(tracetest.Files(t, "otf1.ep.S.32.z", ".otf")[0], otf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	b, err := otf2.Open(tracetest.Anchor(t, "otf2.ep.S.32"), otf2.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	r, err := Programs(context.Background(), a, b, nil)
	if err != nil || !r.Equal || r.Records < 32*100 {
		t.Fatalf("%+v, %v", r, err)
	}
	if whole, err := Traces(context.Background(), a, b, nil); err != nil || whole.Equal {
		t.Errorf("all of it is the same: %v", err)
	}
}

// What differs is found, and nothing else is.
func TestPrograms(t *testing.T) {
	made := func(epoch, first int64, change func(b *trace.Batch)) trace.Source {
		m := tracegen.New(trace.Meta{Resolution: 1000})
		for range epoch {
			m.Region("another") // other ids for what follows
		}
		work, p := m.Region("work"), m.Process("p")
		for i := range uint64(2) {
			m.Location(i+uint64(epoch), p)
		}
		group := m.CommLocations(uint64(epoch), uint64(epoch)+1)
		comm := m.Comm(group)
		b := m.Events(uint64(epoch))
		b.Append(trace.KindEnter, first, work)
		b.Append(trace.KindMpiSend, first+1, 1, comm, 7, 100)
		b.Append(trace.KindLeave, first+2, work)
		change(b)
		return m
	}
	same := func(*trace.Batch) {}
	for want, change := range map[string]func(*trace.Batch){
		"":                             same,
		"tag 8":                        func(b *trace.Batch) { b.Words[3]++ },
		"send to 0":                    func(b *trace.Batch) { b.Words[1] = 0 },
		"101 bytes":                    func(b *trace.Batch) { b.Words[4]++ },
		`Enter "work"`:                 func(b *trace.Batch) { b.Append(trace.KindEnter, 1000, b.Words[0]) },
		`Leave ""`:                     func(b *trace.Batch) { b.Words[5] = 99 },
		"receive from 1 in {0 1}, tag": func(b *trace.Batch) { b.Kinds[1] = trace.KindMpiRecv },
	} {
		r, err := Programs(context.Background(), made(0, 10, same), made(3, 500, change), nil)
		if err != nil {
			t.Fatal(err)
		}
		if want == "" && !r.Equal || want != "" && (r.Equal || !strings.Contains(r.FirstPart().First.B, want)) {
			t.Errorf("%q: %+v", want, r)
		}
	}
}
