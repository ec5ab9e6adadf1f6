package cluster

import (
	"slices"
	"unsafe"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/encode/content"
	"github.com/pandotrace/pando/encode/shape"
)

// place is a location on the way through its calls, or the inside of a shape.
type place struct {
	open []call // the first is the location itself
	// counts are the calls of each name, saturating, if groups are by calls or what is finer.
	counts []uint64
	// text is the hash of the string of enters and leaves, with messages between them, if groups are by trees or messages. Each call that is entered is left:
	// where a leave closes calls inside of its own, these are left first.
	text content.Hash

	spent int64 // memory that was counted
}

// call is a call that is open, with the traits of what is inside of it so far.
type call struct {
	key    uint32
	name   calltree.Name
	inside traits
}

func newPlace() *place { return &place{open: make([]call, 1, 8)} }

// reset makes the place one without calls.
func (p *place) reset() {
	p.open = p.open[:1]
	p.open[0].inside = traits{}
	clear(p.counts)
	p.text = content.Hash{}
}

// equal reports whether a place is in the state of another one.
func (p *place) equal(o *place) bool {
	return p.text == o.text && slices.Equal(p.open, o.open) && slices.Equal(p.counts, o.counts)
}

// become brings a place to the state of another one.
func (p *place) become(o *place) {
	p.text, p.open, p.counts = o.text, append(p.open[:0], o.open...), append(p.counts[:0], o.counts...)
}

func (p *place) add(k *knowledge, inside traits) {
	if t := &p.open[len(p.open)-1].inside; *t != inside {
		*t = k.union(*t, inside)
	}
}

func (p *place) count(n calltree.Name, calls uint64) {
	if int(n) >= len(p.counts) {
		p.counts = append(p.counts, make([]uint64, int(n)+1-len(p.counts))...)
	}
	p.counts[n] = shape.Plus(p.counts[n], calls)
}

func (p *place) enter(k *knowledge, key uint32, name calltree.Name) {
	if k.by.counted() {
		p.count(name, 1)
	}
	if k.by.hashed() {
		p.text = p.text.Then(k.symbol(name)[0])
	}
	p.open = append(p.open, call{key: key, name: name})
}

// leave closes the nearest call of a key and those further in. It reports false if there is none: then it does nothing.
func (p *place) leave(b *budget, key uint32) (bool, error) {
	n := len(p.open) - 1
	for n > 0 && p.open[n].key != key {
		n--
	}
	if n == 0 {
		return false, nil
	}
	return true, p.closeTo(b, n)
}

// closeTo closes open calls until a number is left.
func (p *place) closeTo(b *budget, left int) error {
	k := b.know
	for n := len(p.open) - 1; n >= left; n-- {
		c := p.open[n]
		p.open = p.open[:n]
		if k.by.hashed() {
			p.text = p.text.Then(k.symbol(c.name)[1])
		}
		p.add(k, k.call(c.name, c.inside))
		if err := b.step(p); err != nil {
			return err
		}
	}
	return nil
}

// end closes all calls.
func (p *place) end(b *budget) error { return p.closeTo(b, 1) }

// memory returns about how many bytes the place takes.
func (p *place) memory() int64 {
	return int64(unsafe.Sizeof(*p)) + int64(cap(p.open))*int64(unsafe.Sizeof(call{})) + 8*int64(cap(p.counts))
}
