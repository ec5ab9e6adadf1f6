package write

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/pandotrace/pando/convert/otf2/internal/form"
	"github.com/pandotrace/pando/trace"
)

// Encoder appends primitive values to data. The first value that does not fit its field is kept in problem.
type Encoder struct {
	data    []byte
	big     bool
	Epoch   uint64
	Maps    *form.Reversals // nil if ids are global
	twins   form.TwinState
	problem string
	code    uint64 // type of the next value
}

func (e *Encoder) fail(format string, args ...any) {
	if e.problem == "" {
		e.problem = fmt.Sprintf(format, args...)
	}
}

func (e *Encoder) byte(v uint64) {
	if v > 0xff {
		e.fail("%d does not fit in a byte", v)
	}
	e.data = append(e.data, byte(v))
}

// fixed appends an integer of n bytes, at most 8.
func (e *Encoder) fixed(v uint64, n int) {
	if e.big {
		e.data = binary.BigEndian.AppendUint64(e.data, v<<(64-8*uint(n)))
	} else {
		e.data = binary.LittleEndian.AppendUint64(e.data, v)
	}
	e.data = e.data[:len(e.data)-8+n]
}

// compressed appends the size of an integer in a byte and the integer in as many bytes. FF means that all bits of width bytes are ones.
func (e *Encoder) compressed(v uint64, width int) {
	if v == ^uint64(0)>>(64-8*uint(width)) {
		e.data = append(e.data, 0xff)
		return
	}
	e.sized(v, width)
}

// sized is compressed for values whose ones are no mark: negative integers have full width.
func (e *Encoder) sized(v uint64, width int) {
	size := form.BytesIn(v)
	if size > width {
		e.fail("%d does not fit in %d bytes", v, width)
		size = width
	}
	e.data = append(e.data, byte(size))
	e.fixed(v, size)
}

// text appends a string, up to a zero byte if it has one, and the zero byte that ends it.
func (e *Encoder) text(s []byte) {
	s, _, _ = bytes.Cut(s, []byte{0})
	e.data = append(append(e.data, s...), 0)
}

// value appends a value whose type has the given code.
func (e *Encoder) value(code, v uint64) {
	f := &form.ValueForms[code&0xff]
	if shift := 64 - 8*uint(f.Size); f.Signed {
		if int64(v<<shift)>>shift != int64(v) {
			e.fail("%d does not fit in %d bytes", int64(v), f.Size)
		}
		v = v << shift >> shift
	} else if v<<shift>>shift != v {
		e.fail("%d does not fit in %d bytes", v, f.Size)
	}
	switch {
	case !f.Compressed:
		e.fixed(v, f.Size)
	case f.Signed, trace.ValueType(code) == trace.ValueInt64:
		e.sized(v, f.Size)
	default:
		e.compressed(v, f.Size)
	}
}

// local returns the local id of a global one.
func (e *Encoder) local(space trace.Space, global uint64) uint64 {
	if e.Maps == nil {
		return global
	}
	if local, ok := e.twins[form.SharedID{Space: space, Global: global}]; ok {
		return local
	}
	local, ok := e.Maps[space].Local(global)
	if !ok {
		e.fail("the mapping table has no id for %d", global)
	}
	return local
}

// payload appends the fields of a record.
func (e *Encoder) payload(l *form.Layout, words []uint64, text []byte, r *rest) {
	if l.Kind == trace.KindMappingTable {
		e.mappingTable(words)
		return
	}
	obsolete := uint64(0)
	switch {
	case l.Obsolete == nil:
	case r != nil:
		obsolete = r.obsolete
	default:
		obsolete = l.Obsolete(words)
	}
	rest := e.run(l.Head, words, text, obsolete)
	if len(l.Group) > 0 {
		tail := len(l.Tail) + len(l.Late)
		for len(rest) > tail {
			rest = e.run(l.Group, rest, text, 0)
		}
		rest = e.run(l.Tail, rest, text, 0)
	}
	e.run(l.Late, rest, text, 0)
}

// run appends the fields of some steps and returns the words after theirs.
func (e *Encoder) run(steps []form.Step, words []uint64, text []byte, obsolete uint64) []uint64 {
	for i := range steps {
		s := &steps[i]
		if s.Use == form.UseObsolete {
			e.number(s, obsolete)
			continue
		}
		v := words[0]
		words = words[1:]
		switch s.Use {
		case form.UseType:
			e.code = v
		case form.UseInstant:
			v += e.Epoch
		case form.UseRef:
			v = e.local(s.Space, v)
		}
		switch s.Code {
		case form.CodeNothing:
		case form.CodeFixed:
			e.fixed(v, 8)
		case form.CodeText:
			e.text(bytesOf(text, v))
		case form.CodeValue:
			e.value(e.code, v)
		default:
			e.number(s, v)
		}
	}
	return words
}

func (e *Encoder) number(s *form.Step, v uint64) {
	switch {
	case s.Code == form.CodeByte:
		e.byte(v)
	case s.Signed:
		e.sized(v, int(s.Width))
	default:
		e.compressed(v, int(s.Width))
	}
}

// mappingTable is the reverse of [decoder.mappingTable].
func (e *Encoder) mappingTable(words []uint64) {
	mappingType, mode, n := words[0], words[1], words[2]
	e.byte(mappingType)
	e.compressed(n, 8)
	e.byte(mode)
	for i := 3; i < len(words); i += 2 {
		if mode == form.MapSparse {
			e.compressed(words[i], 8)
		}
		e.compressed(words[i+1], 8)
	}
}

// attributes appends the payload of an attribute list.
func (e *Encoder) attributes(attrs []trace.Attr) {
	e.compressed(uint64(len(attrs)), 4)
	for _, a := range attrs {
		e.compressed(e.local(trace.SpaceAttribute, a.ID), 4)
		e.byte(uint64(a.Type))
		v := a.Value
		if space := form.ValueForms[a.Type].Space; space != trace.SpaceNone {
			v = e.local(space, v)
		}
		e.value(uint64(a.Type), v)
	}
}

// bytesOf returns the bytes of the text that a word refers to.
func bytesOf(text []byte, word uint64) []byte {
	pos, n := word>>32, word&0xffffffff
	return text[pos : pos+n]
}

// takeTwin takes a local id into use. It reports whether that is one of twins.
func (e *Encoder) takeTwin(space, local uint64) bool {
	if e.Maps == nil || space >= uint64(len(e.Maps)) {
		return false
	}
	m := e.Maps[space].Forward
	global := m.Global(local)
	if m.Shared == nil || !m.IsTwin(local, global) {
		return false
	}
	if e.twins == nil {
		e.twins = form.TwinState{}
	}
	e.twins[form.SharedID{Space: trace.Space(space), Global: global}] = local
	return true
}
