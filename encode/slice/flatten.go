package slice

import (
	"slices"
	"sync"
)

// flattener lays out what a model codes: the numbers of values per context, and the values, context by context.
type flattener struct {
	sizes    []int // by context
	values   []uint64
	next     []int
	contexts []int
}

// flatteners are those that nobody uses: the chain of a slice is large for a moment.
var flatteners = sync.Pool{New: func() any { return &flattener{} }}

func (f *flattener) reset(contexts int) {
	f.sizes = append(f.sizes[:0], make([]int, contexts)...)
	f.values = f.values[:0]
}

// add adds a value of a context of a chain.
func (f *flattener) add(context int, value uint64) {
	f.contexts, f.values = append(f.contexts, context), append(f.values, value)
}

// chain lays out the structure of a slice: values with their contexts, in the order of the chain.
func (f *flattener) chain(s *Block, t *Statistics) (contexts []int, values []uint64) {
	f.contexts, f.values = f.contexts[:0], f.values[:0]
	base := t.base()
	for i := range s.Runs {
		f.add(base+contextTokens, uint64(len(s.Runs[i].Tokens)))
	}
	for i := range s.Runs {
		f.add(base+contextPhases, uint64(len(s.Runs[i].Phases)))
	}
	for i := range s.Runs {
		f.add(base+contextResiduals, uint64(len(s.Runs[i].Residuals)))
	}
	for i := range s.Runs {
		context := runBegin
		for _, token := range s.Runs[i].Tokens {
			f.add(context, uint64(token.Shape))
			context = t.Successors.context(uint64(token.Shape))
			f.add(t.Successors.contexts()+context, uint64(token.Count-1))
		}
	}
	f.phases(s, base)
	f.residuals(s, base)
	return f.contexts, f.values
}

func (f *flattener) phases(s *Block, base int) {
	for i := range s.Runs {
		phases := s.Runs[i].Phases
		for j := range max(len(phases), 1) - 1 {
			f.add(base+contextPhaseEvents, uint64(phases[j].Events-1))
		}
	}
	for i := range s.Runs {
		for _, p := range s.Runs[i].Phases {
			f.add(base+contextShift, p.Shift())
		}
	}
	for i := range s.Runs {
		for _, p := range s.Runs[i].Phases {
			f.add(base+contextPhase, p.Value>>p.Shift())
		}
	}
}

func (f *flattener) residuals(s *Block, base int) {
	for i := range s.Runs {
		next := uint32(0)
		for _, event := range s.Runs[i].Residuals {
			f.add(base+contextResidual, uint64(event-next))
			next = event + 1
		}
	}
}

// byContext lays out the values of the chain context by context: they are no block, but have the same statistics.
func (f *flattener) byContext(s *Block, t *Statistics) ([]int, []uint64) {
	contexts, values := f.chain(s, t)
	f.sort(contexts, slices.Clone(values), t.structureContexts())
	return f.sizes, f.values
}

// sort lays values out context by context.
func (f *flattener) sort(contexts []int, values []uint64, all int) {
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
	for i, c := range contexts {
		f.values[f.next[c]] = values[i]
		f.next[c]++
	}
}
