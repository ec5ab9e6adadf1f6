package otf2

import (
	"errors"
	"fmt"
)

// What an [Error] is about; to be found with errors.Is.
var (
	// ErrCorrupt marks files whose bytes break the format's rules, or that end too early.
	ErrCorrupt = errors.New("corrupt")
	// ErrMissing marks files that should be there.
	ErrMissing = errors.New("missing")
	// ErrUnsupported marks archives of a kind that this package does not read.
	ErrUnsupported = errors.New("unsupported")
	// ErrUnwritable marks records that an archive cannot hold.
	ErrUnwritable = errors.New("unwritable")
)

// Error is what went wrong, and where.
type Error struct {
	// File is the path of the file.
	File string
	// Offset is the position in the file, in bytes, of the record or header in question.
	Offset int64
	// Problem says what was found there.
	Problem string
	// Class is ErrCorrupt, ErrMissing, ErrUnsupported or ErrUnwritable, nil if the system failed to read or write.
	Class error
	// Cause is the error of the system, if there was one.
	Cause error
}

// Error returns the file, the offset and what was found there.
func (e *Error) Error() string {
	s := fmt.Sprintf("otf2: %s, byte %d: %s", e.File, e.Offset, e.Problem)
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
