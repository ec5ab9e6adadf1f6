package otf

import (
	"fmt"

	"github.com/pandotrace/pando/trace"
)

func corrupt(file string, offset int64, format string, args ...any) error {
	return &trace.SourceError{Format: "otf", File: file, Offset: offset, Problem: fmt.Sprintf(format, args...), Class: trace.ErrCorrupt}
}

// unreadable is the error of the system, when it cannot read a file.
func unreadable(file string, offset int64, err error) error {
	return trace.Unreadable("otf", file, offset, err)
}
