package columnar

import (
	"math"
	"unicode/utf8"

	"github.com/pandotrace/pando/trace"
)

// names are the strings of a column of names, all different, known before the first row is written: an Arrow file has
// one dictionary per column.
type names struct {
	list  []string
	codes map[string]int32
}

// noName is the code of what has no name.
const noName = -1

// add returns the code of a string, noName if it is empty. Strings of traces need not be UTF-8, those of tables must.
func (n *names) add(s string) int32 {
	if s == "" {
		return noName
	}
	if !utf8.ValidString(s) {
		s = string(appendValid(nil, s))
	}
	if c, ok := n.codes[s]; ok {
		return c
	}
	if n.codes == nil {
		n.codes = map[string]int32{}
	}
	c := int32(len(n.list))
	n.list = append(n.list, s)
	n.codes[s] = c
	return c
}

// code returns the code of a string, noName if it is not among the names.
func (n *names) code(s string) int32 {
	if c, ok := n.codes[s]; ok {
		return c
	}
	return noName
}

// idNames are the names of definitions, or of the values of an enumeration.
type idNames struct {
	names
	codes map[uint64]int32 // of names, by id
}

// of returns the code of the name that belongs to an id, noName if there is none.
func (n *idNames) of(id uint64) int32 {
	if c, ok := n.codes[id]; ok {
		return c
	}
	return noName
}

// enumNames returns the names of all values of an enumeration of one byte.
func enumNames(e *trace.Enum) *idNames {
	n := &idNames{codes: map[uint64]int32{}}
	n.addEnum(e)
	return n
}

// addEnum adds the names of another enumeration.
func (n *idNames) addEnum(e *trace.Enum) {
	for v := range uint64(math.MaxUint8 + 1) {
		if e.Named(v) {
			n.codes[v] = n.add(e.Format(v))
		}
	}
}
