package store_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/thrift"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// pusher writes a trace through the calls that a running program would make.
type pusher struct {
	t    *testing.T
	rand *rand.Rand
	w    *store.Writer
	src  trace.Source
}

func (p *pusher) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// feed is a stream that is being pushed.
type feed struct {
	id     trace.StreamID
	stream trace.Stream
}

// push writes a whole source, its streams in any interleaving.
func push(t *testing.T, r *rand.Rand, src trace.Source, opt store.Options) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := store.NewWriter(t.Context(), &file, src.Meta(), opt)
	if err != nil {
		t.Fatal(err)
	}
	p := &pusher{t: t, rand: r, w: w, src: src}
	early, err := src.Definitions(0)
	p.must(err)
	p.must(w.Define(early...))
	p.announce()
	p.streams()
	late, err := src.Definitions(len(early))
	p.must(err)
	p.must(w.Define(late...))
	p.must(w.Close())
	return file.Bytes()
}

// announce tells the writer of locations without definition: it would not know that it has to wait for their events.
func (p *pusher) announce() {
	for _, info := range p.src.Streams() {
		if info.Class == trace.StreamEvents {
			p.must(p.w.Advance(info.Location, math.MinInt64))
		}
	}
}

func (p *pusher) streams() {
	var open []feed
	for _, info := range p.src.Streams() {
		s, err := p.src.Open(info.StreamID)
		p.must(err)
		open = append(open, feed{info.StreamID, s})
	}
	var b trace.Batch
	for len(open) > 0 {
		i := p.rand.IntN(len(open))
		if err := open[i].stream.Next(&b, 1+p.rand.IntN(20)); err != nil {
			p.finish(open[i].id)
			open = append(open[:i], open[i+1:]...)
			continue
		}
		p.append(open[i].id, &b)
	}
}

func (p *pusher) append(id trace.StreamID, b *trace.Batch) {
	if id.Class != trace.StreamEvents {
		p.must(p.w.AppendAux(id, b))
		return
	}
	p.must(p.w.Append(b))
	last := b.Times[b.Len()-1]
	if p.rand.IntN(2) == 0 {
		p.must(p.w.Advance(id.Location, last-p.rand.Int64N(3)))
	}
}

// finish ends a location; some are left to Close.
func (p *pusher) finish(id trace.StreamID) {
	if id.Class == trace.StreamEvents && p.rand.IntN(4) > 0 {
		p.must(p.w.Finish(id.Location))
	}
}

// A trace that is pushed in any order of locations has the answers of one that is copied. Streams that have no records are
// not known to the writer, so they do not come back, and streams come in the order of their first record.
func TestPropertyPush(t *testing.T) {
	forSeeds(t, func(t *testing.T, seed uint64) {
		s := randomSubject(t, seed)
		forOptions(t, seed, len(s.events), 1, func(t *testing.T, opt store.Options) {
			c := newChecker(t, s, push(t, rand.New(rand.NewPCG(seed, 2)), s.open(), opt), opt)
			c.unorderedInstants = true
			c.stacks()
			for range thrift.Of(4, 8) {
				c.window(c.randomWindow())
			}
			c.window(c.allTime())
		})
	})
}

// What breaks the rules of a location's events is refused, wherever it is noticed.
func TestPushRefuses(t *testing.T) {
	const location = 5
	at := func(times ...int64) *trace.Batch {
		b := &trace.Batch{}
		b.Reset(location)
		for _, x := range times {
			b.Append(trace.KindEnter, x, 0)
		}
		return b
	}
	broken := func(spoil func(b *trace.Batch)) *trace.Batch {
		b := at(20, 30)
		spoil(b)
		return b
	}
	for _, c := range []struct {
		name string
		then func(w *store.Writer) error
	}{
		{"time running backwards in a batch", func(w *store.Writer) error { return w.Append(at(30, 29)) }},
		{"time running backwards between batches", func(w *store.Writer) error { return w.Append(at(19)) }},
		{"an event before the time advanced to", func(w *store.Writer) error {
			if err := w.Advance(location, 50); err != nil {
				return nil
			}
			return w.Append(at(49))
		}},
		{"an event after the end", func(w *store.Writer) error {
			if err := w.Finish(location); err != nil {
				return nil
			}
			return w.Append(at(60))
		}},
		{"an unknown kind", func(w *store.Writer) error {
			return w.Append(broken(func(b *trace.Batch) { b.Kinds[1] = 0x7777 }))
		}},
		{"too few words", func(w *store.Writer) error {
			return w.Append(broken(func(b *trace.Batch) { b.Starts[2] = b.Starts[1] }))
		}},
		{"arrays of unequal length", func(w *store.Writer) error {
			return w.Append(broken(func(b *trace.Batch) { b.Times = b.Times[:1] }))
		}},
		{"a new location in closed slices", func(w *store.Writer) error {
			if err := w.Finish(location); err != nil {
				return nil
			}
			b := at(5)
			b.Location = 99
			return w.Append(b)
		}},
		{"a span too long", func(w *store.Writer) error { return w.Append(at(1<<62 + 21)) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := pushed(t, at(10, 20))
			err := c.then(w)
			if err == nil {
				err = w.Close()
			}
			if err == nil {
				t.Fatal("accepted")
			}
			t.Log(err)
		})
	}
}

// pushed returns a writer of a trace with one location that has got a batch.
func pushed(t *testing.T, b *trace.Batch) *store.Writer {
	t.Helper()
	src := tracegen.New(trace.Meta{})
	src.Location(b.Location, src.Process("p"))
	w, err := store.NewWriter(t.Context(), &bytes.Buffer{}, src.Meta(), store.Options{SliceEvents: 1})
	if err != nil {
		t.Fatal(err)
	}
	log, err := src.Definitions(0)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Define(log...); err != nil {
		t.Fatal(err)
	}
	if err := w.Append(b); err != nil {
		t.Fatal(err)
	}
	return w
}

// Equal times, and an event at the time advanced to, are no error.
func TestPushAcceptsTheSameInstant(t *testing.T) {
	b := &trace.Batch{}
	b.Reset(5)
	b.Append(trace.KindEnter, 10, 0)
	w := pushed(t, b)
	for range 2 {
		if err := w.Advance(5, 10); err != nil {
			t.Fatal(err)
		}
		if err := w.Append(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(5); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
