package trace

import (
	"fmt"
	"strings"
)

// Kind identifies a kind of record: an event, a definition, or a record of an auxiliary stream.
// Kinds below [FirstPrivateKind] are Pando's own registry; their numbers are part of the file format.
type Kind uint16

// FirstPrivateKind is the first number that a source may give to a kind of its own.
// A file carries the specification of each private kind it uses, so that readers can print them, too.
const FirstPrivateKind Kind = 0x8000

// String returns the kind's name in the standard table, or its number.
func (k Kind) String() string {
	if s := Standard.Spec(k); s != nil {
		return s.Name
	}
	return fmt.Sprintf("Kind%d", uint16(k))
}

// IsEvent reports whether a kind is one of events; private kinds are taken for that.
func (k Kind) IsEvent() bool { return k < KindUnknownDefinition || k >= FirstPrivateKind }

// Described reports whether a file with records of a kind must describe it. Each reader knows the kinds of the registry's first edition, which
// are all that it has so far.
func (k Kind) Described() bool { return k >= FirstPrivateKind }

// Type says how the 64-bit word of a field is to be read.
type Type uint8

// The numbers of types are part of the file format.
const (
	// TypeNumber is an unsigned integer.
	TypeNumber Type = 1
	// TypeSigned is a two's-complement integer.
	TypeSigned Type = 2
	// TypeDouble is the bit pattern of an IEEE-754 double.
	TypeDouble Type = 3
	// TypeEnum is one of the values of the field's enumeration.
	TypeEnum Type = 4
	// TypeFlags is a set of the bits named by the field's enumeration.
	TypeFlags Type = 5
	// TypeRef is the id of a definition in the field's id space.
	TypeRef Type = 6
	// TypeSelf is the id that a definition defines in the field's id space.
	TypeSelf Type = 7
	// TypeRank is a rank within the record's communicator, window or topology.
	TypeRank Type = 8
	// TypeTime is an instant: int64 ticks relative to the trace's epoch (modulo 2^64, so that any u64 survives).
	TypeTime Type = 9
	// TypeCount is the number of repetitions of the record's repeated group.
	TypeCount Type = 10
	// TypeCode is a [ValueType] that says how the TypeValue field after it is to be read.
	TypeCode Type = 11
	// TypeValue is a 64-bit value of the type given by the TypeCode field before it.
	TypeValue Type = 12
	// TypeText is a place in the text that belongs to the record, and holds a string: 2^32 × begin + length, see [Batch.TextOf].
	TypeText Type = 13
	// TypeBytes is a place in the text that belongs to the record, and holds bytes of no known meaning, see [Batch.TextOf].
	TypeBytes Type = 14
	// TypeDuration is a number of ticks, without a sign.
	TypeDuration Type = 15
)

// typeNames and spaceNames are the names of types and spaces, by their numbers.
var (
	typeNames = strings.Fields("Number Signed Double Enum Flags Ref Self Rank Time Count Code Value Text Bytes Duration")

	spaceNames = strings.Fields(`None String Attribute Location Region Group Metric Comm Parameter RmaWin SourceCodeLocation CallingContext
		InterruptGenerator IoFile IoHandle LocationGroup SystemTreeNode MetricMember Paradigm IoParadigm Callsite Callpath CartDimension
		CartTopology Marker Category`)
)

// String returns the type's name, as the specification of the format has it: "Ref".
func (t Type) String() string { return nameAt(typeNames, int(t)-1, "type", uint8(t)) }

// String returns the space's name, as the specification of the format has it: "Region".
func (s Space) String() string { return nameAt(spaceNames, int(s), "space", uint8(s)) }

func nameAt(names []string, at int, what string, number uint8) string {
	if at < 0 || at >= len(names) {
		return fmt.Sprintf("%s %d", what, number)
	}
	return names[at]
}

// InText reports whether words of this type are positions in a batch's or record's text bytes.
func (t Type) InText() bool { return t == TypeText || t == TypeBytes }

