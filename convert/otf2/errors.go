package otf2

import (
	"errors"
	"fmt"

	"github.com/pandotrace/pando/trace"
)

// ErrUnwritable marks records that an archive cannot hold; to be found with errors.Is.
var ErrUnwritable = errors.New("unwritable")

func corrupt(file string, offset int64, format string, args ...any) error {
	return &trace.SourceError{Format: "otf2", File: file, Offset: offset, Problem: fmt.Sprintf(format, args...), Class: trace.ErrCorrupt}
}
