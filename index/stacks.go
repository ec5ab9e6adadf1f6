package index

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// stacks say what the calls of a block are. A stack is a call with the calls around it that are in its place.
// Stacks are in the order of outer stack, key and flags; those of the outermost calls have stack 0, which is empty, around them.
type stacks struct {
	keys    []uint64 // regions, and then calling contexts, each in ascending order
	regions int
	list    []stack // the first one is empty
	widths  [callClasses]int
	all     int // contexts
}

type stack struct {
	outer, key, flags uint64
	calls             int  // the stack's depth
	own               bool // it is the stack of a run: its call is the innermost one
	contexts          [callClasses]int
}

// Fields of calls have a context for each key that calls of their class have. All contexts of a field follow each other, in
// the order of the keys; then come those of the next field:
//
//	innermost calls: base of the cell - start
//	innermost calls: ticks of duration - ticks of (base - start)
//	innermost calls: end ordinal - ordinal
//	other calls: ticks of (start of the call inside - start)
//	other calls: ticks of (end - end of the call inside)
//	other calls: ordinal of the call inside - ordinal
//	other calls: end ordinal - end ordinal of the call inside
//	all calls: number of direct children
//	all calls: without children: duration - exclusive time; with one child and a call inside: duration - duration of
//	that call - exclusive time; else exclusive time
const (
	innermostCalls = iota
	outerCalls
	allCalls
	callClasses
)

// keyFields is the number of fields by class.
var keyFields = [callClasses]int{3, 4, 2}

// maxKeys bounds the keys with contexts of their own. The last one's contexts are also those of further keys.
const maxKeys = 4096

func (s *stacks) appendCounts(dst []byte) []byte {
	dst = format.AppendUvarint(dst, uint64(s.regions))
	dst = format.AppendUvarint(dst, uint64(len(s.keys)-s.regions))
	return format.AppendUvarint(dst, uint64(len(s.list)-1))
}

func (s *stacks) readCounts(d *format.Decoder, limit int) {
	s.regions = d.Int(limit + 1)
	s.keys = make([]uint64, s.regions+d.Int(limit+1))
	s.list = make([]stack, 1+d.Int(limit+1))
}

func (s *stacks) contexts() int { return s.all }

func (s *stacks) structure(c *carrier) {
	before := uint64(math.MaxUint64)
	for i := range s.keys {
		if i == s.regions {
			before = math.MaxUint64
		}
		before += 1 + c.value(callKey, s.keys[i]-before-1)
		s.keys[i] = before
	}
	for i := 1; i < len(s.list); i++ {
		x, p := &s.list[i], &s.list[i-1]
		x.outer = p.outer + c.value(callOuter, x.outer-p.outer)
		from := uint64(0)
		if x.outer == p.outer {
			from = p.key
		}
		x.key = from + c.value(callStackKey, x.key-from)
		what := c.value(callFlags, 2*x.flags|uint64(ownBit(x.own)))
		x.flags, x.own = what/2, what%2 == 1
	}
}

func ownBit(own bool) int {
	if own {
		return 1
	}
	return 0
}

// check checks the order of keys and stacks.
func (s *stacks) check(d *format.Decoder) {
	for i := 1; i < len(s.keys); i++ {
		if i != s.regions && s.keys[i] <= s.keys[i-1] {
			d.Fail("keys are out of order")
			return
		}
	}
	for i := 1; i < len(s.list); i++ {
		x := &s.list[i]
		if x.outer >= uint64(i) || x.key >= uint64(len(s.keys)) || x.flags > math.MaxUint8 || i > 1 && x.compare(&s.list[i-1]) <= 0 {
			d.Fail("stack %d in stack %d, of key %d", i, x.outer, x.key)
			return
		}
		x.calls = s.list[x.outer].calls + 1
	}
}

func (s *stack) compare(o *stack) int {
	return cmp.Or(cmp.Compare(s.outer, o.outer), cmp.Compare(s.key, o.key), cmp.Compare(s.flags, o.flags))
}

// number numbers contexts. It reports false if there is a key that no stack has, or a stack that is neither that of a run nor has another one in it.
func (s *stacks) number() bool {
	used, known := make([]bool, len(s.list)), make([]bool, len(s.keys))
	var has [callClasses][]bool
	for class := range has {
		has[class] = make([]bool, min(len(s.keys), maxKeys))
	}
	for i := len(s.list) - 1; i > 0; i-- {
		x := &s.list[i]
		if !used[i] && !x.own {
			return false
		}
		if x.own {
			has[innermostCalls][x.class()] = true
		}
		known[x.key] = true
		has[allCalls][x.class()] = true
		if used[x.outer] = true; x.outer > 0 {
			has[outerCalls][s.list[x.outer].class()] = true
		}
	}
	s.setContexts(&has)
	return !slices.Contains(known, false)
}