// Space is a space of definition ids. Several kinds may define into one space (Comm and InterComm, for one).
type Space uint8

// The numbers of spaces are part of the file format.
const (
	SpaceNone               Space = 0
	SpaceString             Space = 1
	SpaceAttribute          Space = 2
	SpaceLocation           Space = 3
	SpaceRegion             Space = 4
	SpaceGroup              Space = 5
	SpaceMetric             Space = 6
	SpaceComm               Space = 7
	SpaceParameter          Space = 8
	SpaceRmaWin             Space = 9
	SpaceSourceCodeLocation Space = 10
	SpaceCallingContext     Space = 11
	SpaceInterruptGenerator Space = 12
	SpaceIoFile             Space = 13
	SpaceIoHandle           Space = 14
	SpaceLocationGroup      Space = 15
	SpaceSystemTreeNode     Space = 16
	SpaceMetricMember       Space = 17
	SpaceParadigm           Space = 18
	SpaceIoParadigm         Space = 19
	SpaceCallsite           Space = 20
	SpaceCallpath           Space = 21
	SpaceCartDimension      Space = 22
	SpaceCartTopology       Space = 23
	SpaceMarker             Space = 24
	SpaceCategory           Space = 25
)

// Role says where a field of an event goes when the event is stored.
type Role uint8

// The numbers of roles are part of the file format.
const (
	// Structural fields are part of a shape's identity: events that agree in them share a shape.
	Structural Role = 0
	// Value fields vary from event to event; they go into value columns.
	Value Role = 1
)

// Field describes one field of a record kind.
type Field struct {
	Name string
	Type Type
	// Bits is the width of the field's type: 8, 32 or 64. All ones in that width mean "undefined" for references.
	Bits uint8
	// Ref is the id space of TypeRef and TypeSelf fields.
	Ref  Space
	Role Role
	// Key marks structural fields that predict when the next event comes (the region of an Enter, for one):
	// time differences are grouped by kind and key fields.
	Key bool
	// Repeat marks the members of the record's one repeated group, which follow each other.
	// The group is stored count times, its members interleaved; the count is the TypeCount field before it.
	Repeat bool
	// Peer marks a rank that files may keep relative to the location's own one in a communicator: the first field of its kind, structural
	// and of TypeRank. The second one is the communicator, see [Spec.CheckPeer].
	Peer bool
	// Enum names the values of TypeEnum and the bits of TypeFlags fields; nil if they have no names.
	Enum *Enum
}

// Undefined reports whether the word is the undefined reference of the field's width.
func (f *Field) Undefined(word uint64) bool {
	return word == Undefined>>(64-uint(f.Bits))
}

// Undefined is the undefined reference of 64-bit fields and of typed tables.
const Undefined = ^uint64(0)

// Spec is the specification of one kind: everything that readers, writers, printers and tables know of it.
type Spec struct {
	ID     Kind
	Name   string
	Fields []Field
	// Pairs lists the pairs that a record of this kind opens or closes.
	Pairs []Pair
}

// Field returns the index of the named field, or -1.
func (s *Spec) Field(name string) int {
	for i := range s.Fields {
		if s.Fields[i].Name == name {
			return i
		}
	}
	return -1
}

// HasPeer reports whether the first field is a rank that may be kept relative to the location's own.
func (s *Spec) HasPeer() bool { return len(s.Fields) > 0 && s.Fields[0].Peer }

// CheckPeer returns an error if a field is marked as a peer and cannot be one: if it is not the first one, of TypeRank, or a communicator
// does not follow. Both fields must be structural, and no members of the repeated group.
func (s *Spec) CheckPeer() error {
	for i := range s.Fields {
		f := &s.Fields[i]
		if !f.Peer {
			continue
		}
		if i > 0 || f.Type != TypeRank || f.Role != Structural || f.Repeat || len(s.Fields) < 2 || !s.Fields[1].isCommunicator() {
			return fmt.Errorf("kind %s: field %s is no peer", s.Name, f.Name)
		}
	}
	return nil
}

