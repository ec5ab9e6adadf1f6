package draw

import (
	"strconv"
	"strings"
	"unicode"
)

// maxName is the number of letters of a name in a hint: a picture has thousands of hints.
const maxName = 120

// brief returns a name for hints, without its middle if it is long, and without what cannot be printed.
func brief(name string) string {
	name = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, head(name, 8*maxName))
	if r := []rune(name); len(r) > maxName {
		return string(r[:maxName/2]) + "…" + string(r[len(r)-maxName/2:])
	}
	return name
}

// head returns the beginning of a text, of at most n bytes.
func head(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "")
}

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
