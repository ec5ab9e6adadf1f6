package cluster

import (
	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/encode/content"
)

// traits is what calls have, as far as it is a set: numbers of sets. Contexts are empty if groups are not by these.
type traits struct{ pairs, contexts uint32 }

// knowledge is what all locations of all traces share: names, sets, and symbols.
type knowledge struct {
	by        By
	forest    *calltree.Forest // of names
	functions *lists           // of sets of regions, by the numbers of their names
	pairs     *pairs
	called    map[uint32]uint32 // by set of pairs: that of functions
	contexts  *contexts
	bases     content.Bases
	symbols   [][2]content.Hash // by name: of enter and leave
	messages  map[calltree.Message]content.Hash
}

func newKnowledge(by By) *knowledge {
	return &knowledge{
		by: by, forest: calltree.NewForest(), functions: newLists(), pairs: newPairs(), contexts: newContexts(), called: map[uint32]uint32{},
		bases: content.Random(), messages: map[calltree.Message]content.Hash{},
	}
}

func (k *knowledge) union(a, b traits) traits {
	return traits{k.pairs.union(a.pairs, b.pairs), k.contexts.union(a.contexts, b.contexts)}
}

// call returns the traits of a call. Pairs are always known: they say what groups have of their own.
func (k *knowledge) call(name calltree.Name, inside traits) traits {
	t := traits{pairs: k.pairs.call(name, inside.pairs)}
	if k.by == Contexts {
		t.contexts = k.contexts.call(name, inside.contexts)
	}
	return t
}

// symbol returns the hashes of an enter and of a leave of a name.
func (k *knowledge) symbol(n calltree.Name) *[2]content.Hash {
	for int(n) >= len(k.symbols) {
		of := content.SymbolsOf(k.forest.NameOf(calltree.Name(len(k.symbols))))
		k.symbols = append(k.symbols, [2]content.Hash{k.bases.Symbol(of.Enter), k.bases.Symbol(of.Leave)})
	}
	return &k.symbols[n]
}

// functionsOf returns the set of regions that are called in a set of pairs.
func (k *knowledge) functionsOf(pairs uint32) uint32 {
	f, ok := k.called[pairs]
	if !ok {
		f = k.functions.of(k.pairs.callees(pairs))
		k.called[pairs] = f
	}
	return f
}

func (k *knowledge) memory() int64 {
	return k.functions.memory() + k.pairs.memory() + k.contexts.memory() + k.forest.Memory()
}
