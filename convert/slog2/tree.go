package slog2

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"github.com/pandotrace/pando/convert/mpe"
	"github.com/pandotrace/pando/trace"
)

// ticksPerSecond is the resolution of the trace: ticks are nanoseconds. From maxSeconds on they would not fit.
const (
	ticksPerSecond = 1_000_000_000
	maxSeconds     = 1 << 61 / ticksPerSecond
)

// Sizes in bytes of an entry of the directory, and of a node without drawables and children.
const (
	entryBytes = 6 + 16 + pointerBytes
	leastNode  = 34 + 4 + 4 + 4
)

// The lists of drawables of a node: arrows and solo events, and states.
const (
	arrows = 0
	states = 1
	lists  = 2
)

// node is a node of the tree.
type node struct {
	depth, x int32
	pointer
	lists [lists]list
}

// list is where a list of drawables of a node begins, and how many it has.
type list struct {
	at int64
	n  int32
}

// end returns where the node ends in the file.
func (n *node) end() int64 { return n.at + int64(n.size) }

// readDirectory reads the block that lists the nodes.
func (in *input) readDirectory(p pointer) ([]node, error) {
	w := in.section(p.at, int64(p.size))
	nodes := make([]node, w.count32(entryBytes))
	for i := range nodes {
		n := &nodes[i]
		n.depth, n.x = int32(w.int16()), w.int32()
		w.take(16) // times
		n.pointer = w.pointer()
		if w.err == nil && n.depth < 0 {
			w.fail("a node of depth %d", n.depth)
		}
	}
	if w.err == nil && w.left() > 0 {
		w.fail("%d bytes behind the directory", w.left())
	}
	return nodes, w.err
}

// findNodes finds the nodes of a file that has no directory: they stand one behind the other.
func (in *input) findNodes(warnings *trace.Warnings) []node {
	var nodes []node
	for at := int64(headerBytes); in.size-at >= leastNode; {
		w := in.section(at, leastNode)
		w.take(16)
		n := node{depth: int32(w.int16()), x: w.int32(), pointer: w.pointer()}
		if w.err != nil || n.at != at || n.size < leastNode || n.end() > in.size || n.depth < 0 {
			break
		}
		nodes = append(nodes, n)
		at = n.end()
	}
	warnings.Add("unfinished file", "%s: %d nodes are there", in.path, len(nodes))
	return nodes
}

// levels puts nodes of the same depth together, leaves last, each level in order.
func levels(nodes []node) [][]node {
	slices.SortStableFunc(nodes, func(a, b node) int { return cmp.Or(cmp.Compare(b.depth, a.depth), cmp.Compare(a.x, b.x)) })
	var all [][]node
	for len(nodes) > 0 {
		n := 1
		for n < len(nodes) && nodes[n].depth == nodes[0].depth {
			n++
		}
		all = append(all, nodes[:n])
		nodes = nodes[n:]
	}
	return all
}

