package otf

import (
	"errors"
	"fmt"
	"os"
)

// What an [Error] is about; to be found with errors.Is.
var (
	// ErrCorrupt marks files whose content breaks the format's rules.
	ErrCorrupt = errors.New("corrupt")
	// ErrMissing marks files that should be there.
	ErrMissing = errors.New("missing")
	// ErrUnsupported marks traces of a kind that this package does not read.
	ErrUnsupported = errors.New("unsupported")
)

// Error is what went wrong, and where.
type Error struct {
	// File is the path of the file.
	File string
	// Offset is the position of the line in question, in bytes: in the file, or in the text that a compressed file holds.
	Offset int64
	// Problem says what was found there.
	Problem string
	// Class is ErrCorrupt, ErrMissing or ErrUnsupported, nil if the system failed to read.
	Class error
	// Cause is the error of the system or of the decompressor, if there was one.
	Cause error
}

// Error returns the file, the offset and what was found there.
func (e *Error) Error() string {
	s := fmt.Sprintf("otf: %s, byte %d: %s", e.File, e.Offset, e.Problem)
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

func corrupt(file string, offset int64, format string, args ...any) error {
	return &Error{File: file, Offset: offset, Problem: fmt.Sprintf(format, args...), Class: ErrCorrupt}
}

// unreadable is the error of the system, when it cannot read a file.
func unreadable(file string, offset int64, err error) error {
	e := &Error{File: file, Offset: offset, Problem: "cannot be read", Cause: err}
	if os.IsNotExist(err) {
		e.Class = ErrMissing
	}
	return e
}
