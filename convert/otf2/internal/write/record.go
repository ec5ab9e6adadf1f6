package write

import (
	"bytes"

	"github.com/pandotrace/pando/convert/otf2/internal/form"
	"github.com/pandotrace/pando/trace"
)

// Sizes of what stands around payloads, in bytes.
const (
	stampSize = 9
	// attributeSize is the most that an entry of an attribute list has, attributeCount what stands before the entries.
	attributeSize, attributeCount = 5 + 1 + 9, 5
)

// Fields of records of unknown ids, and of what records have besides their fields: there the first is an obsolete field.
const recordID, recordBig, recordPayload = 0, 1, 2

// entry is a record to be written. Files without times have no use for the location's time and attributes.
type entry struct {
	kind  trace.Kind
	time  uint64
	words []uint64
	text  []byte
	attrs []trace.Attr
}

// Write appends the records of a batch.
func (o *Output) Write(b *trace.Batch) error {
	if b.Len() > 0 {
		if err := o.checkEarly(b.Times[0]); err != nil {
			return err
		}
	}
	for i := range b.Len() {
		if waits, err := o.holds(b, i); err != nil {
			return err
		} else if waits {
			continue
		}
		e := entry{b.Kinds[i], o.localTime(b.Times[i], b.Residual(i)), b.Fields(i), b.Text, b.AttrsOf(i)}
		if err := o.put(&e); err != nil {
			return err
		}
	}
	return nil
}

// put appends a record. Those of kinds that such files do not have are counted as dropped.
func (o *Output) put(e *entry) error {
	id := o.Grammar.IdOf(e.kind)
	isUnknown := e.kind == o.Grammar.Unknown
	if o.isMark(e) {
		return nil
	}
	if isUnknown && !o.Foreign {
		return o.putUnknown(e)
	}
	if e.kind == trace.KindEventLocalID && !o.Foreign && o.takeTwin(e.words[0], e.words[1]) {
		return nil
	}
	if e.kind == o.Grammar.Rest && !o.Foreign {
		o.rest = &rest{e.words[recordID], e.words[recordBig] != 0, bytes.Clone(bytesOf(e.text, e.words[recordPayload]))}
		return nil
	}
	if isUnknown || id == 0 {
		o.dropMark()
		o.Dropped.add(e.kind)
		return nil
	}
	o.putMark(e)
	if e.kind == trace.KindBufferFlush {
		stop := o.localTime(int64(e.words[0]), int64(e.words[1]))
		e.words = []uint64{stop, 0}
	}
	l, r := o.Grammar.Layouts[id], o.rest
	bound := l.Bound(e.words)
	if o.rest = nil; r != nil {
		bound += len(r.bytes)
	}
	if err := o.reserve(o.before(e) + headerSize(l.Single, bound) + bound); err != nil {
		return err
	}
	if r != nil && len(r.bytes) > 0 && r.big != o.big {
		if err := o.nextChunk(r.big); err != nil {
			return err
		}
	}
	o.introduce(e)
	if l.Single {
		o.data = append(o.data, id)
		o.run(l.Head, e.words, e.text, 0)
	} else {
		at := o.header(id, bound)
		o.payload(l, e.words, e.text, r)
		if r != nil {
			o.data = append(o.data, r.bytes...)
		}
		o.length(at, bound)
	}
	return o.written(e.kind)
}

// putUnknown appends a record whose payload was kept unparsed, in a chunk of its byte order.
func (o *Output) putUnknown(e *entry) error {
	o.putMark(e)
	o.rest = nil
	payload := bytesOf(e.text, e.words[recordPayload])
	if id := e.words[recordID]; !o.Grammar.IsUnknown(id) {
		o.fail("%d is no record id of an unknown kind", id)
	}
	n := o.before(e) + headerSize(false, len(payload)) + len(payload)
	if err := o.reserve(n); err != nil {
		return err
	}
	if big := e.words[recordBig] != 0; big != o.big {
		if err := o.nextChunk(big); err != nil {
			return err
		}
	}
	o.introduce(e)
	at := o.header(byte(e.words[recordID]), len(payload))
	o.data = append(o.data, payload...)
	o.length(at, len(payload))
	return o.written(e.kind)
}

// before returns the most that stands before a record, in bytes.
func (o *Output) before(e *entry) (n int) {
	if !o.Grammar.Timed {
		return 0
	}
	if !o.stampServes(e.time) {
		n = stampSize
	}
	if len(e.attrs) > 0 {
		bound := attributeCount + len(e.attrs)*attributeSize
		n += headerSize(false, bound) + bound
	}
	return n
}

// headerSize returns the size of what stands before a payload of at most bound bytes: id, length.
func headerSize(single bool, bound int) int {
	switch {
	case single:
		return 1
	case bound < 0xff:
		return 2
	}
	return 10
}

// introduce writes what stands before a record.
func (o *Output) introduce(e *entry) {
	if !o.Grammar.Timed {
		return
	}
	o.stamp(e.time)
	if len(e.attrs) > 0 {
		bound := attributeCount + len(e.attrs)*attributeSize
		at := o.header(form.IdAttributes, bound)
		o.attributes(e.attrs)
		o.length(at, bound)
	}
}

// localTime returns the location's own time of a record.
func (o *Output) localTime(t, residual int64) uint64 {
	corrected := uint64(t) + o.Epoch
	if o.Clock == nil {
		return corrected
	}
	return o.Clock.Local(corrected) + uint64(residual)
}

// stampServes reports whether the last time stamp is that of the next record. As in the OTF2 library, each record of time 0
// has its own.
func (o *Output) stampServes(local uint64) bool {
	return o.stamped && local == o.last && local > 0
}

func (o *Output) stamp(local uint64) {
	if o.stampServes(local) {
		return
	}
	if local < o.last {
		o.fail("time runs backwards, from %d to %d", o.last, local)
	}
	o.last, o.stamped = local, true
	o.data = append(o.data, form.IdTime)
	o.fixed(local, 8)
}

// header appends id and space for the length of a payload of at most bound bytes, and returns the payload's begin. As
// in the OTF2 library, the long form is taken where the payload could be long.
func (o *Output) header(id byte, bound int) (at int) {
	if bound < 0xff {
		o.data = append(o.data, id, 0)
	} else {
		o.data = append(o.data, id, 0xff)
		o.fixed(0, 8)
	}
	return len(o.data)
}

// length writes the length of a payload that is complete now.
func (o *Output) length(at, bound int) {
	n := len(o.data) - at
	if bound < 0xff {
		o.data[at-1] = byte(n)
		return
	}
	patch := Encoder{data: o.data[:at-8], big: o.big}
	patch.fixed(uint64(n), 8)
}
