package otf

import (
	"github.com/pandotrace/pando/trace"
)

// longValue is an attribute whose value is a list of bytes.
type longValue struct {
	key uint64
	// place is that among the attributes of the record.
	place int
	value []byte
	// missing is the number of bytes that are yet to come, on lines of their own.
	missing uint64
}

// maxAttributes bounds the attributes of a record.
const maxAttributes = 1024

// Keywords of and within attributes.
var (
	shortKey, longKey = keyOf("K"), keyOf("KEY")

	typeKeys   = []uint64{keyOf("TYPE"), keyOf("Y")}
	valueKeys  = []uint64{keyOf("VALUE"), keyOf("V")}
	lengthKeys = []uint64{keyOf("LEN"), keyOf("L")}
)

// isAttribute reports whether a keyword begins an attribute.
func isAttribute(key uint64) bool { return key == shortKey || key == longKey }

// The types of attributes in the file, as those of the model and by their width in bits.
var attributeTypes = [...]struct {
	typ    trace.ValueType
	bits   uint8
	signed bool
}{
	{trace.ValueChar, 8, false}, {trace.ValueInt8, 8, true}, {trace.ValueUint8, 8, false}, {trace.ValueInt16, 16, true},
	{trace.ValueUint16, 16, false}, {trace.ValueInt32, 32, true}, {trace.ValueUint32, 32, false}, {trace.ValueInt64, 64, true},
	{trace.ValueUint64, 64, false}, {trace.ValueFloat, 32, false}, {trace.ValueDouble, 64, false},
}

const typeBytes = 11

// keyValue reads an attribute of the next record: KEY k TYPE t VALUE v. Lists of bytes have LEN n behind the value, and may go
// on in further lines; n counts what is missing from this line on.
func (r *reader) keyValue() {
	key := r.number(32)
	r.expect("TYPE", typeKeys)
	typ := r.number(32)
	r.expect("VALUE", valueKeys)
	switch {
	case r.problem != "":
	case len(r.attrs)+len(r.bytes) >= maxAttributes:
		r.fail("more than %d attributes of one record", maxAttributes)
	case typ == typeBytes:
		r.byteValue(key)
	case typ > typeBytes:
		r.fail("an attribute of type %x", typ)
	default:
		r.attribute(key, int(typ), r.number(64))
	}
}

// expect reads a keyword of two spellings.
func (r *reader) expect(name string, keys []uint64) {
	key, end := r.peek()
	if key != keys[0] && key != keys[1] {
		r.fail("%s is missing", name)
		return
	}
	r.pos = end
}

func (r *reader) attribute(key uint64, typ int, v uint64) {
	t := &attributeTypes[typ]
	shift := 64 - t.bits
	if t.signed {
		v = uint64(int64(v<<shift) >> shift)
	} else if v<<shift>>shift != v {
		v = v << shift >> shift
		r.large = true
	}
	if r.isGiven(key) {
		return
	}
	r.attrs = append(r.attrs, trace.Attr{ID: r.scope.ids[trace.SpaceAttribute].of(key), Type: t.typ, Value: v})
}

// isGiven reports whether the next record has an attribute already; only the first counts.
func (r *reader) isGiven(key uint64) bool {
	id := r.scope.ids[trace.SpaceAttribute].of(key)
	given := false
	for i := range r.attrs {
		given = given || r.attrs[i].ID == id
	}
	for i := range r.bytes {
		given = given || r.bytes[i].key == id
	}
	if given {
		r.warnings.Add("attribute that stands twice", "%s", r.where())
	}
	return given
}

// byteValue reads a part of a list of bytes.
func (r *reader) byteValue(key uint64) {
	r.blanks()
	from := r.pos
	for classes[r.data[r.pos]] < notDigit {
		r.pos++
	}
	half := r.data[from:r.pos]
	r.expect("LEN", lengthKeys)
	length := r.number(64)
	n := uint64(len(half) / 2)
	if r.problem != "" {
		return
	}
	if len(half)%2 != 0 || length < n {
		r.fail("a list of bytes of the wrong length")
		return
	}
	if v := r.longValue(key, length); v != nil && r.problem == "" {
		for i := 0; i < len(half); i += 2 {
			v.value = append(v.value, classes[half[i]]<<4|classes[half[i+1]])
		}
		v.missing = length - n
	}
}

// longValue returns the list of bytes that a line belongs to: the one begun in the line before, if something of it is missing, or a
// new one; nil if it does not count.
func (r *reader) longValue(key, length uint64) *longValue {
	id := r.scope.ids[trace.SpaceAttribute].of(key)
	if n := len(r.bytes); n > 0 && r.bytes[n-1].key == id && r.bytes[n-1].missing > 0 {
		v := &r.bytes[n-1]
		if v.missing != length || len(v.value) > maxLine {
			r.fail("a list of bytes does not go on as it should")
		}
		return v
	}
	if r.isGiven(key) {
		return nil
	}
	n := len(r.bytes)
	r.bytes = append(r.bytes, longValue{key: id, place: len(r.attrs) + n})
	return &r.bytes[n]
}

// putBytes makes the first list of bytes a record of its own, before the one that it belongs to.
func (r *reader) putBytes() {
	v := r.bytes[0]
	r.bytes = r.bytes[:copy(r.bytes, r.bytes[1:])]
	if v.missing > 0 {
		r.warnings.Add("list of bytes without its end", "%s", r.where())
	}
	b := r.cur.batch
	b.Words = append(b.Words, v.key, uint64(v.place), putText(b, v.value))
	b.Begin(trace.KindAttributeBytes, r.time)
	b.End()
}
