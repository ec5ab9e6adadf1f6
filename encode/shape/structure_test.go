package shape

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pandotrace/pando/encode/internal/encodetest"
	"github.com/pandotrace/pando/trace"
)

// stacker feeds events of one location to a folder as the engine does, with a stack of its own.
type stacker struct {
	encodetest.Stack
	dictionary *Dictionary
	location   uint32
	folder     Folder
	leaves     []uint32 // all events so far
}

func newStacker(d *Dictionary, outside ...uint64) *stacker {
	s := &stacker{dictionary: d, Stack: encodetest.Stack{Open: outside, Outside: len(outside)}}
	s.folder.Reset(d)
	return s
}

func (s *stacker) event(t testing.TB, kind trace.Kind, words []uint64, attrs []trace.Attr) {
	t.Helper()
	leaf, err := s.dictionary.Event(s.location, kind, words, attrs)
	if err != nil {
		t.Fatal(err)
	}
	s.fold(leaf)
}

func (s *stacker) fold(leaf uint32) {
	s.leaves = append(s.leaves, s.dictionary.LeafNumber(leaf))
	l := s.dictionary.Leaf(leaf)
	s.Add(&s.folder, leaf, l.Kind, l.Words)
}

// program folds a random program.
func (s *stacker) program(t testing.TB, r *rand.Rand, depth int) {
	t.Helper()
	encodetest.Program(r, depth, func(kind trace.Kind, words ...uint64) { s.event(t, kind, words, nil) })
}

// checkExpand compares what the tokens expand to with the events that were folded.
func (s *stacker) checkExpand(t testing.TB) []Token {
	t.Helper()
	tokens := slices.Clone(s.folder.Tokens())
	if n := s.dictionary.EventsOf(tokens); n != uint64(len(s.leaves)) {
		t.Fatalf("%d events by arithmetic, %d were folded", n, len(s.leaves))
	}
	for _, small := range []uint64{0, 1, 16, 1024} {
		got := s.dictionary.Expand(nil, s.dictionary.Pieces(nil, tokens, small))
		if !slices.Equal(got, s.leaves) {
			t.Fatalf("%d tokens expand by way of pieces of %d events to %d events, not to the %d that were folded", len(tokens), small, len(got), len(s.leaves))
		}
	}
	return tokens
}

func TestFoldedEventsComeBack(t *testing.T) {
	composites, repeated, recursions := 0, 0, 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		d := NewDictionary(trace.Standard)
		for range 1 + r.IntN(5) { // slices
			s := newStacker(d, []uint64{0, 1, ^uint64(2), 0}[:r.IntN(5)]...)
			for range 10 {
				s.program(t, r, 0)
			}
			for _, token := range s.checkExpand(t) {
				if token.Count > 1 {
					repeated++
				}
				if d.Leaf(token.Shape) == nil {
					composites++
				}
				if _, _, ok := d.Recursion(token.Shape); ok {
					recursions++
				}
			}
		}
	}
	if composites < 100 || repeated < 100 || recursions < 100 {
		t.Errorf("only %d composites, %d repetitions, %d recursions: this tests little", composites, repeated, recursions)
	}
}

