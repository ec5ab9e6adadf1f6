package mpe

import (
	"fmt"

	"github.com/pandotrace/pando/trace"
)

// Corrupt returns the error of a file that breaks the format's rules.
func Corrupt(file string, offset int64, format string, args ...any) error {
	return &trace.SourceError{File: file, Offset: offset, Problem: fmt.Sprintf(format, args...), Class: trace.ErrCorrupt}
}

// Unsupported returns the error of a file of a kind that is not read.
func Unsupported(file string, offset int64, format string, args ...any) error {
	return &trace.SourceError{File: file, Offset: offset, Problem: fmt.Sprintf(format, args...), Class: trace.ErrUnsupported}
}
