package records

import (
	"slices"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

const definitionSection = "definitions block"

// Place is where some records of a page stand in the log of definitions, one behind the other.
type Place struct{ First, Records uint64 }

// Definitions are those of a page, in the order of the log.
type Definitions struct {
	Contents
	Places  []Place
	Records []trace.Record
}

// pageThings returns how many things a page has with some records and bytes of texts.
func pageThings(records, text int) int {
	return format.RecordThings*records + format.Things(text, format.NameBytes)
}

// ReadPage reads a page of definitions.
func ReadPage(b []byte, kinds *trace.Table) (*Definitions, error) {
	p := pageReader{Decoder: format.NewDecoder(definitionSection, b), table: kinds, size: len(b)}
	p.head()
	for i := 0; i < len(p.kinds) && p.Err() == nil; i++ {
		p.columns(i)
	}
	if err := p.FinishFilled(format.LeastBytes(pageThings(len(p.records), p.allText))); err != nil {
		return nil, err
	}
	d := &Definitions{Places: p.places, Records: p.records}
	for _, spec := range p.kinds {
		d.Kinds = append(d.Kinds, spec.ID)
	}
	if len(p.kinds) == 1 {
		for i := range d.Records {
			d.note(p.kinds[0], d.Records[i].Words, i == 0)
		}
	}
	return d, nil
}

type pageReader struct {
	*format.Decoder
	table   *trace.Table
	size    int
	places  []Place
	kinds   []*trace.Spec
	runs    []kindRun
	records []trace.Record
	text    int // bytes of the texts of the kind
	allText int // and of the kinds before
}

// kindRun is records of one kind that follow each other in a page.
type kindRun struct{ kind, records int }

func (p *pageReader) head() {
	n := p.Int(PageRecords + 1)
	if n == 0 || n > p.size {
		p.Fail("%d records in a page of %d bytes", n, p.size)
	}
	end := uint64(0)
	for left := uint64(n); left > 0 && p.Err() == nil; {
		place := Place{First: end + p.Uvarint(), Records: uint64(p.Int(int(left))) + 1}
		if place.First < end || place.First > 1<<62 || len(p.places) > 0 && place.First == end {
			p.Fail("records out of place in the log")
		}
		p.places = append(p.places, place)
		end, left = place.First+place.Records, left-place.Records
	}
	p.readKinds()
	p.readRuns(n)
	if p.Err() == nil {
		p.records = make([]trace.Record, n)
	}
}

func (p *pageReader) readKinds() {
	for _, kind := range ReadKindNumbers(p.Decoder) {
		spec := p.table.Spec(kind)
		if spec == nil {
			p.Fail("unknown kind %d", kind)
			return
		}
		p.kinds = append(p.kinds, spec)
	}
}

func (p *pageReader) readRuns(n int) {
	has := make([]bool, len(p.kinds))
	for n > 0 && p.Err() == nil {
		r := kindRun{p.Int(len(p.kinds)), p.Int(n) + 1}
		if p.Err() == nil {
			has[r.kind] = true
		}
		if k := len(p.runs); k > 0 && p.runs[k-1].kind == r.kind {
			p.Fail("a run of records that goes on")
		}
		p.runs = append(p.runs, r)
		n -= r.records
	}
	if slices.Contains(has, false) {
		p.Fail("a kind without records")
	}
}

// of returns the records of a kind.
func (p *pageReader) of(kind int) (own []*trace.Record) {
	at := 0
	for _, r := range p.runs {
		for i := range r.records {
			if r.kind == kind {
				own = append(own, &p.records[at+i])
			}
		}
		at += r.records
	}
	return own
}

// columns reads the fields of the records of a kind.
func (p *pageReader) columns(kind int) {
	c := newColumns(p.kinds[kind])
	own := p.of(kind)
	members := -1 // of all repeated groups, once it is known
	for f := range c.spec.Fields {
		field, n := &c.spec.Fields[f], len(own)
		if field.Repeat {
			n = members
		}
		if n < 0 {
			p.Fail("a %s does not say how often its group is repeated", c.spec.Name)
			return
		}
		if field.Type.InText() {
			c.texts[f] = p.readTexts(n)
		} else {
			c.numbers[f] = ReadNumbers(p.Decoder, n)
		}
		if members < 0 && field.Type == trace.TypeCount && f < c.before {
			c.counts = c.numbers[f]
			members = p.members(c.counts)
		}
	}
	if p.Err() == nil {
		c.rows(p.text, own)
	}
	p.text, p.allText = 0, p.allText+p.text
}

// members returns the sum of the counts of groups, each member of which takes a byte at least.
func (p *pageReader) members(counts []uint64) (n int) {
	for _, c := range counts {
		if c > uint64(p.Len()-n) {
			p.Fail("%d times a group in %d bytes", c, p.Len()-n)
			return 0
		}
		n += int(c)
	}
	return n
}

// readTexts reads what appendTexts wrote.
func (p *pageReader) readTexts(n int) [][]byte {
	shared := p.Take(n)
	if p.Err() != nil || n > p.Len() {
		p.Fail("%d texts in %d bytes", n, p.Len())
		return nil
	}
	lengths := make([]int, n)
	rests, all := 0, 0
	for i := range lengths {
		lengths[i] = p.Int(p.Len() + 1)
		rests += lengths[i]
		all += lengths[i] + int(shared[i])
	}
	p.text += all
	if rests > p.Len() || format.TooDense(uint64(format.Things(p.allText+p.text, format.NameBytes)), p.size) {
		p.Fail("texts of %d bytes, whose rests have %d", p.allText+p.text, rests)
	}
	if p.Err() != nil {
		return nil
	}
	texts, slab := make([][]byte, n), make([]byte, 0, all)
	var before []byte
	for i := range texts {
		if int(shared[i]) > len(before) {
			p.Fail("text %d shares %d bytes with one of %d", i, shared[i], len(before))
			return nil
		}
		from := len(slab)
		slab = append(append(slab, before[:shared[i]]...), p.Take(lengths[i])...)
		texts[i] = slab[from:]
		before = texts[i]
	}
	return texts
}

// columns are the fields of the records of one kind.
type columns struct {
	spec                 *trace.Spec
	before, group, after int
	numbers              [][]uint64 // by field
	texts                [][][]byte // by field
	counts               []uint64   // of groups, by record; nil if there are none
}

func newColumns(spec *trace.Spec) *columns {
	c := &columns{spec: spec, numbers: make([][]uint64, len(spec.Fields)), texts: make([][][]byte, len(spec.Fields))}
	c.before, c.group, c.after = spec.Shape()
	return c
}

// rows makes records of the columns; text is the number of bytes of their texts.
func (c *columns) rows(text int, records []*trace.Record) {
	all := 0
	for f := range c.spec.Fields {
		all += len(c.numbers[f]) + len(c.texts[f])
	}
	words, room := make([]uint64, 0, all), make([]byte, 0, text)
	member := 0
	for i, r := range records {
		r.Kind = c.spec.ID
		from, begin := len(words), len(room)
		cell := func(f, i int) {
			if c.texts[f] == nil {
				words = append(words, c.numbers[f][i])
				return
			}
			t := c.texts[f][i]
			words = append(words, uint64(len(room)-begin)<<32|uint64(len(t)))
			room = append(room, t...)
		}
		for f := range c.before {
			cell(f, i)
		}
		for end := member + c.times(i); member < end; member++ {
			for g := range c.group {
				cell(c.before+g, member)
			}
		}
		for f := range c.after {
			cell(c.before+c.group+f, i)
		}
		r.Words = words[from:len(words):len(words)]
		if len(room) > begin {
			r.Text = room[begin:len(room):len(room)]
		}
	}
}

// times returns how often the group stands in a record.
func (c *columns) times(record int) int {
	if c.group == 0 {
		return 0
	}
	return int(c.counts[record])
}
