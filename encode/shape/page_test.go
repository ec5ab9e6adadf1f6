package shape

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/encode/internal/bitio"
	"github.com/pandotrace/pando/encode/internal/encodetest"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// A dictionary that is written in pieces while it grows comes back the same.
func TestDictionaryPages(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		src := encodetest.RandomTrace(seed)
		kinds := src.Meta().Table()
		d, again := NewDictionary(kinds), NewDictionary(kinds)
		demoteSome(r, d)
		pages, repeated := NewPageWriter(d), NewPageWriter(again)
		for _, b := range encodetest.Batches(t, src) {
			addAll(t, d, b)
			if r.IntN(2) == 0 {
				continue
			}
			page := pages.Append(nil)
			if len(page) == 0 {
				continue // the batch had no new shapes
			}
			if err := again.AddPage(page, format.Limits{}); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			sameShapes(t, d, again)
			if !bytes.Equal(repeated.Append(nil), page) {
				t.Fatalf("seed %d: what was read is written in another way", seed)
			}
			if again := pages.Append(nil); len(again) > 0 {
				t.Fatalf("seed %d: a page of %d bytes for nothing", seed, len(again))
			}
		}
		fresh := NewDictionary(kinds)
		if err := fresh.AddPage(NewPageWriter(d).Append(nil), format.Limits{}); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		sameShapes(t, d, fresh)
		addAll(t, fresh, encodetest.Batches(t, src)[0]) // a dictionary that was read knows its shapes
		sameShapes(t, d, fresh)
	}
}

// recursion is a shape of a forged page: the number of its level, and its hole.
type recursion struct{ level, hole uint32 }

// edges makes the edges of a forged composite, of count 1 each.
func edges(shapes ...uint32) (edges []Edge) {
	for _, s := range shapes {
		edges = append(edges, Edge{s, 1})
	}
	return edges
}

// A leaf of a BufferFlush, whose words are values, and one of an enter of region 5.
var (
	flushLeaf = Leaf{Kind: trace.KindBufferFlush, Words: []uint64{0, 0}}
	enterLeaf = Leaf{Kind: trace.KindEnter, Words: []uint64{5}}
)

// unchecked makes a dictionary of shapes that need not be valid: leaves, edges of composites, recursions.
func unchecked(shapes ...any) *Dictionary {
	d := NewDictionary(trace.Standard)
	for _, s := range shapes {
		switch s := s.(type) {
		case Leaf:
			d.leafShapes = append(d.leafShapes, uint32(len(d.shapes)))
			d.leaves.add(&s, 0, 0)
			d.shapes = append(d.shapes, node{at: uint32(d.leaves.len() - 1), n: isLeaf})
		case []Edge:
			d.shapes = append(d.shapes, node{at: uint32(len(d.edges)), n: uint32(len(s))})
			d.edges = append(d.edges, s...)
		case recursion:
			d.shapes = append(d.shapes, node{at: s.level, hole: s.hole})
		}
	}
	return d
}

// forged writes a page of such shapes.
func forged(shapes ...any) []byte { return NewPageWriter(unchecked(shapes...)).Append(nil) }

// forgedRanks writes a page of ranks that need not be valid.
func forgedRanks(ranks ...OwnRank) []byte {
	d := unchecked(enterLeaf)
	d.ranks = ranks
	return NewPageWriter(d).Append(nil)
}

// forgedDemotions writes a page of one leaf and fields that need not be demotable.
func forgedDemotions(l Leaf, fields ...FieldRef) []byte {
	d := unchecked(l)
	d.demoted = fields
	return NewPageWriter(d).Append(nil)
}

