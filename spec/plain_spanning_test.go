package spec

import (
	"math/bits"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// plainItems is a block of spanning items.
type plainItems struct {
	fanout, level, node uint64
	period              uint64
	counts              []uint64
	model               *plainModel
	structure           [][]uint64 // of the head, values by context
	parts               []plainPart
}

// plainPart is a part: what the list says of it, and its bytes.
type plainPart struct {
	cell, entries, items uint64
	length, checksum     uint64
	bytes                []byte
}

// items reads a block; sizes says how many values of each context the structure of its head has, grouped whether entries have several items.
func (f *plainFile) items(k plainKey, b []byte, grouped bool, sizes func(counts []uint64) []uint64) *plainItems {
	p := plain{b}
	head := p.uvarint()
	i := &plainItems{fanout: f.fanout, level: p.uvarint(), node: p.uvarint()}
	if i.level != uint64(k.level) || i.node != k.number || p.uvarint() != k.lane {
		panic("another node")
	}
	i.period = p.uvarint()
	for range 3 {
		i.counts = append(i.counts, p.uvarint())
	}
	i.list(&p, grouped)
	model := plain{p.bytes()}
	i.model = model.model()
	model.end()
	i.structure = i.values(p.bytes(), sizes(i.counts))
	if at := len(b) - len(p.b); len(i.parts) > 1 && checksum(b[:at]) != p.fixed(4) {
		panic("checksum of a head")
	}
	if head != uint64(len(b)-len(p.b)) {
		panic("another length of a head")
	}
	for n := range i.parts {
		part := &i.parts[n]
		if part.bytes = p.take(part.length); len(i.parts) > 1 && checksum(part.bytes) != part.checksum {
			panic("checksum of a part")
		}
	}
	for _, zero := range p.b {
		if zero != 0 {
			panic("something behind the parts")
		}
	}
	if i.period > 0 {
		met["times in ticks"]++
	}
	return i
}

// list reads the list of parts.
func (i *plainItems) list(p *plain, grouped bool) {
	i.parts = make([]plainPart, p.uvarint())
	cell := uint64(0)
	for n := range i.parts {
		cell += p.uvarint()
		part := &i.parts[n]
		part.cell, part.entries = cell, p.uvarint()
		if part.items = part.entries; grouped {
			part.items += p.uvarint()
		}
		if part.length = p.uvarint(); len(i.parts) > 1 {
			met["several parts"]++
			part.checksum = p.fixed(4)
		}
	}
}

// structureOf returns the values of the structure of a part, by context, and the bytes of its items' values; sizes says how many values of
// each context there are.
func (i *plainItems) structureOf(part *plainPart, sizes []uint64) (queue, []byte) {
	p := plain{part.bytes}
	structure := p.bytes()
	return queue(i.values(structure, sizes)), p.b
}

// check holds the cells of entries, and the number of their items, against the list.
func (part *plainPart) check(cells []uint64, items uint64) {
	if !slices.IsSorted(cells) || cells[0] != part.cell || items != part.items {
		panic("a part that is not as the list says")
	}
}

// values decodes a block of values, and divides them by context.
func (i *plainItems) values(b []byte, sizes []uint64) (byContext [][]uint64) {
	var counts []int
	for _, n := range sizes {
		counts = append(counts, int(n))
	}
	all := i.model.decode(b, counts)
	for _, n := range counts {
		byContext, all = append(byContext, all[:n]), all[n:]
	}
	return byContext
}

// middle returns the middle of a cell.
func (i *plainItems) middle(cell uint64) uint64 {
	low, high, child := uint64(0), i.fanout, cell
	if cell > i.fanout {
		place := cell - i.fanout
		for digit := binaryDigits(place) - 2; digit >= 0; digit-- {
			if m := (low + high) / 2; place>>digit&1 == 0 {
				high = m
			} else {
				low = m
			}
		}
		child = (low + high) / 2
	}
	slice := i.node*i.fanout + child
	for range i.level - 1 {
		slice *= i.fanout
	}
	return slice
}

// queue takes values of contexts, one after the other.
type queue [][]uint64

func (q queue) next(context int) uint64 {
	v := q[context][0]
	q[context] = q[context][1:]
	return v
}

func (q queue) signed(context int) uint64 { return unzigzag(q.next(context)) }

func (q queue) end() {
	for _, left := range q {
		if len(left) > 0 {
			panic("values are left")
		}
	}
}

// ticks returns the number of ticks of a time.
func (i *plainItems) ticks(d uint64) uint64 {
	if i.period == 0 {
		return d
	}
	if d>>63 == 1 {
		return -i.ticks(-d)
	}
	high, low := bits.Mul64(d, 1<<40)
	low, carry := bits.Add64(low, i.period/2, 0)
	k, _ := bits.Div64(high+carry, low, i.period)
	return k
}

// time returns the time of k ticks with the remainder that context 13 has for it.
func (i *plainItems) time(k uint64, q queue) uint64 {
	if i.period == 0 {
		return k
	}
	sign := uint64(1)
	if k>>63 == 1 {
		sign, k = -sign, -k
	}
	high, low := bits.Mul64(k, i.period)
	low, carry := bits.Add64(low, 1<<39, 0)
	return sign*((high+carry)<<24|low>>40) + q.signed(13)
}

// callShape is what the structure says of a call.
type callShape struct {
	outer      int
	key, flags uint64
	own        bool // a run has it
}

type plainCallRun struct {
	cell, location uint64
	stack          int
}

// plainCalls is a block of calls.
type plainCalls struct {
	*plainItems
	keys   []uint64
	stacks []callShape // the first one is empty
	// keyed says the first context of each of the nine fields, and which key has which of its contexts.
	keyed [9]struct {
		first int
		of    map[uint64]int
	}
	contexts int
}

func (f *plainFile) calls(k plainKey, b []byte) *plainCalls {
	c := &plainCalls{plainItems: f.items(k, b, true, func(n []uint64) []uint64 {
		return []uint64{n[0] + n[1], n[2], n[2], n[2]}
	})}
	q := queue(c.structure)
	for _, n := range c.counts[:2] {
		next := uint64(0)
		for range n {
			c.keys = append(c.keys, next+q.next(0))
			next = c.keys[len(c.keys)-1] + 1
		}
	}
	c.stacks = make([]callShape, 1)
	for range c.counts[2] {
		before := c.stacks[len(c.stacks)-1]
		s := callShape{outer: before.outer + int(q.next(1)), key: q.next(2), flags: q.next(3)}
		s.flags, s.own = s.flags/2, s.flags%2 == 1
		if s.outer == before.outer {
			s.key += before.key
		}
		c.stacks = append(c.stacks, s)
	}
	q.end()
	c.number()
	return c
}

// runs returns the runs of a part, and the values of its calls.
func (c *plainCalls) runs(part *plainPart) (runs []plainCallRun, values queue) {
	n := part.entries
	q, rest := c.structureOf(part, []uint64{0, 0, 0, 0, n, n, n})
	var before plainCallRun
	var cells []uint64
	items := 0
	for range n {
		r := plainCallRun{cell: before.cell + q.next(4), location: q.next(5), stack: int(q.next(6)) + 1}
		if r.cell == before.cell {
			r.location += before.location + 1
		}
		if !c.stacks[r.stack].own {
			panic("a stack that has no run")
		}
		runs, cells = append(runs, r), append(cells, r.cell)
		items += len(c.chain(r))
		before = r
	}
	q.end()
	part.check(cells, uint64(items))
	return runs, c.values(rest, c.sizes(runs))
}

// chain returns the stacks of a run's calls, the innermost one first.
func (c *plainCalls) chain(r plainCallRun) (all []callShape) {
	for s := r.stack; s > 0; s = c.stacks[s].outer {
		all = append(all, c.stacks[s])
	}
	return all
}

// number finds the contexts of the fields that have one for each key.
func (c *plainCalls) number() {
	var has [3]map[uint64]bool // innermost calls, others, all
	for i := range has {
		has[i] = map[uint64]bool{}
	}
	for _, s := range c.stacks[1:] {
		key := min(s.key, 4095)
		has[2][key] = true
		if s.own {
			has[0][key] = true
		}
		if s.outer > 0 {
			has[1][min(c.stacks[s.outer].key, 4095)] = true
		}
	}
	c.contexts = 14
	for field, class := range []int{0, 0, 0, 1, 1, 1, 1, 2, 2} {
		k := &c.keyed[field]
		k.first, k.of = c.contexts, map[uint64]int{}
		for key := range uint64(4096) {
			if has[class][key] {
				k.of[key] = c.contexts
				c.contexts++
			}
		}
	}
}

func (c *plainCalls) context(field int, s callShape) int { return c.keyed[field].of[min(s.key, 4095)] }

// sizes returns how many values of each context some runs have.
func (c *plainCalls) sizes(runs []plainCallRun) []uint64 {
	n := make([]uint64, c.contexts)
	cell := uint64(0)
	for _, r := range runs {
		if r.cell != cell {
			n[7]++
			cell = r.cell
		}
		for i, s := range c.chain(r) {
			fields, fixed, remainders := []int{0, 1, 2, 7, 8}, []int{8, 9, 10}, uint64(1)
			if i > 0 {
				fields, fixed, remainders = []int{3, 4, 5, 6, 7, 8}, []int{11, 12}, 2
			}
			for _, field := range fields {
				n[c.context(field, s)]++
			}
			for _, context := range fixed {
				n[context]++
			}
			if c.period > 0 {
				n[13] += remainders
			}
		}
	}
	return n
}

type plainCall struct {
	location, start, end, exclusive, children, ordinal, last, startSlice, endSlice uint64
	shape                                                                          callShape
}

// all returns the calls of the block.
func (c *plainCalls) all() (calls []plainCall) {
	for i := range c.parts {
		runs, q := c.runs(&c.parts[i])
		calls = append(calls, c.part(q, runs)...)
	}
	return calls
}

func (c *plainCalls) part(q queue, runs []plainCallRun) (calls []plainCall) {
	var base, ordinal, cell uint64
	for _, r := range runs {
		if r.cell != cell {
			base += q.signed(7)
			cell = r.cell
		}
		var inside *plainCall
		for _, s := range c.chain(r) {
			x := plainCall{location: r.location, shape: s}
			next := func(field int) uint64 { return q.next(c.context(field, s)) }
			if inside == nil {
				x.ordinal = ordinal + q.signed(8)
				ordinal = x.ordinal
				x.startSlice, x.endSlice = c.middle(cell)-1-q.signed(9), c.middle(cell)+q.signed(10)
				before := next(0)
				x.start = base - before
				x.end = x.start + c.time(next(1)+c.ticks(before), q)
				x.last = x.ordinal + next(2)
			} else {
				met["call inside"]++
				x.startSlice, x.endSlice = inside.startSlice-q.next(11), inside.endSlice+q.next(12)
				x.start = inside.start - c.time(next(3), q)
				x.end = inside.end + c.time(next(4), q)
				x.ordinal, x.last = inside.ordinal-next(5), inside.last+next(6)
			}
			x.children = next(7)
			switch rest := next(8); {
			case x.children == 0:
				x.exclusive = x.end - x.start - rest
			case x.children == 1 && inside != nil:
				x.exclusive = x.end - x.start - (inside.end - inside.start) - rest
			default:
				x.exclusive = rest
			}
			calls = append(calls, x)
			inside = &x
		}
	}
	q.end()
	return calls
}

// spanningCalls returns the items; the region of one with a calling context is left 0.
func (f *plainFile) spanningCalls() (calls []trace.Call) {
	for k, b := range f.blocks {
		if k.kind != 7 {
			continue
		}
		block := f.calls(k, b)
		for _, x := range block.all() {
			met["spanning call"]++
			f.checkSlice(x.startSlice, int64(x.start))
			f.checkSlice(x.endSlice, int64(x.end))
			c := trace.Call{
				Location: f.locations[x.location].id, Flags: trace.CallFlags(x.shape.flags), Region: block.keys[x.shape.key], Context: trace.Undefined,
				Ordinal: x.ordinal, EndOrdinal: x.last, Start: int64(x.start), End: int64(x.end), Exclusive: int64(x.exclusive), Children: x.children,
			}
			if x.shape.key >= block.counts[0] {
				c.Region, c.Context = 0, c.Region
			}
			calls = append(calls, c)
		}
	}
	return calls
}
