package trace

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Enum names the values of an enumeration or the bits of a flag set.
type Enum struct {
	Name  string
	names map[uint64]string
}

func newEnum(name string, names map[uint64]string) *Enum {
	return &Enum{Name: name, names: names}
}

// Format returns the name of a value, or its number if it has none.
func (e *Enum) Format(v uint64) string {
	if e != nil {
		if s, ok := e.names[v]; ok {
			return s
		}
	}
	return strconv.FormatUint(v, 10)
}

// Values returns the values that have names, in ascending order.
func (e *Enum) Values() []uint64 { return slices.Sorted(maps.Keys(e.names)) }

// Named reports whether a value has a name.
func (e *Enum) Named(v uint64) bool {
	if e == nil {
		return false
	}
	_, ok := e.names[v]
	return ok
}

// FormatFlags returns the names of the bits set in v, as "A|B"; bits without a name follow as one hexadecimal number.
func (e *Enum) FormatFlags(v uint64) string {
	if e == nil {
		return strconv.FormatUint(v, 10)
	}
	if s, ok := e.names[v]; ok {
		return s
	}
	var parts []string
	rest := v
	for bit := uint64(1); bit != 0 && bit <= v; bit <<= 1 {
		if s, ok := e.names[bit]; ok && v&bit != 0 {
			parts = append(parts, s)
			rest &^= bit
		}
	}
	if rest != 0 {
		parts = append(parts, "0x"+strconv.FormatUint(rest, 16))
	}
	return strings.Join(parts, "|")
}
