package chrome

import (
	"errors"
	"fmt"
)

// What an [Error] is about; to be found with errors.Is.
var (
	// ErrCorrupt marks files that are no JSON, or JSON that is no trace.
	ErrCorrupt = errors.New("corrupt")
	// ErrUnsupported marks files that go beyond what is read.
	ErrUnsupported = errors.New("unsupported")
)

// Error is what went wrong, and where.
type Error struct {
	// File is the path of the file.
	File string
	// Line is the number of the line, from 1, and Offset the position in bytes: in the text, also of a compressed file.
	Line, Offset int64
	// Problem says what was found there.
	Problem string
	// Class is ErrCorrupt or ErrUnsupported, nil if the system failed to read.
	Class error
	// Cause is the error of the system or of the decompressor, if there was one.
	Cause error
}

// Error returns the file, the place and what was found there.
func (e *Error) Error() string {
	s := fmt.Sprintf("chrome: %s, line %d, byte %d: %s", e.File, e.Line, e.Offset, e.Problem)
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

// Unwrap gives errors.Is and errors.As the class and the cause.
func (e *Error) Unwrap() []error {
	var list []error
	for _, err := range []error{e.Class, e.Cause} {
		if err != nil {
			list = append(list, err)
		}
	}
	return list
}
