package spec

import (
	"fmt"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// plainBits is a stream of adaptive bits.
type plainBits struct {
	b          []byte
	size, code uint64
	behind     int // bytes read behind the end
	chances    map[string]*plainChance
}

type plainChance struct{ p, m uint64 }

func (s *plainBits) open(b []byte) {
	s.b, s.size, s.code, s.behind = b, 1<<32-1, 0, 0
	for range 4 {
		s.code = s.code<<8 + s.next()
	}
}

func (s *plainBits) next() uint64 {
	if len(s.b) == 0 {
		s.behind++
		return 0
	}
	b := s.b[0]
	s.b = s.b[1:]
	return uint64(b)
}

func (s *plainBits) close() {
	if s.behind > 3 || s.code >= 1<<24 {
		panic("a stream of adaptive bits that does not end")
	}
	(&plain{s.b}).endFilled()
}

// half decodes a bit without a chance.
func (s *plainBits) half() bool { return s.decode(s.size / 2) }

func (s *plainBits) decode(one uint64) bool {
	bit := s.code < one
	if bit {
		s.size = one
	} else {
		s.size, s.code = s.size-one, s.code-one
	}
	for s.size < 1<<24 {
		s.size, s.code = s.size<<8, s.code<<8+s.next()
	}
	return bit
}

// bit is B of the text; the name of the chance is made of all parts.
func (s *plainBits) bit(name ...any) bool {
	key := fmt.Sprintln(name...)
	c := s.chances[key]
	if c == nil {
		c = &plainChance{p: 1 << 15}
		s.chances[key] = c
	}
	bit := s.decode(s.size >> 16 * c.p)
	step := 5 << 16 / (5*c.m + 9)
	if bit {
		c.p += (1<<16 - c.p) * step >> 16
	} else {
		c.p -= c.p * step >> 16
	}
	c.m = min(c.m+1, 40)
	return bit
}

// number is N of the text.
func (s *plainBits) number(name ...any) uint64 {
	context := fmt.Sprintln(name...)
	n := 0
	for n < 64 && s.bit(context, "ones", n) {
		n++
	}
	if n == 0 {
		return 0
	}
	digits := "1"
	v := uint64(1)
	for i := range n - 1 {
		var one bool
		if i < 4 {
			one = s.bit(context, n, digits)
		} else {
			one = s.half()
		}
		v *= 2
		if one {
			v++
		}
		digits = fmt.Sprint(digits, one)
	}
	return v
}

// signed is S of the text.
func (s *plainBits) signed(name ...any) uint64 { return unzigzag(s.number(name...)) }

type plainDictionary struct {
	plainBits
	f       *plainFile
	shapes  []plainShape
	ranks   map[[2]uint64][2]uint64 // rank and size by location and communicator
	columns map[plainColumn]int
	next    int
	pairs   map[int]uint64 // numbers of pairs of time columns, by the first column
	groups  map[int]int    // of columns of times and fields

	demoted map[[2]uint64]bool // kind and field; nil before the first page

	rank   [4]uint64           // the latest: location, communicator, rank, above
	form   int                 // of the latest shape
	leaves []uint64            // their shapes
	lists  map[uint64][]uint64 // of the latest words

	sequence        []plainEdge // of the edges of all composites, with end marks
	afterTwo, after map[uint64]plainEdge
	closing         map[uint64]plainEdge
}

// dictionary reads the pages of a lane in the epoch of a group, up to that group.
func (f *plainFile) dictionary(lane, group uint64) *plainDictionary {
	d := &plainDictionary{f: f, ranks: map[[2]uint64][2]uint64{}, columns: map[plainColumn]int{}, next: 1, pairs: map[int]uint64{}, groups: map[int]int{}}
	d.chances, d.lists = map[string]*plainChance{}, map[uint64][]uint64{}
	d.sequence = []plainEdge{plainEndMark, plainEndMark}
	d.afterTwo, d.after, d.closing = map[uint64]plainEdge{}, map[uint64]plainEdge{}, map[uint64]plainEdge{}
	_, first := f.epoch(group)
	pages := uint64(0)
	for g := first; g <= group; g++ {
		if b, ok := f.blocks[plainKey{kind: 4, lane: lane, number: g}]; ok {
			pages++
			d.page(b, g, lane, pages)
		}
	}
	return d
}

func (d *plainDictionary) page(b []byte, group, lane, number uint64) {
	p := plain{b}
	if epoch, _ := d.f.epoch(group); p.uvarint() != group || p.uvarint() != lane || p.uvarint() != epoch || p.uvarint() != number {
		panic("another page")
	}
	if p.uvarint() != uint64(len(d.shapes)) {
		panic("shapes are missing")
	}
	d.open(p.b)
	if d.demoted == nil {
		d.readDemotions()
	}
	for range d.number("ranks") {
		r := &d.rank
		r[0] += d.signed("location")
		r[1] += d.signed("communicator")
		r[3] += d.signed("above")
		r[2] += d.signed("rank")
		d.ranks[[2]uint64{r[0], r[1]}] = [2]uint64{r[2], r[2] + 1 + r[3]}
	}
	for range d.number("shapes") {
		d.shapes = append(d.shapes, d.shape())
	}
	d.close()
}

func (d *plainDictionary) readDemotions() {
	d.demoted = map[[2]uint64]bool{}
	kind, next := uint64(0), uint64(0)
	for range d.number("demotions") {
		if step := d.number("demoted kind"); step > 0 {
			kind, next = kind+step, 0
		}
		field := next + d.number("demoted field")
		d.demoted[[2]uint64{kind, field}] = true
		next = field + 1
	}
}

func (d *plainDictionary) shape() (s plainShape) {
	number := uint64(len(d.shapes))
	switch {
	case d.bit("leaf", d.form):
		d.form = 0
		d.leaf(&s)
		d.leaves = append(d.leaves, number)
	case d.bit("composite", d.form):
		d.form = 1
		s.edges = d.edges(number)
	default:
		d.form = 2
		s = d.shapes[number-d.number("level")]
		s.hole = d.number("hole")
	}
	return s
}

func (d *plainDictionary) leaf(s *plainShape) {
	s.kind = d.number("kind")
	if fields := d.f.kinds[s.kind].fields; len(fields) > 0 && fields[0].peer && !d.demoted[[2]uint64{s.kind, 0}] {
		s.relative = d.bit("relative")
	}
	for range d.number("attributes") {
		s.attrs = append(s.attrs, trace.Attr{ID: d.number("attribute"), Type: trace.ValueType(d.number("type"))})
	}
	for i := range d.word(16 * s.kind % 251) {
		s.words = append(s.words, d.word((16*s.kind+min(i+1, 15))%251))
	}
	d.setColumns(s)
}

// word reads a word, or the number of words, of list k.
func (d *plainDictionary) word(k uint64) (w uint64) {
	list := d.lists[k]
	if d.bit("known", k) {
		at := d.number("place", k)
		w = list[at]
		list = slices.Delete(slices.Clone(list), int(at), int(at)+1)
	} else {
		w = d.signed("step", k)
		if len(list) > 0 {
			w += list[0]
		}
	}
	list = append([]uint64{w}, list...)
	d.lists[k] = list[:min(len(list), 16)]
	return w
}

// plainEndMark is an end mark.
var plainEndMark = plainEdge{1<<32 - 1, 0}

func (d *plainDictionary) edges(number uint64) (edges []plainEdge) {
	h := 0
	for {
		n := len(d.sequence)
		a, b := d.sequence[n-2], d.sequence[n-1]
		hash := (2654435761*a.shape + 2246822519*a.count + 3266489917*b.shape + 668265263*b.count) % (1 << 32) >> 18
		two, hasTwo := d.afterTwo[hash]
		one, hasOne := d.after[b.shape]
		e, guessed := two, 1
		switch {
		case hasTwo && d.bit("two", h):
		case hasOne && !(hasTwo && one == two) && d.bit("one", h):
			met["second guess"]++
			e = one
		default:
			e, guessed = d.edge(number, edges), 0
		}
		h = 2*h%4 + guessed
		d.afterTwo[hash], d.after[b.shape] = e, e
		d.sequence = append(d.sequence, e)
		if e == plainEndMark {
			break
		}
		edges = append(edges, e)
	}
	if last := edges[len(edges)-1]; d.shapes[last.shape].edges == nil {
		d.closing[edges[0].shape] = last
	}
	return edges
}

// edge reads an edge that is not guessed.
func (d *plainDictionary) edge(number uint64, before []plainEdge) plainEdge {
	i := len(before)
	if d.bit("end", min(i, 3)) {
		return plainEndMark
	}
	if !d.bit("to a leaf", min(i, 2)) {
		return plainEdge{number - d.number("distance"), d.number("count") + 1}
	}
	if i > 0 {
		if closing, ok := d.closing[before[0].shape]; ok && d.bit("closing") {
			met["closing edge"]++
			return closing
		}
	}
	return plainEdge{d.leaves[d.number("place")], d.number("count of leaves") + 1}
}

// setColumns gives a leaf its columns.
func (d *plainDictionary) setColumns(s *plainShape) {
	spec := d.f.kinds[s.kind]
	fields, elems := spec.layout(len(s.words))
	key := uint64(0)
	for i, f := range spec.fields {
		if f.repeat {
			break
		}
		if f.key {
			key = s.words[i]
			break
		}
	}
	s.time = d.column(plainColumn{what: "time", kind: s.kind, key: key})
	s.pair = d.pairs[s.time]
	for w, field := range fields {
		if slot, ok := d.slot(s, spec, w, field, elems[w], key); ok {
			s.slots = append(s.slots, slot)
		}
	}
	for i, a := range s.attrs {
		c := d.column(plainColumn{what: "attribute", attribute: a.ID, typ: uint64(a.Type)})
		s.slots = append(s.slots, plainSlot{len(s.words) + i, c, "predicted"})
	}
}
