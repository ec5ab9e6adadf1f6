package content

import (
	"math/rand/v2"
	"testing"

	"github.com/pandotrace/pando/encode/internal/encodetest"
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/trace"
)

// location folds events as the engine does, and hashes them one by one meanwhile.
type location struct {
	encodetest.Stack
	t          *testing.T
	dictionary *shape.Dictionary
	folder     shape.Folder
	calls      *Calls
	want       Hash
	prefixes   []Hash
}

func (l *location) event(kind trace.Kind, words ...uint64) {
	id, err := l.dictionary.Event(0, kind, words, nil)
	if err != nil {
		l.t.Fatal(err)
	}
	leaf, ok := l.dictionary.View().Leaf(id)
	if !ok {
		l.t.Fatal("an event is no leaf")
	}
	l.Add(&l.folder, id, kind, words)
	if symbol := l.calls.Symbol(&leaf); symbol.N > 0 {
		l.want = l.want.Then(symbol)
		l.prefixes = append(l.prefixes, l.want)
	}
}

// newNames returns definitions of five regions, two of which have one name, and of two calling contexts.
func newNames() *trace.Definitions {
	var log []trace.Record
	for id, name := range []string{"a", "b", "c", "b", "main"} {
		text := trace.Record{Kind: trace.KindString, Words: []uint64{uint64(id), uint64(len(name))}, Text: []byte(name)}
		region := trace.Record{Kind: trace.KindRegion, Words: make([]uint64, len(trace.Standard.Spec(trace.KindRegion).Fields))}
		region.Words[0], region.Words[1], region.Words[6] = uint64(id), uint64(id), trace.Undefined>>32
		log = append(log, text, region)
	}
	for id := range uint64(2) {
		log = append(log, trace.Record{Kind: trace.KindCallingContext, Words: []uint64{id, id, 0, trace.Undefined >> 32}})
	}
	return trace.NewDefinitions(log)
}

// The hash of tokens is that of the events one by one, of parts of a location as of the whole, while the dictionary grows.
func TestShapes(t *testing.T) {
	recursions, symbols := 0, uint64(0)
	defs := newNames()
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 7))
		calls := NewCalls(Fixed, defs)
		l := location{t: t, dictionary: shape.NewDictionary(trace.Standard), calls: calls}
		shapes := NewShapes(l.dictionary.View(), calls.Symbol)
		var all, want Hash
		for range 1 + r.IntN(3) {
			l.folder.Reset(l.dictionary)
			l.Outside = len(l.Open)
			l.want, l.prefixes = Hash{}, []Hash{{}}
			for range 6 {
				encodetest.Program(r, 0, l.event)
			}
			tokens := l.folder.Tokens()
			shapes.Grow()
			got := shapes.Of(tokens...)
			if got != l.want {
				t.Fatalf("seed %d: %v, want %v", seed, got, l.want)
			}
			for n, prefix := range l.prefixes {
				if got := shapes.First(uint64(n), tokens...); got != prefix {
					t.Fatalf("seed %d: the first %d of %d symbols are %v, want %v", seed, n, l.want.N, got, prefix)
				}
			}
			if got := shapes.First(l.want.N+5, tokens...); got != l.want {
				t.Fatalf("seed %d: more symbols than there are are %v, want %v", seed, got, l.want)
			}
			all, want = all.Then(got), want.Then(l.want)
		}
		if all != want {
			t.Fatalf("seed %d: %v in all, want %v", seed, all, want)
		}
		recursions, symbols = recursions+len(shapes.around), symbols+all.N
	}
	if recursions < 100 || symbols < 10000 {
		t.Errorf("only %d recursions and %d symbols: this tests little", recursions, symbols)
	}
}

// Regions count by their names: of two with one name, calls are equal, and those of a calling context are calls of its region.
func TestNames(t *testing.T) {
	defs := newNames()
	calls := NewCalls(Random(), defs)
	symbol := func(class shape.Class, key uint64) Hash { return calls.Symbol(&shape.Leaf{Class: class, Key: key}) }
	if symbol(shape.Enter, 1) != symbol(shape.Enter, 3) || symbol(shape.Enter, 1) != symbol(shape.ContextEnter, 1) {
		t.Error("calls of one name differ")
	}
	if symbol(shape.Enter, 1) == symbol(shape.Leave, 1) || symbol(shape.Enter, 0) == symbol(shape.Enter, 2) {
		t.Error("enters and leaves, or calls of two names, are equal")
	}
	if symbol(shape.Send, 0) != (Hash{}) {
		t.Error("a send is a symbol")
	}
	if got := calls.Region(Key{true, 9}); got != trace.Undefined {
		t.Errorf("a context that is not defined is of region %d", got)
	}
}
