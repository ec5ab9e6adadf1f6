package slice

import (
	"slices"
)

// flattener lays out what a model codes: the numbers of values per context, and the values, context by context.
type flattener struct {
	sizes    []int // by context
	values   []uint64
	next     []int
	contexts []int
}

func (f *flattener) reset(contexts int) {
	f.sizes = append(f.sizes[:0], make([]int, contexts)...)
	f.values = f.values[:0]
}

// runs lays out what there is one of for each run.
func (f *flattener) runs(s *Block, t *Statistics) ([]int, []uint64) {
	f.reset(t.structureContexts())
	for i := range s.Runs {
		f.values = append(f.values, uint64(len(s.Runs[i].Tokens)))
	}
	for i := range s.Runs {
		f.values = append(f.values, uint64(len(s.Runs[i].Phases)))
	}
	for i := range s.Runs {
		f.values = append(f.values, uint64(len(s.Runs[i].Residuals)))
	}
	for c := contextTokens; c <= contextResiduals; c++ {
		f.sizes[t.base()+c] = len(s.Runs)
	}
	return f.sizes, f.values
}

// heads lays out phases, pair marks, and which events have residuals.
func (f *flattener) heads(s *Block, t *Statistics) ([]int, []uint64) {
	f.reset(t.structureContexts())
	f.phases(s, t.base())
	next := uint32(0)
	for _, p := range s.Pairs {
		f.values = append(f.values, uint64(p.Endpoint-next))
		next = p.Endpoint + 1
	}
	for _, p := range s.Pairs {
		f.values = append(f.values, uint64(p.Skip+1))
	}
	f.sizes[t.base()+contextMark], f.sizes[t.base()+contextSkip] = len(s.Pairs), len(s.Pairs)
	f.residuals(s, t.base())
	return f.sizes, f.values
}

func (f *flattener) residuals(s *Block, base int) {
	for i := range s.Runs {
		next := uint32(0)
		for _, event := range s.Runs[i].Residuals {
			f.values = append(f.values, uint64(event-next))
			next = event + 1
		}
		f.sizes[base+contextResidual] += len(s.Runs[i].Residuals)
	}
}

func (f *flattener) phases(s *Block, base int) {
	for i := range s.Runs {
		phases := s.Runs[i].Phases
		for j := range max(len(phases), 1) - 1 {
			f.values = append(f.values, uint64(phases[j].Events-1))
		}
	}
	f.sizes[base+contextPhaseEvents] = len(f.values)
	n := 0
	for i := range s.Runs {
		n += len(s.Runs[i].Phases)
		for _, p := range s.Runs[i].Phases {
			f.values = append(f.values, p.Shift())
		}
	}
	for i := range s.Runs {
		for _, p := range s.Runs[i].Phases {
			f.values = append(f.values, p.Value>>p.Shift())
		}
	}
	f.sizes[base+contextShift], f.sizes[base+contextPhase] = n, n
}

// chain lays out the shapes of tokens, with their contexts.
func (f *flattener) chain(s *Block, successors *Successors) (contexts []int, shapes []uint64) {
	f.values, f.contexts = f.values[:0], f.contexts[:0]
	for i := range s.Runs {
		context := runBegin
		for _, t := range s.Runs[i].Tokens {
			f.values, f.contexts = append(f.values, uint64(t.Shape)), append(f.contexts, context)
			context = successors.context(uint64(t.Shape))
		}
	}
	return f.contexts, f.values
}

// shapes lays out the shapes of tokens context by context: a chain is no such block, but has the same statistics.
func (f *flattener) shapes(s *Block, t *Statistics) ([]int, []uint64) {
	contexts, shapes := f.chain(s, &t.Successors)
	f.sort(contexts, slices.Clone(shapes), t.structureContexts())
	return f.sizes, f.values
}

// counts lays out the counts of tokens less one, context by context.
func (f *flattener) counts(s *Block, t *Statistics) ([]int, []uint64) {
	var counts []uint64
	f.contexts = f.contexts[:0]
	for i := range s.Runs {
		for _, token := range s.Runs[i].Tokens {
			counts = append(counts, uint64(token.Count-1))
			f.contexts = append(f.contexts, t.Successors.contexts()+t.Successors.context(uint64(token.Shape)))
		}
	}
	f.sort(f.contexts, counts, t.structureContexts())
	return f.sizes, f.values
}

// sort lays values out context by context.
func (f *flattener) sort(contexts []int, values []uint64, all int) {
	f.count(contexts, all)
	for i, c := range contexts {
		f.values[f.next[c]] = values[i]
		f.next[c]++
	}
}

// count makes room for values of contexts, and finds where those of each begin.
func (f *flattener) count(contexts []int, all int) {
	f.reset(all)
	for _, c := range contexts {
		f.sizes[c]++
	}
	f.values = slices.Grow(f.values, len(contexts))[:len(contexts)]
	f.next = append(f.next[:0], make([]int, len(f.sizes))...)
	at := 0
	for i, n := range f.sizes {
		f.next[i] = at
		at += n
	}
}
