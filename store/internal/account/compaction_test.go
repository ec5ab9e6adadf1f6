package account

import (
	"bytes"
	"slices"
	"testing"

	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/store/internal/write"
	"github.com/pandotrace/pando/trace"
)

func readerOf(t *testing.T, src trace.Source, opt layout.Options) *read.File {
	t.Helper()
	var file bytes.Buffer
	w, err := write.NewWriter(t.Context(), &file, src.Meta(), opt)
	if err == nil {
		err = write.Copy(t.Context(), w, src, nil)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := read.NewReader(t.Context(), bytes.NewReader(file.Bytes()), int64(file.Len()), layout.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func compactionOf(t *testing.T, r *read.File) *Compaction {
	t.Helper()
	last := int64(0)
	c, err := MeasureCompaction(r, func(n, _ int64) { last = n })
	if err != nil {
		t.Fatal(err)
	}
	if last != r.Size()-format.FooterSize {
		t.Errorf("the last step was %d of %d bytes", last, r.Size())
	}
	return c
}

// program makes locations that each run main, which calls f some times; f sends and receives one message.
func program(locations, calls int) *tracegen.Trace {
	src := tracegen.New(trace.Meta{Resolution: 1})
	main, f := src.Region("main"), src.Region("f")
	p := src.Process("p")
	for l := range uint64(locations) {
		b := src.Location(l, p)
		now := int64(0)
		put := func(k trace.Kind, words ...uint64) {
			b.Append(k, now, words...)
			now++
		}
		put(trace.KindEnter, main)
		for range calls {
			put(trace.KindEnter, f)
			put(trace.KindMpiSend, l, 7, 1, 100)
			put(trace.KindMpiRecv, l, 7, 1, 100)
			put(trace.KindLeave, f)
		}
		put(trace.KindLeave, main)
	}
	return src
}

// What the file holds of a small program, counted by hand: enter main, enter f, send, receive, the call of f and that of
// main are shapes; f leads to its enter and to two ends, main to its enter and to all calls of f at once, and the location to
// main. Neither the number of calls nor that of locations in a lane changes the shapes.
func TestCompactionByHand(t *testing.T) {
	for _, calls := range []uint64{2, 10, 3000} {
		c := compactionOf(t, readerOf(t, program(1, int(calls)), layout.Options{}))
		if want := (Graph{Nodes: 2 + calls, Edges: 1 + calls, Messages: 2 * calls}); c.Before != want || c.Roots != 1 {
			t.Errorf("before: %+v below %d roots, want %+v", c.Before, c.Roots, want)
		}
		if want := (Graph{Nodes: 6, Edges: 3, Messages: 2}); c.Dictionaries != want || c.Tokens != (Graph{Edges: 1}) {
			t.Errorf("%d calls: dictionary %+v, tokens %+v, want %+v and one token", calls, c.Dictionaries, c.Tokens, want)
		}
		if want := (Graph{Nodes: 7, Edges: 4, Messages: 2}); c.After() != want || want.Sum() != 13 {
			t.Errorf("after: %+v, want %+v", c.After(), want)
		}
		// A call or root has 32 bytes, an end 16 and 8 for each of its 4 fields.
		if want := 32*(2+calls) + 2*calls*(16+4*8); c.TreeBytes != want {
			t.Errorf("%d bytes of trees, want %d", c.TreeBytes, want)
		}
	}
}

// Calls and messages that cross the borders of slices cost tokens, and are spanning.
func TestCompactionOfSlices(t *testing.T) {
	r := readerOf(t, tracegen.Ring(4, 100, 1), layout.Options{SliceEvents: 512})
	c := compactionOf(t, r)
	info := r.Info()
	ends := 2*info.Messages + info.UnmatchedSends + info.UnmatchedReceives
	if want := (Graph{Nodes: info.Calls + 4, Edges: info.Calls, Messages: ends}); c.Before != want {
		t.Errorf("before: %+v, want %+v", c.Before, want)
	}
	if info.Slices < 10 || c.SpanningCalls < 4*info.Slices/2 || c.SpanningMessages == 0 || c.Tokens.Edges < 4*info.Slices {
		t.Errorf("%d slices, %+v: this tests little", info.Slices, c)
	}
	after := c.After()
	if after.Messages != c.Dictionaries.Messages+c.Tokens.Messages+2*c.SpanningMessages || after.Nodes != c.Dictionaries.Nodes+4 ||
		after.Edges != c.Dictionaries.Edges+c.Tokens.Edges {
		t.Errorf("after: %+v of %+v", after, c)
	}
}

// Traces without calls, messages or events have a compaction, too.
func TestCompactionOfLittle(t *testing.T) {
	src := tracegen.New(trace.Meta{Resolution: 1})
	src.Location(0, src.Process("p"))
	if c := compactionOf(t, readerOf(t, src, layout.Options{})); *c != (Compaction{}) {
		t.Errorf("no events: %+v", c)
	}
	src = tracegen.New(trace.Meta{Resolution: 1})
	b := src.Location(0, src.Process("p"))
	for i := range int64(100) {
		b.Append(trace.KindMpiIsendComplete, i, uint64(i))
	}
	c := compactionOf(t, readerOf(t, src, layout.Options{}))
	if one := (Graph{Nodes: 1}); c.Before != one || c.After() != one || c.TreeBytes != 32+100*24 || c.GraphBytes == 0 {
		t.Errorf("no calls: %+v", c)
	}
}

// The counts are those of a walk that knows nothing of holdings: it looks at the kinds of events that each shape stands for.
func TestCompactionByWalking(t *testing.T) {
	nodes, tokens, messages := uint64(0), uint64(0), uint64(0)
	for seed := range uint64(30) {
		opt := layout.Options{SliceEvents: []int{64, 300, 0}[seed%3], Fanout: 3, EpochSlices: 6, LaneLocations: 2}
		r := readerOf(t, tracegen.Random(seed, tracegen.RandomKnobs(seed)), opt)
		got := compactionOf(t, r)
		w := walker{r: r, t: t, dictionaries: map[[2]uint32]*shape.Dictionary{}}
		w.walk()
		if got.Dictionaries != w.shapes || got.Tokens != w.tokens || got.GraphBytes != w.bytes {
			t.Errorf("seed %d: dictionaries %+v, tokens %+v, %d bytes, want %+v, %+v, %d", seed, got.Dictionaries, got.Tokens, got.GraphBytes,
				w.shapes, w.tokens, w.bytes)
		}
		nodes, tokens, messages = nodes+w.shapes.Nodes, tokens+w.tokens.Edges, messages+w.shapes.Messages
	}
	if min(nodes, tokens, messages) < 100 {
		t.Errorf("%d shapes, %d tokens, %d edges to messages: this tests little", nodes, tokens, messages)
	}
}

type walker struct {
	r              *read.File
	t              *testing.T
	dictionaries   map[[2]uint32]*shape.Dictionary // by epoch and lane
	shapes, tokens Graph
	bytes          uint64
}

// walk goes by the directory.
func (w *walker) walk() {
	for i := range w.r.Root().Pages {
		pages, err := w.r.Parts(i)
		if err != nil {
			w.t.Fatal(err)
		}
		var entries []index.Entry
		for _, p := range pages {
			entries = append(entries, p.Entries...)
		}
		for _, e := range entries {
			if slices.Contains([]format.BlockKind{format.BlockDictionary, format.BlockModel, format.BlockSlice}, e.Kind) {
				w.bytes += uint64(e.Ref.Length)
			}
			if e.Kind == format.BlockSlice {
				w.slice(e.Number, e.Lane, e.Ref)
			}
		}
	}
}

func (w *walker) slice(number uint64, lane uint32, ref format.Ref) {
	e, err := w.r.Decode(number, lane, ref)
	if err != nil {
		w.t.Fatal(err)
	}
	name := [2]uint32{e.Epoch, lane}
	if w.dictionaries[name] == nil {
		w.dictionaries[name] = e.Dictionary
		for s := range uint32(e.Dictionary.Len()) {
			if call, end := w.holds(e.Dictionary, s); call || end {
				w.shapes.Nodes++
			}
			w.edges(&w.shapes, e.Dictionary, e.Dictionary.EdgesOf(s))
		}
	}
	for _, r := range e.Runs {
		w.edges(&w.tokens, e.Dictionary, r.Tokens)
	}
}

func (w *walker) edges(g *Graph, d *shape.Dictionary, edges []shape.Edge) {
	for _, e := range edges {
		call, end := w.holds(d, e.Shape)
		if call {
			g.Edges++
		} else if end {
			g.Messages++
		}
	}
}

// holds walks down from a shape to its leaves.
func (w *walker) holds(d *shape.Dictionary, shape uint32) (call, end bool) {
	if l := d.Leaf(shape); l != nil {
		switch l.Kind {
		case trace.KindEnter, trace.KindCallingContextEnter:
			return true, false
		case trace.KindMpiSend, trace.KindMpiIsend, trace.KindMpiRecv, trace.KindMpiIrecv:
			return false, true
		}
		return false, false
	}
	for _, e := range d.EdgesOf(shape) {
		c, m := w.holds(d, e.Shape)
		call, end = call || c, end || m
	}
	return call, end
}
