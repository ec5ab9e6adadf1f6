package trace

import (
	"math"
	"strconv"
)

// ValueType says how the 64-bit word of an attribute or of a typed field is to be read.
// The numbers are part of the file format.
type ValueType uint8

// Types of attribute values, metric values and properties. Those from ValueString on, except the locations', are
// references to definitions. Signed values are two's complement in 64 bits; ValueFloat holds the bits of a 32-bit float.
const (
	ValueNone               ValueType = 0
	ValueUint8              ValueType = 1
	ValueUint16             ValueType = 2
	ValueUint32             ValueType = 3
	ValueUint64             ValueType = 4
	ValueInt8               ValueType = 5
	ValueInt16              ValueType = 6
	ValueInt32              ValueType = 7
	ValueInt64              ValueType = 8
	ValueFloat              ValueType = 9
	ValueDouble             ValueType = 10
	ValueString             ValueType = 11
	ValueAttribute          ValueType = 12
	ValueLocation           ValueType = 13
	ValueRegion             ValueType = 14
	ValueGroup              ValueType = 15
	ValueMetric             ValueType = 16
	ValueComm               ValueType = 17
	ValueParameter          ValueType = 18
	ValueRmaWin             ValueType = 19
	ValueSourceCodeLocation ValueType = 20
	ValueCallingContext     ValueType = 21
	ValueInterruptGenerator ValueType = 22
	ValueIoFile             ValueType = 23
	ValueIoHandle           ValueType = 24
	ValueLocationGroup      ValueType = 25
	// ValueChar is one byte of a text.
	ValueChar ValueType = 64
)

var valueSpaces = map[ValueType]Space{
	ValueString: SpaceString, ValueAttribute: SpaceAttribute, ValueLocation: SpaceLocation, ValueRegion: SpaceRegion,
	ValueGroup: SpaceGroup, ValueMetric: SpaceMetric, ValueComm: SpaceComm, ValueParameter: SpaceParameter,
	ValueRmaWin: SpaceRmaWin, ValueSourceCodeLocation: SpaceSourceCodeLocation, ValueCallingContext: SpaceCallingContext,
	ValueInterruptGenerator: SpaceInterruptGenerator, ValueIoFile: SpaceIoFile, ValueIoHandle: SpaceIoHandle,
	ValueLocationGroup: SpaceLocationGroup,
}

// Space returns the id space that values of this type refer to, SpaceNone for plain values.
func (t ValueType) Space() Space { return valueSpaces[t] }

// String returns the type's name.
func (t ValueType) String() string { return EnumType.Format(uint64(t)) }

// Format prints a value of this type as a number; references print as their id.
func (t ValueType) Format(v uint64) string {
	switch t {
	case ValueInt8, ValueInt16, ValueInt32, ValueInt64:
		return strconv.FormatInt(int64(v), 10)
	case ValueFloat:
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(v))), 'g', -1, 32)
	case ValueDouble:
		return strconv.FormatFloat(math.Float64frombits(v), 'g', -1, 64)
	default:
		return strconv.FormatUint(v, 10)
	}
}
