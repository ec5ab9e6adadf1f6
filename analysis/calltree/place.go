package calltree

import "github.com/pandotrace/pando/encode/shape"

// place is where a location is in the tree, with what it has gathered so far.
type place struct {
	node  uint32
	stack []frame
	last  int64 // time up to which ticks are counted

	counts    []uint64 // by node: calls, saturating
	ticks     []int64  // by node: exclusive time
	inclusive []int64  // by node, in the end

	spent int64 // memory that was counted
}

// frame is a call on the stack, or several of one key that all lie at one node.
type frame struct {
	before uint32 // the node at which it was made
	key    uint32
	count  uint32
}

// frameBytes and cellBytes are the memory of a frame and of what a place has for each node.
const (
	frameBytes = 12
	cellBytes  = 24
)

// grow makes room for the cells of a node.
func (p *place) grow(n uint32) {
	more := max(int(n)+1, 2*len(p.counts), 16)
	p.counts = append(p.counts, make([]uint64, more-len(p.counts))...)
	p.ticks = append(p.ticks, make([]int64, more-len(p.ticks))...)
}

// add counts calls of a node.
func (p *place) add(n uint32, calls uint64) {
	if int(n) >= len(p.counts) {
		p.grow(n)
	}
	p.counts[n] = shape.Plus(p.counts[n], calls)
}

// leave closes the nearest call of a key and those further in, a number of times. It returns how many leaves found no call: they close
// nothing.
func (p *place) leave(key, times uint32) (orphans uint32) {
	for times > 0 {
		n := len(p.stack) - 1
		for n >= 0 && p.stack[n].key != key {
			n--
		}
		if n < 0 {
			return times
		}
		f := &p.stack[n]
		p.node = f.before
		left := min(f.count, times)
		f.count -= left
		times -= left
		if p.stack = p.stack[:n+1]; f.count == 0 {
			p.stack = p.stack[:n]
		}
	}
	return 0
}

// memory returns about how many bytes the place takes.
func (p *place) memory() int64 { return int64(frameBytes*cap(p.stack) + cellBytes*cap(p.counts)) }
