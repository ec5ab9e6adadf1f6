package otf2

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/pandotrace/pando/trace"
)

// encoder appends primitive values to data. The first value that does not fit its field is kept in problem.
type encoder struct {
	data    []byte
	big     bool
	epoch   uint64
	maps    *reversals // nil if ids are global
	twins   twinState
	problem string
	code    uint64 // type of the next value
}

func (e *encoder) fail(format string, args ...any) {
	if e.problem == "" {
		e.problem = fmt.Sprintf(format, args...)
	}
}

func (e *encoder) byte(v uint64) {
	if v > 0xff {
		e.fail("%d does not fit in a byte", v)
	}
	e.data = append(e.data, byte(v))
}

// fixed appends an integer of n bytes, at most 8.
func (e *encoder) fixed(v uint64, n int) {
	if e.big {
		e.data = binary.BigEndian.AppendUint64(e.data, v<<(64-8*uint(n)))
	} else {
		e.data = binary.LittleEndian.AppendUint64(e.data, v)
	}
	e.data = e.data[:len(e.data)-8+n]
}

// compressed appends a size byte and so many bytes; FF stands for all ones in width bytes.
func (e *encoder) compressed(v uint64, width int) {
	if v == ^uint64(0)>>(64-8*uint(width)) {
		e.data = append(e.data, 0xff)
		return
	}
	e.sized(v, width)
}

// bytesIn returns the number of bytes of an integer without the zeros in front.
func bytesIn(v uint64) int { return (bits.Len64(v) + 7) / 8 }

// sized is compressed for values whose ones are no mark: negative integers have full width.
func (e *encoder) sized(v uint64, width int) {
	size := bytesIn(v)
	if size > width {
		e.fail("%d does not fit in %d bytes", v, width)
		size = width
	}
	e.data = append(e.data, byte(size))
	e.fixed(v, size)
}

// text appends a string, up to a zero byte if it has one, and the zero byte that ends it.
func (e *encoder) text(s []byte) {
	s, _, _ = bytes.Cut(s, []byte{0})
	e.data = append(append(e.data, s...), 0)
}

// value appends a value of the type that a code stands for.
func (e *encoder) value(code, v uint64) {
	f := &valueForms[code&0xff]
	if shift := 64 - 8*uint(f.size); f.signed {
		if int64(v<<shift)>>shift != int64(v) {
			e.fail("%d does not fit in %d bytes", int64(v), f.size)
		}
		v = v << shift >> shift
	} else if v<<shift>>shift != v {
		e.fail("%d does not fit in %d bytes", v, f.size)
	}
	switch {
	case !f.compressed:
		e.fixed(v, f.size)
	case f.signed, trace.ValueType(code) == trace.ValueInt64:
		e.sized(v, f.size)
	default:
		e.compressed(v, f.size)
	}
}

// local returns the local id of a global one.
func (e *encoder) local(space trace.Space, global uint64) uint64 {
	if e.maps == nil {
		return global
	}
	if local, ok := e.twins[sharedID{space, global}]; ok {
		return local
	}
	local, ok := e.maps[space].local(global)
	if !ok {
		e.fail("the mapping table has no id for %d", global)
	}
	return local
}

// payload appends the fields of a record.
func (e *encoder) payload(l *layout, words []uint64, text []byte, r *rest) {
	if l.kind == trace.KindMappingTable {
		e.mappingTable(words)
		return
	}
	obsolete := uint64(0)
	switch {
	case l.obsolete == nil:
	case r != nil:
		obsolete = r.obsolete
	default:
		obsolete = l.obsolete(words)
	}
	rest := e.run(l.head, words, text, obsolete)
	if len(l.group) > 0 {
		tail := len(l.tail) + len(l.late)
		for len(rest) > tail {
			rest = e.run(l.group, rest, text, 0)
		}
		rest = e.run(l.tail, rest, text, 0)
	}
	e.run(l.late, rest, text, 0)
}

// run appends the fields of some steps and returns the words after theirs.
func (e *encoder) run(steps []step, words []uint64, text []byte, obsolete uint64) []uint64 {
	for i := range steps {
		s := &steps[i]
		if s.use == useObsolete {
			e.number(s, obsolete)
			continue
		}
		v := words[0]
		words = words[1:]
		switch s.use {
		case useType:
			e.code = v
		case useInstant:
			v += e.epoch
		case useRef:
			v = e.local(s.space, v)
		}
		switch s.code {
		case codeNothing:
		case codeFixed:
			e.fixed(v, 8)
		case codeText:
			e.text(bytesOf(text, v))
		case codeValue:
			e.value(e.code, v)
		default:
			e.number(s, v)
		}
	}
	return words
}

func (e *encoder) number(s *step, v uint64) {
	switch {
	case s.code == codeByte:
		e.byte(v)
	case s.signed:
		e.sized(v, int(s.width))
	default:
		e.compressed(v, int(s.width))
	}
}

// mappingTable is the reverse of [decoder.mappingTable].
func (e *encoder) mappingTable(words []uint64) {
	mappingType, mode, n := words[0], words[1], words[2]
	e.byte(mappingType)
	e.compressed(n, 8)
	e.byte(mode)
	for i := 3; i < len(words); i += 2 {
		if mode == mapSparse {
			e.compressed(words[i], 8)
		}
		e.compressed(words[i+1], 8)
	}
}

// attributes appends the payload of an attribute list.
func (e *encoder) attributes(attrs []trace.Attr) {
	e.compressed(uint64(len(attrs)), 4)
	for _, a := range attrs {
		e.compressed(e.local(trace.SpaceAttribute, a.ID), 4)
		e.byte(uint64(a.Type))
		v := a.Value
		if space := valueForms[a.Type].space; space != trace.SpaceNone {
			v = e.local(space, v)
		}
		e.value(uint64(a.Type), v)
	}
}

// bytesOf returns the bytes that a word stands for.
func bytesOf(text []byte, word uint64) []byte {
	pos, n := word>>32, word&0xffffffff
	return text[pos : pos+n]
}
