package slog2

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
)

// writer makes a file in the way of the viewer's converter, without previews: drawables in the order in which they end go into
// the lowest node that is open and had begun when they started.
type writer struct {
	out            []byte
	children, leaf int
	open           []*written // by depth
	directory      []byte
	nodes          int
	last           float64
}

type written struct {
	depth, x int
	from, to float64
	lists    [2][]plain
	bytes    int
	stubs    []byte
	kids     int
}

func append16(b []byte, v int) []byte    { return binary.BigEndian.AppendUint16(b, uint16(v)) }
func append32(b []byte, v int) []byte    { return binary.BigEndian.AppendUint32(b, uint32(v)) }
func append64(b []byte, v int) []byte    { return binary.BigEndian.AppendUint64(b, uint64(v)) }
func appendF(b []byte, v float64) []byte { return append64(b, int(math.Float64bits(v))) }
func appendS(b []byte, s string) []byte  { return append(append16(b, len(s)), s...) }
func appendP(b []byte, at, n int) []byte { return append32(append64(b, at), n) }
func (n *written) id(b []byte) []byte    { return append32(append16(b, n.depth), n.x) }
func (n *written) times(b []byte) []byte { return appendF(appendF(b, n.from), n.to) }
func (p *plain) first() float64          { return min(p.times[0], p.times[1]) }
func (p *plain) final() float64          { return max(p.times[0], p.times[1]) }

func appendPrimitive(b []byte, p *plain) []byte {
	b = append16(appendS(append32(b, int(p.category)), p.cargo), p.vertices)
	for i := range p.vertices {
		at := min(i, 1)
		if i > 0 && i < p.vertices-1 { // one in the middle, which nobody will see
			b = append32(appendF(b, p.times[0]), int(p.lines[1]))
			continue
		}
		b = append32(appendF(b, p.times[at]), int(p.lines[at]))
	}
	return b
}

func (w *writer) add(p plain) {
	size := len(appendPrimitive(nil, &p))
	if len(w.open) == 0 {
		w.open = []*written{{from: p.first()}}
	}
	if leaf := w.open[0]; leaf.bytes > 0 && leaf.bytes+size > w.leaf {
		w.advance()
	}
	at := len(w.open) - 1
	for i, n := range w.open {
		if n.from <= p.first() {
			at = i
			break
		}
	}
	n := w.open[at]
	n.from, n.bytes, w.last = min(n.from, p.first()), n.bytes+size, p.final()
	which := 0
	if p.vertices == 2 && p.lines[0] == p.lines[1] {
		which = 1
	}
	n.lists[which] = append(n.lists[which], p)
}

// advance closes the leaf, and all nodes above whose last child it was.
func (w *writer) advance() {
	for depth := 0; ; depth++ {
		n := w.open[depth]
		if depth+1 == len(w.open) {
			w.open = append(w.open, &written{depth: depth + 1, from: n.from})
		}
		w.close(depth)
		w.open[depth] = &written{depth: depth, x: n.x + 1, from: w.last}
		if (n.x+1)/w.children == w.open[depth+1].x {
			return
		}
	}
}

func (w *writer) close(depth int) (at, size int) {
	n := w.open[depth]
	n.to = w.last
	at = len(w.out)
	b := append(n.id(n.times(nil)), make([]byte, 12)...)
	for _, list := range n.lists {
		slices.SortStableFunc(list, func(a, b plain) int {
			return cmp.Or(cmp.Compare(a.first(), b.first()), cmp.Compare(b.final(), a.final()))
		})
		b = append32(b, len(list))
		for i := range list {
			b = appendPrimitive(append(b, 0), &list[i])
		}
	}
	b = append(append32(b, n.kids), n.stubs...)
	copy(b[22:], appendP(nil, at, len(b)))
	w.out = append(w.out, b...)
	w.directory = appendP(n.times(n.id(w.directory)), at, len(b))
	w.nodes++
	if depth+1 < len(w.open) {
		parent := w.open[depth+1]
		parent.kids++
		parent.from = min(parent.from, n.from)
		parent.stubs = append32(append32(appendP(n.id(n.times(parent.stubs)), at, len(b)), 0), 0)
	}
	return at, len(b)
}

