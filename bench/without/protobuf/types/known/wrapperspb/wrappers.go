// Package wrapperspb has the messages of single values.
package wrapperspb

// wrapper is a value in a message.
type wrapper[T any] struct{ Value T }

// GetValue returns the value.
func (w *wrapper[T]) GetValue() T { return w.Value }

// The messages of each type of value.
type (
	// BoolValue is true or false.
	BoolValue struct{ wrapper[bool] }

	// Int32Value is a number of 32 bits.
	Int32Value struct{ wrapper[int32] }

	// Int64Value is a number of 64 bits.
	Int64Value struct{ wrapper[int64] }

	// UInt32Value is a number of 32 bits without a sign.
	UInt32Value struct{ wrapper[uint32] }

	// UInt64Value is a number of 64 bits without a sign.
	UInt64Value struct{ wrapper[uint64] }

	// FloatValue is a number with a point.
	FloatValue struct{ wrapper[float32] }

	// DoubleValue is a number with twice the digits.
	DoubleValue struct{ wrapper[float64] }

	// StringValue is a text.
	StringValue struct{ wrapper[string] }

	// BytesValue is bytes.
	BytesValue struct{ wrapper[[]byte] }
)
