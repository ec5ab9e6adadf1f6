package table

import (
	"encoding/hex"
	"math"
	"strconv"
	"unicode/utf8"
)

// AppendValid appends a string. Each byte that is not part of UTF-8 becomes U+FFFD.
func AppendValid(dst []byte, s string) []byte {
	if utf8.ValidString(s) {
		return append(dst, s...)
	}
	for _, r := range s {
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// AppendDouble appends a number in the syntax of JSON. Infinity and NaN become strings.
func AppendDouble(dst []byte, v float64, bits int) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return strconv.AppendQuote(dst, strconv.FormatFloat(v, 'g', -1, bits))
	}
	return strconv.AppendFloat(dst, v, 'g', -1, bits)
}

// AppendQuoted appends a string in the syntax of JSON.
func AppendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i, r := range s {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r < ' ' || r == 0x7f:
			dst = append(dst, `\u00`...)
			dst = hex.AppendEncode(dst, []byte{s[i]})
		default:
			dst = utf8.AppendRune(dst, r) // a replacement character for what is not UTF-8
		}
	}
	return append(dst, '"')
}
