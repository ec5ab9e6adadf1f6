package mpe

import (
	"encoding/binary"
	"math"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// CargoBytes is the size of the cargo of an event, in bytes. It is packed, big-endian, and described by the format of
// the event's definition; what the format does not speak of is whatever stood in memory.
const CargoBytes = 32

// Ids of attributes that events have apart from the values of their cargo.
const (
	// AttrCommunicator is the communicator that an event was logged on.
	AttrCommunicator = 0
	// AttrLine is the line of an event where the communicator does not tell.
	AttrLine = 1
	// AttrRest is the first of the attributes that hold the bytes of a cargo behind its values, eight in each, first byte first.
	AttrRest = 2
	// FirstCargoAttr is the first id that the values of cargo may have.
	FirstCargoAttr = AttrRest + CargoBytes/8
)

// DefineAttributes defines the attributes that are not values of cargo.
func DefineAttributes(l *Log) {
	l.Attribute(AttrCommunicator, "communicator", "the communicator that the event was logged on", trace.ValueComm)
	l.Attribute(AttrLine, "line", "the line that the event was logged on", trace.ValueUint64)
	for i, name := range []string{"cargo 1", "cargo 2", "cargo 3", "cargo 4"} {
		l.Attribute(AttrRest+uint64(i), name, "bytes of the cargo behind its values", trace.ValueUint64)
	}
}

// SplitFormat takes a format like "iter=%d, res=%E." apart: the labels between the values, one more than there are
// values, and the letters of the values.
func SplitFormat(format string) (labels []string, letters []byte) {
	for {
		i := strings.IndexByte(format, '%')
		if i < 0 || i+1 == len(format) {
			return append(labels, format), letters
		}
		labels, letters = append(labels, format[:i]), append(letters, format[i+1])
		format = format[i+2:]
	}
}

// JoinFormat is the inverse of SplitFormat.
func JoinFormat(labels []string, letters []byte) string {
	var b strings.Builder
	for i, label := range labels {
		b.WriteString(label)
		if i < len(letters) {
			b.WriteByte('%')
			b.WriteByte(letters[i])
		}
	}
	return b.String()
}

// valueTypes are the types of values by their letters. Another letter ends what can be read of a cargo.
var valueTypes = map[byte]trace.ValueType{
	's': trace.ValueString, 'h': trace.ValueInt16, 'd': trace.ValueInt32, 'l': trace.ValueInt64, 'x': trace.ValueUint32,
	'X': trace.ValueUint64, 'e': trace.ValueFloat, 'E': trace.ValueDouble,
}

// Layout says what the cargo of the events of one category holds.
type Layout struct {
	values []cargoValue
	texts  bool
}

type cargoValue struct {
	attribute uint64
	typ       trace.ValueType
}

// NewLayout makes the layout of a format, and defines an attribute for each value, from id next on. It returns the next
// free id.
func NewLayout(l *Log, labels []string, letters []byte, next uint64) (*Layout, uint64) {
	layout := &Layout{}
	for i, letter := range letters {
		typ, ok := valueTypes[letter]
		if !ok {
			break
		}
		layout.values = append(layout.values, cargoValue{next, typ})
		layout.texts = layout.texts || typ == trace.ValueString
		l.Attribute(next, valueName(labels[i], letter), "", typ)
		next++
	}
	return layout, next
}

// valueName makes a name of the label before a value.
func valueName(label string, letter byte) string {
	name := strings.Trim(label, " \t,;:=()<>[].'\"")
	if name == "" {
		return "%" + string(letter)
	}
	return name
}

// HasTexts reports whether there are strings among the values.
func (l *Layout) HasTexts() bool { return l.texts }

// Append appends a cargo as attributes: its values, then the bytes behind them without zeros at the end. lookup gives the
// id of a string; where there is none, the rest of the cargo counts as bytes. There is at least one attribute. What is
// left of the cargo has no place in attributes, which hold CargoBytes besides the values.
func (l *Layout) Append(dst []trace.Attr, cargo []byte, lookup func([]byte) (uint64, bool)) (attrs []trace.Attr, left []byte) {
	before := len(dst)
	rest := cargo
	for _, v := range l.values {
		value, size := loadValue(v.typ, rest, lookup)
		if size == 0 {
			break
		}
		dst = append(dst, trace.Attr{ID: v.attribute, Type: v.typ, Value: value})
		rest = rest[size:]
	}
	if n := len(rest) - CargoBytes; n > 0 {
		rest, left = rest[:CargoBytes], rest[CargoBytes:]
	}
	return appendRest(dst, rest, len(dst) == before), left
}

// appendRest appends bytes as attributes, up to the last one that is not zero, but one attribute at least if it must.
func appendRest(dst []trace.Attr, rest []byte, must bool) []trace.Attr {
	for id := uint64(AttrRest); must || !allZero(rest); id++ {
		var word [8]byte
		n := copy(word[:], rest)
		rest = rest[n:]
		dst = append(dst, trace.Attr{ID: id, Type: trace.ValueUint64, Value: binary.BigEndian.Uint64(word[:])})
		must = false
	}
	return dst
}

func allZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// valueSizes are in bytes; that of a string is without its text.
var valueSizes = [...]int{
	trace.ValueInt16: 2, trace.ValueInt32: 4, trace.ValueInt64: 8, trace.ValueUint32: 4, trace.ValueUint64: 8,
	trace.ValueFloat: 4, trace.ValueDouble: 8, trace.ValueString: 2,
}

// loadValue reads the value that b begins with; size is 0 if there is none.
func loadValue(typ trace.ValueType, b []byte, lookup func([]byte) (uint64, bool)) (value uint64, size int) {
	size = valueSizes[typ]
	if len(b) < size {
		return 0, 0
	}
	switch typ {
	case trace.ValueString:
		text, ok := TextAt(b)
		if !ok {
			return 0, 0
		}
		if value, ok = lookup(text); !ok {
			return 0, 0
		}
		return value, 2 + len(text)
	case trace.ValueInt16:
		return uint64(int16(binary.BigEndian.Uint16(b))), size
	case trace.ValueInt32:
		return uint64(int32(binary.BigEndian.Uint32(b))), size
	case trace.ValueUint32, trace.ValueFloat:
		return uint64(binary.BigEndian.Uint32(b)), size
	}
	return binary.BigEndian.Uint64(b), size
}

// TextAt returns the text that b begins with: its length in two bytes, then the text.
func TextAt(b []byte) (text []byte, ok bool) {
	if len(b) < 2 {
		return nil, false
	}
	n := int(binary.BigEndian.Uint16(b))
	if n > math.MaxInt16 || n > len(b)-2 {
		return nil, false
	}
	return b[2 : 2+n], true
}

// Texts calls visit for each string of a cargo.
func (l *Layout) Texts(cargo []byte, visit func([]byte)) {
	for _, v := range l.values {
		size := valueSizes[v.typ]
		if v.typ == trace.ValueString {
			text, ok := TextAt(cargo)
			if !ok {
				return
			}
			visit(text)
			size += len(text)
		}
		if size > len(cargo) {
			return
		}
		cargo = cargo[size:]
	}
}
