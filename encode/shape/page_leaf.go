package shape

import (
	"slices"

	"github.com/pandotrace/pando/encode/internal/bitio"
	"github.com/pandotrace/pando/trace"
)

// codeLeaf codes what a leaf is made of: its kind, words and attributes. The words are valid until the next one.
func (p *pager) codeLeaf(l *Leaf) (c Leaf) {
	c.Kind = trace.Kind(p.small(contextKind, uint64(l.Kind), 1<<16))
	if p.hasPeer(c.Kind) {
		c.Relative = p.Bit(&p.relative, l.Relative)
	}
	n := p.count(contextAttributes, len(l.Attrs))
	for i := 0; i < n && !p.failed(); i++ {
		c.Attrs = append(c.Attrs, p.codeAttribute(l.Attrs, i))
	}
	p.codeWords(l, &c)
	return c
}

// hasPeer reports whether the first word of a kind may be relative; it is false for kinds that are not known.
func (p *pager) hasPeer(k trace.Kind) bool {
	plan, err := p.dictionary.plan(k)
	return err == nil && plan.hasPeer()
}

func (p *pager) codeAttribute(attrs []trace.Attr, i int) (a trace.Attr) {
	if !p.Reading {
		a = attrs[i]
	}
	a.ID = p.num(contextAttribute, a.ID)
	a.Type = trace.ValueType(p.small(contextType, uint64(a.Type), 1<<8))
	return a
}

func (p *pager) codeWords(l, c *Leaf) {
	n := p.codeWord(p.field(c.Kind, 0), uint64(len(l.Words)))
	if n > uint64(p.room-p.things) {
		p.fail("%d words are too many", n)
		return
	}
	p.things += int(n)
	c.Words = p.words[:0]
	for i := 0; i < int(n) && !p.failed(); i++ {
		word := uint64(0)
		if !p.Reading {
			word = l.Words[i]
		}
		c.Words = append(c.Words, p.codeWord(p.field(c.Kind, i+1), word))
	}
	p.words = c.Words
}

// fieldHistory is what is known of the words of a field.
type fieldHistory struct {
	known  bitio.Chance
	place  bitio.NumberChances
	step   bitio.NumberChances
	latest []uint64 // different words, the latest one first
}

// field returns the history of a word of a leaf; number 0 is that of how many there are.
func (p *pager) field(k trace.Kind, number int) *fieldHistory {
	at := (16*int(k) + min(number, lastField)) % fieldContexts
	if p.fields[at] == nil {
		p.fields[at] = &fieldHistory{}
	}
	return p.fields[at]
}

// codeWord codes a word by its place among the latest ones, or, if it is a new one, by the step from the latest.
func (p *pager) codeWord(f *fieldHistory, word uint64) uint64 {
	at := slices.Index(f.latest, word)
	if p.Bit(&f.known, at >= 0) {
		at := p.Number(&f.place, uint64(at))
		if at >= uint64(len(f.latest)) {
			p.fail("word %d of the latest %d", at, len(f.latest))
			return 0
		}
		word = f.latest[at]
		copy(f.latest[1:], f.latest[:at])
		f.latest[0] = word
		return word
	}
	before := uint64(0)
	if len(f.latest) > 0 {
		before = f.latest[0]
	}
	word = p.difference(&f.step, word, before)
	if slices.Contains(f.latest, word) {
		p.fail("a word that is known is coded as a new one")
	}
	if len(f.latest) < latestWords {
		f.latest = append(f.latest, 0)
	}
	copy(f.latest[1:], f.latest)
	f.latest[0] = word
	return word
}

// readLeaf reads a leaf and returns its shape.
func (p *pager) readLeaf() uint32 {
	d := p.dictionary
	l := p.codeLeaf(&Leaf{})
	if d.parts += len(l.Attrs) + len(l.Words); p.failed() {
		return 0
	}
	plan, err := d.plan(l.Kind)
	if err != nil {
		p.fail("%v", err)
		return 0
	}
	if !plan.fits(l.Words) {
		p.fail("%d words do not make a %s", len(l.Words), plan.spec.Name)
		return 0
	}
	if d.scratch = plan.template(d.scratch[:0], l.Words); !slices.Equal(d.scratch, l.Words) {
		p.fail("value field is not zero in a leaf")
		return 0
	}
	return d.leaf(plan, l.Relative, l.Attrs)
}
