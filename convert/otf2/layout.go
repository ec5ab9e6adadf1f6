package otf2

import "github.com/pandotrace/pando/trace"

// coding says how a field stands on disk.
type coding uint8

const (
	codeCompressed coding = iota // a size byte, then at most width bytes
	codeByte                     // one byte
	codeFixed                    // 8 bytes
	codeText                     // up to a zero byte
	codeValue                    // as the type code before it says
	codeNothing                  // not at all
)

// use says what else the value of a field is good for.
type use uint8

const (
	useNothing  use = iota
	useCount        // the number of repetitions of the group
	useType         // the type of the next codeValue
	useObsolete     // nothing but [layout.missing]: the model does not have the field
	useInstant      // a time in the source's ticks, which becomes relative to the epoch
	useRef          // a local id, which becomes global by the mapping table of the space
)

// step is how one field is read.
type step struct {
	code  coding
	use   use
	width uint8
	// signed numbers may be negative.
	signed bool
	space  trace.Space
}

// layout is how the payload of one kind of record is read: the head, the repeated group, the tail, and what later
// versions appended to it.
type layout struct {
	kind trace.Kind
	// single marks records of form S: one compressed integer and no length.
	single bool

	head, group, tail, late []step
	// missing appends the words of the late fields to those of a record that ends before them.
	missing func(words []uint64, obsolete uint64) []uint64
	// special reads payloads that steps cannot describe.
	special func(d *decoder, b *trace.Batch)
	// obsolete gives the useObsolete field of a record.
	obsolete func(words []uint64) uint64

	// What a record can be at most: the words before the group and outside of it, the bytes of these without texts, and
	// which words are texts.
	before, scalars, fixedBound int
	texts                       []int
}

// newLayout derives the layout of a kind from its specification and its quirk. mapped says that references are local
// ids, which the location's mapping tables translate.
func newLayout(spec *trace.Spec, q quirk, mapped bool) *layout {
	l := &layout{kind: spec.ID, missing: q.missing, special: q.special, obsolete: q.obsolete}
	part := &l.head
	for i := range spec.Fields {
		f := &spec.Fields[i]
		switch {
		case f.Repeat:
			part = &l.group
		case f.Name == q.appended:
			part = &l.late
		case part == &l.group:
			part = &l.tail
		}
		*part = append(*part, newStep(f, q, mapped))
		if f.Name == q.obsoleteAfter {
			*part = append(*part, newNumber(useObsolete, q.obsoleteWidth))
		}
	}
	l.measure()
	return l
}

// measure fills in what a record can be at most.
func (l *layout) measure() {
	for p, part := range [][]step{l.head, l.tail, l.late} {
		for i := range part {
			l.fixedBound += part[i].bound()
			if part[i].code == codeText {
				l.texts = append(l.texts, l.scalars)
			}
			if part[i].use != useObsolete {
				l.scalars++
			}
		}
		if p == 0 {
			l.before = l.scalars
		}
	}
}

func newStep(f *trace.Field, q quirk, mapped bool) step {
	switch {
	case f.Name == q.computed:
		return step{code: codeNothing}
	case f.Type == trace.TypeText:
		return step{code: codeText}
	case f.Type == trace.TypeValue && !q.compressedValue:
		return step{code: codeValue}
	case f.Type == trace.TypeDouble, f.Name == q.fixed:
		return step{code: codeFixed}
	case f.Type == trace.TypeTime && mapped: // events have clocks of their own
		return step{code: codeFixed}
	case f.Type == trace.TypeTime && q.compressedTime:
		return newNumber(useInstant, f.Bits/8)
	case f.Type == trace.TypeTime:
		return step{code: codeFixed, use: useInstant}
	case f.Type == trace.TypeCount:
		return newNumber(useCount, f.Bits/8)
	case f.Type == trace.TypeCode && !q.compressedValue:
		return newNumber(useType, f.Bits/8)
	case f.Type == trace.TypeRef && mapped && mappingTypes[f.Ref]:
		s := newNumber(useRef, f.Bits/8)
		s.space = f.Ref
		return s
	}
	s := newNumber(useNothing, f.Bits/8)
	s.signed = f.Type == trace.TypeSigned
	return s
}

// newNumber is the step of an integer of so many bytes; those of one byte are not compressed.
func newNumber(u use, width uint8) step {
	s := step{code: codeCompressed, use: u, width: width}
	if width == 1 {
		s.code = codeByte
	}
	return s
}

// decoder reads payloads into batches.
type decoder struct {
	cursor
	epoch uint64
	maps  *mappings
	twins twinState
	// used are the ids of the record that have twins, changes those that are to be told before it. settled says that this is known.
	used, changes []twinUse
	settled       bool
	// What the last fields of these uses said.
	count, code, obsolete uint64
}

// payload appends the words of a record to the batch.
func (d *decoder) payload(l *layout, b *trace.Batch) {
	if l.special != nil {
		l.special(d, b)
		return
	}
	first := len(b.Words)
	d.run(l.head, 1, b)
	if len(l.group) > 0 {
		d.run(l.group, d.times(d.count, len(l.group)), b)
		d.run(l.tail, 1, b)
	}
	if len(l.late) == 0 {
		return
	}
	if d.left() > 0 {
		d.run(l.late, 1, b)
	} else if d.problem == "" {
		b.Words = append(b.Words[:first], l.missing(b.Words[first:], d.obsolete)...)
	}
}

// run reads the fields of some steps n times.
func (d *decoder) run(steps []step, n int, b *trace.Batch) {
	words := b.Words
	data, pos, end := d.data, d.pos, d.end
	for range n {
		for i := range steps {
			s := &steps[i]
			var v uint64
			size := int(data[pos])
			switch next := pos + 1 + size; {
			case s.code == codeCompressed && size <= int(s.width) && next <= end:
				v = load(data[pos+1:], size, d.big)
				pos = next
			case s.code == codeByte && pos < end:
				v = uint64(size)
				pos++
			default:
				d.pos = pos
				v = d.field(s, b)
				pos = d.pos
			}
			switch s.use {
			case useNothing:
			case useCount:
				d.count = v
			case useType:
				d.code = v
			case useObsolete:
				d.obsolete = v
				continue
			case useInstant:
				v -= d.epoch
			case useRef:
				m, local := &d.maps[s.space], v
				if v = m.global(local); m.shared != nil {
					d.note(s.space, local, v)
				}
			}
			words = append(words, v)
		}
	}
	b.Words, d.pos = words, pos
}

// field reads one field of any coding.
func (d *decoder) field(s *step, b *trace.Batch) uint64 {
	switch s.code {
	case codeByte:
		return d.byte()
	case codeFixed:
		return d.fixed(8)
	case codeText:
		return putText(b, d.text())
	case codeValue:
		return d.value(d.code)
	case codeNothing:
		return 0
	}
	return d.compressed(int(s.width))
}

// putText is Batch.PutText without a string.
func putText(b *trace.Batch, text []byte) uint64 {
	word := uint64(len(b.Text))<<32 | uint64(len(text))
	b.Text = append(b.Text, text...)
	return word
}
