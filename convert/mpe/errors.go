package mpe

import (
	"errors"
	"fmt"
	"io/fs"
)

// What an [Error] is about; to be found with errors.Is.
var (
	// ErrCorrupt marks files whose bytes break the format's rules, or that end too early.
	ErrCorrupt = errors.New("corrupt")
	// ErrMissing marks files that should be there.
	ErrMissing = errors.New("missing")
	// ErrUnsupported marks files of a kind that is not read.
	ErrUnsupported = errors.New("unsupported")
)

// Error is what went wrong, and where.
type Error struct {
	// File is the path of the file.
	File string
	// Offset is the position in the file, in bytes, of what is wrong.
	Offset int64
	// Problem says what was found there.
	Problem string
	// Class is ErrCorrupt, ErrMissing or ErrUnsupported, nil if the system failed to read.
	Class error
	// Cause is the error of the system, if there was one.
	Cause error
}

// Error returns the file, the offset and what was found there.
func (e *Error) Error() string {
	s := fmt.Sprintf("%s, byte %d: %s", e.File, e.Offset, e.Problem)
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

// Corrupt returns the error of a file that breaks the format's rules.
func Corrupt(file string, offset int64, format string, args ...any) error {
	return &Error{File: file, Offset: offset, Problem: fmt.Sprintf(format, args...), Class: ErrCorrupt}
}

// Unsupported returns the error of a file of a kind that is not read.
func Unsupported(file string, offset int64, format string, args ...any) error {
	return &Error{File: file, Offset: offset, Problem: fmt.Sprintf(format, args...), Class: ErrUnsupported}
}

// Unreadable returns the error of a file that the system does not give.
func Unreadable(file string, offset int64, cause error) error {
	e := &Error{File: file, Offset: offset, Problem: "cannot be read", Cause: cause}
	if errors.Is(cause, fs.ErrNotExist) {
		e.Class = ErrMissing
	}
	return e
}
