package read

import (
	"encoding/binary"

	"github.com/pandotrace/pando/convert/chrome/internal/form"
	"github.com/pandotrace/pando/convert/chrome/internal/scan"
	"github.com/pandotrace/pando/convert/chrome/internal/sorting"
	"github.com/pandotrace/pando/trace"
)

// flowPoint is an end of an arrow, or a stop of one.
type flowPoint struct {
	at         scan.Instant
	phase      byte // s, t or f
	location   uint32
	category   uint64
	id         uint64
	tag, bytes uint64
	comm       uint64 // communicator
	attributes []byte // as in a record
}

func (p *flowPoint) append(dst []byte) []byte {
	dst = append(dst, p.phase)
	for _, v := range []uint64{uint64(p.location), p.category, p.id, p.tag, p.bytes, p.comm} {
		dst = binary.AppendUvarint(dst, v)
	}
	return append(dst, p.attributes...)
}

// read takes a point of the sorter. The attributes are a copy.
func (p *flowPoint) read(at scan.Instant, data []byte) error {
	u := unpacker{b: data}
	p.at, p.phase = at, u.byte()
	p.location, p.category, p.id = uint32(u.uvarint()), u.uvarint(), u.uvarint()
	p.tag, p.bytes, p.comm = u.uvarint(), u.uvarint(), u.uvarint()
	p.attributes = append(p.attributes[:0], u.b...)
	if u.bad {
		return errUnpack
	}
	return nil
}

// flow takes in a point of a flow. Points of one flow have name, category and id in common.
func (r *reader) flow(e *event, l uint32, at scan.Instant) error {
	if len(e.alone()) > 0 {
		e.values[keyID] = e.values[keyAlone]
		if string(e.id()) == "null" {
			e.values[keyID] = scan.Span{}
		}
	}
	id := r.span64(e)
	h := hashWord(hash(hash(hashSeed, e.name()), e.cat()), id)
	p := flowPoint{phase: e.phase, location: l, category: uint64(r.category(e)), id: id}
	ours, order := isOurs(e), uint64(0)
	if !ours {
		e.fields = append(e.fields, field{[]byte(`"name"`), orEmpty(e.name())}, field{[]byte(`"cat"`), orEmpty(e.cat())}, field{[]byte(`"id"`), orEmpty(e.id())})
		if len(e.flag()) > 0 {
			e.fields = append(e.fields, field{[]byte(`"bp"`), e.flag()})
		}
		if e.phase == 't' {
			e.fields = append(e.fields, field{[]byte(`"ph"`), []byte(`"t"`)})
		}
		d, _ := scan.ParseDecimal(e.order())
		order, _ = integer(d)
	}
	if len(e.alone()) > 0 {
		return r.simple(e, l, at, trace.KindPhaseEvent, p.category, uint64(p.phase), id)
	}
	r.messageFields(e, &p, ours)
	return r.point(sorting.Key{Group: h, Time: at, Rank: order}, &p)
}

func isOurs(e *event) bool {
	return string(e.name()) == form.MessageName && string(e.cat()) == form.MessageCat
}

func orEmpty(value []byte) []byte {
	if len(value) == 0 {
		return []byte(`""`)
	}
	return value
}

// bound takes in an event that says itself that it is a point of a flow.
func (r *reader) bound(e *event, l uint32, at scan.Instant) error {
	in, out := string(e.flowIn()) == "true", string(e.flowOut()) == "true"
	id := r.number(e.bind())
	p := flowPoint{phase: 't', location: l, category: uint64(r.category(e)), id: id, attributes: []byte{0}}
	p.comm = r.communicator(form.BoundComm)
	switch {
	case in && !out:
		p.phase = 'f'
	case out && !in:
		p.phase = 's'
	}
	e.fields = append(e.fields, field{[]byte(`"bind_id"`), e.bind()})
	if !in && !out {
		return nil
	}
	return r.point(sorting.Key{Group: hashWord(hash(hashSeed, []byte(`bind_id`)), id), Time: at}, &p)
}

// communicator returns the number of a communicator.
func (r *reader) communicator(name string) uint64 {
	return uint64(r.names.comms.id(r.names.strings.id([]byte(name)), 0)) + 1
}

func (r *reader) point(k sorting.Key, p *flowPoint) error {
	if p.attributes == nil {
		r.record = appendAttributes(r.record[:0], r.list)
		p.attributes = r.record
	}
	r.pointRecord = p.append(r.pointRecord[:0])
	return r.flows.Add(k, r.pointRecord)
}

// messageFields makes the arguments attributes, except for those that say what a message says: tag, bytes, and for flows of export the name
// of a communicator.
func (r *reader) messageFields(e *event, p *flowPoint, ours bool) {
	if ours {
		p.comm = r.communicator(form.OwnComm)
	}
	list := r.arguments(e)
	kept := list[:0]
	for _, a := range list {
		name := r.names.attrList[a.id]
		s := string(r.names.strings.at(name.name))
		whole := name.place == form.InArgs && (a.typ == trace.ValueUint64 || a.typ == trace.ValueInt64 && int64(a.value) >= 0)
		switch {
		case whole && s == "tag" && a.value <= 0xffffffff:
			p.tag = a.value
		case whole && s == "bytes":
			p.bytes = a.value
		case ours && name.place == form.InArgs && definedType(a.typ) == trace.ValueString && s == "communicator":
			if text := r.names.textOf(&a); text != form.FlowsComm {
				p.comm = r.communicator(text)
			}
		default:
			kept = append(kept, a)
		}
	}
	r.list = kept
}
