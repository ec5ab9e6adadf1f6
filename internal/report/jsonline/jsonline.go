// Package jsonline takes lines of JSON apart that we have written: objects of one line each, without spaces between their tokens.
package jsonline

import (
	"bytes"
	"encoding/json"
	"strings"
)

// AppendCSV appends a field, in quotes where it needs them; see RFC 4180.
func AppendCSV(dst []byte, field string) []byte {
	if !strings.ContainsAny(field, ",\"\r\n") {
		return append(dst, field...)
	}
	return append(append(append(dst, '"'), strings.ReplaceAll(field, `"`, `""`)...), '"')
}

// Plain returns a value of JSON as a cell has it: texts without quotes, nothing for null, lists and objects as JSON.
func Plain(value []byte) string {
	switch {
	case len(value) == 0 || string(value) == "null":
		return ""
	case value[0] != '"' || len(value) < 2:
		return string(value)
	case bytes.IndexByte(value, '\\') < 0:
		return string(value[1 : len(value)-1])
	}
	var s string
	if json.Unmarshal(value, &s) != nil {
		return string(value)
	}
	return s
}

// Each calls do for each member of an object of JSON that we have written.
func Each(line []byte, do func(name, value []byte)) {
	at := bytes.IndexByte(line, '{') + 1
	for at > 0 && at < len(line) && line[at] == '"' {
		end := at + valueLength(line[at:])
		from := end + 1 // behind the colon
		if end < at+2 || from >= len(line) {
			return
		}
		name := line[at+1 : end-1]
		end = from + valueLength(line[from:])
		do(name, line[from:end])
		at = end + 1 // behind the comma
	}
}

// valueLength returns the length of the value of JSON at the begin of a text.
func valueLength(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
			continue
		case '}', ']':
			if depth--; depth < 0 {
				return i
			}
		case ',', ':':
			if depth == 0 {
				return i
			}
			continue
		default:
			continue
		}
		if depth == 0 && i < len(text) {
			return i + 1
		}
	}
	return len(text)
}

// Names lists the names of the members of an object, in their order.
func Names(line []byte) (names []string) {
	Each(line, func(name, _ []byte) { names = append(names, string(name)) })
	return names
}