// class returns the number of the key, but not more than that of the last key with contexts of its own.
func (s *stack) class() uint64 { return min(s.key, maxKeys-1) }

// setContexts gives contexts to the keys that each class has.
func (s *stacks) setContexts(has *[callClasses][]bool) {
	s.all = callContexts
	for class, keys := range has {
		context := make([]int, len(keys))
		n := 0
		for k, ok := range keys {
			if ok {
				context[k] = s.all + n
				n++
			}
		}
		for i := range s.list[1:] {
			x := &s.list[1+i]
			x.contexts[class] = context[x.class()]
		}
		s.widths[class] = n
		s.all += n * keyFields[class]
	}
}

// count adds the calls of a stack to the counts of their first fields.
func (s *stacks) count(counts []int, innermost uint64) {
	x := &s.list[innermost]
	counts[x.contexts[innermostCalls]]++
	for counts[x.contexts[allCalls]]++; x.outer > 0; counts[x.contexts[allCalls]]++ {
		x = &s.list[x.outer]
		counts[x.contexts[outerCalls]]++
	}
}

// repeat gives the other fields the counts of the first ones.
func (s *stacks) repeat(counts []int) {
	at := callContexts
	for class, width := range s.widths {
		first := counts[at : at+width]
		for range keyFields[class] {
			copy(counts[at:], first)
			at += width
		}
	}
}

// name tells what a call is.
func (s *stacks) name(c *Call, x *stack) {
	c.Key, c.Context, c.Flags = s.keys[x.key], x.key >= uint64(s.regions), trace.CallFlags(x.flags)
}

// grower makes stacks of calls. It numbers them as they come.
type grower struct {
	stacks  *stacks
	keys    map[callName]uint64
	grown   []stack
	numbers map[stack]uint64
}

type callName struct {
	context bool
	key     uint64
}

func (n callName) compare(o callName) int {
	if n.context != o.context {
		if o.context {
			return -1
		}
		return 1
	}
	return cmp.Compare(n.key, o.key)
}

// plant sets the keys to those of the calls.
func (s *stacks) plant(calls []Call) *grower {
	g := &grower{stacks: s, keys: map[callName]uint64{}, grown: make([]stack, 1), numbers: map[stack]uint64{}}
	for i := range calls {
		g.keys[callName{calls[i].Context, calls[i].Key}] = 0
	}
	for i, n := range slices.SortedFunc(maps.Keys(g.keys), callName.compare) {
		g.keys[n] = uint64(i)
		s.keys = append(s.keys, n.key)
		if !n.context {
			s.regions++
		}
	}
	return g
}

// grow returns the stack of a call in another stack.
func (g *grower) grow(outer uint64, c *Call) uint64 {
	x := stack{outer: outer, key: g.keys[callName{c.Context, c.Key}], flags: uint64(c.Flags), calls: g.grown[outer].calls + 1}
	n, ok := g.numbers[x]
	if !ok {
		n = uint64(len(g.grown))
		g.numbers[x] = n
		g.grown = append(g.grown, x)
	}
	return n
}

// list puts the stacks in order, and returns the new numbers of all. Stacks come after those of less depth.
func (g *grower) list() []uint64 {
	order, numbers := make([]uint64, len(g.grown)), make([]uint64, len(g.grown))
	for i := range order {
		order[i] = uint64(i)
	}
	slices.SortStableFunc(order, func(a, b uint64) int { return cmp.Compare(g.grown[a].calls, g.grown[b].calls) })
	for at := 0; at < len(order); {
		n := at
		for n < len(order) && g.grown[order[n]].calls == g.grown[order[at]].calls {
			x := &g.grown[order[n]]
			x.outer = numbers[x.outer]
			n++
		}
		slices.SortFunc(order[at:n], func(a, b uint64) int { return g.grown[a].compare(&g.grown[b]) })
		for ; at < n; at++ {
			numbers[order[at]] = uint64(at)
			g.stacks.list = append(g.stacks.list, g.grown[order[at]])
		}
	}
	return numbers
}
