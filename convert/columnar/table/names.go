package table

import (
	"math"
	"unicode/utf8"

	"github.com/pandotrace/pando/trace"
)

// Names is the list of all strings of a column of names. The strings differ from each other and are known before the first row is written,
// because an Arrow file has one dictionary for each column.
type Names struct {
	List  []string         // by code
	Codes map[string]int32 // places in List
}

// NoName is the code of a row without a name.
const NoName = -1

// Add returns the code of a string, and adds the string if it is new; the empty string has the code NoName. Bytes that are not UTF-8
// are replaced.
func (n *Names) Add(s string) int32 {
	if s == "" {
		return NoName
	}
	if !utf8.ValidString(s) {
		s = string(AppendValid(nil, s))
	}
	if c, ok := n.Codes[s]; ok {
		return c
	}
	if n.Codes == nil {
		n.Codes = map[string]int32{}
	}
	c := int32(len(n.List))
	n.List = append(n.List, s)
	n.Codes[s] = c
	return c
}

// Code returns the code of a string, NoName if the string is not among the names.
func (n *Names) Code(s string) int32 {
	if c, ok := n.Codes[s]; ok {
		return c
	}
	return NoName
}

// IDNames is a list of names of definitions, or of values of an enumeration, which are found by id.
type IDNames struct {
	Names
	codes map[uint64]int32 // of names, by id
}

// Of returns the code of the name of an id, NoName if the id has none.
func (n *IDNames) Of(id uint64) int32 {
	if c, ok := n.codes[id]; ok {
		return c
	}
	return NoName
}

// EnumNames returns the names of all values of an enumeration of one byte.
func EnumNames(e *trace.Enum) *IDNames {
	n := &IDNames{codes: map[uint64]int32{}}
	n.AddEnum(e)
	return n
}

// AddEnum adds the names of another enumeration.
func (n *IDNames) AddEnum(e *trace.Enum) {
	for v := range uint64(math.MaxUint8 + 1) {
		if e.Named(v) {
			n.codes[v] = n.Add(e.Format(v))
		}
	}
}
