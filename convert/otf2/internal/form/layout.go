package form

import (
	"github.com/pandotrace/pando/trace"
)

// coding says how a field stands on disk.
type coding uint8

const (
	CodeCompressed coding = iota // a size byte, then at most width bytes
	CodeByte                     // one byte
	CodeFixed                    // 8 bytes
	CodeText                     // up to a zero byte
	CodeValue                    // as the type code before it says
	CodeNothing                  // not at all
)

// use says what else the value of a field is good for.
type use uint8

const (
	UseNothing  use = iota
	UseCount        // the number of repetitions of the group
	UseType         // the type of the next codeValue
	UseObsolete     // nothing but [layout.missing]: the model does not have the field
	UseInstant      // a time in the source's ticks, which becomes relative to the epoch
	UseRef          // a local id, which becomes global by the mapping table of the space
)

// Step is how one field is read.
type Step struct {
	Code  coding
	Use   use
	Width uint8
	// Signed numbers may be negative.
	Signed bool
	Space  trace.Space
}

// Layout is how the payload of one kind of record is read: the head, the repeated group, the tail, and what later
// versions appended to it.
type Layout struct {
	Kind trace.Kind
	// Single marks records of form S: one compressed integer and no length.
	Single bool

	Head, Group, Tail, Late []Step
	// Missing appends the words of the late fields to those of a record that ends before them.
	Missing func(words []uint64, obsolete uint64) []uint64
	Special special
	// Obsolete gives the useObsolete field of a record.
	Obsolete func(words []uint64) uint64

	// The largest size of a record: the words before the group and outside of it, the bytes of these without texts, and
	// which words are texts.
	before, scalars, fixedBound int
	texts                       []int
}

// newLayout derives the layout of a kind from its specification and its quirk. mapped says that references are local
// ids, which the location's mapping tables translate.
func newLayout(spec *trace.Spec, q quirk, mapped bool) *Layout {
	l := &Layout{Kind: spec.ID, Missing: q.missing, Special: q.special, Obsolete: q.obsolete}
	part := &l.Head
	for i := range spec.Fields {
		f := &spec.Fields[i]
		switch {
		case f.Repeat:
			part = &l.Group
		case f.Name == q.appended:
			part = &l.Late
		case part == &l.Group:
			part = &l.Tail
		}
		*part = append(*part, newStep(f, q, mapped))
		if f.Name == q.obsoleteAfter {
			*part = append(*part, newNumber(UseObsolete, q.obsoleteWidth))
		}
	}
	l.measure()
	return l
}

// measure fills in what a record can be at most.
func (l *Layout) measure() {
	for p, part := range [][]Step{l.Head, l.Tail, l.Late} {
		for i := range part {
			l.fixedBound += part[i].bound()
			if part[i].Code == CodeText {
				l.texts = append(l.texts, l.scalars)
			}
			if part[i].Use != UseObsolete {
				l.scalars++
			}
		}
		if p == 0 {
			l.before = l.scalars
		}
	}
}

func newStep(f *trace.Field, q quirk, mapped bool) Step {
	switch {
	case f.Name == q.computed:
		return Step{Code: CodeNothing}
	case f.Type == trace.TypeText:
		return Step{Code: CodeText}
	case f.Type == trace.TypeValue && !q.compressedValue:
		return Step{Code: CodeValue}
	case f.Type == trace.TypeDouble, f.Name == q.fixed:
		return Step{Code: CodeFixed}
	case f.Type == trace.TypeTime && mapped: // events have clocks of their own
		return Step{Code: CodeFixed}
	case f.Type == trace.TypeTime && q.compressedTime:
		return newNumber(UseInstant, f.Bits/8)
	case f.Type == trace.TypeTime:
		return Step{Code: CodeFixed, Use: UseInstant}
	case f.Type == trace.TypeCount:
		return newNumber(UseCount, f.Bits/8)
	case f.Type == trace.TypeCode && !q.compressedValue:
		return newNumber(UseType, f.Bits/8)
	case f.Type == trace.TypeRef && mapped && mappingTypes[f.Ref]:
		s := newNumber(UseRef, f.Bits/8)
		s.Space = f.Ref
		return s
	}
	s := newNumber(UseNothing, f.Bits/8)
	s.Signed = f.Type == trace.TypeSigned
	return s
}

// newNumber is the step of an integer of a number of bytes. Integers of one byte are not compressed.
func newNumber(u use, width uint8) Step {
	s := Step{Code: CodeCompressed, Use: u, Width: width}
	if width == 1 {
		s.Code = CodeByte
	}
	return s
}
