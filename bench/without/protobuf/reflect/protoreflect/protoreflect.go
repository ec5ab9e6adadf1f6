// Package protoreflect has the types by which the Parquet library asks a message for its fields.
package protoreflect

// Name is that of a field.
type Name string

// Kind is the type of a field.
type Kind int

// MessageKind is the type of a field that is a message itself.
const MessageKind Kind = 11

// Message gives the fields of a message.
type Message interface {
	Descriptor() MessageDescriptor // what the message is
	Has(FieldDescriptor) bool      // whether a field is set
	Get(FieldDescriptor) Value     // a value
	Interface() any                // the message itself
}

// MessageDescriptor describes a message.
type MessageDescriptor interface {
	Fields() FieldDescriptors // all fields
}

// FieldDescriptors are those of a message.
type FieldDescriptors interface {
	ByName(Name) FieldDescriptor // a field, or nil
}

// FieldDescriptor describes a field.
type FieldDescriptor interface {
	Kind() Kind // the type of its values
}

// List is a repeated field.
type List interface {
	Len() int      // the number of values
	Get(int) Value // a value
	// ProtoList tells a list from other types with these methods.
	ProtoList()
}

// Map is a field with keys.
type Map interface {
	Len() int                      // the number of values
	Range(func(Value, Value) bool) // all values by key
}

// Value is the value of a field. There is none.
type Value struct{}

// IsValid is false.
func (Value) IsValid() bool { return false }

// Interface is nil.
func (Value) Interface() any { return nil }

// Message is nil.
func (Value) Message() Message { return nil }
