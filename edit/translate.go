package edit

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// step says that a word of a record is an id or a time. A kind whose records need more than that has one general step.
type step struct {
	word    int
	field   *trace.Field
	general bool
}

func planOf(spec *trace.Spec) (plan []step) {
	for i := range spec.Fields {
		switch f := &spec.Fields[i]; {
		case f.Repeat, f.Type == trace.TypeValue, f.Type == trace.TypeRank, f.Type.InText():
			return []step{{general: true}}
		case f.Type == trace.TypeRef, f.Type == trace.TypeSelf, f.Type == trace.TypeTime, f.Type == trace.TypeDuration:
			plan = append(plan, step{word: i, field: f})
		}
	}
	return plan
}

// translated gives the records of a stream as those of the merged trace.
type translated struct {
	trace.Stream
	member   *member
	location uint64
	batch    trace.Batch
}

// Next implements trace.Stream.
func (s *translated) Next(b *trace.Batch, limit int) error {
	for {
		if _, err := s.Step(b, limit); err != nil || b.Len() > 0 {
			return err
		}
	}
}

// Step implements trace.Stepper.
func (s *translated) Step(b *trace.Batch, limit int) (covered int64, err error) {
	b.Reset(s.location)
	if covered, err = trace.Step(s.Stream, &s.batch, limit); err != nil {
		return 0, err
	}
	s.keep(b)
	at := []int64{covered}
	err = cmp.Or(s.translate(b), s.member.retime(at))
	return at[0], err
}

func (s *translated) translate(b *trace.Batch) error {
	if err := s.member.retime(b.Times); err != nil {
		return err
	}
	for i := range b.Len() {
		if err := s.member.reaches(b.Kinds[i], b.Fields(i)); err != nil {
			return err
		}
		s.member.words(b.Kinds[i], b.Fields(i))
	}
	for i := range b.Attrs {
		a := &b.Attrs[i]
		a.ID = s.member.id(trace.SpaceAttribute, a.ID, 32)
		a.Value = s.member.value(a.Type, a.Value)
	}
	return nil
}

// keep appends the records at hand without what belongs to clocks and local ids, which the merged trace does not have.
func (s *translated) keep(b *trace.Batch) {
	s.batch.Residuals = s.batch.Residuals[:0]
	from := 0
	for i, kind := range s.batch.Kinds {
		if kind == trace.KindEventLocalID {
			b.AppendRange(&s.batch, from, i, s.member.table)
			from = i + 1
		}
	}
	b.AppendRange(&s.batch, from, s.batch.Len(), s.member.table)
}

// words translates the words of a record.
func (t *member) words(kind trace.Kind, words []uint64) {
	for _, s := range t.plans[kind] {
		if s.general {
			t.general(kind, words)
			return
		}
		words[s.word] = t.word(s.field, words[s.word])
	}
}

// word translates a word that is an id or a time.
func (t *member) word(f *trace.Field, w uint64) uint64 {
	switch f.Type {
	case trace.TypeRef, trace.TypeSelf:
		return t.id(f.Ref, w, f.Bits)
	case trace.TypeTime:
		return uint64(t.at(int64(w)))
	case trace.TypeDuration:
		return w * t.scale
	}
	return w
}

// general translates the words of any record.
func (t *member) general(kind trace.Kind, words []uint64) {
	old := slices.Clone(words)
	var code trace.ValueType
	shift, scope := t.rankShift(kind, old), uint64(0)
	t.table.Spec(kind).Walk(old, func(i int, f *trace.Field, w uint64) {
		switch {
		case f.Type == trace.TypeCode:
			code = trace.ValueType(w)
		case f.Type == trace.TypeValue:
			words[i] = t.value(code, w)
		case f.Type == trace.TypeRank && !f.Undefined(w):
			words[i] = w + shift
		case f.Name == "metricScope" || f.Name == "markerScope":
			scope = w
		case f.Name == "scope" && f.Type == trace.TypeNumber:
			words[i] = t.scope(kind, scope, w)
		default:
			words[i] = t.word(f, w)
		}
	})
}

// value translates a value that may be an id.
func (t *member) value(typ trace.ValueType, v uint64) uint64 {
	space := typ.Space()
	if space == trace.SpaceNone {
		return v
	}
	bits := uint8(32)
	if space == trace.SpaceLocation {
		bits = 64
	}
	return t.id(space, v, bits)
}

func (t *member) scope(kind trace.Kind, scope, w uint64) uint64 {
	space := trace.ScopeSpace(kind, scope)
	if space == trace.SpaceNone {
		return w
	}
	return t.id(space, w, 64)
}

// rankShift returns what is added to the ranks of a record: those that count all processes of the trace's paradigm.
func (t *member) rankShift(kind trace.Kind, words []uint64) (shift uint64) {
	if len(t.global) == 0 {
		return 0
	}
	t.table.Spec(kind).Walk(words, func(_ int, f *trace.Field, w uint64) {
		switch {
		case f.Type == trace.TypeRef && f.Ref == trace.SpaceComm:
			shift = t.global[w]
		case f.Type == trace.TypeRef && f.Ref == trace.SpaceRmaWin:
			shift = t.global[t.definitions.RmaWindows[w].Comm]
		}
	})
	return shift
}

// translate returns a definition as one of the merged trace.
func (t *member) translate(d *trace.Record) trace.Record {
	to := trace.Record{Kind: d.Kind, Words: slices.Clone(d.Words), Text: d.Text}
	t.general(d.Kind, to.Words)
	return to
}