// scan reads all nodes once: it finds their lists and passes each drawable to see.
func (in *input) scan(nodes []node, see func(*drawable) error) error {
	for d, err := range in.eachDrawable(nodes) {
		if err == nil {
			err = see(d)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// eachDrawable yields the drawables of all nodes in the order of the file, and sets the lists of the nodes. A drawable is valid until the
// next one.
func (in *input) eachDrawable(nodes []node) iter.Seq2[*drawable, error] {
	return func(yield func(*drawable, error) bool) {
		order := make([]*node, len(nodes))
		for i := range nodes {
			order[i] = &nodes[i]
		}
		slices.SortStableFunc(order, func(a, b *node) int { return cmp.Compare(a.at, b.at) })
		w := walk{window: window{input: in}, yield: yield}
		for _, n := range order {
			if err := w.node(n); err != nil {
				yield(nil, err)
				return
			}
			if w.stopped {
				return
			}
		}
	}
}

// walk is a way through the nodes of a file.
type walk struct {
	window
	yield   func(*drawable, error) bool
	stopped bool // yield returned false
	buffer  []drawable
}

// node yields the drawables of a node.
func (w *walk) node(n *node) error {
	w.move(n.at, int64(n.size))
	w.take(16) // times
	if depth, x, p := int32(w.int16()), w.int32(), w.pointer(); w.err == nil && (depth != n.depth || x != n.x || p != n.pointer) {
		return mpe.Corrupt(w.path, n.at, "a node that calls itself (%d, %d) at %d where (%d, %d) should be", depth, x, p.at, n.depth, n.x)
	}
	for i := range n.lists {
		l := list{n: int32(w.count32(leastDrawable))}
		l.at = w.at()
		n.lists[i] = l
		for range l.n {
			if w.item(); w.err != nil || w.stopped {
				return w.err
			}
		}
	}
	return w.err
}

// item yields the drawables of the next item of a list.
func (w *walk) item() {
	w.buffer = w.drawables(w.buffer[:0])
	for i := range w.buffer {
		if w.err != nil || w.stopped {
			return
		}
		w.stopped = !w.yield(&w.buffer[i], nil)
	}
}

// Kinds of drawables.
const (
	solo = iota
	state
	arrow
)

// Sizes in bytes.
const (
	leastPrimitive = 4 + 2 + 2
	leastDrawable  = 1 + leastPrimitive
	vertexBytes    = 12
	inlineCargo    = 32
)

// drawable is a state, an arrow or a solo event. Until its file's lines and categories are known, it has their numbers in
// the file; then indices.
type drawable struct {
	at         int64 // where it stands in the file: its identity
	start, end float64
	// line is that of a state or event, and of the begin of an arrow; endLine that of its end.
	line, endLine int32
	category      int32
	vertices      int32
	kind          uint8
	cargoBytes    uint16
	cargo         [inlineCargo]byte
	long          []byte // cargo that has no room in cargo
}

// cargoOf returns the drawable's cargo.
func (d *drawable) cargoOf() []byte {
	if d.long != nil {
		return d.long
	}
	return d.cargo[:d.cargoBytes]
}

// first returns the earlier of its times.
func (d *drawable) first() float64 { return min(d.start, d.end) }

// drawables reads the next item of a list: a primitive, or a composite with its primitives.
func (w *window) drawables(dst []drawable) []drawable {
	at := w.at()
	switch kind := w.byte(); kind {
	case 0:
		return append(dst, w.primitive(at))
	case 1:
		return w.composite(dst, at)
	default:
		w.fail("a drawable of kind %d", kind)
	}
	return dst
}

// primitive reads category, cargo and vertices. Its times are those of the first and the last one.
func (w *window) primitive(at int64) drawable {
	d := drawable{at: at, category: w.int32()}
	w.cargo(&d)
	d.vertices = int32(w.count16(vertexBytes))
	for i := range d.vertices {
		t, line := w.float64(), w.int32()
		if !(math.Abs(t) < maxSeconds) {
			w.fail("a time of %v", t)
		}
		if i == 0 {
			d.start, d.line = t, line
		}
		d.end, d.endLine = t, line
	}
	return d
}

func (w *window) cargo(d *drawable) {
	b := w.take(w.count16(1))
	d.cargoBytes = uint16(len(b))
	if len(b) > inlineCargo {
		d.long = slices.Clone(b)
	} else {
		copy(d.cargo[:], b)
	}
}

// composite reads a composite: it becomes a drawable from the first to the last time of its primitives, on the line of
// the first, and they follow.
func (w *window) composite(dst []drawable, at int64) []drawable {
	whole := drawable{at: at, category: w.int32(), vertices: 2}
	w.cargo(&whole)
	n := w.count16(leastPrimitive)
	first := len(dst)
	dst = append(dst, whole)
	for range n {
		dst = append(dst, w.primitive(w.at()))
	}
	parts := dst[first+1:]
	if len(parts) == 0 {
		dst[first].vertices = 0
		return dst
	}
	c := &dst[first]
	c.line, c.endLine = parts[0].line, parts[0].line
	c.start, c.end = math.Inf(1), math.Inf(-1)
	for i := range parts {
		c.start, c.end = min(c.start, parts[i].first()), max(c.end, parts[i].start, parts[i].end)
	}
	return dst
}
