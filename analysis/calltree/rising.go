package calltree

import (
	"math"
	"unsafe"
)

// rising is a location whose calls are being added to a forest. Calls further in than its levels are followed and not added.
type rising struct {
	open   []rise // the first is the location itself
	levels int32
	deep   []uint32 // keys of open calls further in
	dry    bool     // nothing is added
}

// allLevels are as many as there are.
const allLevels = math.MaxInt32

// rise is a call that is open, with what is inside of it so far.
type rise struct {
	key    uint32
	name   Name
	inside content
}

// newRising returns a location that has no calls.
func newRising(levels int32) *rising { return &rising{open: []rise{{}}, levels: levels} }

// left returns how many levels of calls are added inside of the innermost one.
func (p *rising) left() int32 {
	if p.levels == allLevels {
		return allLevels
	}
	return max(0, p.levels-int32(len(p.open)-1))
}

func (p *rising) top() *content { return &p.open[len(p.open)-1].inside }

// taken returns what a location without open calls has, in no more memory than it needs. The location is to be reset then.
func (p *rising) taken() *content {
	if c := p.open[0].inside; c.long != nil {
		return &c
	}
	return p.open[0].inside.clone()
}

// reset begins anew, in the memory of what was there.
func (p *rising) reset(levels int32) {
	p.open, p.deep, p.levels = p.open[:1], p.deep[:0], levels
	p.open[0].inside = content{short: p.open[0].inside.short[:0]}
}

func (p *rising) enter(key uint32, name Name) {
	if p.left() == 0 {
		p.deep = append(p.deep, key)
		return
	}
	if len(p.open) < cap(p.open) { // use the memory of what was there
		p.open = p.open[:len(p.open)+1]
		o := &p.open[len(p.open)-1]
		o.key, o.name, o.inside = key, name, content{short: o.inside.short[:0]}
		return
	}
	p.open = append(p.open, rise{key: key, name: name})
}

// instant adds calls that end as they begin.
func (p *rising) instant(f *Forest, name Name, count uint64) {
	if p.left() > 0 && !p.dry {
		f.pushRun(p.top(), Run{f.add(name, nil), count})
	}
}

// leave closes the nearest call of a key and those further in. It reports false if there is none: then it does nothing.
func (p *rising) leave(f *Forest, key uint32) bool {
	for i := len(p.deep) - 1; i >= 0; i-- {
		if p.deep[i] == key {
			p.deep = p.deep[:i]
			return true
		}
	}
	n := len(p.open) - 1
	for n > 0 && p.open[n].key != key {
		n--
	}
	if n > 0 {
		p.deep = p.deep[:0]
		p.closeTo(f, n)
	}
	return n > 0
}

// closeTo closes open calls until a number is left.
func (p *rising) closeTo(f *Forest, left int) {
	for n := len(p.open) - 1; n >= left; n-- {
		o := &p.open[n]
		if p.open = p.open[:n]; !p.dry {
			f.pushRun(p.top(), Run{f.close(o.name, &o.inside), 1})
		}
	}
}

// root closes all calls and returns the location.
func (p *rising) root(f *Forest) Node {
	p.closeTo(f, 1)
	return f.close(0, p.top())
}

// memory returns about how many bytes the open calls take, without what is inside of them.
func (p *rising) memory() int64 {
	return int64(cap(p.open))*int64(unsafe.Sizeof(rise{})) + 4*int64(cap(p.deep))
}
