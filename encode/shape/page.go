package shape

import (
	"slices"
	"sync"

	"github.com/pandotrace/pando/encode/internal/bitio"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// # Pages of shapes
//
// A page is a uvarint, the number of its first shape, and a stream of adaptive bits. They say which ranks and shapes the dictionary
// gained since the page before. Chances go on from page to page. In what follows
//
//	N(c, v)  is the number v in the context c
//	S(c, v)  is N(c, zigzag(v)), with v modulo 2^64
//	B(c, x)  is a bit with the chance c; it is 1 if x is true
//
// and each name, together with the number behind it, stands for a context or a chance of its own.
//
//	fields  only in the dictionary's first page: N(demotions, how many); for each N(demoted kind, kind - kind before, of the first one:
//	        kind), N(demoted field, field - field before - 1, of the kind's first one: field)
//	ranks   N(ranks, how many); for each S(location, location - location before), S(communicator, communicator - communicator
//	        before), S(above, above - above before), S(rank, rank - rank before), where above = size - 1 - rank; before the
//	        dictionary's first rank all are 0
//	shapes  N(shapes, how many); for each B(leaf f, it is a leaf), if it is none B(composite f, it is a composite), and what
//	        belongs to it; f is 0 for the dictionary's first shape and after a leaf, 1 after a composite, 2 after a recursion
//
// To a leaf belongs what it consists of: kind, attributes with their types, and words, with 0 in place of values.
//
//	N(kind, kind)
//	B(relative, the first word is a relative rank)   if the kind's first field is a peer that is not demoted
//	N(attributes, how many); for each N(attribute, id), N(type, type)
//	the number of words with k = 16·kind mod 251, and the words w = 1, 2 … with k = (16·kind + min(w, 15)) mod 251, each thus:
//	B(known k, it is in list k); if so N(place k, how many stand before it there), else S(step k, it - the first in list k, or - 0)
//
// List k has the different numbers that were coded with k, the latest one first, 16 of them at most.
//
// To a recursion belong N(level, own number - level) and N(hole, hole); to a composite its edges.

// pager codes pages. What it knows of the dictionary so far grows the same way whether it writes or reads.
type pager struct {
	*bitio.Coder
	dictionary *Dictionary
	numbers    [pageContexts]bitio.NumberChances
	fields     [fieldContexts]*fieldHistory
	forms      [3][2]bitio.Chance // by the form of the shape before
	form       shapeForm          // of the shape before
	relative   bitio.Chance
	rank       OwnRank // the one before
	edges      edgeHistory
	coded      []Edge   // of the latest composite
	words      []uint64 // of the latest leaf

	begun  bool  // there was a page
	things int   // coded in the page: demotions, ranks, shapes, edges, words and attributes
	room   int   // for these
	err    error // what is wrong with the page
}

// Contexts of numbers.
const (
	contextRanks = iota
	contextLocation
	contextCommunicator
	contextRank
	contextAbove
	contextShapes
	contextKind
	contextAttributes
	contextAttribute
	contextType
	contextLevel
	contextHole
	contextLeaf
	contextDistance
	contextLeafCount
	contextCompositeCount
	contextDemotions
	contextDemotedKind
	contextDemotedField
	pageContexts
)

const (
	fieldContexts = 251
	lastField     = 15
	latestWords   = 16 // that a field's history has
)

type shapeForm uint8

const (
	formLeaf shapeForm = iota
	formComposite
	formRecursion
)

const pageSection = "dictionary block"

// pagers have memory that nobody needs any longer: what a pager knows takes far more of it than most dictionaries, and a file may have one for each
// lane.
var pagers = sync.Pool{New: func() any { return new(pager) }}

// maxKept is the most places of edges that a pager in the pool has memory for.
const maxKept = 1 << 16

// release gives the memory of a pager back.
func (p *pager) release() {
	if max(cap(p.coded), cap(p.words), cap(p.edges.after), cap(p.edges.closing)) <= maxKept {
		p.dictionary, p.Coder, p.err = nil, nil, nil
		pagers.Put(p)
	}
}

// reset makes a pager one that knows nothing, and keeps its memory.
func (p *pager) reset(d *Dictionary) {
	for i := range p.numbers {
		p.numbers[i].Reset()
	}
	for _, f := range p.fields {
		if f != nil {
			f.known, f.latest = bitio.Chance{}, f.latest[:0]
			f.place.Reset()
			f.step.Reset()
		}
	}
	p.edges.reset()
	*p = pager{
		dictionary: d, rank: OwnRank{Size: 1}, numbers: p.numbers, fields: p.fields, edges: p.edges, coded: p.coded[:0], words: p.words[:0],
	}
}

// fail notes damage; the first one counts.
func (p *pager) fail(message string, args ...any) {
	if p.err == nil {
		p.err = format.Corruptf(pageSection, int64(p.Pos), message, args...)
	}
}

// failed reports whether it is of no use to read on.
func (p *pager) failed() bool { return p.Torn() || p.err != nil }

func (p *pager) num(context int, v uint64) uint64 { return p.Number(&p.numbers[context], v) }

// small codes a number that must be below a limit.
func (p *pager) small(context int, v, limit uint64) uint64 {
	if v = p.num(context, v); v >= limit {
		p.fail("%d is out of range (limit %d)", v, limit)
		return 0
	}
	return v
}

// count codes how many things follow: at most as many as there is room for.
func (p *pager) count(context int, n int) int {
	n = int(p.small(context, uint64(n), uint64(p.room-p.things)+1))
	p.things += n
	return n
}

// one notes a thing.
func (p *pager) one() {
	if p.things++; p.things > p.room {
		p.fail("more than %d things in a page", p.room)
	}
}

// difference codes a number as the difference to another.
func (p *pager) difference(c *bitio.NumberChances, v, before uint64) uint64 {
	return before + uint64(format.Unzigzag(p.Number(c, format.Zigzag(int64(v-before)))))
}

// PageWriter writes the pages of a dictionary. It forgets the chances of short ones between two pages: there may be a dictionary for each of very many lanes, and to
// code short pages again takes less than to keep what they led to.
type PageWriter struct {
	dictionary *Dictionary
	pager      *pager    // nil if it is made again when there is another page
	ends       []pageEnd // of the pages so far
	bytes      int       // of the pages so far
	all        int       // things in the pages so far
}

// pageEnd is how many ranks and shapes the pages up to one have.
type pageEnd struct{ ranks, shapes int }

// keptPages is the length of pages, in bytes, from which on their chances are kept: these take 25 kB of memory and more.
const keptPages = 4 << 10

// NewPageWriter starts the pages of a dictionary.
func NewPageWriter(d *Dictionary) *PageWriter { return &PageWriter{dictionary: d} }

// end returns what the pages so far have.
func (w *PageWriter) end() (end pageEnd) {
	if n := len(w.ends); n > 0 {
		end = w.ends[n-1]
	}
	return end
}

// Append appends the page of what the dictionary gained since the last one; no bytes if it gained nothing.
func (w *PageWriter) Append(dst []byte) []byte {
	d := w.dictionary
	before, end := w.end(), pageEnd{len(d.ranks), len(d.shapes)}
	if before == end {
		return dst
	}
	p := w.pages()
	from := len(dst)
	dst = format.AppendUvarint(dst, uint64(before.shapes))
	dst = format.Fill(append(dst, p.page(before, end)...), from, format.LeastBytes(p.things))
	w.ends = append(w.ends, end)
	w.bytes += len(dst) - from
	w.all += p.things
	if w.pager = p; w.bytes < keptPages {
		w.pager = nil
		p.release()
	}
	return dst
}

// pages returns what has coded the pages so far.
func (w *PageWriter) pages() *pager {
	if w.pager != nil {
		return w.pager
	}
	p := pagers.Get().(*pager)
	p.reset(w.dictionary)
	var before pageEnd
	for _, end := range w.ends {
		p.page(before, end)
		before = end
	}
	return p
}

// page writes a page.
func (p *pager) page(before, end pageEnd) []byte {
	d := p.dictionary
	p.start(bitio.NewWriter(), 1<<62)
	p.codeDemotions(d.demoted)
	p.count(contextRanks, end.ranks-before.ranks)
	for _, rank := range d.ranks[before.ranks:end.ranks] {
		p.codeRank(rank)
	}
	p.count(contextShapes, end.shapes-before.shapes)
	for n := before.shapes; n < end.shapes; n++ {
		p.write(uint32(n))
	}
	return p.Finish()
}

// Things returns the number of ranks, shapes, edges, words, attributes and demotions in all pages so far.
func (w *PageWriter) Things() int { return w.all }

// start starts a page with room for a number of things.
func (p *pager) start(c *bitio.Coder, room int) {
	p.Coder, p.things, p.room = c, 0, room
}

// Pages returns the number of pages so far.
func (w *PageWriter) Pages() int { return len(w.ends) }

// Bytes returns the number of bytes of all pages so far.
func (w *PageWriter) Bytes() int { return w.bytes }

func (p *pager) write(number uint32) {
	s := &p.dictionary.shapes[number]
	switch {
	case s.isLeaf():
		p.codeForm(formLeaf)
		l := p.dictionary.leaves.leaf(s.at)
		p.codeLeaf(&l)
	case s.hole > 0:
		p.codeForm(formRecursion)
		p.num(contextLevel, uint64(number-s.at))
		p.num(contextHole, uint64(s.hole))
	default:
		p.codeForm(formComposite)
		p.codeEdges(number, p.dictionary.edgesOf(s))
	}
}

// AddPage adds the shapes of a page. Pages must be added in order, before Prepare. After an error, the dictionary must not be used.
func (d *Dictionary) AddPage(b []byte, limits format.Limits) error {
	r := format.NewDecoder(pageSection, b)
	if from := r.Uvarint(); r.Err() == nil && from != uint64(len(d.shapes)) {
		r.Fail("page begins with shape %d, should with %d", from, len(d.shapes))
	}
	if r.Err() != nil {
		return r.Err()
	}
	if d.pager == nil {
		d.pager = pagers.Get().(*pager)
		d.pager.reset(d)
	}
	p := d.pager
	ranks, shapes, head := len(d.ranks), len(d.shapes), len(b)-r.Len()
	p.start(bitio.NewReader(r.Take(r.Len())), max(min(len(b)*format.Density, limits.WithDefaults().DictionaryShapes-d.things()), 0))
	p.codeDemotions(nil)
	n := p.count(contextRanks, 0)
	d.reserveRanks(min(n, len(b)))
	for len(d.ranks) < ranks+n && !p.failed() {
		p.readRank()
	}
	n = p.count(contextShapes, 0)
	d.reserve(min(n, len(b)/4))
	for len(d.shapes) < shapes+n && !p.failed() {
		p.read()
	}
	switch {
	case !p.Done(format.LeastBytes(p.things) - head):
		p.fail("the page does not end with its last shape")
	case len(d.ranks) == ranks && len(d.shapes) == shapes:
		p.fail("an empty page")
	}
	return p.err
}

// reserve makes room for n more shapes.
func (d *Dictionary) reserve(n int) {
	d.shapes = slices.Grow(d.shapes, n)
	for 2*(len(d.shapes)+n) > len(d.table) {
		d.grow()
	}
}

// reserveRanks makes room for n ranks in a dictionary that has none.
func (d *Dictionary) reserveRanks(n int) {
	if n > 0 && len(d.ranks) == 0 {
		d.ranks, d.rankOf = make([]OwnRank, 0, n), make(map[rankKey]int, n)
	}
}

// things counts the ranks, shapes, edges, words and attributes of the pages read.
func (d *Dictionary) things() int { return len(d.ranks) + len(d.shapes) + d.parts }

// read reads a shape.
func (p *pager) read() {
	d := p.dictionary
	self, read := uint32(len(d.shapes)), uint32(0)
	switch p.codeForm(0) {
	case formLeaf:
		read = p.readLeaf()
	case formRecursion:
		level, hole := p.num(contextLevel, 0), p.num(contextHole, 0)
		if level == 0 || level > uint64(self) || !d.mayRecur(self-uint32(level), hole) {
			p.fail("no recursion can have its hole at edge %d of the shape %d before it", hole, level)
			return
		}
		read = d.recursionOf(self-uint32(level), int(hole))
	case formComposite:
		edges := p.codeEdges(self, nil)
		if d.parts += len(edges); p.failed() {
			return
		}
		if len(edges) == 1 && edges[0].Count == 1 {
			p.fail("shape is nothing but another one")
		}
		read = d.Composite(edges)
	}
	if read != self {
		p.fail("shape stands twice")
	}
}

// codeDemotions codes which fields are demoted, in the first page.
func (p *pager) codeDemotions(fields []FieldRef) {
	if p.begun {
		return
	}
	p.begun = true
	kind, next := trace.Kind(0), uint16(0)
	for i, n := 0, p.count(contextDemotions, len(fields)); i < n && !p.failed(); i++ {
		var f FieldRef
		if !p.Reading {
			f = fields[i]
		}
		step := p.small(contextDemotedKind, uint64(f.Kind-kind), 1<<16-uint64(kind))
		if step > 0 {
			kind, next = kind+trace.Kind(step), 0
		}
		next += uint16(p.small(contextDemotedField, uint64(f.Field-next), 1<<16-1-uint64(next)))
		if p.Reading && !p.failed() && !p.dictionary.Demote(FieldRef{kind, next}) {
			p.fail("field %d of kind %d cannot be a value", next, kind)
		}
		next++
	}
}

func (p *pager) codeForm(f shapeForm) shapeForm {
	chances := &p.forms[p.form]
	switch {
	case p.Bit(&chances[0], f == formLeaf):
		p.form = formLeaf
	case p.Bit(&chances[1], f == formComposite):
		p.form = formComposite
	default:
		p.form = formRecursion
	}
	return p.form
}

func (p *pager) codeRank(o OwnRank) OwnRank {
	n, before := &p.numbers, &p.rank
	location := p.difference(&n[contextLocation], uint64(o.Location), uint64(before.Location))
	o.Communicator = p.difference(&n[contextCommunicator], o.Communicator, before.Communicator)
	above := p.difference(&n[contextAbove], o.Size-1-o.Rank, before.Size-1-before.Rank)
	o.Rank = p.difference(&n[contextRank], o.Rank, before.Rank)
	if location >= 1<<32 || o.Rank >= maxRanks || above >= maxRanks {
		p.fail("rank %d, %d below the last, of location %d", o.Rank, above, location)
	}
	o.Location, o.Size = uint32(location), o.Rank+1+above
	p.rank = o
	return o
}

func (p *pager) readRank() {
	if o := p.codeRank(OwnRank{}); !p.failed() && !p.dictionary.AddRank(o) {
		p.fail("bad rank of location %d", o.Location)
	}
}
