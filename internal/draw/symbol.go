package draw

import (
	"strconv"
	"strings"
)

// plainName returns the name of a function without what C++ compilers add to it: of _ZN3foo3barEi foo::bar. Names that are not
// of that form, or of a form with more to it, stay as they are. The form is that of the Itanium C++ ABI, section 5.1.
func plainName(symbol string) string {
	rest, ok := strings.CutPrefix(symbol, "_Z")
	if !ok {
		return symbol
	}
	rest, nested := strings.CutPrefix(strings.TrimPrefix(rest, "L"), "N")
	if nested {
		rest = strings.TrimLeft(rest, "rVKRO")
	}
	var parts []string
	for rest != "" && rest[0] >= '1' && rest[0] <= '9' && (nested || len(parts) == 0) {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		n, err := strconv.Atoi(rest[:digits])
		if err != nil || n > len(rest)-digits {
			return symbol
		}
		parts, rest = append(parts, rest[digits:digits+n]), rest[digits+n:]
	}
	if len(parts) == 0 || nested && !strings.HasPrefix(rest, "E") {
		return symbol
	}
	return strings.Join(parts, "::")
}
