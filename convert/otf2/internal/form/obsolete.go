package form

import (
	"github.com/pandotrace/pando/trace"
)

// Values of obsolete fields, which writers still fill in for readers of old versions.

// valueOfString is the reverse of [stringProperty]: old properties have strings only.
func valueOfString(words []uint64) uint64 {
	const valueType, value = 2, 3
	if trace.ValueType(words[valueType]) == trace.ValueString {
		return words[value]
	}
	return Undefined32
}

// typeOfRegion returns the old type that says most of a region's role, paradigm and flags.
func typeOfRegion(words []uint64) uint64 {
	const first = 7
	role, paradigm, flags := words[first], words[first+1], words[first+2]
	if role == roleFunction {
		return regionFunctions[paradigm]
	}
	similar := 0
	for i, t := range regionTypes {
		if role == uint64(t.role) && paradigm == uint64(t.paradigm) {
			if flags == uint64(t.flags) {
				return uint64(i)
			}
			if similar == 0 {
				similar = i
			}
		}
	}
	return uint64(similar)
}

const roleFunction = 1

// regionFunctions are the old types of functions, by paradigm.
var regionFunctions = map[uint64]uint64{paradigmCompiler: 1, paradigmUser: 3}

// typeOfGroup is the reverse of [groupOfType].
func typeOfGroup(words []uint64) uint64 {
	groupType, paradigm := words[len(words)-3], words[len(words)-2]
	for i, t := range groupTypes {
		if groupType == uint64(t.groupType) && paradigm == uint64(t.paradigm) {
			return uint64(i)
		}
	}
	return 0
}