func TestDictionaryPagesRefuse(t *testing.T) {
	many := unchecked(enterLeaf)
	many.shapes = append(many.shapes, many.shapes[0])
	three := edges(0, 1, 0)
	relative := Leaf{Kind: trace.KindMpiSend, Relative: true, Words: []uint64{2, 0, 0, 0}}
	words := func(k trace.Kind, words ...uint64) []byte { return forged(Leaf{Kind: k, Words: words}) }
	for name, c := range map[string]struct {
		page []byte
		want string
	}{
		"a begin that is not the end":      {append([]byte{1}, forged(enterLeaf)[1:]...), "begins with shape 1"},
		"an unknown kind":                  {words(0x7777), "unknown kind"},
		"too few words":                    {words(trace.KindEnter), "0 words"},
		"too many words":                   {words(trace.KindMpiIsend, 0, 0, 0, 0, 0, 0, 0), "7 words"},
		"a count of what is not there":     {words(trace.KindMetric, 0, 2, 0, 0), "4 words"},
		"a repeated group cut short":       {words(trace.KindMetric, 0, 1, 0), "3 words"},
		"a value in a leaf":                {words(trace.KindBufferFlush, 9, 0), "not zero"},
		"the same leaf twice":              {forged(enterLeaf, enterLeaf), "stands twice"},
		"the same relative leaf twice":     {forged(relative, relative), "stands twice"},
		"the same composite twice":         {forged(enterLeaf, []Edge{{0, 2}}, []Edge{{0, 2}}), "stands twice"},
		"an edge to itself":                {forged(enterLeaf, []Edge{{0, 1}, {1, 1}}), "not before its parent"},
		"an edge to what is not there":     {forged(enterLeaf, []Edge{{2, 1}, {0, 1}}, three), "not before its parent"},
		"a composite that is only a child": {forged(enterLeaf, edges(0)), "nothing but another"},
		"a composite without edges":        {forged(enterLeaf, []Edge{}), "without edges"},
		"a recursion of itself":            {forged(enterLeaf, recursion{1, 1}), "no recursion"},
		"a recursion of what is not there": {forged(enterLeaf, recursion{2, 1}), "no recursion"},
		"a recursion of a leaf":            {forged(enterLeaf, recursion{0, 1}), "no recursion"},
		"a recursion of a recursion":       {forged(enterLeaf, flushLeaf, three, recursion{2, 1}, recursion{3, 1}), "no recursion"},
		"a hole in the last edge":          {forged(enterLeaf, flushLeaf, three, recursion{2, 2}), "no recursion"},
		"a hole behind the last edge":      {forged(enterLeaf, flushLeaf, three, recursion{2, 1<<32 - 1}), "no recursion"},
		"a hole of count 2":                {forged(enterLeaf, flushLeaf, []Edge{{0, 1}, {1, 2}, {0, 1}}, recursion{2, 1}), "no recursion"},
		"the same recursion twice":         {forged(enterLeaf, flushLeaf, three, recursion{2, 1}, recursion{2, 1}), "stands twice"},
		"bytes behind the last shape":      {append(forged(enterLeaf), 0), "does not end"},
		"a page that ends in a leaf":       {forged(enterLeaf, flushLeaf)[:4], "does not end"},
		"no bytes at all":                  {nil, "bad integer"},
		"nothing but a number":             {[]byte{0}, "out of range"},
		"a number in too many bytes":       {append([]byte{0x80, 0}, forged(enterLeaf)[1:]...), "bad integer"},
		"an empty page":                    {forgedEmpty(), "empty page"},
		"a demoted key":                    {forgedDemotions(enterLeaf, FieldRef{trace.KindEnter, 0}), "cannot be a value"},
		"a demoted field twice":            {forgedDemotions(enterLeaf, FieldRef{trace.KindMpiSend, 2}, FieldRef{trace.KindMpiSend, 2}), "out of range"},
		"demoted fields out of order":      {forgedDemotions(enterLeaf, FieldRef{trace.KindMpiSend, 3}, FieldRef{trace.KindMpiSend, 2}), "out of range"},
		"a demoted field of no kind":       {forgedDemotions(enterLeaf, FieldRef{0, 0}), "cannot be a value"},
		"a field beyond the last":          {forgedDemotions(enterLeaf, FieldRef{trace.KindMpiSend, 4}), "cannot be a value"},
		"a demoted field in a leaf":        {forgedDemotions(Leaf{Kind: trace.KindMpiSend, Words: []uint64{0, 0, 7, 0}}, FieldRef{trace.KindMpiSend, 2}), "not zero"},
		"the same rank twice":              {forgedRanks(OwnRank{0, 7, 0, 2}, OwnRank{0, 7, 0, 3}), "bad rank"},
		"a rank of 2^40":                   {forgedRanks(OwnRank{0, 7, 1 << 40, 1<<40 + 1}), "rank 1099511627776"},
		"a size over 2^40":                 {forgedRanks(OwnRank{0, 7, 1, 1<<40 + 1}), "bad rank"},
		"a size far over 2^40":             {forgedRanks(OwnRank{0, 7, 1, 1<<40 + 2}), "rank 1, 1099511627776"},
	} {
		err := NewDictionary(trace.Standard).AddPage(c.page, format.Limits{})
		if corrupt, ok := err.(*format.CorruptError); !ok || corrupt.Section != pageSection || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	d := NewDictionary(trace.Standard)
	if err := d.AddPage(forged(enterLeaf, flushLeaf, []Edge{{0, 1}, {1, 1<<32 - 1}}, three, recursion{3, 1}), format.Limits{}); err != nil {
		t.Fatal(err)
	}
	if got := d.EdgesOf(2); !slices.Equal(got, []Edge{{0, 1}, {1, 1<<32 - 1}}) {
		t.Errorf("edges %v", got)
	}
	if level, hole, ok := d.Recursion(4); !ok || level != 3 || hole != 1 {
		t.Errorf("recursion %d, %d, %v", level, hole, ok)
	}
}

// pagerOf returns what codes the first page of a dictionary.
func pagerOf(d *Dictionary) *pager {
	p := new(pager)
	p.reset(d)
	return p
}

// forgedEmpty writes a page of nothing.
func forgedEmpty() []byte {
	w := pagerOf(NewDictionary(trace.Standard))
	w.Coder = bitio.NewWriter()
	w.num(contextDemotions, 0)
	w.num(contextRanks, 0)
	w.num(contextShapes, 0)
	return append([]byte{0}, w.Finish()...)
}

// There is one way to write an edge: the first guess that is right, or in full. Any other is refused.
func TestEdgesHaveOneForm(t *testing.T) {
	shapes := []any{enterLeaf, flushLeaf, edges(0, 1, 0), edges(0, 1, 0, 1)}
	refused := 0
	for skip := range 20 { // guesses that are taken before one is passed over
		w := pagerOf(unchecked(shapes...))
		w.start(bitio.NewWriter(), 1<<62)
		w.codeDemotions(nil)
		w.num(contextRanks, 0)
		w.num(contextShapes, uint64(len(shapes)))
		blind := &blindCoder{pager: w, skip: skip}
		for number := range uint32(len(shapes)) {
			if s := &w.dictionary.shapes[number]; s.isLeaf() {
				w.write(number)
			} else {
				w.codeForm(formComposite)
				blind.edges(number, w.dictionary.edgesOf(s))
			}
		}
		page := append([]byte{0}, w.Finish()...)
		err := NewDictionary(trace.Standard).AddPage(page, format.Limits{})
		if blind.skip >= 0 {
			if err != nil || !bytes.Equal(page, forged(shapes...)) {
				t.Fatalf("with all guesses: %v", err)
			}
			break
		}
		if refused++; err == nil || !strings.Contains(err.Error(), "guessed already") {
			t.Errorf("guess %d is passed over: %v", skip, err)
		}
	}
	if refused < 4 {
		t.Errorf("only %d guesses: this tests little", refused)
	}
}

// blindCoder writes edges, and does not see one of the guesses that are right.
type blindCoder struct {
	*pager
	skip int
}

func (b *blindCoder) edges(number uint32, edges []Edge) {
	h := &b.pager.edges
	h.first = b.firstPlace(number)
	for i, state := 0, 0; i <= len(edges); i++ {
		e := endMark
		if i < len(edges) {
			e = edges[i]
		}
		two, one := h.afterTwo.at(h.hash()), h.follower()
		guesses := []Edge{b.edge(*two, edges[:i]), b.edge(*one, edges[:i])}
		state <<= 1
		guessed := false
		for g, chances := range []*[4]bitio.Chance{&h.two, &h.one} {
			if guessed || guesses[g] == (Edge{}) || g == 1 && guesses[0] == guesses[1] {
				continue
			}
			guessed = b.hit(&chances[state>>1&3], e == guesses[g])
		}
		if !guessed {
			b.full(number, edges[:min(i, len(edges))], e)
		}
		state = state&3 | int(bitio.FromBool(guessed))
		*two = h.placeOf(e, i)
		*one = *two
		h.last, h.lastButOne = e, h.last
	}
	*place(&h.closing, edges[0].Shape) = h.placeOf(edges[len(edges)-1], len(edges)-1)
}

// hit writes whether a guess is right, or that it is not when it is to be passed over.
func (b *blindCoder) hit(c *bitio.Chance, right bool) bool {
	if right {
		b.skip--
	}
	return b.Bit(c, right && b.skip != -1)
}

func (b *blindCoder) full(number uint32, before []Edge, e Edge) {
	h, i := &b.pager.edges, len(before)
	if b.Bit(&h.end[min(i, 3)], e == endMark) {
		return
	}
	if !b.Bit(&h.leaf[min(i, 2)], b.isLeaf(e)) {
		b.distantEdge(number, e)
		return
	}
	if i > 0 {
		if closing := b.edge(*place(&h.closing, before[0].Shape), before); closing != (Edge{}) && b.hit(&h.closes, e == closing) {
			return
		}
	}
	b.leafEdge(e)
}

// A word that is among the latest ones is coded by its place there.
func TestWordsHaveOneForm(t *testing.T) {
	for name, c := range map[string]struct {
		code func(p *pager, f *fieldHistory)
		want string
	}{
		"as it is": {func(p *pager, f *fieldHistory) { p.codeWord(f, 5) }, "stands twice"},
		"as a new one": {func(p *pager, f *fieldHistory) {
			p.Bit(&f.known, false)
			p.difference(&f.step, 5, f.latest[0])
		}, "coded as a new one"},
		"in a place that is not there": {func(p *pager, f *fieldHistory) {
			p.Bit(&f.known, true)
			p.Number(&f.place, 1)
		}, "word 1 of the latest 1"},
		"in a place that is far away": {func(p *pager, f *fieldHistory) {
			p.Bit(&f.known, true)
			p.Number(&f.place, 1<<63)
		}, "of the latest 1"},
	} {
		w := pagerOf(unchecked(enterLeaf, enterLeaf))
		w.start(bitio.NewWriter(), 1<<62)
		w.codeDemotions(nil)
		w.num(contextRanks, 0)
		w.num(contextShapes, 2)
		w.write(0)
		w.codeForm(formLeaf)
		w.num(contextKind, uint64(trace.KindEnter))
		w.num(contextAttributes, 0)
		w.codeWord(w.field(trace.KindEnter, 0), 1)
		c.code(w, w.field(trace.KindEnter, 1))
		err := NewDictionary(trace.Standard).AddPage(append([]byte{0}, w.Finish()...), format.Limits{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// Limits hold for what all pages of a dictionary have together.
func TestDictionaryLimits(t *testing.T) {
	d := unchecked(enterLeaf, flushLeaf, edges(0, 1))
	w := NewPageWriter(d)
	three := w.Append(nil)
	for limit, ok := range map[int]bool{2: false, 5: false, 7: false, 8: true} {
		err := NewDictionary(trace.Standard).AddPage(three, format.Limits{DictionaryShapes: limit})
		if (err == nil) != ok {
			t.Errorf("3 shapes with 3 words and 2 edges, limit %d: %v", limit, err)
		}
	}
	read := NewDictionary(trace.Standard)
	if err := read.AddPage(three, format.Limits{DictionaryShapes: 8}); err != nil {
		t.Fatal(err)
	}
	d.shapes = append(d.shapes, node{at: uint32(len(d.edges)), n: 2})
	d.edges = append(d.edges, edges(0, 2)...)
	if err := read.AddPage(w.Append(nil), format.Limits{DictionaryShapes: 8}); err == nil {
		t.Error("a second page goes over the limit")
	}
}
