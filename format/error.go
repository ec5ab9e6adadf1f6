package format

import (
	"errors"
	"fmt"
)

// CorruptError is the one type of all errors that mean: the bytes of a Pando file are not what they must be.
type CorruptError struct {
	// File is the file's name; empty if it is unknown.
	File string
	// Section is the part of the file: "header", "slice block", "directory" …
	Section string
	// Offset is the position in the file, in bytes, where the damaged section begins or the damage was noticed; -1 if
	// it is not known.
	Offset int64
	Err    error
	// Kind is [ErrNotPando], [ErrUnsupported] or [ErrLimit] where that is what is wrong, so that errors.Is finds it; else nil.
	Kind error
}

// Kinds of a CorruptError that callers may want to tell apart. All others mean that the file is damaged.
var (
	// ErrNotPando means that the file does not begin as a Pando file does.
	ErrNotPando = errors.New("not a Pando file")
	// ErrUnsupported means that the file has a version or needs a feature that this program does not know.
	ErrUnsupported = errors.New("version or feature that is not supported")
	// ErrLimit means that the file may be sound, but has more than the Limits of the reader allow.
	ErrLimit = errors.New("over a limit of the reader")
)

// Error says where what is wrong.
func (e *CorruptError) Error() string {
	s := e.Section + ": " + e.Err.Error()
	if e.Offset >= 0 {
		s = fmt.Sprintf("%s at offset %d: %v", e.Section, e.Offset, e.Err)
	}
	if e.File != "" {
		s = e.File + ": " + s
	}
	return s
}

// Is reports whether the error is of a kind.
func (e *CorruptError) Is(target error) bool { return e.Kind != nil && target == e.Kind }

// Of sets the kind of the error, and returns the error.
func (e *CorruptError) Of(kind error) *CorruptError {
	e.Kind = kind
	return e
}

// Unwrap returns the cause.
func (e *CorruptError) Unwrap() error { return e.Err }

// Corruptf makes a CorruptError of a section at an offset (-1 if not known).
func Corruptf(section string, offset int64, msg string, args ...any) *CorruptError {
	return &CorruptError{Section: section, Offset: offset, Err: fmt.Errorf(msg, args...)}
}

// At fills in what a CorruptError does not say yet: the file and the offset of the section. Other errors pass through.
func At(err error, file string, offset int64) error {
	var c *CorruptError
	if !errors.As(err, &c) {
		return err
	}
	if c.File == "" {
		c.File = file
	}
	if c.Offset < 0 {
		c.Offset = offset
	}
	return err
}

// IsCorrupt reports whether an error means that a file is damaged.
func IsCorrupt(err error) bool {
	var c *CorruptError
	return errors.As(err, &c)
}
