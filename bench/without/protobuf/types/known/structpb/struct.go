// Package structpb has the messages of values without a schema.
package structpb

// Struct is an object.
type Struct struct{ Fields map[string]*Value }

// GetFields returns the values by name.
func (s *Struct) GetFields() map[string]*Value { return s.Fields }

// ListValue is a list.
type ListValue struct{ Values []*Value }

// GetValues returns the values of the list.
func (l *ListValue) GetValues() []*Value { return l.Values }

// Value is one of the types below.
type Value struct{ Kind any }

// GetKind returns the value.
func (v *Value) GetKind() any { return v.Kind }

// The types of a value.
type (
	// Value_NullValue is null.
	Value_NullValue struct{ NullValue int32 }

	// Value_NumberValue is a number.
	Value_NumberValue struct{ NumberValue float64 }

	// Value_StringValue is a text.
	Value_StringValue struct{ StringValue string }

	// Value_BoolValue is true or false.
	Value_BoolValue struct{ BoolValue bool }

	// Value_StructValue is an object.
	Value_StructValue struct{ StructValue *Struct }

	// Value_ListValue is a list.
	Value_ListValue struct{ ListValue *ListValue }
)
