package report

import (
	"encoding/json"
	"io"
)

// Format is a form of an answer.
type Format uint8

const (
	// Text is for people: tables and sentences.
	Text Format = iota
	// JSON is for programs.
	JSON
	// CSV is for programs: comma-separated values below a line with the names of columns. Only tables have this format.
	CSV
)

// Answer is an answer that is one JSON document.
type Answer interface {
	// writeText writes the answer for people.
	writeText(w io.Writer)
}

// Write writes an answer as text, or as an indented JSON document.
func Write(w io.Writer, a Answer, f Format) error {
	if f == JSON {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(a)
	}
	a.writeText(w)
	return nil
}