// A call with nothing inside, or with one event, is the same whether it is added at once or not.
func TestSimpleCalls(t *testing.T) {
	var found [2]int
	for seed := range uint64(300) {
		d := NewDictionary(trace.Standard)
		s := newStacker(d, 0, 1)
		for r := rand.New(rand.NewPCG(seed, 1)); len(s.leaves) < 500; {
			s.program(t, r, 0)
			for range r.IntN(20) {
				region := []uint64{r.Uint64N(2)}
				s.event(t, trace.KindEnter, region, nil)
				if r.IntN(2) > 0 {
					s.event(t, trace.KindMpiSend, []uint64{r.Uint64N(3), 0, 0, 0}, nil)
				}
				s.event(t, trace.KindLeave, region, nil)
			}
		}
		again := newStacker(d, 0, 1)
		for i := 0; i < len(s.leaves); {
			if n := again.simple(s.leaves[i:]); n > 0 {
				again.leaves = append(again.leaves, s.leaves[i:i+n]...)
				found[n-2]++
				i += n
				continue
			}
			again.fold(d.leafShapes[s.leaves[i]])
			i++
		}
		if got, want := again.checkExpand(t), s.checkExpand(t); !slices.Equal(got, want) {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
	}
	if found[0] < 1000 || found[1] < 1000 {
		t.Errorf("only %d calls with nothing inside, %d with one event: this tests little", found[0], found[1])
	}
}

// simple adds the call that leaves begin with at once, if it is one with nothing or one event inside, and returns their number.
func (s *stacker) simple(leaves []uint32) int {
	info := s.dictionary.Info()
	if info[leaves[0]].Class != Enter || len(leaves) < 3 {
		return 0
	}
	c := s.dictionary.Bare(info[leaves[0]].Key)
	switch {
	case c == nil || c.Enter != leaves[0]:
		return 0
	case c.Leave == leaves[1]:
		s.folder.Call(c)
		return 2
	case c.Leave == leaves[2] && (info[leaves[1]].Class == Point || info[leaves[1]].Class == Send):
		s.folder.CallAround(c, s.dictionary.leafShapes[leaves[1]])
		return 3
	}
	return 0
}

// An end of a message has the leaf that says what it is, whichever were looked up before.
func TestEndsOfMessages(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	d := NewDictionary(trace.Standard)
	hits := 0
	for range 20000 {
		kinds := []trace.Kind{trace.KindMpiSend, trace.KindMpiRecv, trace.KindMpiIsend}
		kind, location := kinds[r.IntN(len(kinds))], r.Uint32N(3)
		words := []uint64{r.Uint64N(5), r.Uint64N(3), r.Uint64N(2), r.Uint64N(2) << 40}
		if kind == trace.KindMpiIsend {
			words = append(words, r.Uint64())
		}
		if r.IntN(100) == 0 {
			d.AddRank(OwnRank{location, words[1], r.Uint64N(4), 4})
		}
		if d.recentEnds != nil && d.recentEnds.of(location, words).is(location, kind, words) {
			hits++
		}
		leaf, err := d.Event(location, kind, words, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := slices.Clone(words)
		if len(want) > 4 {
			want[4] = 0
		}
		own := d.Rank(location, words[1])
		relative := own != nil && words[0] < own.Size
		if relative {
			want[0] = own.relative(words[0])
		}
		if l := d.Leaf(leaf); l.Kind != kind || l.Relative != relative || !slices.Equal(l.Words, want) {
			t.Fatalf("%v of location %d: %+v, want %v", words, location, l, want)
		}
		if _, err := d.Event(location, kind, append(words, 0), nil); err == nil && len(words) > 4 {
			t.Fatal("a word too many")
		}
	}
	if hits < 1000 {
		t.Errorf("only %d were looked up lately: this tests little", hits)
	}
}

// A recursion of any depth has a fixed number of shapes, whatever stands around the inner call on each level.
func TestRecursionTakesFewShapes(t *testing.T) {
	for name, around := range map[string][2]int{"bare": {0, 0}, "before": {1, 0}, "after": {0, 1}, "both": {2, 2}, "runs": {70, 70}} {
		for _, depth := range []int{2, 3, 1000, 100_000 / (1 + around[0])} {
			s := newStacker(NewDictionary(trace.Standard))
			call := func(n int) {
				for range n {
					s.event(t, trace.KindEnter, []uint64{8}, nil)
					s.event(t, trace.KindLeave, []uint64{8}, nil)
				}
			}
			for range depth {
				s.event(t, trace.KindEnter, []uint64{7}, nil)
				call(around[0])
			}
			for range depth {
				call(around[1])
				s.event(t, trace.KindLeave, []uint64{7}, nil)
			}
			tokens := s.checkExpand(t)
			if len(tokens) != 1 {
				t.Errorf("%s, %d deep: %d tokens, want the one call", name, depth, len(tokens))
			}
			if n := s.dictionary.Len(); n > 8 {
				t.Errorf("%s, %d deep: %d shapes", name, depth, n)
			}
		}
	}
}

// Recursions in a row are counted, and are no deeper recursion.
func TestRecursionsAreCounted(t *testing.T) {
	s := newStacker(NewDictionary(trace.Standard))
	for i := range 1000 {
		depth := []int{5, 5, 5, 3}[i%4]
		for range depth {
			s.event(t, trace.KindEnter, []uint64{7}, nil)
		}
		for range depth {
			s.event(t, trace.KindLeave, []uint64{7}, nil)
		}
	}
	if tokens := s.checkExpand(t); len(tokens) > 10 || s.dictionary.Len() > 20 {
		t.Errorf("%d tokens, %d shapes", len(tokens), s.dictionary.Len())
	}
}

// Calls that a border of the slice cuts are counted like others, on both sides of it.
func TestCutCallsAreCounted(t *testing.T) {
	const depth = 10_000
	d := NewDictionary(trace.Standard)
	call := func(s *stacker, region uint64) {
		s.event(t, trace.KindEnter, []uint64{region}, nil)
		s.event(t, trace.KindLeave, []uint64{region}, nil)
	}
	s := newStacker(d)
	for range depth {
		s.event(t, trace.KindEnter, []uint64{7}, nil)
		call(s, 8)
		call(s, 9)
	}
	if tokens := s.checkExpand(t); len(tokens) > 1 {
		t.Errorf("enters are %d tokens: %v", len(tokens), tokens[:2])
	}
	s = newStacker(d, s.Open...)
	for range depth {
		call(s, 8)
		s.event(t, trace.KindLeave, []uint64{7}, nil)
	}
	if tokens := s.checkExpand(t); len(tokens) > 1 {
		t.Errorf("leaves are %d tokens: %v", len(tokens), tokens[:2])
	}
}

// Calls that end because the call around them is left are counted like others.
func TestCallsThatDoNotNestAreCounted(t *testing.T) {
	s := newStacker(NewDictionary(trace.Standard))
	s.event(t, trace.KindEnter, []uint64{0}, nil)
	for range 10_000 {
		s.event(t, trace.KindEnter, []uint64{2}, nil)
		s.event(t, trace.KindEnter, []uint64{3}, nil)
		s.event(t, trace.KindLeave, []uint64{3}, nil)
	}
	s.event(t, trace.KindLeave, []uint64{0}, nil)
	if tokens := s.checkExpand(t); len(tokens) != 1 || len(s.dictionary.edges) > 10 {
		t.Errorf("%d tokens, %d edges", len(tokens), len(s.dictionary.edges))
	}
}

func TestRepetitionsAreCounted(t *testing.T) {
	s := newStacker(NewDictionary(trace.Standard))
	s.event(t, trace.KindEnter, []uint64{0}, nil)
	for range 100_000 {
		s.event(t, trace.KindEnter, []uint64{1}, nil)
		s.event(t, trace.KindParameterInt, []uint64{3, 4}, nil)
		s.event(t, trace.KindLeave, []uint64{1}, nil)
	}
	s.event(t, trace.KindLeave, []uint64{0}, nil)
	if tokens := s.checkExpand(t); len(tokens) != 1 {
		t.Errorf("%d tokens, want one", len(tokens))
	}
	if n := s.dictionary.Len(); n > 10 {
		t.Errorf("%d shapes for two calls", n)
	}
}

// A call has the shape of all calls with the same events, wherever they stand, and no other.
func TestEqualCallsShareTheirShape(t *testing.T) {
	d := NewDictionary(trace.Standard)
	shapes := map[string]Token{} // by events
	owners := map[Token]string{}
	shared := 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed%400, 2)) // most of them several times
		s := newStacker(d)
		s.event(t, trace.KindEnter, []uint64{9}, nil)
		s.program(t, r, 7)
		s.event(t, trace.KindLeave, []uint64{9}, nil)
		tokens := s.checkExpand(t)
		if len(tokens) != 1 {
			t.Fatalf("seed %d: a call became %v", seed, tokens)
		}
		events := ""
		for _, l := range s.leaves {
			events += string(rune(l))
		}
		shape, ok := shapes[events]
		if !ok {
			shapes[events], shape = tokens[0], tokens[0]
		} else {
			shared++
		}
		if owner, ok := owners[shape]; shape != tokens[0] || ok && owner != events {
			t.Fatalf("seed %d: %v, those of the same events are %v", seed, tokens[0], shape)
		}
		owners[shape] = events
	}
	if shared < 1000 || len(shapes) < 100 {
		t.Errorf("%d calls shared %d shapes: this tests little", shared, len(shapes))
	}
}

