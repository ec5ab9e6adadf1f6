package trace

import (
	"errors"
	"fmt"
	"io/fs"
)

// What a [SourceError] is about, whatever the format; to be found with errors.Is.
var (
	// ErrCorrupt marks files whose content breaks the format's rules, or that end too early.
	ErrCorrupt = errors.New("corrupt")
	// ErrMissing marks files that should be there.
	ErrMissing = errors.New("missing")
	// ErrUnsupported marks files of a kind that is not read, or that go beyond what is read.
	ErrUnsupported = errors.New("unsupported")
)

// SourceError is what is wrong with the files of a source, and where.
type SourceError struct {
	// Format is the name of the format; empty if the file says it.
	Format string
	// File is the path of the file.
	File string
	// Line is the number of the line, from 1; 0 in files without lines.
	Line int64
	// Offset is the position of what is wrong, in bytes: in the file, or in the text that a compressed file holds.
	Offset int64
	// Problem says what was found there.
	Problem string
	// Class is ErrCorrupt, ErrMissing, ErrUnsupported or one of the format's own, nil if the system failed.
	Class error
	// Cause is the error of the system or of the decompressor, if there was one.
	Cause error
}

// Error returns the file, the place and what was found there.
func (e *SourceError) Error() string {
	s := e.File
	if e.Format != "" {
		s = e.Format + ": " + s
	}
	if e.Line > 0 {
		s += fmt.Sprintf(", line %d", e.Line)
	}
	s += fmt.Sprintf(", byte %d: %s", e.Offset, e.Problem)
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

// Unwrap gives errors.Is and errors.As the class and the cause.
func (e *SourceError) Unwrap() []error {
	var list []error
	for _, err := range []error{e.Class, e.Cause} {
		if err != nil {
			list = append(list, err)
		}
	}
	return list
}

// Unreadable returns the error of a file that the system does not give.
func Unreadable(format, file string, offset int64, cause error) error {
	e := &SourceError{Format: format, File: file, Offset: offset, Problem: "cannot be read", Cause: cause}
	if errors.Is(cause, fs.ErrNotExist) {
		e.Class = ErrMissing
	}
	return e
}
