package vectors

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/pandotrace/pando/encode/column"
	packed "github.com/pandotrace/pando/encode/text"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// phrasesTrace has comments that are lines of a log, and names that differ by numbers.
func phrasesTrace() trace.Source {
	t := tracegen.New(trace.Meta{Resolution: 1_000_000_000})
	r := rand.New(rand.NewPCG(1, 1))
	b := t.Location(0, t.Process("process"))
	for i := range 28 {
		region := t.Region(fmt.Sprintf("void solver::kernel_%d<float, %d>()", i, r.IntN(100)))
		at := int64(100 * i)
		b.Append(trace.KindEnter, at, region)
		b.Append(trace.KindComment, at+10, b.PutText(fmt.Sprintf("step %d at %d: %d iterations, residual %.3e\n", i, at+r.Int64N(50), r.IntN(40), r.Float64())))
		b.Append(trace.KindLeave, at+50, region)
	}
	return t
}

// phrasesFile returns a file of which the definitions and the text of a slice are stored as phrases.
func phrasesFile(src trace.Source, opt store.Options) ([]byte, error) {
	file, err := compressedFile(src, opt)
	if err != nil {
		return nil, err
	}
	blocks := damage.Blocks(file)
	of := faulty{file: file, blocks: blocks}
	from, _, err := textIn(format.BlockSlice, blocks[of.first(format.BlockSlice)].Payload)
	if err != nil {
		return nil, err
	}
	if blocks[of.first(format.BlockDefinitions)].Codec != format.CodecPhrases || blocks[of.first(format.BlockSlice)].Payload[from] != 3 {
		return nil, errors.New("no phrases")
	}
	return file, nil
}

// phrased is a text as phrases and numbers. Each phrase stands there once, in the order of the list.
type phrased struct {
	size    int // of the text
	heads   []uint64
	texts   string
	places  int
	row     int // how many phrases the text has, as it says
	numbers []uint64
}

// sound returns the text a1b2.
func sound() phrased {
	const numbered = 4*1 + 1
	return phrased{size: 4, heads: []uint64{numbered, numbered}, texts: "ab", places: 3, row: 2, numbers: []uint64{1, 2}}
}

// stored returns the text as it is stored.
func (p *phrased) stored() []byte {
	list := append(page(append([]uint64{uint64(len(p.heads))}, p.heads...)...), p.texts...)
	counts, row, contexts := make([]int, 2*p.places), make([]uint64, len(p.heads)), make([]int, len(p.heads))
	for i := range p.heads {
		counts[i], row[i], contexts[i] = 1, uint64(i), i
	}
	numbers := make([]int, 2*p.places)
	for i := range p.numbers {
		numbers[p.places+1+i] = 1
		counts[p.places+1+i] = 1
	}
	b := column.NewBuilder(2 * p.places)
	b.Add(counts, append(slices.Clone(row), p.numbers...))
	m := b.Build()
	out := append([]byte{3}, page(uint64(p.size))...)
	out = format.AppendBytes(out, append([]byte{0}, list...))
	out = append(format.AppendUvarint(out, uint64(p.places)), make([]byte, (p.places+7)/8)...)
	out = format.AppendBytes(out, m.Append(nil))
	out = format.AppendUvarint(out, uint64(p.row))
	out = format.AppendBytes(out, m.AppendChain(nil, contexts, row))
	return m.Encode(out, numbers, p.numbers)
}

// remarkTrace has one comment.
func remarkTrace() trace.Source {
	t := tracegen.New(trace.Meta{Resolution: 1_000_000_000})
	b := t.Location(0, t.Process("process"))
	b.Append(trace.KindComment, 0, b.PutText("a remark"))
	return t
}

// phraseFaults adds files with phrases that are none in the place of a slice's text.
func phraseFaults(f *faulty) error {
	file, err := File(remarkTrace(), store.Options{})
	if err != nil {
		return err
	}
	texts := &faulty{file: file, blocks: damage.Blocks(file)}
	i := texts.first(format.BlockSlice)
	payload := texts.blocks[i].Payload
	from, to, err := textIn(format.BlockSlice, payload)
	if err != nil {
		return err
	}
	if err := soundPhrases(); err != nil {
		return err
	}
	for _, c := range phraseChanges {
		p := sound()
		c.change(&p)
		changed := format.AppendBytes(bytes.Clone(payload[:from-format.UvarintLen(uint64(to-from))]), p.stored())
		f.add(c.name, "content", texts.with(i, append(changed, payload[to:]...)))
	}
	return nil
}

// soundPhrases checks that what is changed was sound before.
func soundPhrases() error {
	p := sound()
	r := format.NewDecoder("text", format.AppendBytes(nil, p.stored()))
	t := packed.Read(r, p.size)
	if got, err := t.Unpack("text", nil); err != nil || string(got) != "a1b2" {
		return fmt.Errorf("phrases of a1b2 are %q: %w", got, err)
	}
	return nil
}

// phraseChanges say what is wrong.
var phraseChanges = []struct {
	name   string
	change func(p *phrased)
}{
	{"phrase-that-is-empty", func(p *phrased) { p.heads[0], p.texts = 0, "b" }},
	{"phrases-of-another-length", func(p *phrased) { p.size++ }},
	{"phrases-of-fewer-places", func(p *phrased) { p.places++ }},
	{"phrases-of-more-than-their-bytes", func(p *phrased) { p.row, p.size = 2000, 4000 }},
	{"phrases-with-a-number-too-large", func(p *phrased) { p.numbers[0], p.size = 1_000_000_000_000_000_000, 22 }},
}
