package form

import (
	"encoding/json"
	"strconv"
)

// IdentText returns a pid or tid that is a text as the value of a property. Numbers are written as they are, so a text that looks like one
// stands in quotation marks, as does one that begins with them.
func IdentText(text string) string {
	if text != "" && text[0] != '"' && !isInteger(text) {
		return text
	}
	quoted, _ := json.Marshal(text) // a string always can be marshalled
	return string(quoted)
}

// IdentJSON returns the pid or tid of a property as JSON: a number, or a text in quotation marks.
func IdentJSON(property string) string {
	if isInteger(property) || property != "" && property[0] == '"' && json.Valid([]byte(property)) {
		return property
	}
	quoted, _ := json.Marshal(property)
	return string(quoted)
}

// isInteger reports whether a text is an integer as numbers of 64 bits are written, without a sign or with one.
func isInteger(s string) bool {
	if v, err := strconv.ParseInt(s, 10, 64); err == nil {
		return strconv.FormatInt(v, 10) == s
	}
	v, err := strconv.ParseUint(s, 10, 64)
	return err == nil && strconv.FormatUint(v, 10) == s
}