func (f *Field) isCommunicator() bool {
	return f.Type == TypeRef && f.Ref == SpaceComm && f.Role == Structural && !f.Repeat
}

// HasText reports whether records of the kind have text.
func (s *Spec) HasText() bool {
	for i := range s.Fields {
		if s.Fields[i].Type.InText() {
			return true
		}
	}
	return false
}

// Shape returns the number of scalar fields before the repeated group, the members of the group,
// and the number of scalar fields after it. group is 0 for kinds without a repeated group.
func (s *Spec) Shape() (before, group, after int) {
	for _, f := range s.Fields {
		switch {
		case f.Repeat:
			group++
		case group == 0:
			before++
		default:
			after++
		}
	}
	return before, group, after
}

// Count returns how often the repeated group stands in the record, given its words; 0 for kinds without one.
// ok is false if the words are fewer or more than the specification asks for.
func (s *Spec) Count(words []uint64) (n int, ok bool) {
	before, group, after := s.Shape()
	if group == 0 {
		return 0, len(words) == before
	}
	if len(words) < before+after {
		return 0, false
	}
	for i := range before {
		if s.Fields[i].Type == TypeCount {
			n = int((len(words) - before - after) / group)
			return n, words[i] == uint64(n) && n*group+before+after == len(words)
		}
	}
	return 0, false
}

// Walk calls visit for each word of a record with the field it belongs to, in order.
// It reports false, without a visit, if the words do not fit the specification.
func (s *Spec) Walk(words []uint64, visit func(i int, f *Field, word uint64)) bool {
	n, ok := s.Count(words)
	if !ok {
		return false
	}
	before, group, after := s.Shape()
	w := 0
	step := func(i int) {
		visit(w, &s.Fields[i], words[w])
		w++
	}
	for i := range before {
		step(i)
	}
	for range n {
		for i := range group {
			step(before + i)
		}
	}
	for i := range after {
		step(before + group + i)
	}
	return true
}

func num(name string, bits uint8) Field    { return Field{Name: name, Type: TypeNumber, Bits: bits} }
func signed(name string, bits uint8) Field { return Field{Name: name, Type: TypeSigned, Bits: bits} }
func double(name string) Field             { return Field{Name: name, Type: TypeDouble, Bits: 64} }
func rank(name string) Field               { return Field{Name: name, Type: TypeRank, Bits: 32} }
func timestamp(name string) Field          { return Field{Name: name, Type: TypeTime, Bits: 64} }
func duration(name string) Field           { return Field{Name: name, Type: TypeDuration, Bits: 64} }
func count(name string, bits uint8) Field  { return Field{Name: name, Type: TypeCount, Bits: bits} }
func typeCode(name string) Field           { return Field{Name: name, Type: TypeCode, Bits: 8} }
func val(name string) Field                { return Field{Name: name, Type: TypeValue, Bits: 64} }
func text(name string) Field               { return Field{Name: name, Type: TypeText, Bits: 64} }
func payload(name string) Field {
	return Field{Name: name, Type: TypeBytes, Bits: 64, Role: Value}
}

func self(space Space, bits uint8) Field {
	return Field{Name: "self", Type: TypeSelf, Bits: bits, Ref: space}
}

func ref(name string, space Space, bits uint8) Field {
	return Field{Name: name, Type: TypeRef, Bits: bits, Ref: space}
}

func enum(name string, bits uint8, e *Enum) Field {
	return Field{Name: name, Type: TypeEnum, Bits: bits, Enum: e}
}

func flags(name string, e *Enum) Field {
	return Field{Name: name, Type: TypeFlags, Bits: 32, Enum: e}
}

func (f Field) value() Field { f.Role = Value; return f }
func (f Field) key() Field   { f.Key = true; return f }
func (f Field) each() Field  { f.Repeat = true; return f }
func (f Field) peer() Field  { f.Peer = true; return f }
