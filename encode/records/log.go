package records

import (
	"slices"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// PageRecords is the most definitions that a page has.
const PageRecords = 1 << 16

// aloneRecords is the number of definitions from which on those of a kind have a page of their own: who wants another kind need not read
// them.
const aloneRecords = 1024

// Log collects a stretch of the log of definitions, from which it makes pages. The zero value is empty.
type Log struct {
	kinds []trace.Kind
	specs []*trace.Spec
	ends  []int // by record: of its words
	words []uint64
	text  []byte
}

// Len returns the number of definitions.
func (l *Log) Len() int { return len(l.kinds) }

// Bytes returns about how much memory the definitions take.
func (l *Log) Bytes() int { return 24*len(l.kinds) + 8*len(l.words) + len(l.text) }

// Add adds a definition, whose words fit its specification. Its text is what its words refer to.
func (l *Log) Add(spec *trace.Spec, r *trace.Record) {
	l.kinds, l.specs = append(l.kinds, r.Kind), append(l.specs, spec)
	from := len(l.words)
	l.words = append(l.words, r.Words...)
	l.ends = append(l.ends, len(l.words))
	if spec.HasText() {
		own := l.words[from:]
		spec.Walk(own, func(i int, f *trace.Field, word uint64) {
			if f.Type.InText() {
				text := r.TextOf(word)
				own[i] = uint64(len(l.text))<<32 | uint64(len(text))
				l.text = append(l.text, text...)
			}
		})
	}
}

// Page is a block of definitions, and what the directory says of it.
type Page struct {
	Contents
	Bytes []byte
}

// Contents are what a page of definitions has.
type Contents struct {
	Kinds []trace.Kind // rising
	// First and Last are the least and the greatest id that the page defines, if it has one kind; 0 if that has no ids.
	First, Last uint64
}

// Equal reports whether both say the same.
func (c *Contents) Equal(o *Contents) bool {
	return slices.Equal(c.Kinds, o.Kinds) && c.First == o.First && c.Last == o.Last
}

// AppendKindNumbers appends which kinds there are, which rise: uvarint their number; each uvarint kind - kind before (the first: kind).
func AppendKindNumbers(dst []byte, kinds []trace.Kind) []byte {
	dst = format.AppendUvarint(dst, uint64(len(kinds)))
	before := trace.Kind(0)
	for _, k := range kinds {
		dst = format.AppendUvarint(dst, uint64(k-before))
		before = k
	}
	return dst
}

// ReadKindNumbers reads what AppendKindNumbers wrote.
func ReadKindNumbers(r *format.Decoder) (kinds []trace.Kind) {
	kind := 0
	for i := range r.Count(1, 1<<16) {
		d := r.Int(1<<16 - kind)
		if kind += d; i > 0 && d == 0 {
			r.Fail("kind %d stands twice", kind)
		}
		kinds = append(kinds, trace.Kind(kind))
	}
	return kinds
}

// note takes the id of a record into the range of ids.
func (c *Contents) note(spec *trace.Spec, words []uint64, first bool) {
	if len(spec.Fields) == 0 || spec.Fields[0].Type != trace.TypeSelf {
		return
	}
	if first {
		c.First, c.Last = words[0], words[0]
	}
	c.First, c.Last = min(c.First, words[0]), max(c.Last, words[0])
}

// Pages makes the pages of the definitions, of which there are PageRecords at most. In the whole log, some stand before them.
func (l *Log) Pages(before uint64) []Page {
	count := map[trace.Kind]int{}
	for _, k := range l.kinds {
		count[k]++
	}
	var mixed, alone []trace.Kind
	for k, n := range count {
		if n >= aloneRecords {
			alone = append(alone, k)
		} else {
			mixed = append(mixed, k)
		}
	}
	slices.Sort(alone)
	slices.Sort(mixed)
	var pages []Page
	if len(mixed) > 0 {
		pages = append(pages, l.page(before, mixed))
	}
	for i := range alone {
		pages = append(pages, l.page(before, alone[i:i+1]))
	}
	return pages
}

// page makes the page of some kinds:
//
//	uvarint  number of records
//	places   runs of records that follow each other in the log, until they are all:
//	         uvarint records of the log since the run before (the first: before it), uvarint records - 1
//	uvarint  number of kinds
//	kinds    each uvarint kind - kind before (the first: kind)
//	runs     of records of one kind, until they are all: uvarint index of the kind, uvarint records - 1
//	columns  kind by kind, field by field
//	zeros    as many as the page has fewer bytes than records, or than a 32nd of the bytes of all texts
func (l *Log) page(before uint64, kinds []trace.Kind) Page {
	p := Page{Contents: Contents{Kinds: kinds}}
	var records []int
	for i, k := range l.kinds {
		if slices.Contains(kinds, k) {
			records = append(records, i)
		}
	}
	text := 0
	dst := format.AppendUvarint(nil, uint64(len(records)))
	dst = appendPlaces(dst, before, records)
	dst = AppendKindNumbers(dst, kinds)
	dst = l.appendRuns(dst, records, kinds)
	for _, k := range kinds {
		var n int
		dst, n = l.appendColumns(dst, l.only(records, k))
		text += n
	}
	if len(kinds) == 1 {
		for n, i := range records {
			p.note(l.specs[i], l.wordsOf(i), n == 0)
		}
	}
	p.Bytes = format.Fill(dst, 0, format.LeastBytes(pageThings(len(records), text)))
	return p
}

func appendPlaces(dst []byte, before uint64, records []int) []byte {
	end := 0
	for len(records) > 0 {
		n := 1
		for n < len(records) && records[n] == records[0]+n {
			n++
		}
		dst = format.AppendUvarint(dst, before+uint64(records[0]-end))
		dst = format.AppendUvarint(dst, uint64(n-1))
		before, end, records = 0, records[0]+n, records[n:]
	}
	return dst
}

// appendRuns appends which kinds the records have.
func (l *Log) appendRuns(dst []byte, records []int, kinds []trace.Kind) []byte {
	for len(records) > 0 {
		n := 1
		for n < len(records) && l.kinds[records[n]] == l.kinds[records[0]] {
			n++
		}
		index, _ := slices.BinarySearch(kinds, l.kinds[records[0]])
		dst = format.AppendUvarint(dst, uint64(index))
		dst = format.AppendUvarint(dst, uint64(n-1))
		records = records[n:]
	}
	return dst
}

func (l *Log) only(records []int, kind trace.Kind) (own []int) {
	for _, i := range records {
		if l.kinds[i] == kind {
			own = append(own, i)
		}
	}
	return own
}

// wordsOf returns the words of a record.
func (l *Log) wordsOf(record int) []uint64 {
	from := 0
	if record > 0 {
		from = l.ends[record-1]
	}
	return l.words[from:l.ends[record]]
}

// appendColumns appends the fields of records of one kind, and returns the number of bytes of their texts.
func (l *Log) appendColumns(dst []byte, records []int) (out []byte, text int) {
	spec := l.specs[records[0]]
	before, group, after := spec.Shape()
	var column []uint64
	for f := range spec.Fields {
		column = column[:0]
		for _, i := range records {
			w := l.wordsOf(i)
			switch {
			case f < before:
				column = append(column, w[f])
			case f < before+group:
				for at := f; at < len(w)-after; at += group {
					column = append(column, w[at])
				}
			default:
				column = append(column, w[len(w)-after+f-before-group])
			}
		}
		if spec.Fields[f].Type.InText() {
			dst = l.appendTexts(dst, column)
			text += lengthOf(column)
		} else {
			dst = AppendNumbers(dst, column)
		}
	}
	return dst, text
}
