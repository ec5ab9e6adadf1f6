package equal

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/pandotrace/pando/trace"
)

// sum is a hash of the content of a definition without its own id, including the content of the definitions it refers to.
type sum [16]byte

// contents finds out what the definitions of a trace say. Among definitions that refer to each other in a circle, a reference counts as the
// kind of what it refers to.
type contents struct {
	table   *trace.Table
	log     []trace.Record
	index   map[named]int // the first definition of each id
	ids     []named       // by definition; no space without an id
	sums    []sum
	circles []int // by definition: what circle it is in, alone or with others
	// known, if not nil, gives definitions that were found in the other trace already a number that both have.
	known  func(i int) (number uint64, ok bool)
	buffer []byte
}

func contentsOf(meta *trace.Meta, log []trace.Record) *contents {
	c := &contents{table: meta.Table(), log: log, index: make(map[named]int, len(log)), ids: make([]named, len(log))}
	for i := range log {
		c.ids[i] = c.idOf(&log[i])
		if _, ok := c.index[c.ids[i]]; !ok && c.ids[i].space != trace.SpaceNone {
			c.index[c.ids[i]] = i
		}
	}
	return c
}

// idOf returns the id that a definition defines.
func (c *contents) idOf(r *trace.Record) named {
	if spec := c.table.Spec(r.Kind); spec != nil {
		for w := range spec.Fields {
			if f := &spec.Fields[w]; f.Type == trace.TypeSelf && w < len(r.Words) {
				return named{f.Ref, r.Words[w]}
			}
		}
	}
	return named{}
}

// sum finds out what each definition says. Each circle comes after what it refers to, however deep that goes.
func (c *contents) sum() []sum {
	c.sums, c.circles = make([]sum, len(c.log)), make([]int, len(c.log))
	findCircles(len(c.log), c.references, func(circle int, members []int) {
		for _, i := range members {
			c.circles[i] = circle
		}
		for _, i := range members {
			c.sums[i] = c.sumOf(i)
		}
	})
	return c.sums
}

// references returns the definitions that one refers to and that have to be known before it.
func (c *contents) references(i int) (list []int) {
	c.walk(i, func(f *trace.Field, space trace.Space, word uint64) {
		if space == trace.SpaceNone || f.Type == trace.TypeSelf {
			return
		}
		if to, ok := c.index[named{space, word}]; ok && !c.isKnown(to) {
			list = append(list, to)
		}
	})
	return list
}

func (c *contents) isKnown(i int) bool {
	if c.known == nil {
		return false
	}
	_, ok := c.known(i)
	return ok
}

func (c *contents) walk(i int, visit func(f *trace.Field, space trace.Space, word uint64)) {
	r := &c.log[i]
	if spec := c.table.Spec(r.Kind); spec != nil {
		spec.WalkIDs(r.Words, func(_ int, f *trace.Field, space trace.Space, word uint64) { visit(f, space, word) })
	}
}

func (c *contents) sumOf(i int) (s sum) {
	r := &c.log[i]
	c.buffer = binary.AppendUvarint(c.buffer[:0], uint64(r.Kind))
	if r.Kind == trace.KindClockProperties { // compared by itself
		return s
	}
	c.walk(i, func(f *trace.Field, space trace.Space, word uint64) {
		switch {
		case f.Type == trace.TypeSelf:
		case f.Type.InText():
			text := r.TextOf(word)
			c.buffer = append(binary.AppendUvarint(c.buffer, uint64(len(text))), text...)
		case space == trace.SpaceNone:
			c.buffer = binary.AppendUvarint(c.buffer, word)
		default:
			c.refer(i, named{space, word})
		}
	})
	all := sha256.Sum256(c.buffer)
	copy(s[:], all[:])
	return s
}

// refer appends what a definition refers to.
func (c *contents) refer(from int, of named) {
	to, ok := c.index[of]
	switch {
	case !ok:
		c.buffer = binary.AppendUvarint(append(c.buffer, 'u'), of.id)
	case c.isKnown(to):
		number, _ := c.known(to)
		c.buffer = binary.AppendUvarint(append(c.buffer, 'k'), number)
	case c.circles[to] == c.circles[from]:
		c.buffer = binary.AppendUvarint(append(c.buffer, 'c'), uint64(c.log[to].Kind))
	default:
		c.buffer = append(append(c.buffer, 'd'), c.sums[to][:]...)
	}
}

// nameOf returns the name of a definition, "" without one: its field called name, or the string that it defines.
func (c *contents) nameOf(i int) (name string) {
	r := &c.log[i]
	c.walk(i, func(f *trace.Field, space trace.Space, word uint64) {
		switch {
		case f.Type == trace.TypeText && name == "":
			name = r.TextOf(word)
		case f.Name == "name" && space == trace.SpaceString:
			if to, ok := c.index[named{space, word}]; ok && c.log[to].Kind == trace.KindString && len(c.log[to].Words) > 1 {
				name = c.log[to].TextOf(c.log[to].Words[1])
			}
		}
	})
	return name
}
