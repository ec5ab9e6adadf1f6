package layout

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/pandotrace/pando/format"
)

// ErrClosed means that a reader or writer is used after it was closed. It is an fs.ErrClosed, too.
var ErrClosed = fmt.Errorf("store: %w", fs.ErrClosed)

// ErrInvalid means that a function was called with arguments, or in an order, that it does not take.
var ErrInvalid = errors.New("invalid use")

// kindError is an error of a kind that errors.Is finds and its text does not repeat.
type kindError struct {
	error
	kind error
}

// Is reports whether the error is of a kind.
func (e *kindError) Is(target error) bool { return target == e.kind }

// Unwrap returns the error without its kind.
func (e *kindError) Unwrap() error { return e.error }

// Invalidf makes an ErrInvalid.
func Invalidf(text string, args ...any) error {
	return &kindError{fmt.Errorf(text, args...), ErrInvalid}
}

// Overf makes an error of what a writer was given and no reader takes by default: a format.ErrLimit.
func Overf(text string, args ...any) error {
	return &kindError{fmt.Errorf(text, args...), format.ErrLimit}
}