// write returns the file. Categories and maps are those of f.
func (f *plainFile) write(children, leaf int) []byte {
	w := &writer{children: children, leaf: leaf, out: make([]byte, headerBytes)}
	list := slices.Clone(f.drawables)
	slices.SortStableFunc(list, func(a, b plain) int { return cmp.Compare(a.final(), b.final()) })
	for _, p := range list {
		w.add(p)
	}
	if len(w.open) == 0 {
		w.open = []*written{{}}
	}
	var root, rootSize int
	for depth := range w.open {
		root, rootSize = w.close(depth)
	}
	header := append32(append16(append32(append16(appendS(nil, version), children), leaf), len(w.open)-1), 1<<20)
	block := func(b []byte) (at, n int) {
		at, n = len(w.out), len(b)
		w.out = append(w.out, b...)
		return at, n
	}
	var categories []byte
	for _, index := range f.sorted() {
		c := f.categories[index]
		categories = append32(appendS(append32(categories, int(index)), c.name), int(c.topology))
		categories = append16(append(append32(categories, 0x12345678), 1, 3), len(c.labels))
		for _, label := range c.labels {
			categories = appendS(categories, label)
		}
		categories = append32(append16(appendS(categories, c.letters), 1), 7)
		categories = append64(append64(categories, 0), int(c.count))
	}
	at, n := block(append(append32(nil, len(f.categories)), categories...))
	header = appendP(appendP(header, at, n), 0, 0)
	at, n = block(f.lineMaps())
	header = appendP(appendP(header, at, n), root, rootSize)
	at, n = block(append(append32(nil, w.nodes), w.directory...))
	header = appendP(appendP(appendP(header, at, n), 0, 0), 0, 0)
	copy(w.out, header)
	return w.out
}

func (f *plainFile) sorted() (list []int32) {
	for index := range f.categories {
		list = append(list, index)
	}
	slices.Sort(list)
	return list
}

func (f *plainFile) lineMaps() []byte {
	b := append32(nil, len(f.maps))
	for _, m := range f.maps {
		b = append32(appendS(b, m.title), len(m.columns))
		for _, c := range m.columns {
			b = appendS(b, c)
		}
		b = append32(b, len(m.rows))
		for line, row := range m.rows {
			b = append32(b, int(line))
			for _, v := range row {
				b = append32(b, int(v))
			}
		}
		b = append32(append16(b, 1), 5)
	}
	return b
}

// randomFile makes drawables of all sorts; odd ones, too, if it may.
func randomFile(r *rand.Rand, odd bool) *plainFile {
	f := &plainFile{categories: map[int32]plainCategory{
		0: {name: "message", letters: "dd", topology: 2, labels: []string{"msg_tag=", ", msg_size=", ""}},
		1: {name: "MPI_Send", topology: 1, labels: []string{""}},
		2: {name: "other", topology: 1, letters: "sEx", labels: []string{"a=", "b=", "", "."}},
		3: {name: "event", letters: "hl", labels: []string{"", "", ""}},
		9: {name: "arrow", letters: "e", topology: 2, labels: []string{"weight ", ""}},
	}}
	processes := 1 + r.IntN(4)
	if r.IntN(4) > 0 {
		f.maps = []plainMap{{"Process View", []string{"world_rank"}, map[int32][]int32{}}, {"Communicator View", []string{"commID", "comm_rank"}, map[int32][]int32{}}}
		for comm := range 2 {
			for p := range processes {
				line := int32(comm*processes + p)
				f.maps[0].rows[line] = []int32{int32(p)}
				f.maps[1].rows[line] = []int32{int32(comm), int32(p)}
			}
		}
	}
	now := 0.0
	clock := func() float64 { return math.Round(now*1e9)/1e9 + 0x1p-30 }
	for range r.IntN(400) {
		if r.IntN(3) > 0 {
			now += r.ExpFloat64() * 1e-6
		}
		line := func() int32 { return int32(r.IntN(2 * processes)) }
		p := plain{category: 1, vertices: 2}
		p.lines[0] = line()
		p.lines[1] = p.lines[0]
		p.times[0] = clock()
		now += r.ExpFloat64() * 1e-6 * float64(r.IntN(3))
		p.times[1] = clock()
		switch r.IntN(8) {
		case 0, 1, 2:
			p.category = 0
			p.lines[1] = line()
			if p.lines[0] == p.lines[1] {
				p.lines[1] = (p.lines[0] + 1) % int32(2*processes)
			}
			if r.IntN(4) == 0 {
				p.times[0], p.times[1] = p.times[1], p.times[0]
			}
			p.cargo = string(append32(append32(nil, r.IntN(2)), r.IntN(1000)))
		case 3:
			p.category, p.vertices = 3, 1
			p.times[1] = p.times[0]
		case 4:
			p.category = 2
		case 5:
			if odd {
				p.category = []int32{9, 77, -5, 2}[r.IntN(4)]
				p.vertices = r.IntN(5)
				if p.vertices < 2 {
					p.times[1], p.lines[1] = p.times[0], p.lines[0]
				}
			}
		}
		if r.IntN(3) == 0 && p.category != 0 {
			b := make([]byte, r.IntN(20)+r.IntN(2)*r.IntN(90))
			for i := range b {
				b[i] = byte(r.IntN(256) * r.IntN(2))
			}
			p.cargo = string(b)
		}
		f.drawables = append(f.drawables, p)
		if r.IntN(5) == 0 {
			now -= 1e-6
		}
	}
	return f
}
