package form

import (
	"errors"
	"fmt"

	"github.com/pandotrace/pando/trace"
)

// ErrUnwritable is in the chain of errors about records that an archive cannot hold.
var ErrUnwritable = errors.New("unwritable")

func Corrupt(file string, offset int64, format string, args ...any) error {
	return &trace.SourceError{Format: "otf2", File: file, Offset: offset, Problem: fmt.Sprintf(format, args...), Class: trace.ErrCorrupt}
}