// What arithmetic says of a shape is what expansion gives.
func TestEventsOfShapes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	s := newStacker(NewDictionary(trace.Standard))
	for range 50 {
		s.program(t, r, 0)
	}
	d := s.dictionary
	d.Prepare()
	for shape := range uint32(d.Len()) {
		for _, token := range []Token{{shape, 1}, {shape, 3}} {
			leaves := d.Expand(nil, []Token{token})
			words := uint64(0)
			for _, l := range leaves {
				words += uint64(len(d.leaves.wordsOf(l)) + len(d.leaves.attrsOf(l)) + 1)
			}
			if events, size := d.EventsOf([]Token{token}), d.WordsOf([]Token{token}); events != uint64(len(leaves)) || size != words {
				t.Fatalf("%v: %d events and %d words, expanded %d and %d", token, events, size, len(leaves), words)
			}
			if token.Count == 1 && d.Events(shape) != uint64(len(leaves)) {
				t.Fatalf("shape %d: %d events, expanded %d", shape, d.Events(shape), len(leaves))
			}
		}
		for _, e := range d.EdgesOf(shape) {
			if e.Shape >= shape || e.Count == 0 {
				t.Fatalf("shape %d has the edge %v", shape, e)
			}
		}
	}
}

// doubling returns a dictionary whose shape n stands for 2^n events.
func doubling(n int) *Dictionary {
	d := NewDictionary(trace.Standard)
	shape, err := d.Event(0, trace.KindBufferFlush, []uint64{0, 0}, nil)
	if err != nil {
		panic(err)
	}
	for range n {
		shape = d.Composite([]Edge{{shape, 2}})
	}
	d.Prepare()
	return d
}

func TestEventsSaturate(t *testing.T) {
	d := doubling(100)
	for shape := range uint32(101) {
		want := uint64(1<<64 - 1)
		if shape < 64 {
			want = 1 << shape
		}
		if got := d.Events(shape); got != want {
			t.Errorf("shape %d has %d events, want %d", shape, got, want)
		}
	}
	if n := d.EventsOf([]Token{{60, 1<<32 - 1}, {3, 1}}); n != 1<<64-1 {
		t.Errorf("%d events", n)
	}
}
